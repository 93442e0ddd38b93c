package dev.perhaps.proxy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.proxy.http.Headers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Pages that the proxy serves itself, by their path. Called from any thread. */
public final class Router {
    /** Responds to requests for one path, quickly: it is called on an event loop. */
    public interface Page {
        /** Returns the response to this request, without blocking. */
        Response response(Request request);
    }

    private final Map<String, Page> pages = new ConcurrentHashMap<>();

    /** Creates a router without pages. */
    public Router() {}

    /**
     * A GET or HEAD, or a POST with all of its body.
     *
     * @param query the part after the question mark, undecoded; empty if there is none
     * @param certified true if the client has a certificate, signed by the authority for clients
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Request(String method, String path, String query, Headers headers, byte[] body, boolean certified) {}

    /** The response; Content-Length, Date and Connection are added. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Response(int status, Headers headers, byte[] body) {
        /** Returns a response with this text as UTF-8, and {@code type} as its Content-Type. */
        public static Response text(int status, String type, String text) {
            return new Response(status, Headers.of("Content-Type", type), text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Adds a page and returns this router.
     *
     * @throws IllegalArgumentException if the path does not begin with / or has a page already
     */
    @CanIgnoreReturnValue
    public Router add(String path, Page page) {
        if (!path.startsWith("/") || pages.putIfAbsent(path, page) != null) {
            throw new IllegalArgumentException("a page needs a path of its own that begins with /, got '" + path + "'");
        }
        return this;
    }

    /** Returns true if there is a page with exactly this path. */
    public boolean has(String path) {
        return pages.containsKey(path);
    }

    /** Returns the response of the page with the path of the request; 404 if there is none. */
    public Response response(Request request) {
        Page page = pages.get(request.path());
        if (page == null) {
            return Response.text(404, "text/plain; charset=utf-8", "There is no page " + request.path() + " here.\n");
        }
        return page.response(request);
    }
}
