package dev.perhaps.bench;

/** A structure under measurement did not take all of its items: its row says so, and the others are measured. */
public final class FullException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String reason;

    public FullException(long items) {
        this("full after " + items + " items");
    }

    private FullException(String reason) {
        super(reason);
        this.reason = reason;
    }

    /** What stands in the row. */
    public String reason() {
        return reason;
    }
}
