package dev.perhaps.chord;

/**
 * How a peer keeps its place in the ring. All peers of a ring have the same number of successors.
 *
 * @param successors the length r of the successor list: one more than the number of neighbours that may fail at once
 * @param attempts the number of deadlines missed in a row after which a neighbour counts as dead
 * @param deadlineMillis how long a reply may take
 * @param stabilizeMillis how often the successor is asked; each time up to half longer or shorter
 * @param fingerMillis how often a finger is looked up
 * @param healMillis how often a remembered member is asked, to find out whether there is a separate ring
 * @param remembered the number of members that are remembered
 */
public record Settings(
        int successors,
        int attempts,
        int deadlineMillis,
        int stabilizeMillis,
        int fingerMillis,
        int healMillis,
        int remembered) {
    /** The largest length of a successor list. */
    public static final int MAX_SUCCESSORS = 64;

    private static final int HOUR_MILLIS = 3_600_000;

    /** Checks the limits of every setting. */
    public Settings {
        check("successors", successors, 1, MAX_SUCCESSORS);
        check("attempts", attempts, 1, 100);
        check("deadlineMillis", deadlineMillis, 1, HOUR_MILLIS);
        check("stabilizeMillis", stabilizeMillis, 1, HOUR_MILLIS);
        check("fingerMillis", fingerMillis, 1, HOUR_MILLIS);
        check("healMillis", healMillis, 1, HOUR_MILLIS);
        check("remembered", remembered, 1, 100_000);
    }

    private static void check(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " must be in " + least + ".." + most + ", got " + value);
        }
    }

    /** For a local network: a dead neighbour is found in two to three seconds. */
    public static Settings usual() {
        return new Settings(8, 3, 500, 1_000, 2_000, 5_000, 128);
    }

    /** Returns the same settings with another length of the successor list. */
    public Settings successors(int number) {
        return new Settings(number, attempts, deadlineMillis, stabilizeMillis, fingerMillis, healMillis, remembered);
    }

    /** A time around this one, up to half longer or shorter, as the noise has it. */
    static long around(int millis, long noise) {
        return millis / 2 + Math.floorMod(noise, millis + 1L);
    }
}
