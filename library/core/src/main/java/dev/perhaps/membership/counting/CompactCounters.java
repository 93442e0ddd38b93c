package dev.perhaps.membership.counting;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.hash.Mix;
import dev.perhaps.membership.bloom.BloomKernel;
import dev.perhaps.sketch.Description;
import java.io.IOException;
import java.util.Arrays;

/** Counters of 2 bits, and a table for the few that need more: 0 to 16,386. About 2.3 bits per counter; can be full. */
public final class CompactCounters extends CounterArray {
    /*
     *     words     |..12 3.13 ....|   2 bits per position, 32 in a word: 0, 1, 2, or 3 and what the table has for it
     *     overflow  | 9: +1 |          a counter that says 3 and has no entry is exactly 3
     *
     * At the best number of hashes a counter is Poisson distributed with mean ln 2: one in 180 is above 3. (If 3 stood
     * for "look in the table" alone, one in 30 would need an entry, and the table would outgrow the counters.) Lookups
     * never touch the table.
     *
     * Nothing sticks here. An addition that finds no room in the table is taken back whole and answered FULL: had the
     * counter stuck at 3 instead, every other counter that says 3 would have had to stick with it, for nothing could
     * tell them apart.
     */
    public static final long MAX_SIZE = (Integer.MAX_VALUE - 8) * 32L;

    private static final int MAX_LOW = 3;
    private static final int FEW = 24;
    private static final long LOWER_OF_EACH = 0x5555555555555555L;

    private long[] words;
    private OverflowTable overflow;

    private CompactCounters(long size, int hashes, long[] words, OverflowTable overflow) {
        super(size, hashes);
        assert words.length == wordsFor(size);
        this.words = words;
        this.overflow = overflow;
    }

    public static CompactCounters empty(long size, int hashes, OverflowTable.Shape shape) {
        return new CompactCounters(size, hashes, new long[wordsFor(size)], OverflowTable.empty(shape));
    }

    public static CompactCounters read(FrameReader in, long size, int hashes, OverflowTable.Shape shape)
            throws IOException {
        return new CompactCounters(size, hashes, in.longs(wordsFor(size)), OverflowTable.read(in, shape));
    }

    /** The table that this number of items needs. */
    public static OverflowTable.Shape overflowFor(long size, int hashes, long items) {
        double expected = CountingFormulas.countersAtLeast(size, hashes, items, MAX_LOW + 1);
        return OverflowTable.Shape.forEntries(expected, size);
    }

    public static long bytesFor(long size, OverflowTable.Shape shape) {
        return wordsFor(size) * (long) Long.BYTES + shape.bytes();
    }

    private static int wordsFor(long size) {
        return (int) ((size + 31) >>> 5);
    }

    @Override
    long get(long position) {
        long low = low(position);
        return low < MAX_LOW ? low : MAX_LOW + overflow.get(position);
    }

    long low(long position) {
        return low(words, position);
    }

    @Override
    long increment(long position) {
        long low = low(position);
        if (low < MAX_LOW) {
            words[(int) (position >>> 5)] += 1L << (position << 1);
            return low;
        }
        int excess = overflow.increment(position);
        return excess < 0 ? -1 : MAX_LOW + excess;
    }

    @Override
    void decrement(long position) {
        long low = low(position);
        assert low > 0;
        if (low < MAX_LOW || !overflow.decrement(position)) {
            words[(int) (position >>> 5)] -= 1L << (position << 1);
        }
    }

    @Override
    public boolean holds(long x) {
        return allAbove(words, size, hashes, x);
    }

    /**
     * Two positions per step, as {@link BloomKernel#allSet} and for its reasons: of absent values three in four end at the
     * first. A counter less 1 is negative iff it is 0; to ask for one of its two bits instead made hits slower on Java
     * 17.
     */
    private static boolean allAbove(long[] words, long size, int hashes, long x) {
        return size < BloomKernel.SMALL_BITS
                ? allAboveOfFew(words, size, hashes, x)
                : allAboveOfMany(words, size, hashes, x);
    }

    private static boolean allAboveOfFew(long[] words, long size, int hashes, long x) {
        long y = x;
        int i = 1;
        for (; i < hashes; i += 2) {
            long first = low(words, BloomKernel.smallPosition(y, size));
            long second = low(words, BloomKernel.smallPosition(y * BloomKernel.STEP, size));
            if ((first - 1 | second - 1) < 0) {
                return false;
            }
            y *= BloomKernel.TWO_STEPS;
        }
        return i > hashes || low(words, BloomKernel.smallPosition(y, size)) != 0;
    }

    private static boolean allAboveOfMany(long[] words, long size, int hashes, long x) {
        long y = x;
        int i = 1;
        for (; i < hashes; i += 2) {
            long first = low(words, Mix.reduce(y, size));
            long second = low(words, Mix.reduce(y * BloomKernel.STEP, size));
            if ((first - 1 | second - 1) < 0) {
                return false;
            }
            y *= BloomKernel.TWO_STEPS;
        }
        return i > hashes || low(words, Mix.reduce(y, size)) != 0;
    }

