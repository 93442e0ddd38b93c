package dev.perhaps.server.wire;

/** Thrown if there is no memory for a reply; the part that was already written must be removed. */
public final class ReplyTooLarge extends RuntimeException {
    private static final long serialVersionUID = 1;

    ReplyTooLarge(String message) {
        super(message, null, false, false);
    }
}
