package dev.perhaps.proxy.http;

/**
 * The head of a response.
 *
 * @param minorVersion of HTTP/1.0 or 1.1
 */
public record ResponseHead(int status, String reason, int minorVersion, Headers headers) {
    public boolean keepsAlive() {
        return minorVersion == 1 && !HopByHop.has(headers, "Connection", "close");
    }
}
