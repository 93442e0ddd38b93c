package dev.perhaps.proxy.net;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Bytes that every answer is made of. */
final class Bytes {
    static final byte[] CRLF = ascii("\r\n");
    static final byte[] AGE = ascii("Age: ");
    static final byte[] CLOSE = ascii("Connection: close\r\n");
    static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
    static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");

    private Bytes() {}

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Writes a field whose value is a number, without making a string of it. */
    static void field(ByteBuf out, byte[] start, long number) {
        out.writeBytes(start);
        digits(out, number);
        out.writeBytes(CRLF);
    }

    private static void digits(ByteBuf out, long number) {
        if (number >= 10) {
            digits(out, number / 10);
        }
        out.writeByte('0' + (int) (number % 10));
    }

    /** A piece of a body as a chunk. */
    static byte[] chunk(byte[] piece) {
        byte[] size = ascii(Integer.toHexString(piece.length) + "\r\n");
        byte[] chunk = new byte[size.length + piece.length + CRLF.length];
        System.arraycopy(size, 0, chunk, 0, size.length);
        System.arraycopy(piece, 0, chunk, size.length, piece.length);
        System.arraycopy(CRLF, 0, chunk, size.length + piece.length, CRLF.length);
        return chunk;
    }
}
