package dev.perhaps.membership.bloom;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.membership.ScalableBloom;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * One stage of a {@link ScalableBloom}: the bits of a Bloom filter, and how many of them may be set. Because it is
 * closed by set bits and not by counted items, its error stays under its part of the promise in every case, not on
 * average.
 */
public final class BloomStage {
    /**
     * A stage goes on in the generator of positions where the one before cannot come. An odd number of steps: strides
     * that are powers of two leave the lower half of such a generator nearly as it was.
     */
    private static final int STEPS_BETWEEN = BloomKernel.MAX_HASHES + 2;

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
        this.start = power(BloomKernel.STEP, (long) number * STEPS_BETWEEN);
        this.set = set;
    }

    public static BloomStage empty(int number, BloomShape shape, double error) {
        long[] words = new long[BloomKernel.wordsFor(shape.bits())];
        return new BloomStage(number, shape, mostSet(shape, error), words, 0);
    }

    /** As many bits as may be set: (set/m)^k ≤ error. */
    public static long mostSet(BloomShape shape, double error) {
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

    public void clear() {
        Arrays.fill(words, 0);
        set = 0;
    }

    public boolean holds(long x) {
        return BloomKernel.allSet(words, bits, hashes, x * start);
    }

    /** How many bits x would set at most; 0 iff it is held. */
    public int missing(long x) {
        int missing = 0;
        long y = x * start;
        for (int i = 0; i < hashes; i++) {
            long position = BloomKernel.position(y, bits);
            missing += (int) (~words[(int) (position >>> 6)] >>> position & 1);
            y *= BloomKernel.STEP;
        }
        return missing;
    }

    /** The same with positions that coincide counted once: exact, and slower. */
    public int missingOnce(long x) {
        return (int) LongStream.iterate(x * start, y -> y * BloomKernel.STEP)
                .limit(hashes)
                .map(y -> BloomKernel.position(y, bits))
                .filter(position -> !BloomKernel.isSet(words, position))
                .distinct()
                .count();
    }

    public boolean hasRoomFor(int missing) {
        return set + missing <= mostSet;
    }

    public void add(long x) {
        long y = x * start;
        for (int i = 0; i < hashes; i++) {
            long position = BloomKernel.position(y, bits);
            int at = (int) (position >>> 6);
            set += ~words[at] >>> position & 1;
            words[at] |= 1L << position;
            y *= BloomKernel.STEP;
        }
        assert set <= mostSet;
    }

    /** Asks those of up to 64 hashes whose bit is in {@code open}; returns the bits of those it holds. */
    public long holds64(long mix, long[] asked, int from, int count, long open) {
        return BloomKernel.ask64(words, mix, start, bits, hashes, asked, from, count, open);
    }

    public long bits() {
        return bits;
    }

    public long setBits() {
        return set;
    }

    public double error() {
        return Math.pow((double) set / bits, hashes);
    }

    public double items() {
        return BloomFormulas.distinct(bits, hashes, set);
    }

    public long sizeBytes() {
        return words.length * (long) Long.BYTES;
    }

    public BloomStage copy(int number) {
        return new BloomStage(number, new BloomShape(bits, hashes), mostSet, words.clone(), set);
    }

    // In the file (docs/format.md): bits, hashes, most set bits.
    public static final int PARAMETERS = 3;

    public void describeTo(long[] parameters, int at) {
        parameters[at] = bits;
        parameters[at + 1] = hashes;
        parameters[at + 2] = mostSet;
    }

    public void write(PayloadOutput payload) throws IOException {
        payload.longs(words);
    }

    /** The error that the stage at parameter {@code at} may reach, having checked that it can be one. */
    public static double errorAllowed(Frame frame, int at) throws IOException {
        long bits = frame.parameter(at);
        long hashes = frame.parameter(at + 1);
        long mostSet = frame.parameter(at + 2);
        frame.require(bits > 0 && bits <= BloomFormulas.MAX_BITS, "bits", bits);
        frame.require(hashes > 0 && hashes <= BloomKernel.MAX_HASHES, "hashes", hashes);
        frame.require(mostSet >= hashes && mostSet <= bits, "a limit of set bits", mostSet);
        return Math.pow((double) mostSet / bits, hashes);
    }

    /**
     * True if a stage for this number of items can have the shape at parameter {@code at}: on average it holds them.
     */
    public static boolean holdsPlanned(Frame frame, int at, double items) throws IOException {
        long bits = frame.parameter(at);
        double set = bits * (1 - BloomFormulas.zeros(bits, (int) frame.parameter(at + 1), items));
        return set <= frame.parameter(at + 2) + 1 || bits == BloomShape.wholeWords(BloomFormulas.MAX_BITS);
    }

    public static BloomStage read(FrameReader in, int number, int at) throws IOException {
        Frame frame = in.frame();
        BloomShape shape = new BloomShape(frame.parameter(at), (int) frame.parameter(at + 1));
        long[] words = in.longs(BloomKernel.wordsFor(shape.bits()));
        long set = 0;
        for (long word : words) {
            set += Long.bitCount(word);
        }
        return new BloomStage(number, shape, frame.parameter(at + 2), words, set);
    }

    /** Refuses more set bits than the stage may have, and bits beyond its last. */
    public void check(Frame frame) throws IOException {
        long beyond = bits % Long.SIZE == 0 ? 0 : words[words.length - 1] >>> bits;
        frame.require(beyond == 0, "bits beyond bit", bits);
        frame.require(set <= mostSet, "set bits", set);
    }
}
