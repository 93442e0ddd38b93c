package dev.perhaps.chord;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A point on the circle of 2^160 identifiers: the place of a peer or a key. Immutable, compared as an unsigned number.
 *
 * <p>{@code Id.hashOf("10.0.0.7:4711#0")} is the first 160 bits of the SHA-256 of the text.
 */
public final class Id implements Comparable<Id> {
    /*
     * 160 bits in two longs and an int, the highest first. The circle has no beginning, so order alone says nothing
     * about the order of members: between(a, x, b) asks whether one who walks clockwise from a meets x before b.
     *
     *        a ──→ x ──→ b        with a == b the walk is once round, and every x but a itself is between
     */
    /** Number of bits of every id. */
    public static final int BITS = 160;

    /** As written in hexadecimal. */
    public static final int DIGITS = BITS / 4;

    private static final int BYTES = BITS / Byte.SIZE;

    private final long high;
    private final long middle;
    private final int low;

    private Id(long high, long middle, int low) {
        this.high = high;
        this.middle = middle;
        this.low = low;
    }

    /** The id of a peer's name or of any other text: that of its UTF-8 bytes. */
    public static Id hashOf(String text) {
        return hashOf(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The first 160 bits of the SHA-256 of these bytes. */
    public static Id hashOf(byte[] bytes) {
        try {
            return read(ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }

    /** Of 20 bytes, the highest first. */
    public static Id of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("an id has " + BYTES + " bytes, got " + bytes.length);
        }
        return read(ByteBuffer.wrap(bytes));
    }

    /** Of 40 hexadecimal digits, as {@link #toString} writes them. */
    public static Id fromHex(String digits) {
        if (digits.length() != 2 * BYTES) {
            throw new IllegalArgumentException("an id has " + 2 * BYTES + " hexadecimal digits, got '" + digits + "'");
        }
        try {
            return of(HexFormat.of().parseHex(digits));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("an id has hexadecimal digits only, got '" + digits + "'", e);
        }
    }

    private static Id read(ByteBuffer bytes) {
        return new Id(bytes.getLong(), bytes.getLong(), bytes.getInt());
    }

    /** Returns the {@value #BITS} bits as bytes, the highest first. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(high)
                .putLong(middle)
                .putInt(low)
                .array();
    }

    /** Returns true if a walk clockwise from {@code a} meets {@code x} before {@code b}; neither end counts. */
    public static boolean between(Id a, Id x, Id b) {
        return a.compareTo(b) < 0 ? a.compareTo(x) < 0 && x.compareTo(b) < 0 : a.compareTo(x) < 0 || x.compareTo(b) < 0;
    }

    /** As {@link #between}, but {@code b} itself counts. If {@code a} is {@code b}, that is the whole circle. */
    public static boolean betweenClosed(Id a, Id x, Id b) {
        return x.equals(b) || between(a, x, b);
    }

    /** This + 2^k, round the circle. */
    public Id plusPowerOfTwo(int k) {
        if (k < 0 || k >= BITS) {
            throw new IllegalArgumentException("k must be in 0.." + (BITS - 1) + ", got " + k);
        }
        if (k >= 96) {
            return new Id(high + (1L << (k - 96)), middle, low);
        }
        if (k >= 32) {
            long sum = middle + (1L << (k - 32));
            return new Id(carry(high, sum, middle), sum, low);
        }
        int sum = low + (1 << k);
        if (Integer.compareUnsigned(sum, low) >= 0) {
            return new Id(high, middle, sum);
        }
        return new Id(carry(high, middle + 1, middle), middle + 1, sum);
    }

    private static long carry(long upper, long sum, long before) {
        return Long.compareUnsigned(sum, before) < 0 ? upper + 1 : upper;
    }

    /** One of its 40 hexadecimal digits; 0 is the first. */
    public int digit(int index) {
        if (index < 0 || index >= DIGITS) {
            throw new IllegalArgumentException("index must be in 0.." + (DIGITS - 1) + ", got " + index);
        }
        if (index < 16) {
            return (int) (high >>> (60 - 4 * index)) & 0xF;
        }
        return (index < 32 ? (int) (middle >>> (124 - 4 * index)) : low >>> (156 - 4 * index)) & 0xF;
    }

    /** Its place on the circle as a share of it, in [0, 1): for drawings, not for decisions. */
    public double turn() {
        return (high >>> 11) * 0x1p-53;
    }

    @Override
    public int compareTo(Id other) {
        int byHigh = Long.compareUnsigned(high, other.high);
        if (byHigh != 0) {
            return byHigh;
        }
        int byMiddle = Long.compareUnsigned(middle, other.middle);
        return byMiddle != 0 ? byMiddle : Integer.compareUnsigned(low, other.low);
    }

    @Override
    public boolean equals(Object object) {
        return this == object
                || object instanceof Id other && high == other.high && middle == other.middle && low == other.low;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(high ^ middle) ^ low;
    }

    /** All 40 digits. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(toBytes());
    }

    /** Returns the first 8 digits, which are enough to distinguish the peers of a ring. */
    public String brief() {
        return HexFormat.of().toHexDigits(high).substring(0, 8);
    }
}
