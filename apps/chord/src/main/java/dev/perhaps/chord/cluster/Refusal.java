package dev.perhaps.chord.cluster;

import java.io.IOException;

/** One side does not talk to the other: another cluster, version or secret. Both sides say why. */
public final class Refusal extends IOException {
    private final boolean told;

    /** @param told true if the other side said so, and so need not hear it */
    public Refusal(String reason, boolean told) {
        super(reason);
        this.told = told;
    }

    /** Returns true if the other side said so. */
    public boolean isTold() {
        return told;
    }
}
