package dev.perhaps.membership.counting;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CountingBloom;
import dev.perhaps.membership.bloom.BloomKernel;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Description;
import java.io.IOException;

/**
 * The counters of a {@link CountingBloom}: m of them, k an item's. An item is met here as x, its mixed hash; its
 * positions are those of a {@link BloomFilter} of m bits and k hashes.
 */
public abstract sealed class CounterArray permits StickyCounters, CompactCounters {
    public final long size;
    public final int hashes;

    CounterArray(long size, int hashes) {
        this.size = size;
        this.hashes = hashes;
    }

    /** What a counter says. */
    abstract long get(long position);

    /** Counts up, and returns what the counter said before; −1, with nothing changed, if there is no room. */
    abstract long increment(long position);

    /** Counts down a counter that is above 0. */
    abstract void decrement(long position);

    /** True if all counters of x are above 0. */
    public abstract boolean holds(long x);

    /** Asks up to 64 hashes, mixed with the filter's constant: bit i is the answer for {@code asked[from + i]}. */
    public abstract long holds64(long mix, long[] asked, int from, int count);

    /** How many counters are above 0. */
    public abstract long inUse();

    /** How many counters have reached their end and are never counted down again. */
    public abstract long stuck();

    /** The sum of all counters. */
    public abstract long sum();

    /** Adds the counters of another of the same shape; false, with nothing changed, if there is no room. */
    public abstract boolean merge(CounterArray other);

    /** The bits of the Bloom filter that knows the same items. */
    public abstract long[] toBits();

    /** Makes every counter 0, also those that stick. */
    public abstract void clear();

    public abstract CounterArray copy();

    public abstract long sizeBytes();

    public abstract Description describe(Description so, long items);

    public abstract void write(PayloadOutput payload) throws IOException;

    /** Holds what was read against itself: what no sequence of operations can have left is refused. */
    public abstract void check(Frame frame) throws IOException;

    /*
     * Two of an item's k positions may coincide. Then that counter is counted up twice, and down twice: adding and
     * removing stay exact opposites without comparing positions with each other. Only a removal must look: where two
     * positions meet in a counter that says 1, the item is certainly not there.
     */

    public final Added add(long x) {
        boolean fresh = false;
        long y = x;
        for (int i = 0; i < hashes; i++) {
            long before = increment(BloomKernel.position(y, size));
            if (before < 0) {
                takeBack(x, i);
                return Added.FULL;
            }
            fresh |= before == 0;
            y *= BloomKernel.STEP;
        }
        return fresh ? Added.ADDED : Added.PRESENT;
    }

    /** Undoes the first {@code done} increments, the last one first: that leaves every bit as it was. */
    private void takeBack(long x, int done) {
        for (int i = done - 1; i >= 0; i--) {
            decrement(position(x, i));
        }
    }

    private long position(long x, int i) {
        for (int step = 0; step < i; step++) {
            x *= BloomKernel.STEP;
        }
        return BloomKernel.position(x, size);
    }

    public final boolean remove(long x) {
        if (!holds(x) || !holdsWhereTheyCoincide(x)) {
            return false;
        }
        for (int i = 0; i < hashes; i++) {
            decrement(BloomKernel.position(x, size));
            x *= BloomKernel.STEP;
        }
        return true;
    }

    private boolean holdsWhereTheyCoincide(long x) {
        // Positions that differ in their last six bits differ: most items are done after one round.
        long lastBits = 0;
        boolean mayCoincide = false;
        long y = x;
        for (int i = 0; i < hashes; i++) {
            long bit = 1L << BloomKernel.position(y, size);
            mayCoincide |= (lastBits & bit) != 0;
            lastBits |= bit;
            y *= BloomKernel.STEP;
        }
        y = x;
        for (int i = 0; mayCoincide && i < hashes; i++) {
            long position = BloomKernel.position(y, size);
            if (timesAmongFirst(i, position, x) >= get(position)) {
                return false;
            }
            y *= BloomKernel.STEP;
        }
        return true;
    }

    /** How many of the first {@code count} positions of x are this one. */
    private int timesAmongFirst(int count, long position, long x) {
        int times = 0;
        for (int i = 0; i < count; i++) {
            times += BloomKernel.position(x, size) == position ? 1 : 0;
            x *= BloomKernel.STEP;
        }
        return times;
    }

    /** The least of the item's counters: no item is there more often. */
    public final long least(long x) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < hashes && least > 0; i++) {
            least = Math.min(least, get(BloomKernel.position(x, size)));
            x *= BloomKernel.STEP;
        }
        return least;
    }

    /**
     * What all counters of x say of it together, when {@code items} items are there:
     * {@link CountingFormulas#logFactor}.
     */
    public final double logFactors(long x, double items) {
        double sum = 0;
        for (int i = 0; i < hashes && sum != Double.NEGATIVE_INFINITY; i++) {
            sum += CountingFormulas.logFactor(size, hashes, items, get(BloomKernel.position(x, size)));
            x *= BloomKernel.STEP;
        }
        return sum;
    }
}
