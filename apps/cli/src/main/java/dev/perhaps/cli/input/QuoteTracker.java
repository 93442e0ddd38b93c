package dev.perhaps.cli.input;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;

/** Passes a table on, and knows whether it ended within quotes: then one is not closed, and the last field holds all that follows it. */
final class QuoteTracker extends FilterReader {
    private static final char QUOTE = '"';

    private final char delimiter;
    /** A quote opens a field only as its first character. */
    private boolean isFieldStart = true;

    private boolean isInside;
    /** The character before was a quote that closes the field, unless another one follows: two are one in the field. */
    private boolean isClosing;

    private boolean isEnded;

    QuoteTracker(Reader in, char delimiter) {
        super(in);
        this.delimiter = delimiter;
    }

    /** Returns true if all was read, and a quote is still open. */
    boolean isUnclosed() {
        return isEnded && isInside;
    }

    @Override
    public int read() throws IOException {
        char[] one = new char[1];
        return read(one, 0, 1) < 0 ? -1 : one[0];
    }

    @Override
    public int read(char[] into, int from, int length) throws IOException {
        int count = super.read(into, from, length);
        isEnded = count < 0;
        if (count > 0) {
            track(into, from, from + count);
        }
        return count;
    }

    private void track(char[] text, int from, int to) {
        int at = quote(text, from, to);
        if (!isInside && at == to) {
            // Most tables have no quotes: the last character says all.
            outside(text[to - 1]);
            return;
        }
        for (at = isInside ? at : from; at < to; at++) {
            if (!isInside) {
                outside(text[at]);
            } else if (text[at] == QUOTE) {
                isInside = false;
                isClosing = true;
            }
        }
    }

    private void outside(char c) {
        isInside = c == QUOTE && (isFieldStart || isClosing);
        isFieldStart = c == delimiter || c == '\n' || c == '\r';
        isClosing = false;
    }

    private static int quote(char[] text, int from, int to) {
        int at = from;
        while (at < to && text[at] != QUOTE) {
            at++;
        }
        return at;
    }
}
