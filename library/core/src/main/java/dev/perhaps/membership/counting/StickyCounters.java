package dev.perhaps.membership.counting;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.membership.bloom.BloomKernel;
import dev.perhaps.sketch.Description;
import java.io.IOException;
import java.util.Arrays;

/** Counters of 4 bits plus one bit each: 0 to 16, where 16 sticks. Five bits per counter; never full. */
public final class StickyCounters extends CounterArray {
    /*
     *     bits  |.11..1..........|   1 bit per position: is it above 0? All a lookup touches, and a BloomFilter's bits
     *     more  |.02..0..........|   4 bits per position: how far above 1, sixteen in a word; 15 never comes down again
     *
     * Why a bit of its own: 4 bits alone could say 0 to 15, but a lookup would go over four times the memory. Measured
     * at 1 and 10 million items, where the counters have left the processor's own cache: hits take 1.6 to 2.4 times as
     * long, misses 1.1 to 1.7 times. Adding gains as well: a position that was 0 needs no counter, and half of them
     * are.
     */
    public static final int MAX_COUNT = 16;
    public static final long MAX_SIZE = (Integer.MAX_VALUE - 8) / 4 * 64L;

    private static final int MAX_MORE = MAX_COUNT - 1;
    private static final long LOWEST_OF_EACH = 0x1111111111111111L;

    private final long[] bits;
    private final long[] more;

    private StickyCounters(long size, int hashes, long[] bits, long[] more) {
        super(size, hashes);
        assert bits.length == wordsOfBits(size) && more.length == wordsOfMore(size);
        this.bits = bits;
        this.more = more;
    }

    public static StickyCounters empty(long size, int hashes) {
        return new StickyCounters(size, hashes, new long[wordsOfBits(size)], new long[wordsOfMore(size)]);
    }

    public static StickyCounters read(FrameReader in, long size, int hashes) throws IOException {
        return new StickyCounters(size, hashes, in.longs(wordsOfBits(size)), in.longs(wordsOfMore(size)));
    }

    public static long bytesFor(long size) {
        return (wordsOfBits(size) + (long) wordsOfMore(size)) * Long.BYTES;
    }

    private static int wordsOfBits(long size) {
        return (int) ((size + 63) >>> 6);
    }

    private static int wordsOfMore(long size) {
        return (int) ((size + 15) >>> 4);
    }

    @Override
    long get(long position) {
        return (bits[(int) (position >>> 6)] >>> position & 1) == 0 ? 0 : 1 + more(position);
    }

    private long more(long position) {
        return more[(int) (position >>> 4)] >>> (position << 2) & MAX_MORE;
    }

    @Override
    long increment(long position) {
        int at = (int) (position >>> 6);
        long bit = 1L << position;
        if ((bits[at] & bit) == 0) {
            bits[at] |= bit;
            return 0;
        }
        long above = more(position);
        if (above < MAX_MORE) {
            more[(int) (position >>> 4)] += 1L << (position << 2);
        }
        return 1 + above;
    }

    @Override
    void decrement(long position) {
        long above = more(position);
        if (above == MAX_MORE) {
            return;
        }
        if (above > 0) {
            more[(int) (position >>> 4)] -= 1L << (position << 2);
        } else {
            assert get(position) == 1;
            bits[(int) (position >>> 6)] &= ~(1L << position);
        }
    }

    @Override
    public boolean holds(long x) {
        return BloomKernel.allSet(bits, size, hashes, x);
    }

    @Override
    public long holds64(long mix, long[] asked, int from, int count) {
        return BloomKernel.ask64(bits, mix, 1, size, hashes, asked, from, count, BloomKernel.all(count));
    }

    @Override
    public long inUse() {
        long set = 0;
        for (long word : bits) {
            set += Long.bitCount(word);
        }
        return set;
    }

    @Override
    public long stuck() {
        long stuck = 0;
        for (long word : more) {
            stuck += Long.bitCount(word & word >>> 1 & word >>> 2 & word >>> 3 & LOWEST_OF_EACH);
        }
        return stuck;
    }

    @Override
    public long sum() {
        long sum = inUse();
        for (long word : more) {
            for (long left = word; left != 0; left >>>= 4) {
                sum += left & MAX_MORE;
            }
        }
        return sum;
    }

    @Override
    public boolean merge(CounterArray counters) {
        StickyCounters other = (StickyCounters) counters;
        for (int i = 0; i < more.length; i++) {
            long both = bits[i >>> 2] & other.bits[i >>> 2];
            long sixteenBits = both >>> ((i & 3) << 4) & 0xFFFF;
            if (other.more[i] != 0 || sixteenBits != 0) {
                more[i] = added(more[i], other.more[i], sixteenBits);
            }
        }
        for (int i = 0; i < bits.length; i++) {
            bits[i] |= other.bits[i];
        }
        return true;
    }

    /** Adds sixteen pairs; where both counters are above 0, what they are above 1 grows by one more. */
    private static long added(long one, long two, long both) {
        long sum = 0;
        for (int i = 0; i < 16; i++) {
            long above = (one >>> 4 * i & MAX_MORE) + (two >>> 4 * i & MAX_MORE) + (both >>> i & 1);
            sum |= Math.min(MAX_MORE, above) << 4 * i;
        }
        return sum;
    }

    @Override
    public long[] toBits() {
        return bits.clone();
    }

    @Override
    public void clear() {
        Arrays.fill(bits, 0);
        Arrays.fill(more, 0);
    }

    @Override
    public CounterArray copy() {
        return new StickyCounters(size, hashes, bits.clone(), more.clone());
    }

    @Override
    public long sizeBytes() {
        return bytesFor(size);
    }

    @Override
    public Description describe(Description so, long items) {
        return so.count("stuck", stuck())
                .share("stickingChance", CountingFormulas.overflow(size, hashes, items, MAX_COUNT));
    }

    @Override
    public void write(PayloadOutput payload) throws IOException {
        payload.longs(bits);
        payload.longs(more);
    }

    @Override
    public void check(Frame frame) throws IOException {
        long beyond = size % Long.SIZE == 0 ? 0 : bits[bits.length - 1] >>> size;
        frame.require(beyond == 0, "bits beyond counter", size);
        for (int i = 0; i < more.length; i++) {
            long any = more[i] | more[i] >>> 1;
            for (long left = (any | any >>> 2) & LOWEST_OF_EACH; left != 0; left &= left - 1) {
                long position = i * 16L + Long.numberOfTrailingZeros(left) / 4;
                boolean set = position < size && (bits[(int) (position >>> 6)] >>> position & 1) == 1;
                frame.require(set, "a count above 1 without its bit at counter", position);
            }
        }
    }
}
