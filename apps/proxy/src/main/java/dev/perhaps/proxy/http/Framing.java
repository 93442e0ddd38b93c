package dev.perhaps.proxy.http;

import org.jspecify.annotations.Nullable;

/**
 * How the end of a body is known (RFC 9112, section 6.3).
 *
 * @param lengthBytes with {@link Kind#LENGTH}; 0 otherwise
 */
public record Framing(Kind kind, long lengthBytes) {
    /** In chunks; by its length; by the end of the connection. No body is a length of 0. */
    public enum Kind {
        CHUNKED,
        LENGTH,
        CLOSE
    }

    public static final Framing NONE = new Framing(Kind.LENGTH, 0);
    private static final Framing IN_CHUNKS = new Framing(Kind.CHUNKED, 0);
    private static final Framing TO_THE_END = new Framing(Kind.CLOSE, 0);
    private static final int MAX_DIGITS = 18;

    public boolean isEmpty() {
        return kind == Kind.LENGTH && lengthBytes == 0;
    }

    /** Of a request. What two readers could take differently is refused. */
    public static Framing of(RequestHead head) throws BadMessage {
        return of(head.headers(), head.minorVersion(), NONE);
    }

    /** Of a response to this method. */
    public static Framing of(String method, ResponseHead head) throws BadMessage {
        Framing framing = of(head.headers(), head.minorVersion(), TO_THE_END);
        boolean bodiless = method.equals("HEAD") || head.status() < 200 || head.status() == 204 || head.status() == 304;
        return bodiless ? NONE : framing;
    }

    private static Framing of(Headers headers, int minorVersion, Framing otherwise) throws BadMessage {
        @Nullable String length = headers.first("Content-Length");
        @Nullable String coding = headers.first("Transfer-Encoding");
        if (length == null && coding == null) {
            return otherwise;
        }
        if (coding != null) {
            if (length != null) {
                throw new BadMessage(400, "a message has both Content-Length and Transfer-Encoding");
            }
            if (minorVersion == 0) {
                throw new BadMessage(400, "a message of HTTP/1.0 has a Transfer-Encoding");
            }
            if (headers.count("Transfer-Encoding") > 1 || !coding.equalsIgnoreCase("chunked")) {
                throw new BadMessage(501, "the only Transfer-Encoding spoken here is chunked");
            }
            return IN_CHUNKS;
        }
        if (headers.count("Content-Length") > 1) {
            throw new BadMessage(400, "a message has more than one Content-Length");
        }
        return new Framing(Kind.LENGTH, number(String.valueOf(length)));
    }

    private static long number(String length) throws BadMessage {
        boolean good = !length.isEmpty() && length.length() <= MAX_DIGITS;
        for (int i = 0; i < length.length(); i++) {
            good &= length.charAt(i) >= '0' && length.charAt(i) <= '9';
        }
        if (!good) {
            throw new BadMessage(400, "a Content-Length is a number of bytes");
        }
        return Long.parseLong(length);
    }
}
