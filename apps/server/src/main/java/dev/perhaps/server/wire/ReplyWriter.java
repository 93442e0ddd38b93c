package dev.perhaps.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes replies to the bytes of one connection, in the version of the protocol that the client chose. Types that RESP2
 * lacks are written as the types that replace them there. Not thread-safe.
 */
public final class ReplyWriter {
    /*
     * Memory is asked for before bytes are written: `room` is the place up to which there is some. The first FREE_BYTES are there
     * without asking, so that small replies cost no more than a comparison.
     *
     * An error must always be possible, also where memory is not: it is then a short one. A transaction, of which each command
     * may fail, asks for the memory of that many short errors before it begins.
     */
    /** Gives memory for replies. */
    public interface Memory {
        /** Returns true if all replies that are written here may take this number of bytes. */
        boolean claim(int bytes);
    }

    /** The bytes of a bulk string that are in no array. */
    public interface Content {
        /** Writes the bytes, as many as were promised. */
        void writeTo(OutputStream out) throws IOException;
    }

    /** What replies may take without asking. */
    public static final int FREE_BYTES = 8 << 10;

    /** The most that the replies which were not sent yet may take; one value of the largest request fits. */
    public static final int MAX_REPLY_BYTES = 80 << 20;

    private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PONG = "+PONG\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int ONE_DIGIT = 10;
    private static final int TWO_DIGITS = 100;
    private static final int END = '\r' << 8 | '\n';
    private static final int HEADER_BYTES = 24;
    private static final int LINE_BYTES = 3;
    private static final int SLACK_BYTES = 1 << 10;
    private static final String SHORT_ERROR = "ERR the reply is too large";
    private static final int SHORT_ERROR_BYTES = SHORT_ERROR.length() + LINE_BYTES;

    private final Memory memory;
    private ByteBuf out;
    private int granted = FREE_BYTES;
    private int reserved;
    private int room = FREE_BYTES;
    private boolean isVersion3;

    /** A writer of RESP2, limited only by the size of a reply. */
    public ReplyWriter(ByteBuf out) {
        this(out, bytes -> true);
    }

    /** A writer of RESP2 that asks for memory. */
    public ReplyWriter(ByteBuf out, Memory memory) {
        this.out = out;
        this.memory = memory;
    }

    /** Continues in another buffer. */
    public void to(ByteBuf buffer) {
        out = buffer;
        granted = FREE_BYTES;
        reserved = 0;
        room = granted;
    }

    /** Continues in another buffer, with replies that were written before: there is memory for them. */
    public void copyTo(ByteBuf buffer) {
        to(buffer);
        granted = Integer.MAX_VALUE;
        room = granted;
    }

    /** Keeps memory for this number of commands that may fail; returns false, and keeps none, if there is not so much. */
    public boolean reserveErrors(int commands) {
        long bytes = (long) SHORT_ERROR_BYTES * commands;
        if (bytes > MAX_REPLY_BYTES / 2 || !claim(out.writerIndex() + HEADER_BYTES + bytes)) {
            return false;
        }
        errorsLeft(commands);
        return true;
    }

    /** Keeps memory for this number of the commands only: that of the others is free again. */
    public void errorsLeft(int commands) {
        reserved = SHORT_ERROR_BYTES * commands;
        room = granted - reserved;
    }

    private boolean claim(long bytes) {
        if (bytes <= granted) {
            return true;
        }
        if (bytes > MAX_REPLY_BYTES) {
            return false;
        }
        // Twice as much as before, so that few steps are asked for; or else what is needed.
        int most = (int) Math.min(MAX_REPLY_BYTES, Math.max(bytes, 2L * granted));
        if (!memory.claim(most)) {
            most = (int) bytes;
            if (!memory.claim(most)) {
                return false;
            }
        }
        granted = most;
        room = granted - reserved;
        return true;
    }

    /** Takes memory for this number of bytes. */
    private void ensure(int bytes) {
        if (bytes > room - out.writerIndex()) {
            more(bytes);
        }
    }

    /** The same for a header, or for a reply of a few bytes, which is not refused before SLACK_BYTES of them have overrun. */
    private void ensureSmall() {
        int at = out.writerIndex();
        if (HEADER_BYTES > room - at && !claim((long) at + HEADER_BYTES + reserved) && at - room > SLACK_BYTES) {
            more(HEADER_BYTES);
        }
    }

    /** Returns false if the next reply would have to be refused: then those so far are to be sent first. */
    public boolean hasRoom() {
        return out.writerIndex() <= room;
    }

    private void more(int bytes) {
        long needed = (long) out.writerIndex() + bytes + reserved;
        if (needed > MAX_REPLY_BYTES) {
            throw new ReplyTooLarge("ERR the reply is larger than " + MAX_REPLY_BYTES + " bytes");
        }
        if (!claim(needed)) {
            throw new ReplyTooLarge(
                    "ERR there is no memory for this reply, as clients have not read those before: try again later");
        }
        // At once: to double it several times would copy it as often.
        out.ensureWritable(bytes);
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
        ensureSmall();
        out.writeBytes(OK);
    }

    /** {@code +PONG}. */
    public void pong() {
        ensureSmall();
        out.writeBytes(PONG);
    }

    /** A simple string. */
    public void simple(String text) {
        ensure(text.length() + LINE_BYTES);
        line('+', text);
    }

    /** An error: its whole text, such as {@code ERR no such key}; a short one where there is no memory for it. */
    public void error(String text) {
        int bytes = text.length() + LINE_BYTES;
        boolean fits = bytes <= room - out.writerIndex() || claim((long) out.writerIndex() + bytes + reserved);
        line('-', fits ? text : SHORT_ERROR);
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
        ensureSmall();
        char letter = isVersion3 ? value ? 't' : 'f' : value ? '1' : '0';
        out.writeInt((isVersion3 ? '#' : ':') << 24 | letter << 16 | END);
    }

    /** A double; a bulk string in RESP2. */
    public void number(double value) {
        String text = text(value);
        if (isVersion3) {
            ensure(text.length() + LINE_BYTES);
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
        if (bytes.length > MAX_REPLY_BYTES) {
            more(bytes.length);
        }
        ensure(bytes.length + HEADER_BYTES + 2);
        header('$', bytes.length);
        out.writeBytes(bytes);
        end();
    }

    /** A bulk string of this length, which is written only here: there is memory for it before the first byte. */
    public void bulk(int length, Content content) {
        if (length > MAX_REPLY_BYTES) {
            more(length);
        }
        ensure(length + HEADER_BYTES + 2);
        out.ensureWritable(length + HEADER_BYTES + 2);
        header('$', length);
        int start = out.writerIndex();
        try {
            content.writeTo(new ByteBufOutputStream(out));
        } catch (IOException e) {
            throw new IllegalStateException("memory can be written", e);
        }
        if (out.writerIndex() - start != length) {
            throw new IllegalStateException(
                    "a reply has " + (out.writerIndex() - start) + " bytes, and should have " + length);
        }
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
            ensure(bytes.length + HEADER_BYTES + LINE_BYTES + 3);
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
        ensureSmall();
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
            ensureSmall();
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
        ensureSmall();
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
