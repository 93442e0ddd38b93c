package dev.perhaps.chord.store;

import java.util.concurrent.TimeUnit;

/** Repeats the rounds of a leaving peer until it has handed over everything, or no peer accepts the rest. */
final class HandOver {
    /*
     * A round that leaves something over is repeated. It counts as final only if everybody who should take the rest has
     * refused, or there is nobody: a few such rounds are enough. What was promised to somebody a moment ago, a peer that
     * is too busy to answer, or a transfer that took longer than a promise holds, says nothing about the next round; then
     * only the time is limited: that in which nothing was taken, and that of all rounds together. A round says so itself: looking again after it would miss a promise that has just ended.
     */
    private static final int MAX_FINAL_ROUNDS = 5;

    private final long pauseMillis;
    private final long maxStallMillis;
    private final long maxMillis;

    /**
     * @param maxStallMillis after which no further round begins if nothing was taken in that time
     * @param maxMillis after which no further round begins in any case
     */
    HandOver(long pauseMillis, long maxStallMillis, long maxMillis) {
        this.pauseMillis = pauseMillis;
        this.maxStallMillis = maxStallMillis;
        this.maxMillis = maxMillis;
    }

    /**
     * The result of a round.
     *
     * @param left number of entries that are still here
     * @param isFinal true if the peers that should take them have refused, or there are no such peers
     */
    record Round(int left, boolean isFinal) {}

    /** Gives away what it can. */
    @FunctionalInterface
    interface Giver {
        Round round();
    }

    /** Returns the number of entries that no peer has accepted. */
    int run(Giver giver) throws InterruptedException {
        long start = System.nanoTime();
        long taken = start;
        int fewest = Integer.MAX_VALUE;
        int finalRounds = 0;
        while (true) {
            Round round = giver.round();
            finalRounds += round.isFinal ? 1 : 0;
            long now = System.nanoTime();
            boolean isStalled = now - taken > TimeUnit.MILLISECONDS.toNanos(maxStallMillis);
            if (round.left < fewest) {
                // The first round may have given a lot away: what was here before it is not known.
                fewest = round.left;
                taken = now;
                isStalled = false;
            }
            if (round.left == 0
                    || finalRounds == MAX_FINAL_ROUNDS
                    || isStalled
                    || now - start > TimeUnit.MILLISECONDS.toNanos(maxMillis)) {
                return round.left;
            }
            Thread.sleep(pauseMillis);
        }
    }
}
