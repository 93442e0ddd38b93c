package dev.perhaps.membership;

import dev.perhaps.io.Frame;
import dev.perhaps.io.FrameReader;
import dev.perhaps.io.PayloadOutput;
import java.io.IOException;
import java.util.stream.LongStream;

/**
 * One stage of a {@link ScalableBloom}: the bits of a Bloom filter, and how many of them may be set. Because it is closed
 * by set bits and not by counted items, its error stays under its part of the promise in every case, not on average.
 */
final class BloomStage {
    /**
     * A stage goes on in the generator of positions where the one before cannot come. An odd number of steps: strides that
     * are powers of two leave the lower half of such a generator nearly as it was.
     */
    private static final int STEPS_BETWEEN = BloomFilter.MAX_HASHES + 2;

    private final long[] words;
    private final long bits;
    private final int hashes;
    private final long mostSet;
    private final long start;
    private long set;

    private BloomStage(int number, BloomShape shape, long mostSet, long[] words, long set) {
        this.words = words;
        this.bits = shape.bits();
        this.hashes = shape.hashes();
        this.mostSet = mostSet;
        this.start = power(BloomFilter.STEP, (long) number * STEPS_BETWEEN);
        this.set = set;
    }

    static BloomStage empty(int number, BloomShape shape, double error) {
        long[] words = new long[BloomFilter.wordsFor(shape.bits())];
        return new BloomStage(number, shape, mostSet(shape, error), words, 0);
    }

    /** As many bits as may be set: (set/m)^k ≤ error. */
    static long mostSet(BloomShape shape, double error) {
        long set = (long) (shape.bits() * Math.pow(error, 1.0 / shape.hashes()));
        return Math.pow((double) set / shape.bits(), shape.hashes()) <= error ? set : set - 1;
    }

    private static long power(long base, long exponent) {
        long result = 1;
        long square = base;
        for (long left = exponent; left != 0; left >>>= 1) {
            result *= (left & 1) == 1 ? square : 1;
            square *= square;
        }
        return result;
    }

    boolean holds(long x) {
        return BloomFilter.allSet(words, bits, hashes, x * start);
    }

    /** How many bits x would set at most; 0 iff it is held. */
    int missing(long x) {
        int missing = 0;
        long y = x * start;
        for (int i = 0; i < hashes; i++) {
            long position = BloomFilter.position(y, bits);
            missing += (int) (~words[(int) (position >>> 6)] >>> position & 1);
            y *= BloomFilter.STEP;
        }
        return missing;
    }

    /** The same with positions that coincide counted once: exact, and slower. */
    int missingOnce(long x) {
        return (int) LongStream.iterate(x * start, y -> y * BloomFilter.STEP)
                .limit(hashes)
                .map(y -> BloomFilter.position(y, bits))
                .filter(position -> !BloomFilter.isSet(words, position))
                .distinct()
                .count();
    }

    boolean hasRoomFor(int missing) {
        return set + missing <= mostSet;
    }

    void add(long x) {
        long y = x * start;
        for (int i = 0; i < hashes; i++) {
            long position = BloomFilter.position(y, bits);
            int at = (int) (position >>> 6);
            set += ~words[at] >>> position & 1;
            words[at] |= 1L << position;
            y *= BloomFilter.STEP;
        }
        assert set <= mostSet;
    }

    /** Asks those of 64 mixed hashes whose bit is in {@code open}; answers the bits of those it holds. */
    long holds64(long[] xs, long open) {
        long alive = 0;
        for (long left = open; left != 0; left &= left - 1) {
            int i = Long.numberOfTrailingZeros(left);
            long first = BloomFilter.position(xs[i] * start, bits);
            long second = hashes == 1 ? first : BloomFilter.position(xs[i] * start * BloomFilter.STEP, bits);
            long both = words[(int) (first >>> 6)] >>> first & words[(int) (second >>> 6)] >>> second & 1;
            alive |= both << i;
        }
        long held = alive;
        for (long left = hashes > 2 ? alive : 0; left != 0; left &= left - 1) {
            int i = Long.numberOfTrailingZeros(left);
            if (!holds(xs[i])) {
                held &= ~(1L << i);
            }
        }
        return held;
    }

    long bits() {
        return bits;
    }

    long setBits() {
        return set;
    }

    double error() {
        return Math.pow((double) set / bits, hashes);
    }

    double items() {
        return BloomFormulas.distinct(bits, hashes, set);
    }

    long sizeBytes() {
        return words.length * (long) Long.BYTES;
    }

    BloomStage copy(int number) {
        return new BloomStage(number, new BloomShape(bits, hashes), mostSet, words.clone(), set);
    }

    // In the file (docs/format.md): bits, hashes, most set bits.
    static final int PARAMETERS = 3;

    void describeTo(long[] parameters, int at) {
        parameters[at] = bits;
        parameters[at + 1] = hashes;
        parameters[at + 2] = mostSet;
    }

    void write(PayloadOutput payload) throws IOException {
        payload.longs(words);
    }

    /** The error that the stage at parameter {@code at} may reach, having checked that it can be one. */
    static double errorAllowed(Frame frame, int at) throws IOException {
        long bits = frame.parameter(at);
        long hashes = frame.parameter(at + 1);
        long mostSet = frame.parameter(at + 2);
        frame.require(bits > 0 && bits <= BloomFormulas.MAX_BITS, "bits", bits);
        frame.require(hashes > 0 && hashes <= BloomFilter.MAX_HASHES, "hashes", hashes);
        frame.require(mostSet >= hashes && mostSet <= bits, "a limit of set bits", mostSet);
        return Math.pow((double) mostSet / bits, hashes);
    }

    /** True if a stage for this number of items can have the shape at parameter {@code at}: on average it holds them. */
    static boolean holdsPlanned(Frame frame, int at, double items) throws IOException {
        long bits = frame.parameter(at);
        double set = bits * (1 - BloomFormulas.zeros(bits, (int) frame.parameter(at + 1), items));
        return set <= frame.parameter(at + 2) + 1 || bits == BloomShape.wholeWords(BloomFormulas.MAX_BITS);
    }

    static BloomStage read(FrameReader in, int number, int at) throws IOException {
        Frame frame = in.frame();
        BloomShape shape = new BloomShape(frame.parameter(at), (int) frame.parameter(at + 1));
        long[] words = in.longs(BloomFilter.wordsFor(shape.bits()));
        long set = 0;
        for (long word : words) {
            set += Long.bitCount(word);
        }
        return new BloomStage(number, shape, frame.parameter(at + 2), words, set);
    }

    /** Refuses more set bits than the stage may have, and bits beyond its last. */
    void check(Frame frame) throws IOException {
        long beyond = bits % Long.SIZE == 0 ? 0 : words[words.length - 1] >>> bits;
        frame.require(beyond == 0, "bits beyond bit", bits);
        frame.require(set <= mostSet, "set bits", set);
    }
}
