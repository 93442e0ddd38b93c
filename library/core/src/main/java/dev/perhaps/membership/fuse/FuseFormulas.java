package dev.perhaps.membership.fuse;

/**
 * The arithmetic of binary fuse filters: n items, fingerprints of w bits in slots, slots in segments of a power of two.
 *
 * <p>Paper: [1] Graf and Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters" (2022).
 */
public final class FuseFormulas {
    /*
     * Slots per item. Three positions per item in three neighbouring segments can be solved down to 1.09 slots per item
     * in the limit [1]; what is above that pays for the two ends and for segments of finite length. The rule of [1],
     * which its authors found by experiment, is kept: 1.125 from a million items on, more for small sets.
     *
     * Length of a segment. Two items with all three positions equal can never be separated by peeling. Among n items
     * in segments of L slots that happens with chance n / (2.2·L²), and the build then starts over. L² ≥ 23·n keeps it
     * at 2 %; small sets start over for little, so they take L² ≥ 6·n, which saves slots. From three million items on
     * this is half the length of [1] or less: the slots of an item are closer together, on fewer pages. Solving does
     * not mind (measured at 4 M items: not even a quarter of this length).
     *
     * Everything is computed with integers or StrictMath: the same plan has the same shape on every machine.
     */
    public static final int MAX_FINGERPRINT_BITS = 32;

    /** The most slots: positions are 32-bit integers, and arrays that long are all that Java has. */
    public static final long MAX_SLOTS = Integer.MAX_VALUE - 16;

    /** The most bytes of fingerprints: one array. */
    public static final long MAX_BYTES = Integer.MAX_VALUE - 8;

    public static final int MAX_SEGMENT_BITS = 18;
    public static final int LEAST_SEGMENTS = 3;

    private static final int SMALL_SET = 10_000;

    private FuseFormulas() {}

    /** f = 2^(−w). */
    public static double falsePositives(int fingerprintBits) {
        return Math.scalb(1.0, -fingerprintBits);
    }

    /** The shortest fingerprint whose error is at most this: w = ⌈−log2 f⌉. */
    public static int fingerprintBits(double error) {
        return -Math.getExponent(error);
    }

    /** log2 of the length of a segment. */
    public static int segmentBits(long items) {
        long square = items * (items < SMALL_SET ? 6 : 23);
        int bits = 1;
        while (bits < MAX_SEGMENT_BITS && 1L << 2 * bits < square) {
            bits++;
        }
        return bits;
    }

    /** How many segments there are: whole ones, and three at least. */
    public static long segments(long items) {
        double logarithm = StrictMath.log(Math.max(2, items));
        double slotsPerItem = Math.max(1.125, 0.875 + 0.25 * StrictMath.log(1e6) / logarithm);
        return Math.max(LEAST_SEGMENTS, (long) Math.ceil(items * slotsPerItem / (1L << segmentBits(items))));
    }

    public static long slots(long items) {
        return segments(items) << segmentBits(items);
    }

    /**
     * Bytes of this number of fingerprints: whole words, with eight bytes to spare so that the last is read like the
     * others.
     */
    public static long bytes(long slots, int fingerprintBits) {
        return (slots * fingerprintBits + 127) / 64 * 8;
    }

    /**
     * The most memory that building takes beside the fingerprints: 24 bytes per item. Repeated items are taken in until
     * there are twice as many as planned; then the hashes are put in order, in a second array; then they are held once,
     * and with each slot the sum of its items' hashes, their number and a place in a queue.
     */
    public static long buildBytes(long items, long slots) {
        long ordering = 3 * Long.BYTES * items;
        long solving = Long.BYTES * items + (Long.BYTES + Byte.BYTES + Integer.BYTES) * slots;
        return Math.max(ordering, solving);
    }
}
