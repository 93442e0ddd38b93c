package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import dev.perhaps.key.Kmers;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The format of keys in an input: {@code lines}, {@code int64}, {@code urls}, {@code kmers:K}, {@code csv:COLUMN}, {@code tsv:COLUMN},
 * {@code jsonl:FIELD}, {@code word:N}. The
 * form decides what is hashed, and its name goes into the file with the key, so that a filter is asked in the form it was
 * built in.
 */
public interface KeyForm {
    /** Takes one record; the object is reused for the next. */
    @FunctionalInterface
    interface Sink {
        void take(Entry entry) throws IOException;
    }

    Key<?> key();

    /** Reads all records of one input, to be added; {@code name} is for messages. */
    void read(String name, InputStream in, Sink sink) throws IOException;

    /** Reads all records of one input for lookups: a record is found if any of its hashes is. */
    default void ask(String name, InputStream in, Sink sink) throws IOException {
        read(name, in, sink);
    }

    /** Opens an input and reads all its records, to be added; {@code meter} gets the number of bytes read. */
    default void read(Input input, Input.Meter meter, Sink sink) throws IOException {
        try (Input.Open open = input.open(meter)) {
            read(input.name(), open.stream(), sink);
        }
    }

    /** Does the same for records that are looked up. */
    default void ask(Input input, Input.Meter meter, Sink sink) throws IOException {
        try (Input.Open open = input.open(meter)) {
            ask(input.name(), open.stream(), sink);
        }
    }

    /** Returns true if a record holds many keys and is neither in the set nor not, but to some share. */
    default boolean manyKeysEach() {
        return false;
    }

    /** Returns true if a record has one key, which {@link Entry#keyBytes} holds. */
    default boolean keepsKeys() {
        return false;
    }

    /**
     * Returns the largest number of hashes per looked-up record, of which one is enough: each can be a false positive.
     */
    default int hashesPerQuery() {
        return 1;
    }

    /** The key of a form in which every line is a key and nothing else is read of it; null for all others. */
    default Key.@Nullable Bytes lineKey() {
        return null;
    }

    /** True if records are lines that can be read without those before them: an input can then be read in parts. */
    default boolean isByLine() {
        return false;
    }

    /** The first line that belongs above what is printed (the header of a CSV file), or an empty string. */
    default String header() {
        return "";
    }

    /** The forms, for help texts and messages. */
    String ALL = "lines, csv:COLUMN, tsv:COLUMN, jsonl:FIELD, word:N, int64, urls, kmers:K";

    /** The form that a user names. */
    static KeyForm of(String text, long seed) {
        return of(text, seed, Fields.none());
    }

    /** The form that a user names, with the fields to read beside the key. */
    static KeyForm of(String text, long seed, Fields fields) {
        int colon = text.indexOf(':');
        String word = colon < 0 ? text : text.substring(0, colon);
        String argument = colon < 0 ? "" : text.substring(colon + 1);
        int slash = word.indexOf('/');
        String kind = slash < 0 ? word : word.substring(0, slash);
        boolean isTable = kind.equals("csv") || kind.equals("tsv");
        if (fields.any() && !isTable && !List.of("jsonl", "word").contains(word)) {
            throw new BadInput("--by and --time need a format with fields, which '" + text
                    + "' does not have: use --format csv:COLUMN, tsv:COLUMN, jsonl:FIELD or word:N");
        }
        if (isTable) {
            Table table = Table.of(word, fields.table());
            return new CsvForm(table, needed(text, argument, kind + ":email"), seed, fields);
        }
        if (fields.table().any()) {
            throw new BadInput("--no-header and --delimiter are for tables, which '" + text
                    + "' is not: use --format csv:COLUMN or tsv:COLUMN");
        }
        return switch (word) {
            case "lines", "urls", "int64" -> {
                if (colon >= 0) {
                    throw new BadInput("the format '" + word + "' takes no argument, got '" + text + "'");
                }
                yield switch (word) {
                    case "urls" -> new UrlsForm(seed, fields.bad());
                    case "int64" -> new NumbersForm(seed, fields.bad());
                    default -> new LinesForm(seed);
                };
            }
            case "kmers" -> new KmersForm(bases(text, argument), seed);
            case "jsonl" -> new JsonlForm(needed(text, argument, "jsonl:user.email"), seed, fields);
            case "word" -> new WordForm(needed(text, argument, "word:7"), seed, fields);
            case "files" ->
                throw new BadInput(
                        "the format 'files' is for 'perhaps dedup' and 'perhaps similar': use one of " + ALL);
            default -> throw new BadInput("there is no format '" + text + "': use one of " + ALL);
        };
    }

    /** The form in which a filter was built, from the key name in its file. */
    static KeyForm ofKeyName(String keyName, long seed) {
        return ofKeyName(keyName, seed, Fields.none());
    }

    /** The same, with the fields to read beside the key. */
    static KeyForm ofKeyName(String keyName, long seed, Fields fields) {
        int of = keyName.indexOf(" of ");
        String base = of < 0 ? keyName : keyName.substring(0, of);
        if (of >= 0) {
            String form = Units.withoutUnits(keyName.substring(of + " of ".length()));
            if (form.matches("(csv|tsv)[/:].*|(jsonl|word):.*")) {
                return of(form, seed, fields);
            }
        }
        if (base.equals(Key.strings().name())) {
            return of("lines", seed, fields);
        }
        if (base.equals(Key.urls().name())
                || base.equals(Key.longs().name())
                || Key.named(base, seed) instanceof Kmers) {
            return of(base, seed, fields);
        }
        throw new BadInput("the file holds keys '" + keyName
                + "', which the command line cannot read from text: query it with the program that wrote it");
    }

    private static int bases(String text, String argument) {
        for (int bases = 1; bases <= Kmers.MAX_BASES; bases++) {
            if (argument.equals(Integer.toString(bases))) {
                return bases;
            }
        }
        throw new BadInput(
                "the format '" + text + "' needs a length of 1 to " + Kmers.MAX_BASES + " bases, as in kmers:31");
    }

    private static String needed(String text, String argument, String example) {
        if (argument.isEmpty()) {
            throw new BadInput("the format '" + text + "' needs a name, as in " + example);
        }
        return argument;
    }
}
