package dev.perhaps.proxy.http;

import java.nio.charset.StandardCharsets;

/** Reads the head of a message, and refuses whatever is not exactly as the standard wants it. Confined to a thread. */
public final class HeadReader {
    /*
     * The caller finds the empty line that ends a head and gives all bytes up to and with it; this reads them in one pass.
     *
     *     GET /page HTTP/1.1 CRLF           method SP target SP version          HTTP/1.1 200 OK CRLF
     *     Host: example.org CRLF            name ":" value, spaces around the value dropped
     *     CRLF
     *
     * RFC 9112 lets a recipient be generous: a bare LF as a line end, a line folded into the next, spaces before the colon,
     * the same Content-Length twice. Each of these is read differently by somebody, and where two on one path differ, a
     * request hides inside another [1]. Nothing of it is repaired here: a client gets 400, and for a response of the origin
     * 502. No program that writes correct requests sends any of it.
     *
     * Values may have bytes above 127, which are kept as they are (ISO 8859-1 both ways); control characters may not.
     *
     * [1] Linhart, Klein, Heled and Orrin, "HTTP request smuggling" (2005).
     */
    private static final int MAX_METHOD_LETTERS = 32;
    private static final String TOKEN_SIGNS = "!#$%&'*+-.^_`|~";
    private static final boolean[] TOKEN = new boolean[256];

    static {
        for (int c = 0; c < TOKEN.length; c++) {
            TOKEN[c] =
                    c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || TOKEN_SIGNS.indexOf(c) >= 0;
        }
    }

    private final int mostHeaders;
    private byte[] bytes = {};
    private int at;
    private int end;

    public HeadReader(int mostHeaders) {
        this.mostHeaders = mostHeaders;
    }

    /** Reads a request from a head with the empty line that ends it. */
    public RequestHead request(byte[] head, int length) throws BadMessage {
        begin(head, length);
        int line = lineEnd();
        int space = find(' ', line);
        String method = token(space, "a method");
        if (method.length() > MAX_METHOD_LETTERS) {
            throw new BadMessage(501, "a method of " + method.length() + " letters is not known");
        }
        at = space + 1;
        int second = find(' ', line);
        String target = text(at, second);
        checkTarget(target);
        at = second + 1;
        int minor = version(text(at, line));
        at = line + 2;
        return new RequestHead(method, target, minor, headers());
    }

    /** Reads a response from a head with the empty line that ends it. */
    public ResponseHead response(byte[] head, int length) throws BadMessage {
        begin(head, length);
        int line = lineEnd();
        // HTTP/1.1 200 reason; the space before an empty reason is missing from some
        if (line - at < 12 || line - at > 12 && bytes[at + 12] != ' ' || bytes[at + 8] != ' ') {
            throw bad("a status line is HTTP/1.1 200 OK, got '" + shown(text(at, line)) + "'");
        }
        int minor = version(text(at, at + 8));
        int status = 0;
        for (int i = at + 9; i < at + 12; i++) {
            status = 10 * status + bytes[i] - '0';
            if (bytes[i] < '0' || bytes[i] > '9') {
                throw bad("a status has three digits, got '" + shown(text(at, line)) + "'");
            }
        }
        if (status < 100 || status > 599) {
            throw bad("a status is from 100 to 599, got " + status);
        }
        String reason = line - at > 13 ? value(at + 13, line) : "";
        at = line + 2;
        return new ResponseHead(status, reason, minor, headers());
    }

    private void begin(byte[] head, int length) {
        bytes = head;
        at = 0;
        end = length;
    }

    private Headers headers() throws BadMessage {
        Headers.Builder headers = new Headers.Builder();
        for (int line = lineEnd(); line > at; line = lineEnd()) {
            if (headers.size() == mostHeaders) {
                throw new BadMessage(431, "a message has at most " + mostHeaders + " header fields");
            }
            if (bytes[at] == ' ' || bytes[at] == '\t') {
                throw bad("a header field is folded over two lines");
            }
            int colon = find(':', line);
            String name = token(colon, "the name of a header field");
            headers.add(name, value(colon + 1, line));
            at = line + 2;
        }
        if (at + 2 != end) {
            throw bad("a head goes on behind its end");
        }
        return headers.build();
    }

    /** Where the CR of this line is. */
    private int lineEnd() throws BadMessage {
        for (int i = at; i < end; i++) {
            byte b = bytes[i];
            if (b == '\r') {
                if (i + 1 < end && bytes[i + 1] == '\n') {
                    return i;
                }
                throw bad("a CR stands without LF");
            }
            if (b == '\n') {
                throw bad("an LF stands without CR");
            }
            if (b == 0) {
                throw bad("a head has a byte 0");
            }
        }
        throw bad("a head has a line without end");
    }

    private int find(char c, int line) throws BadMessage {
        for (int i = at; i < line; i++) {
            if (bytes[i] == c) {
                return i;
            }
        }
        throw bad("a line has no '" + c + "': '" + shown(text(at, line)) + "'");
    }

    private String token(int to, String what) throws BadMessage {
        boolean good = to > at;
        for (int i = at; i < to; i++) {
            good &= TOKEN[bytes[i] & 0xFF];
        }
        if (!good) {
            throw bad(what + " cannot be '" + shown(text(at, to)) + "'");
        }
        return text(at, to);
    }

    private String value(int from, int to) throws BadMessage {
        int first = from;
        int last = to;
        while (first < last && (bytes[first] == ' ' || bytes[first] == '\t')) {
            first++;
        }
        while (last > first && (bytes[last - 1] == ' ' || bytes[last - 1] == '\t')) {
            last--;
        }
        for (int i = first; i < last; i++) {
            if ((bytes[i] & 0xFF) < ' ' && bytes[i] != '\t' || bytes[i] == 127) {
                throw bad("a header field has the control character " + (bytes[i] & 0xFF));
            }
        }
        return text(first, last);
    }

    private static void checkTarget(String target) throws BadMessage {
        boolean good = !target.isEmpty();
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            good &= c > ' ' && c < 127 && c != '#';
        }
        if (!good) {
            throw bad("a target cannot be '" + shown(target) + "'");
        }
    }

    private static int version(String version) throws BadMessage {
        if (version.equals("HTTP/1.1")) {
            return 1;
        }
        if (version.equals("HTTP/1.0")) {
            return 0;
        }
        if (version.matches("HTTP/[0-9]\\.[0-9]")) {
            throw new BadMessage(505, "HTTP/1.1 and 1.0 are spoken here, got '" + version + "'");
        }
        throw bad("a version is HTTP/1.1, got '" + shown(version) + "'");
    }

    @SuppressWarnings("deprecation") // one byte per character is what this is about, and it is the fast way
    private String text(int from, int to) {
        return new String(bytes, 0, from, to - from);
    }

    private static BadMessage bad(String why) {
        return new BadMessage(400, why);
    }

    /** For a message: short, and nothing in it that a terminal or a browser would act on. */
    private static String shown(String text) {
        String start = text.length() > 40 ? text.substring(0, 40) + "…" : text;
        return new String(start.getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII)
                .replaceAll("[^ -~]|[<>&\"]", "?");
    }
}
