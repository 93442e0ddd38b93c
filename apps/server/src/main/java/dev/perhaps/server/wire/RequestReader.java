package dev.perhaps.server.wire;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests from the bytes of one connection: arrays of bulk strings, or a line of words for people. It waits for
 * missing bytes; lengths and counts are checked before anything is allocated for them. Not thread-safe.
 */
public final class RequestReader {
    /*
     *     *2\r\n $4\r\n ECHO\r\n $2\r\n hi\r\n        an array of bulk strings
     *     ECHO "h\x69"\r\n                            a line, with quotes as a shell has them
     *
     * Memory is taken only for bytes that are here: the array of words grows as they arrive, and a bulk string is copied when it
     * is complete. What one request may take together is limited, each word counting 32 bytes more than it has.
     */

    /** The longest line. */
    public static final int MAX_LINE_BYTES = 64 * 1024;

    /** The most words of a request. */
    public static final int MAX_WORDS = 1024 * 1024;

    /** The most words of a request before the client has authenticated. */
    public static final int MAX_STRANGER_WORDS = 10;

    /** The longest word before the client has authenticated. */
    public static final int MAX_STRANGER_BYTES = 16 * 1024;

    private static final int WORD_BYTES = 32;
    private static final int MAX_NUMBER_BYTES = 32;
    private static final int FIRST_WORDS = 16;
    private static final int TLS_HANDSHAKE = 0x16;
    private static final byte[][] EMPTY = {};
    private static final byte[] EMPTY_BYTES = {};

    private final int maxRequestBytes;
    private byte[][] words = EMPTY;
    private int count;
    private int missing;
    private int bulkLength = -1;
    private long requestBytes;
    private long heldBytes;

    // The bytes that are read: they begin at `at`, and end before `end`.
    private byte[] bytes = EMPTY_BYTES;
    private int at;
    private int end;

    /** A reader that refuses requests that take more memory than this. */
    public RequestReader(int maxRequestBytes) {
        this.maxRequestBytes = maxRequestBytes;
    }

    /**
     * Returns the words of the next request, an empty array for an empty one, or null if more bytes are needed.
     *
     * @param in a buffer in Java's memory, as its array is read directly
     */
    public byte @Nullable [][] next(ByteBuf in, boolean isKnown) throws ProtocolError {
        bytes = in.array();
        int first = in.arrayOffset();
        at = first + in.readerIndex();
        end = first + in.writerIndex();
        try {
            return next(isKnown);
        } finally {
            in.readerIndex(at - first);
            bytes = EMPTY_BYTES;
        }
    }

    private byte @Nullable [][] next(boolean isKnown) throws ProtocolError {
        if (missing == 0) {
            if (at == end) {
                return null;
            }
            byte first = bytes[at];
            if (first != '*') {
                if (first == TLS_HANDSHAKE) {
                    throw new ProtocolError("Protocol error: TLS on a port without TLS");
                }
                return line();
            }
            long number = number("too big mbulk count string", "invalid multibulk length");
            if (number == Long.MIN_VALUE) {
                return null;
            }
            if (number > MAX_WORDS) {
                throw new ProtocolError("Protocol error: invalid multibulk length");
            }
            if (!isKnown && number > MAX_STRANGER_WORDS) {
                throw new ProtocolError("Protocol error: unauthenticated multibulk length");
            }
            if (number <= 0) {
                return EMPTY;
            }
            missing = (int) number;
            requestBytes = 0;
            words = new byte[Math.min(missing, FIRST_WORDS)][];
        }
        while (missing > 0) {
            if (!word(isKnown)) {
                return null;
            }
        }
        byte[][] request = words.length == count ? words : Arrays.copyOf(words, count);
        words = EMPTY;
        count = 0;
        heldBytes = 0;
        return request;
    }

    /** Returns the memory of the words of a request of which others are missing, in bytes. */
    public long heldBytes() {
        return heldBytes;
    }

    private boolean word(boolean isKnown) throws ProtocolError {
        if (bulkLength < 0) {
            if (at == end) {
                return false;
            }
            byte first = bytes[at];
            if (first != '$') {
                throw new ProtocolError("Protocol error: expected '$', got '" + printable(first) + "'");
            }
            long length = number("too big bulk count string", "invalid bulk length");
            if (length == Long.MIN_VALUE) {
                return false;
            }
            if (length < 0 || length > maxRequestBytes) {
                throw new ProtocolError("Protocol error: invalid bulk length");
            }
            if (!isKnown && length > MAX_STRANGER_BYTES) {
                throw new ProtocolError("Protocol error: unauthenticated bulk length");
            }
            requestBytes += length + WORD_BYTES;
            if (requestBytes > maxRequestBytes) {
                throw new ProtocolError("Protocol error: a request of more than " + maxRequestBytes + " bytes");
            }
            bulkLength = (int) length;
        }
        int length = bulkLength;
        if (end - at - 2 < length) {
            return false;
        }
        byte[] word = Arrays.copyOfRange(bytes, at, at + length);
        if (bytes[at + length] != '\r' || bytes[at + length + 1] != '\n') {
            throw new ProtocolError("Protocol error: a bulk string that does not end with CRLF");
        }
        at += length + 2;
        if (count == words.length) {
            words = Arrays.copyOf(words, Math.min(2 * count, count + missing));
        }
        words[count++] = word;
        heldBytes += (long) length + WORD_BYTES;
        bulkLength = -1;
        missing--;
        return true;
    }

