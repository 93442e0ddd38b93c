package dev.perhaps.chord.net;

import java.io.IOException;

/** One side does not talk to the other: another cluster, version or secret. Both sides say why. */
public final class Refusal extends IOException {
    private final boolean told;

    /** @param told true if the other side said so, and so need not hear it */
    Refusal(String reason, boolean told) {
        super(reason);
        this.told = told;
    }

    boolean isTold() {
        return told;
    }
}