    private static long low(long[] words, int position) {
        return words[position >>> 5] >>> (position << 1) & MAX_LOW;
    }

    private static long low(long[] words, long position) {
        return words[(int) (position >>> 5)] >>> (position << 1) & MAX_LOW;
    }

    @Override
    public long holds64(long mix, long[] asked, int from, int count) {
        return ask64(words, mix, size, hashes, asked, from, count);
    }

    /**
     * As {@link BloomKernel#ask64}: two positions of all at a time while most are alive, then the few by themselves.
     */
    private static long ask64(long[] words, long mix, long size, int hashes, long[] asked, int from, int count) {
        long alive = BloomKernel.all(count);
        long step = 1;
        int left = hashes;
        while (left > 0 && Long.bitCount(alive) > FEW) {
            alive &= ask64AtTwo(words, mix, step, left == 1 ? 1 : BloomKernel.STEP, size, asked, from, count);
            step *= BloomKernel.TWO_STEPS;
            left -= 2;
            if (Long.bitCount(alive) >= BloomKernel.MOST) {
                break;
            }
        }
        long answers = alive;
        for (long rest = left > 0 ? alive : 0; rest != 0; rest &= rest - 1) {
            int i = Long.numberOfTrailingZeros(rest);
            if (!allAbove(words, size, left, Mix.with(mix, asked[from + i]) * step)) {
                answers &= ~(1L << i);
            }
        }
        return answers;
    }

    private static long ask64AtTwo(
            long[] words, long mix, long step, long further, long size, long[] asked, int from, int count) {
        long above = 0;
        for (int i = 0; i < count; i++) {
            long x = Mix.with(mix, asked[from + i]) * step;
            long first = BloomKernel.position(x, size);
            long second = BloomKernel.position(x * further, size);
            above |= (above(words, first) & above(words, second)) << i;
        }
        return above;
    }

    /** 1 if the counter is above 0, else 0. */
    private static long above(long[] words, long position) {
        long counter = words[(int) (position >>> 5)] >>> (position << 1);
        return (counter | counter >>> 1) & 1;
    }

    @Override
    public long inUse() {
        long used = 0;
        for (long word : words) {
            used += Long.bitCount((word | word >>> 1) & LOWER_OF_EACH);
        }
        return used;
    }

    @Override
    public long stuck() {
        return 0;
    }

    @Override
    public long sum() {
        long sum = overflow.sum();
        for (long word : words) {
            sum += Long.bitCount(word & LOWER_OF_EACH) + 2L * Long.bitCount(word >>> 1 & LOWER_OF_EACH);
        }
        return sum;
    }

    /** Built as a copy, which replaces the counters only if the table has room for everything. */
    @Override
    public boolean merge(CounterArray counters) {
        CompactCounters other = (CompactCounters) counters;
        long[] sums = new long[words.length];
        OverflowTable table = OverflowTable.empty(overflow.shape());
        for (long position = 0; position < size; position++) {
            long sum = get(position) + other.get(position);
            sums[(int) (position >>> 5)] |= Math.min(sum, MAX_LOW) << (position << 1);
            if (sum > MAX_LOW && !table.insert(position, sum - MAX_LOW)) {
                return false;
            }
        }
        words = sums;
        overflow = table;
        return true;
    }

    @Override
    public long[] toBits() {
        long[] bits = new long[BloomKernel.wordsFor(size)];
        for (int i = 0; i < words.length; i++) {
            long lower = (words[i] | words[i] >>> 1) & LOWER_OF_EACH;
            bits[i >>> 1] |= everySecondBit(lower) << ((i & 1) << 5);
        }
        return bits;
    }

    /** Moves bits 0, 2, 4 … together into the lower half; the others must be 0. */
    private static long everySecondBit(long x) {
        x = (x | x >>> 1) & 0x3333333333333333L;
        x = (x | x >>> 2) & 0x0F0F0F0F0F0F0F0FL;
        x = (x | x >>> 4) & 0x00FF00FF00FF00FFL;
        x = (x | x >>> 8) & 0x0000FFFF0000FFFFL;
        return (x | x >>> 16) & 0xFFFFFFFFL;
    }

    @Override
    public void clear() {
        Arrays.fill(words, 0);
        overflow.clear();
    }

    @Override
    public CounterArray copy() {
        return new CompactCounters(size, hashes, words.clone(), overflow.copy());
    }

    @Override
    public long sizeBytes() {
        return words.length * (long) Long.BYTES + overflow.sizeBytes();
    }

    public OverflowTable.Shape shape() {
        return overflow.shape();
    }

    @Override
    public Description describe(Description so, long items) {
        return so.count("overflowing", overflow.entries()).count("overflowRoom", overflow.room());
    }

    @Override
    public void write(PayloadOutput payload) throws IOException {
        payload.longs(words);
        overflow.write(payload);
    }

    @Override
    public void check(Frame frame) throws IOException {
        long beyond = size % 32 == 0 ? 0 : words[words.length - 1] >>> (size << 1);
        frame.require(beyond == 0, "bits beyond counter", size);
        overflow.check(frame, this);
    }
}
