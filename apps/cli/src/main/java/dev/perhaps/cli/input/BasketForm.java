package dev.perhaps.cli.input;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The formats of baskets: {@code lines}, {@code csv}, {@code csv:BASKET,ITEM}, the same for {@code tsv}, {@code
 * jsonl:FIELD}.
 */
public interface BasketForm {
    /** The forms, for help texts and messages. */
    String ALL = "lines, csv, tsv, csv:BASKET,ITEM, tsv:BASKET,ITEM or jsonl:FIELD";

    /** Takes the items of each basket one by one, followed by its end. */
    interface Sink {
        void item(byte[] bytes, int from, int to);

        /** Input and line say where the basket stood, for messages. */
        void end(String input, long line) throws IOException;
    }

    /** True if baskets are lines that can be read without those before them: an input can then be read in parts. */
    default boolean isByLine() {
        return false;
    }

    /** Reads all baskets of one input; {@code name} is for messages. */
    void read(String name, InputStream in, Sink sink) throws IOException;

    /** The form that a user names, as tables usually are; the first basket that cannot be read is an error. */
    static BasketForm of(String text, @Nullable String separator) {
        return of(text, separator, TableOptions.usual(), BadRecords.refused(""));
    }

    /**
     * The form that a user names.
     *
     * @param separator what stands between the items of a line; white space if null
     */
    static BasketForm of(String text, @Nullable String separator, TableOptions options, BadRecords bad) {
        if (separator != null && !text.equals("lines")) {
            throw new BadInput("--separator is for lines, which '" + text + "' are not");
        }
        int colon = text.indexOf(':');
        String word = colon < 0 ? text : text.substring(0, colon);
        String argument = colon < 0 ? "" : text.substring(colon + 1);
        boolean isTable = word.equals("csv") || word.equals("tsv");
        if (options.any() && !isTable) {
            throw new BadInput(
                    "--no-header and --delimiter are for tables, which '" + text + "' is not: use --format csv or tsv");
        }
        if (text.equals("lines")) {
            return new LineBaskets(separator);
        }
        if (isTable && colon < 0) {
            return new CsvBaskets(Table.of(word, options), bad);
        }
        if (isTable) {
            return new CsvColumnBaskets(Table.of(word, options), text, bad);
        }
        if (word.equals("jsonl") && !argument.isEmpty()) {
            return new JsonlBaskets(argument, bad);
        }
        throw new BadInput("there is no format '" + text + "' of baskets: use " + ALL);
    }
}
