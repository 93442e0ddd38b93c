package dev.perhaps.similarity;

import java.util.Arrays;

/** The items of a set of even size that decide its ties, whatever the order in which they come. */
final class TieVoters {
    private static final int MAX_VOTERS = 64;
    private static final int MAX_ROUNDS = 16;
    private static final long MAX_WORDS = Family.MAX_COMPONENTS / Long.SIZE;

    private final long below;
    private long[] chosen;
    private int count;
    private long least = -1;
    private long[] planes = {};

    TieVoters(int items) {
        // Compared unsigned: all of them, or 64/n of the range.
        this.below = items <= MAX_VOTERS ? -1 : Long.divideUnsigned(-1, items) * MAX_VOTERS;
        this.chosen = new long[Math.min(items, 2 * MAX_VOTERS)];
    }

    void add(long[] mixed, int added) {
        for (int i = 0; i < added; i++) {
            long x = mixed[i];
            if (Long.compareUnsigned(x, below) <= 0) {
                if (count == chosen.length) {
                    chosen = Arrays.copyOf(chosen, 2 * count);
                }
                chosen[count++] = x;
            }
        }
        for (int i = 0; count == 0 && i < added; i++) {
            least = Long.compareUnsigned(mixed[i], least) < 0 ? mixed[i] : least;
        }
    }

    /** Those of the {@code tied} bits of a word that become 1. */
    long decide(long tied, int word) {
        if (count == 0) {
            chosen[count++] = least;
        }
        if (planes.length == 0) {
            planes = new long[SimHash.planesFor(count)];
        }
        long ones = 0;
        long open = tied;
        for (int round = 1; open != 0 && round <= MAX_ROUNDS; round++) {
            Arrays.fill(planes, 0);
            SimHash.count(chosen, count, (round * MAX_WORDS + word) * SimHash.GAMMA, planes, 0);
            ones |= open & SimHash.above(planes, 0, planes.length, count);
            open &= (count & 1) == 0 ? SimHash.tied(planes, 0, planes.length, count) : 0;
        }
        return ones;
    }
}
