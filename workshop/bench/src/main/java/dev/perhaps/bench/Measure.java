package dev.perhaps.bench;

/** What is timed, in nanoseconds per operation. */
public enum Measure {
    HIT("hit"),
    MISS("miss"),
    ADD("add"),
    MERGE("merge"),
    ESTIMATE("estimate"),
    /** Finding the node of a key. */
    OWNER("owner"),
    /** Signing, per byte of text. */
    SIGN("signature");

    private final String word;

    Measure(String word) {
        this.word = word;
    }

    @Override
    public String toString() {
        return word;
    }
}
