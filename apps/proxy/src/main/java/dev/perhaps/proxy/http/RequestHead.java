package dev.perhaps.proxy.http;

/**
 * The head of a request.
 *
 * @param minorVersion of HTTP/1.0 or 1.1
 */
public record RequestHead(String method, String target, int minorVersion, Headers headers) {
    /** Returns true if the connection stays open after it (RFC 9112, section 9.3). */
    public boolean keepsAlive() {
        if (!headers.has("Connection")) {
            return minorVersion == 1;
        }
        return minorVersion == 1
                ? !HopByHop.has(headers, "Connection", "close")
                : HopByHop.has(headers, "Connection", "keep-alive") && !HopByHop.has(headers, "Connection", "close");
    }

    public boolean isSafe() {
        return switch (method) {
            case "GET", "HEAD", "OPTIONS", "TRACE" -> true;
            default -> false;
        };
    }
}