    /** The number of a header line, or {@link Long#MIN_VALUE} if the line is not complete. */
    private long number(String tooLong, String invalid) throws ProtocolError {
        // Nearly all numbers have one or two digits.
        int start = at + 1;
        if (end - start >= 3 && bytes[start + 1] == '\r' && bytes[start + 2] == '\n' && isDigit(bytes[start])) {
            at = start + 3;
            return (long) bytes[start] - '0';
        }
        if (end - start >= 4
                && bytes[start + 2] == '\r'
                && bytes[start + 3] == '\n'
                && isDigit(bytes[start])
                && isDigit(bytes[start + 1])) {
            at = start + 4;
            return 10L * (bytes[start] - '0') + (bytes[start + 1] - '0');
        }
        int most = Math.min(end, start + MAX_NUMBER_BYTES);
        int stop = start;
        while (stop < most && bytes[stop] != '\r') {
            stop++;
        }
        if (stop == most) {
            if (end - start >= MAX_NUMBER_BYTES) {
                throw new ProtocolError("Protocol error: " + tooLong);
            }
            return Long.MIN_VALUE;
        }
        if (stop + 1 >= end) {
            return Long.MIN_VALUE;
        }
        boolean isNegative = stop > start && bytes[start] == '-';
        int from = isNegative ? start + 1 : start;
        long value = 0;
        // Eighteen digits cannot overflow; no limit is near.
        if (stop == from || stop - from > 18 || bytes[stop + 1] != '\n') {
            throw new ProtocolError("Protocol error: " + invalid);
        }
        for (int i = from; i < stop; i++) {
            if (!isDigit(bytes[i])) {
                throw new ProtocolError("Protocol error: " + invalid);
            }
            value = 10 * value + (bytes[i] - '0');
        }
        at = stop + 2;
        return isNegative ? -value : value;
    }

    private static boolean isDigit(byte letter) {
        return letter >= '0' && letter <= '9';
    }

    private byte @Nullable [][] line() throws ProtocolError {
        int most = Math.min(end, at + MAX_LINE_BYTES);
        int stop = at;
        while (stop < most && bytes[stop] != '\n') {
            stop++;
        }
        if (stop == most) {
            if (end - at >= MAX_LINE_BYTES) {
                throw new ProtocolError("Protocol error: too big inline request");
            }
            return null;
        }
        byte[] line = Arrays.copyOfRange(bytes, at, stop);
        at = stop + 1;
        byte[][] request = split(line);
        if (request.length > 0 && isHttp(request)) {
            throw new ProtocolError("Protocol error: HTTP on a port for Redis clients");
        }
        return request;
    }

    /** A browser that was made to send a request here must not have its body run as commands. */
    private static boolean isHttp(byte[][] words) {
        String first = new String(words[0], StandardCharsets.ISO_8859_1);
        String last = new String(words[words.length - 1], StandardCharsets.ISO_8859_1);
        return first.equalsIgnoreCase("POST")
                || first.equalsIgnoreCase("Host:")
                || words.length == 3 && last.startsWith("HTTP/");
    }

    private static byte[][] split(byte[] line) throws ProtocolError {
        List<byte[]> words = new ArrayList<>();
        int i = 0;
        while (true) {
            while (i < line.length && isSpace(line[i])) {
                i++;
            }
            if (i == line.length) {
                return words.toArray(new byte[0][]);
            }
            ByteArrayOutputStream word = new ByteArrayOutputStream();
            while (i < line.length && !isSpace(line[i])) {
                i = line[i] == '"' || line[i] == '\'' ? quoted(line, i, word) : plain(line, i, word);
            }
            words.add(word.toByteArray());
        }
    }

    private static int plain(byte[] line, int at, ByteArrayOutputStream word) {
        word.write(line[at]);
        return at + 1;
    }

    /** Reads from an opening quote, and returns the place after the closing one. */
    private static int quoted(byte[] line, int at, ByteArrayOutputStream word) throws ProtocolError {
        byte quote = line[at];
        int i = at + 1;
        while (i < line.length && line[i] != quote) {
            if (line[i] == '\\' && i + 1 < line.length && quote == '"') {
                if (line[i + 1] == 'x' && i + 3 < line.length && hex(line[i + 2]) >= 0 && hex(line[i + 3]) >= 0) {
                    word.write(16 * hex(line[i + 2]) + hex(line[i + 3]));
                    i += 4;
                } else {
                    word.write(escaped(line[i + 1]));
                    i += 2;
                }
            } else if (line[i] == '\\' && i + 1 < line.length && line[i + 1] == '\'') {
                word.write('\'');
                i += 2;
            } else {
                word.write(line[i++]);
            }
        }
        if (i == line.length || i + 1 < line.length && !isSpace(line[i + 1])) {
            throw new ProtocolError("Protocol error: unbalanced quotes in request");
        }
        return i + 1;
    }

    private static int escaped(byte letter) {
        return switch (letter) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'a' -> 7;
            default -> letter;
        };
    }

    private static int hex(byte digit) {
        return Character.digit(digit, 16);
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b >= 9 && b <= 13 || b == 0;
    }

    private static String printable(byte b) {
        return b >= 32 && b < 127 ? Character.toString(b) : String.format("\\x%02x", b);
    }
}
