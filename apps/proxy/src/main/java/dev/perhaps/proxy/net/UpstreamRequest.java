package dev.perhaps.proxy.net;

import dev.perhaps.proxy.http.Framing;
import dev.perhaps.proxy.http.ResponseHead;

/** A request to the origin or to a sibling, which is notified of its response. Confined to an event loop. */
interface UpstreamRequest {
    String method();

    /** The head as it is sent, with the empty line at its end. */
    byte[] head();

    /** The address of the client that it is for, as {@link Addresses#key} writes it. */
    long client();

    /** No connection is free for it now. */
    void waits();

    /** Returns true if it goes to a sibling, not to the origin. */
    boolean toSibling();

    /** Returns true if a body follows. */
    boolean hasBody();

    /** Returns true if a body follows that is not here yet, and may take as long as the client likes. */
    boolean waitsForBody();

    /** The head is sent, and the body may follow. */
    void sent(UpstreamConnection connection);

    /** There is room to send more of the body. */
    void writable();

    void hint(ResponseHead head);

    /**
     * The response begins.
     *
     * @param clean false if more bytes were received than its body has
     */
    void begins(ResponseHead head, Framing framing, boolean clean);

    /** A piece of the body. Returns whether to read on; if not, {@link UpstreamConnection#resume} does. */
    boolean piece(byte[] piece);

    /**
     * The body is whole.
     *
     * @param clean false if bytes were received after its end
     */
    void ends(boolean clean);

    /** There is no response, or no more of it. */
    void fails(Participant.Failure failure);
}
