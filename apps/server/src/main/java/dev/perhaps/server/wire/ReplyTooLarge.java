package dev.perhaps.server.wire;

/** A reply that would take more memory than one reply may; what was written of it must be taken back. */
public final class ReplyTooLarge extends RuntimeException {
    private static final long serialVersionUID = 1;

    ReplyTooLarge() {
        super("ERR the reply is larger than " + ReplyWriter.MAX_REPLY_BYTES + " bytes", null, false, false);
    }
}
