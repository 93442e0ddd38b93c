package dev.perhaps.proxy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.proxy.http.Headers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Pages that the proxy serves itself, by their path. Called from any thread. */
public final class Router {
    /** Makes an answer, quickly: it is asked on an event loop. */
    public interface Page {
        /** Returns the answer to this request, without blocking. */
        Answer answer(Question question);
    }

    private final Map<String, Page> pages = new ConcurrentHashMap<>();

    /** Creates a router without pages. */
    public Router() {}

    /**
     * A GET or HEAD, or a POST with all of its body.
     *
     * @param query what stands behind the question mark, undecoded; empty if nothing
     * @param certified whether the client showed a certificate, signed by the authority of those who listen
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Question(String method, String path, String query, Headers headers, byte[] body, boolean certified) {}

    /** What to answer with; Content-Length, Date and Connection are added. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Answer(int status, Headers headers, byte[] body) {
        /** Returns an answer with this text as UTF-8, and {@code type} as its Content-Type. */
        public static Answer text(int status, String type, String text) {
            return new Answer(status, Headers.of("Content-Type", type), text.getBytes(StandardCharsets.UTF_8));
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

    /** Returns the answer of the page with the path of the request; 404 if there is none. */
    public Answer answer(Question question) {
        Page page = pages.get(question.path());
        if (page == null) {
            return Answer.text(404, "text/plain; charset=utf-8", "There is no page " + question.path() + " here.\n");
        }
        return page.answer(question);
    }
}
