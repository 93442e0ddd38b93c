package dev.perhaps.proxy.net;

import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.HopByHop;
import dev.perhaps.proxy.http.HttpDate;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Writes heads, as text or as bytes, and the chunks of a body that follow them. */
final class HeadWriter {
    static final byte[] CRLF = ascii("\r\n");
    static final byte[] AGE = ascii("Age: ");
    static final byte[] CLOSE = ascii("Connection: close\r\n");
    static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
    static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");

    private HeadWriter() {}

    /**
     * Returns the fields to store: without those of the connection and those that change with time, and with {@code
     * Via}.
     */
    static Headers stored(Headers response, int minorVersion, String name, long nowMillis) {
        Headers.Builder headers = HopByHop.endToEnd(response).edit();
        headers.remove("Age").remove("Content-Length");
        if (!response.has("Date")) {
            headers.add("Date", HttpDate.write(nowMillis)); // RFC 9110, section 6.6.1
        }
        return headers.add("Via", "1." + minorVersion + " " + name).build();
    }

    static void write(Headers headers, StringBuilder text) {
        headers.forEach((name, value) -> line(text, name, value));
    }

    static void line(StringBuilder text, String name, String value) {
        text.append(name).append(": ").append(value).append("\r\n");
    }

    /** The usual words for a status. */
    static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 206 -> "Partial Content";
            case 304 -> "Not Modified";
            case 400 -> "Bad Request";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 416 -> "Range Not Satisfiable";
            case 417 -> "Expectation Failed";
            case 421 -> "Misdirected Request";
            case 431 -> "Request Header Fields Too Large";
            case 501 -> "Not Implemented";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            case 505 -> "HTTP Version Not Supported";
            case 508 -> "Loop Detected";
            default -> "";
        };
    }

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
