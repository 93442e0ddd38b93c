package dev.perhaps.proxy.http;

/** A malformed or unacceptable message, with the status to refuse it with. */
public final class BadMessage extends Exception {
    private final int status;

    public BadMessage(int status, String message) {
        super(message, null, false, false); // it is a response, and floods of them must be cheap
        this.status = status;
    }

    public int status() {
        return status;
    }
}
