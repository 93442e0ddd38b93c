package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;

/**
 * How keys stand in an input: {@code lines}, {@code csv:COLUMN}, {@code jsonl:FIELD}. The form decides what is hashed, and
 * its name goes into the file with the key, so that a filter is asked in the form it was built in.
 */
public interface KeyForm {
    /** Takes one record; the object is reused for the next. */
    @FunctionalInterface
    interface Sink {
        void take(Entry entry) throws IOException;
    }

    Key<?> key();

    /** Reads all records of one input; {@code name} is for messages. */
    void read(String name, InputStream in, Sink sink) throws IOException;

    /** The first line that belongs above what is printed (the header of a CSV file), or an empty string. */
    default String header() {
        return "";
    }

    /** The forms, for help texts and messages. */
    String ALL = "lines, csv:COLUMN, jsonl:FIELD";

    /** The form that a user names. */
    static KeyForm of(String text, long seed) {
        int colon = text.indexOf(':');
        String word = colon < 0 ? text : text.substring(0, colon);
        String argument = colon < 0 ? "" : text.substring(colon + 1);
        return switch (word) {
            case "lines" -> {
                if (colon >= 0) {
                    throw new BadInput("the form 'lines' takes no argument, got '" + text + "'");
                }
                yield new LinesForm(seed);
            }
            case "csv" -> new CsvForm(needed(text, argument, "csv:email"), seed);
            case "jsonl" -> new JsonlForm(needed(text, argument, "jsonl:user.email"), seed);
            default -> throw new BadInput("there is no key form '" + text + "': use one of " + ALL);
        };
    }

    /** The form in which a filter was built, from the key name in its file. */
    static KeyForm ofKeyName(String keyName, long seed) {
        int of = keyName.indexOf(" of ");
        String base = of < 0 ? keyName : keyName.substring(0, of);
        if (of >= 0) {
            String form = keyName.substring(of + " of ".length());
            if (form.startsWith("csv:") || form.startsWith("jsonl:")) {
                return of(form, seed);
            }
        }
        if (base.equals(Key.strings().name())) {
            return of("lines", seed);
        }
        throw new BadInput("the filter holds keys of the form '" + keyName
                + "', which the command line cannot read from text: ask it from the program that wrote it");
    }

    private static String needed(String text, String argument, String example) {
        if (argument.isEmpty()) {
            throw new BadInput("the key form '" + text + "' needs a name, as in " + example);
        }
        return argument;
    }
}
