package dev.perhaps.cli.console;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Makes text of strangers safe to look at: control characters, which could move the cursor, recolour the terminal or
 * pretend to be another line, are shown as {@code \n}, {@code \r} or <code>&#92;u001B</code>, bytes that are no UTF-8 as
 * {@code \xFF}. A tab stays one, except in a
 * key. It is for people: what a backslash in the text meant cannot be told afterwards.
 */
public final class Printable {
    private Printable() {}

    public static String text(String text) {
        return isPlain(text) ? text : escaped(text, false);
    }

    private static boolean isPlain(String text) {
        return text.chars().noneMatch(c -> isHidden((char) c));
    }

    /** The same, of text that has lines. */
    public static String lines(String text) {
        return escaped(text, true);
    }

    /** Returns true if there is nothing in a key to escape but bytes that are no UTF-8. */
    static boolean isPlainKey(byte[] bytes, int from, int to) {
        String text = new String(bytes, from, to - from, StandardCharsets.UTF_8);
        return isPlain(text) && text.indexOf('\t') < 0;
    }

    /** Returns a key for a column: a tab is shown too, as {@code \t}. */
    static byte[] key(byte[] bytes, int from, int to) {
        return escaped(bytes, from, to, false).replace("\t", "\\t").getBytes(StandardCharsets.UTF_8);
    }

    static String key(String key) {
        return text(key).replace("\t", "\\t");
    }

    static byte[] bytes(byte[] bytes, int from, int to) {
        return escaped(bytes, from, to, false).getBytes(StandardCharsets.UTF_8);
    }

    /** The same, of bytes that have lines. */
    public static byte[] lines(byte[] bytes, int from, int to) {
        return escaped(bytes, from, to, true).getBytes(StandardCharsets.UTF_8);
    }

    private static String escaped(byte[] bytes, int from, int to, boolean lines) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes, from, to - from);
        CharBuffer out = CharBuffer.allocate(to - from);
        StringBuilder text = new StringBuilder(to - from);
        CoderResult result = decoder.decode(in, out, true);
        while (result.isError()) {
            text.append(escaped(out.flip().toString(), lines));
            for (int i = 0; i < result.length(); i++) {
                text.append(String.format("\\x%02X", in.get()));
            }
            out.clear();
            decoder.reset();
            result = decoder.decode(in, out, true);
        }
        return text.append(escaped(out.flip().toString(), lines)).toString();
    }

    private static String escaped(String text, boolean lines) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isHidden(c) || lines && c == '\n') {
                escaped.append(c);
            } else if (c == '\n') {
                escaped.append("\\n");
            } else if (c == '\r') {
                escaped.append("\\r");
            } else {
                escaped.append(String.format("\\u%04X", (int) c));
            }
        }
        return escaped.toString();
    }

    /** Controls, and what separates lines or turns the direction of writing. */
    private static boolean isHidden(char c) {
        return c != '\t'
                && (Character.isISOControl(c)
                        || c == '\u2028'
                        || c == '\u2029'
                        || c >= '\u202A' && c <= '\u202E'
                        || c >= '\u2066' && c <= '\u2069');
    }
}
