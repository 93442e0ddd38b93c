package dev.perhaps.server.wire;

/** Thrown for bytes that are not a request: the message is sent to the client, and the connection is closed. */
public final class ProtocolError extends Exception {
    /** An error with the text that Redis sends for it, without the leading "ERR". */
    public ProtocolError(String message) {
        super(message, null, false, false);
    }
}
