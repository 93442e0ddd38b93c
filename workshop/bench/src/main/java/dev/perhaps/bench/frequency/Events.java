package dev.perhaps.bench.frequency;

import dev.perhaps.hash.Mix;
import java.util.Arrays;
import java.util.SplittableRandom;

/** A stream of keys of which few come often: the key of rank r comes in proportion to 1 / r^exponent. */
public final class Events {
    /** As in the papers on frequent items, and what logs of requests mostly are. */
    public static final double EXPONENT = 1.1;

    public static final int DISTINCT = 1_000_000;

    private static final int MAX_ASKS = 1_000_000;

    /** The stream, in the order in which it comes. */
    public final long[] keys;

    /** As many keys as are asked in a timed run, each as likely as in the stream. */
    final long[] asked;

    /** Every key that may come, by rank. */
    final long[] distinct;

    /** How often each of them came, by rank. */
    final int[] counts;

    private Events(long[] keys, long[] asked, long[] distinct, int[] counts) {
        this.keys = keys;
        this.asked = asked;
        this.distinct = distinct;
        this.counts = counts;
    }

    public static Events zipf(int events, int distinct, double exponent, long seed) {
        double[] upTo = new double[distinct];
        double sum = 0;
        for (int rank = 0; rank < distinct; rank++) {
            sum += Math.pow(rank + 1, -exponent);
            upTo[rank] = sum;
        }
        SplittableRandom random = new SplittableRandom(seed);
        long[] keys = new long[events];
        int[] counts = new int[distinct];
        for (int i = 0; i < events; i++) {
            int rank = drawn(upTo, random.nextDouble() * sum);
            counts[rank]++;
            keys[i] = key(rank);
        }
        long[] asked = new long[Math.min(events, MAX_ASKS)];
        Arrays.setAll(asked, i -> keys[random.nextInt(events)]);
        long[] all = new long[distinct];
        Arrays.setAll(all, Events::key);
        return new Events(keys, asked, all, counts);
    }

    /** An avalanche of the rank: different for different ones, and without their order. */
    private static long key(int rank) {
        return Mix.finish(rank + 1);
    }

    private static int drawn(double[] upTo, double at) {
        int found = Arrays.binarySearch(upTo, at);
        return Math.min(upTo.length - 1, found < 0 ? -found - 1 : found);
    }
}
