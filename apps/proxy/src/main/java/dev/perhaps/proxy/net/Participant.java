package dev.perhaps.proxy.net;

import dev.perhaps.proxy.cache.Copy;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.http.ResponseHead;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/** Waits for the result of a {@link PageFetch}. Called on its own event loop, with one of the four ends. */
interface Participant {
    EventLoop loop();

    Headers request();

    /** A response before the response (1xx). */
    void hint(ResponseHead head);

    /** The page is here, whole. */
    void stored(Copy copy, PageFetch fetch);

    /** The response begins. */
    void begins(Response response, PageFetch fetch);

    /** The response cannot be shared: make your own request. */
    void alone();

    void failed(Failure failure);

    /** Returns true if the whole body of the request was received, so that it can be sent at once. */
    boolean hasWholeBody();

    /** The header of the request was sent, and its body may follow. Only the first client is called. */
    void upload(UpstreamConnection line);

    /** There is room for more of the body. */
    void room();

    /**
     * A response that has begun.
     *
     * @param head as it came
     * @param lengthBytes of its body; negative if it is not known yet
     * @param kept whether it is being stored
     * @param sibling who sent it, if it was not the origin
     */
    record Response(
            ResponseHead head,
            long lengthBytes,
            boolean kept,
            Flow flow,
            @Nullable String sibling) {}

    /**
     * Why there is no response.
     *
     * @param status what to tell the client
     */
    record Failure(int status, String why) {}
}
