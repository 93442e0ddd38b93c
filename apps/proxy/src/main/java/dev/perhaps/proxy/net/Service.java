package dev.perhaps.proxy.net;

import dev.perhaps.proxy.http.BadMessage;
import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.RequestHead;
import dev.perhaps.proxy.http.Target;
import org.jspecify.annotations.Nullable;

/** Serves the requests of a connection, one at a time. */
interface Service {
    /** Prepares for a request; no response has begun yet. */
    Serving serve(ClientConnection client, RequestHead head, Target target, Framing framing) throws BadMessage;

    /** A request was refused before it was processed. */
    void refused();

    /** Returns the field Cache-Status of such a refusal; empty if it has none. */
    String refusal();

    /** A response was sent, or as much of it as there was. */
    void responded(ClientConnection client, Sent sent);

    /**
     * The response that was sent.
     *
     * @param head null if it could not be read
     * @param bytes of the body
     * @param from where the response came from
     */
    record Sent(@Nullable RequestHead head, int status, long bytes, String from, long micros) {}

    /** Returns true if {@link #responded} is to be called. */
    boolean recordsResponses();

    /** A client was refused because there is no memory for what it sends or does not read. */
    void outOfMemory();

    /** One request. On the event loop of its connection. */
    interface Serving {
        /** Begins. The response may be given at once or later. */
        void start() throws BadMessage;

        /** A piece of the request's body. */
        void piece(byte[] piece);

        /** The request's body is whole. */
        void whole();

        /** The client has disconnected, or was refused while its body was received. */
        void gone();
    }
}
