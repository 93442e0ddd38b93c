package dev.perhaps.proxy.http;

/** A message that is refused, with the status that says so to whoever sent it. */
public final class BadMessage extends Exception {
    private final int status;

    public BadMessage(int status, String message) {
        super(message, null, false, false); // it is an answer, and floods of them must be cheap
        this.status = status;
    }

    public int status() {
        return status;
    }
}
