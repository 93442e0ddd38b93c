package dev.perhaps.chord.simulation;

import java.util.Locale;

/**
 * One thing that is done to the peers from outside.
 *
 * @param node the node it concerns, by rank on the circle
 * @param other the other one, where there are two
 * @param millis how long it lasts, where it does
 */
public record Command(long atMillis, Kind kind, int node, int other, int millis) {
    /** What can be done. */
    public enum Kind {
        /** Starts, or starts again with nothing in its memory, and joins. */
        JOIN,
        /** Signs off. */
        LEAVE,
        /** The host is gone, with all its virtual nodes. */
        CRASH,
        /** Does nothing for a while, then everything at once. */
        PAUSE,
        /** Nothing gets from one to the other; the other way it does. */
        CUT,
        /** Nothing gets from peers of one kind to the others: the kinds are the bits of {@code other}. */
        PART,
        /** Looks up a key. */
        LOOKUP
    }

    /** What is done, without the time. */
    String what() {
        return switch (kind) {
            case JOIN -> "n" + node + " joins";
            case LEAVE -> "n" + node + " leaves";
            case CRASH -> "the host of n" + node + " crashes";
            case PAUSE -> "n" + node + " pauses for " + millis + " ms";
            case CUT -> "nothing gets from n" + node + " to n" + other + " for " + millis + " ms";
            case PART -> "the ring is cut in two (" + Integer.toBinaryString(other) + ") for " + millis + " ms";
            case LOOKUP -> "n" + node + " looks up a key";
        };
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,8d ms  %s", atMillis, what());
    }
}
