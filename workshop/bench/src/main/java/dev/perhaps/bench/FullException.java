package dev.perhaps.bench;

/** A structure under measurement did not take all of its items: its row says so, and the others are measured. */
public final class FullException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public FullException(long items) {
        super("full after " + items + " items");
    }
}
