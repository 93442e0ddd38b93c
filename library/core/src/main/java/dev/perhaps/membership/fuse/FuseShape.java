package dev.perhaps.membership.fuse;

import dev.perhaps.hash.Mix;
import dev.perhaps.membership.FuseFilter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Where the slots of a {@link FuseFilter} are and how they are packed; the drawing is there. */
public record FuseShape(int segmentBits, int segments, int fingerprintBits) {
    static final long MIX = 0xA24BAED4963EE407L;
    static final long STEP = 0xF1357AEA2E62A9C5L;

    /** Makes a fingerprint of the mixed hash, unless it is a byte. */
    public static final long FINGERPRINT = 0x9E6C63D0676A9A99L;

    private static final long WEYL = 0x9E3779B97F4A7C15L;

    /**
     * Up to this number of bits, with up to 7 bits before it, a fingerprint lies within four bytes; a longer one in
     * eight.
     */
    public static final int SHORT_BITS = 25;

    public static final int SECOND_SHIFT = 23;
    public static final int THIRD_SHIFT = 8;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    public static FuseShape of(long items, int fingerprintBits) {
        return new FuseShape(
                FuseFormulas.segmentBits(items), Math.toIntExact(FuseFormulas.segments(items)), fingerprintBits);
    }

    /** The constant of the kind and the salt for the first try to build, another one for each further try. */
    public static long multiplier(int salt, int tries) {
        long multiplier = Mix.salted(MIX, salt);
        for (int i = 0; i < tries; i++) {
            multiplier *= STEP;
        }
        return multiplier;
    }

    /** Slots in a segment. */
    public int segment() {
        return 1 << segmentBits;
    }

    public int slots() {
        return segments << segmentBits;
    }

    /** Segments that an item can begin in: not the last two. */
    int firstSegments() {
        return segments - 2;
    }

    /** Slots that can be an item's first. */
    public long starts() {
        return (long) firstSegments() << segmentBits;
    }

    public long bytes() {
        return FuseFormulas.bytes(slots(), fingerprintBits);
    }

    /** The bits of a word that a fingerprint has. */
    public int mask() {
        return -1 >>> -fingerprintBits;
    }

    public static int first(long mixed, long starts) {
        return (int) ((mixed >>> 32) * starts >>> 32);
    }

    public static int second(long mixed, int first, int segment) {
        return (first ^ ((int) (mixed >>> SECOND_SHIFT) & (segment - 1))) + segment;
    }

    public static int third(long mixed, int first, int segment) {
        return (first ^ ((int) (mixed >>> THIRD_SHIFT) & (segment - 1))) + 2 * segment;
    }

    /** The fingerprint of a mixed hash, with more bits above it. */
    public static int fingerprint(long mixed, int width) {
        return width == Byte.SIZE ? (int) mixed : fingerprint(mixed);
    }

    /** The same for every width but 8. */
    public static int fingerprint(long mixed) {
        return (int) (mixed * FINGERPRINT >>> 32);
    }

    /** The bytes of all slots, with random bits in each of them; what lies behind the last slot is 0. */
    byte[] filled(long seed) {
        byte[] fingerprints = new byte[Math.toIntExact(bytes())];
        long end = (long) slots() * fingerprintBits;
        long state = seed;
        for (long bit = 0; bit < end; bit += Long.SIZE) {
            state += WEYL;
            long random = Mix.finish(state);
            LONG.set(fingerprints, (int) (bit >>> 3), end - bit < Long.SIZE ? random & (1L << end) - 1 : random);
        }
        return fingerprints;
    }

    /** A fingerprint of 16 bits. */
    public static int half(byte[] fingerprints, int slot) {
        return (short) SHORT.get(fingerprints, slot << 1);
    }

    /** A fingerprint of up to 25 bits, with the bits of others above it. */
    public static int packed(byte[] fingerprints, int slot, int width) {
        long bit = (long) slot * width;
        return (int) INT.get(fingerprints, (int) (bit >>> 3)) >>> ((int) bit & 7);
    }

    /** A fingerprint of any length, with the bits of others above it. */
    public static int packedWide(byte[] fingerprints, int slot, int width) {
        long bit = (long) slot * width;
        return (int) ((long) LONG.get(fingerprints, (int) (bit >>> 3)) >>> ((int) bit & 7));
    }

    /**
     * Flips bits of a fingerprint. Words are written whole, so two threads may change slots at the same time that share
     * no word.
     */
    static void flipPacked(byte[] fingerprints, int slot, int width, int flipped) {
        long bit = (long) slot * width;
        int word = (int) (bit >>> 6) << 3;
        int shift = (int) bit & 63;
        long value = Integer.toUnsignedLong(flipped);
        LONG.set(fingerprints, word, (long) LONG.get(fingerprints, word) ^ value << shift);
        if (shift + width > 64) {
            int next = word + 8;
            LONG.set(fingerprints, next, (long) LONG.get(fingerprints, next) ^ value >>> (64 - shift));
        }
    }
}
