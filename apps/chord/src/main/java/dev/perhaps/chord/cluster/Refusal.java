package dev.perhaps.chord.cluster;

import java.io.IOException;

/** Thrown when a handshake was refused: another cluster, version or secret. Both sides log the reason. */
public final class Refusal extends IOException {
    private final boolean told;

    /** @param told true if the refusal came from the other side, and so need not be sent to it */
    public Refusal(String reason, boolean told) {
        super(reason);
        this.told = told;
    }

    /** Returns true if the refusal came from the other side. */
    public boolean isTold() {
        return told;
    }
}
