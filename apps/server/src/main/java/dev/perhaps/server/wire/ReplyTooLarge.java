package dev.perhaps.server.wire;

/** A reply for which there is no memory; what was written of it must be taken back. */
public final class ReplyTooLarge extends RuntimeException {
    private static final long serialVersionUID = 1;

    ReplyTooLarge(String message) {
        super(message, null, false, false);
    }
}
