package dev.perhaps.server.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Writes replies to the bytes of one connection, in the version of the protocol that the client chose. Types that RESP2 lacks
 * are written as those that take their place there. Not thread-safe.
 */
public final class ReplyWriter {
    /** The most that the replies which were not sent yet may take; one value of the largest request fits. */
    public static final int MAX_REPLY_BYTES = 80 << 20;

    private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PONG = "+PONG\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int ONE_DIGIT = 10;
    private static final int TWO_DIGITS = 100;
    private static final int END = '\r' << 8 | '\n';

    private ByteBuf out;
    private boolean isVersion3;

    /** A writer of RESP2. */
    public ReplyWriter(ByteBuf out) {
        this.out = out;
    }

    /** Continues in another buffer. */
    public void to(ByteBuf buffer) {
        out = buffer;
    }

    /** Sets the version of the protocol, 2 or 3. */
    public void version(int version) {
        isVersion3 = version == 3;
    }

    /** Returns the version of the protocol. */
    public int version() {
        return isVersion3 ? 3 : 2;
    }

    /** Returns the place where the next reply begins, for {@link #reset}. */
    public int mark() {
        return out.writerIndex();
    }

    /** Takes back everything that was written since the mark. */
    public void reset(int mark) {
        out.writerIndex(mark);
    }

    /** {@code +OK}. */
    public void ok() {
        out.writeBytes(OK);
    }

    /** {@code +PONG}. */
    public void pong() {
        out.writeBytes(PONG);
    }

    /** A simple string. */
    public void simple(String text) {
        line('+', text);
    }

    /** An error: its whole text, such as {@code ERR no such key}. */
    public void error(String text) {
        line('-', text);
    }

    private void line(char type, String text) {
        out.writeByte(type);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // A line break in a text that quotes the client would begin a reply of the client's choice.
            out.writeByte(c == '\r' || c == '\n' ? ' ' : c < 128 ? c : '?');
        }
        end();
    }

    /** An integer. */
    public void integer(long value) {
        header(':', value);
    }

    /** A boolean; an integer in RESP2. */
    public void bool(boolean value) {
        char letter = isVersion3 ? value ? 't' : 'f' : value ? '1' : '0';
        out.writeInt((isVersion3 ? '#' : ':') << 24 | letter << 16 | END);
    }

    /** A double; a bulk string in RESP2. */
    public void number(double value) {
        String text = text(value);
        if (isVersion3) {
            line(',', text);
        } else {
            bulk(text);
        }
    }

    /** A number with as many digits as identify it. */
    public static String text(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return Long.toString((long) value);
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        return Double.isNaN(value) ? "nan" : Double.toString(value).replace('E', 'e');
    }

    /** A bulk string. */
    public void bulk(byte[] bytes) {
        if (bytes.length > MAX_REPLY_BYTES - out.readableBytes()) {
            throw new ReplyTooLarge();
        }
        header('$', bytes.length);
        out.writeBytes(bytes);
        end();
    }

    /** A bulk string. */
    public void bulk(String text) {
        bulk(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A text for people; a bulk string in RESP2. */
    public void verbatim(String text) {
        if (isVersion3) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            header('=', bytes.length + 4);
            out.writeBytes("txt:".getBytes(StandardCharsets.US_ASCII));
            out.writeBytes(bytes);
            end();
        } else {
            bulk(text);
        }
    }

    /** No value. */
    public void nil() {
        if (isVersion3) {
            out.writeByte('_');
        } else {
            out.writeByte('$');
            out.writeByte('-');
            out.writeByte('1');
        }
        end();
    }

    /** No array. */
    public void nilArray() {
        if (isVersion3) {
            nil();
        } else {
            out.writeByte('*');
            out.writeByte('-');
            out.writeByte('1');
            end();
        }
    }

    /** The header of an array; its elements follow. */
    public void array(int length) {
        header('*', length);
    }

    /** The header of a set; an array in RESP2. */
    public void set(int length) {
        header(isVersion3 ? '~' : '*', length);
    }

    /** The header of a map; an array of names and values in RESP2. */
    public void map(int fields) {
        header(isVersion3 ? '%' : '*', isVersion3 ? fields : 2 * fields);
    }

    private void header(char type, long number) {
        int small = number >= 0 && number < TWO_DIGITS ? (int) number : TWO_DIGITS;
        if (small < ONE_DIGIT) {
            out.writeInt(type << 24 | ('0' + small) << 16 | END);
            return;
        }
        out.writeByte(type);
        if (small < TWO_DIGITS) {
            out.writeInt(('0' + small / 10) << 24 | ('0' + small % 10) << 16 | END);
            return;
        }
        out.writeCharSequence(Long.toString(number), StandardCharsets.US_ASCII);
        end();
    }

    private void end() {
        out.writeShort(END);
    }
}
