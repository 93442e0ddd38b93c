package dev.perhaps.proxy.cache;

import dev.perhaps.proxy.http.CacheControl;
import dev.perhaps.proxy.http.Freshness;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.ResponseHead;
import dev.perhaps.proxy.http.Reuse;
import dev.perhaps.proxy.http.Vary;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A stored response, complete, with what decides which requests it may serve. Its header is already encoded, so that serving
 * it copies bytes only. Immutable, except for its count of readers.
 */
public final class Copy {
    /** What an entry takes beside the bytes of its head and body, and what it was selected by: objects, its place in the map. */
    private static final int OVERHEAD_BYTES = 1_024;

    /** What a string takes beside its characters. */
    private static final int STRING_BYTES = 56;

    /** Up to this size readers are not counted, since they do not take long. */
    private static final int SMALL_BYTES = 64 << 10;

    private final ResponseHead head;
    private final CacheControl says;
    private final Freshness freshness;
    private final Vary vary;
    private final List<String> selected;
    private final byte[] body;
    private final byte[] written;
    private final Readers readers;

    /**
     * A copy of a response.
     *
     * @param head with the fields to forward, without those that depend on the client or the time
     * @param says as the origin said it
     * @param vary what it depends on
     * @param selected what the request said there
     */
    public Copy(
            ResponseHead head, CacheControl says, Freshness freshness, Vary vary, List<String> selected, byte[] body) {
        this.head = head;
        this.says = says;
        this.freshness = freshness;
        this.vary = vary;
        this.selected = selected;
        this.body = body;
        this.written = write(head, body.length);
        this.readers = body.length <= SMALL_BYTES ? Readers.OF_A_SMALL_BODY : new Readers(body.length);
    }

    /** The head as it is sent, without the empty line at its end. */
    private static byte[] write(ResponseHead head, int length) {
        StringBuilder text = new StringBuilder(512);
        text.append("HTTP/1.1 ")
                .append(head.status())
                .append(' ')
                .append(head.reason())
                .append("\r\n");
        head.headers()
                .forEach((name, value) ->
                        text.append(name).append(": ").append(value).append("\r\n"));
        if (head.status() != 204) {
            text.append("Content-Length: ").append(length).append("\r\n");
        }
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    public ResponseHead head() {
        return head;
    }

    public int status() {
        return head.status();
    }

    public Headers headers() {
        return head.headers();
    }

    public CacheControl says() {
        return says;
    }

    public Freshness freshness() {
        return freshness;
    }

    public Vary vary() {
        return vary;
    }

    public List<String> selected() {
        return selected;
    }

    /** Not to be changed. */
    public byte[] body() {
        return body;
    }

    /** Who is reading the body now. */
    public Readers readers() {
        return readers;
    }

    /** The head as it is sent, without Age and without the empty line at its end. Not to be changed. */
    public byte[] written() {
        return written;
    }

    public boolean fits(Headers request) {
        return vary.matches(selected, request);
    }

    public Reuse reuse(CacheControl asked, long nowMillis) {
        return Reuse.of(asked, says, freshness, nowMillis);
    }

    /** The fields it was selected by are as long as a client likes. */
    long sizeBytes() {
        long bytes = OVERHEAD_BYTES + 3L * written.length + body.length;
        for (String each : selected) {
            bytes += STRING_BYTES + each.length(); // one byte per character: that is all a header has
        }
        return bytes;
    }
}
