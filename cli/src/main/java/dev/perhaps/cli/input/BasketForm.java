package dev.perhaps.cli.input;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** How baskets stand in an input: {@code lines}, {@code csv}, {@code csv:BASKET,ITEM}, {@code jsonl:FIELD}. */
public interface BasketForm {
    /** The forms, for help texts and messages. */
    String ALL = "lines, csv, csv:BASKET,ITEM or jsonl:FIELD";

    /** Takes the items of one basket, one by one, and then hears that it has ended. */
    interface Sink {
        void item(byte[] bytes, int from, int to);

        /** Input and line say where the basket stood, for messages. */
        void end(String input, long line) throws IOException;
    }

    /** Reads all baskets of one input; {@code name} is for messages. */
    void read(String name, InputStream in, Sink sink) throws IOException;

    /**
     * The form that a user names.
     *
     * @param separator what stands between the items of a line; white space if null
     */
    static BasketForm of(String text, @Nullable String separator) {
        if (separator != null && !text.equals("lines")) {
            throw new BadInput("--separator is for lines, which '" + text + "' are not");
        }
        if (text.equals("lines")) {
            return new LineBaskets(separator);
        }
        if (text.equals("csv")) {
            return new CsvBaskets();
        }
        int comma = text.indexOf(',');
        if (text.startsWith("csv:") && comma > "csv:".length() && comma < text.length() - 1) {
            return new CsvColumnBaskets(text.substring("csv:".length(), comma), text.substring(comma + 1));
        }
        if (text.startsWith("jsonl:") && text.length() > "jsonl:".length()) {
            return new JsonlBaskets(text.substring("jsonl:".length()));
        }
        throw new BadInput("there is no format '" + text + "': use " + ALL);
    }
}
