package dev.perhaps.proxy;

import dev.perhaps.proxy.http.Headers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Pages that the proxy answers itself, by their path. Any thread. */
public final class Router {
    /** Makes an answer, quickly: it is asked on an event loop. */
    public interface Page {
        Answer answer(Question question);
    }

    private final Map<String, Page> pages = new ConcurrentHashMap<>();

    /** Without any page yet. */
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
        public static Answer text(int status, String type, String text) {
            return new Answer(status, Headers.of("Content-Type", type), text.getBytes(StandardCharsets.UTF_8));
        }
    }

    public Router add(String path, Page page) {
        if (!path.startsWith("/") || pages.putIfAbsent(path, page) != null) {
            throw new IllegalArgumentException("a page needs a path of its own that begins with /, got '" + path + "'");
        }
        return this;
    }

    public boolean has(String path) {
        return pages.containsKey(path);
    }

    public Answer answer(Question question) {
        Page page = pages.get(question.path());
        if (page == null) {
            return Answer.text(404, "text/plain; charset=utf-8", "There is no page " + question.path() + " here.\n");
        }
        return page.answer(question);
    }
}
