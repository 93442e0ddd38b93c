package dev.perhaps.foreign;

import dev.perhaps.io.Figures;
import dev.perhaps.io.GolombRice;
import dev.perhaps.membership.Filter;
import dev.perhaps.sketch.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;

/**
 * The Golomb-coded block filter that Bitcoin full nodes send to light nodes (BIP 158), byte for byte: it never says
 * "no" to a script of the block, and says "perhaps" to one in 784,931 other scripts. About 21 bits per item. A lookup
 * reads the whole filter, so look up all scripts of a wallet at once. Immutable and thread-safe.
 *
 * <pre>{@code
 * byte[] block = Bip158Filter.wireOrder("000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943");
 * Bip158Filter filter = Bip158Filter.readFrom(block, HexFormat.of().parseHex("019dfca8"));
 * byte[] script = HexFormat.of().parseHex("001446c29eabe8208a33aa1023c741fa79aa92e881ff");
 * boolean fetchTheBlock = filter.mightContainAny(List.of(script));
 * }</pre>
 *
 * For your own data, with single lookups, a {@code FuseFilter} is better.
 */
public final class Bip158Filter implements Filter<byte[]> {
    /*
     * N items are hashed (SipHash-2-4, keyed with the first 16 bytes of the block's hash) and mapped to [0, N · M) by
     * their high bits; the values are sorted, and the gaps between them written as Golomb-Rice codes with P bits of
     * remainder. M = 784,931 is 1.497137 · 2^P, where codes with P = 19 are shortest [1].
     *
     *     CompactSize  N
     *     N codes      gap to the value before (the first: to 0), two equal values have a gap of 0
     *     zeros        to a whole byte
     *
     * Another item hits one of the N values with a chance of 1/M.
     *
     * Light nodes do not trust a filter, they chain them: a filter's hash is the double SHA-256 of its bytes, its
     * header the double SHA-256 of that hash and the header before. Headers from several nodes are compared (BIP 157),
     * a filter is checked against its header (`verify`). The format has no other checksum: `readFrom` refuses only what
     * no set of items can give.
     *
     * All hashes here are in wire order, the order in which SHA-256 gives the bytes. People write them the other way
     * round: `wireOrder` turns what they write.
     *
     * The encoded bytes are kept and decoded for every query: decoded values would take three times the memory, and a
     * light node queries a filter only once.
     *
     * [1] Osuntokun and Akselrod, "BIP 158: Compact block filters for light clients" (2017). [2] Osuntokun, Akselrod
     * and Posen, "BIP 157: Client side block filtering" (2017). [3] Putze, Sanders and Singler, "Cache-, hash- and
     * space-efficient Bloom filters" (2007), for Golomb-coded sets.
     */
    /** M: one in this number of other scripts is a false positive. */
    public static final long ERROR_ONE_IN = 784_931;

    static final int REMAINDER_BITS = 19;

    private static final int HASH_BYTES = 32;
    private static final byte OP_RETURN = 0x6A;
    private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

    private final long key0;
    private final long key1;
    private final long items;
    private final byte[] bytes;
    private final int codesFrom;

    private Bip158Filter(byte[] blockHash, long items, byte[] bytes) {
        this.key0 = SipHash.keyHalf(blockHash, 0);
        this.key1 = SipHash.keyHalf(blockHash, Long.BYTES);
        this.items = items;
        this.bytes = bytes;
        this.codesFrom = CompactSize.bytes(items);
    }

    /** Builds the filter of these items; repeated items count once. */
    public static Bip158Filter of(byte[] blockHash, Collection<byte[]> items) {
        checkHash("blockHash", blockHash);
        TreeSet<byte[]> different = new TreeSet<>(Arrays::compare);
        different.addAll(items);
        long[] values = values(
                SipHash.keyHalf(blockHash, 0), SipHash.keyHalf(blockHash, Long.BYTES), different.size(), different);
        return new Bip158Filter(blockHash, values.length, encode(values));
    }

    /**
     * Builds the basic filter of a block from the scripts that its outputs pay to and those that its inputs spend from,
     * without empty scripts and without outputs that only carry data (OP_RETURN).
     */
    public static Bip158Filter ofBlock(
            byte[] blockHash, Collection<byte[]> outputScripts, Collection<byte[]> spentScripts) {
        List<byte[]> items = new ArrayList<>();
        for (byte[] script : outputScripts) {
            if (script.length > 0 && script[0] != OP_RETURN) {
                items.add(script);
            }
        }
        for (byte[] script : spentScripts) {
            if (script.length > 0) {
                items.add(script);
            }
        }
        return of(blockHash, items);
    }

    /**
     * Converts a hash from the form that people use, hexadecimal from the last byte to the first, to the bytes of the
     * wire.
     */
    public static byte[] wireOrder(String written) {
        if (written.length() != 2 * HASH_BYTES) {
            throw new IllegalArgumentException(
                    "a hash has " + 2 * HASH_BYTES + " hexadecimal digits, got " + written.length() + ": " + written);
        }
        return reversed(HexFormat.of().parseHex(written));
    }

    private static byte[] reversed(byte[] hash) {
        byte[] reversed = new byte[hash.length];
        for (int i = 0; i < hash.length; i++) {
            reversed[i] = hash[hash.length - 1 - i];
        }
        return reversed;
    }

    private static void checkHash(String what, byte[] hash) {
        if (hash.length != HASH_BYTES) {
            throw new IllegalArgumentException(what + " must have " + HASH_BYTES + " bytes, got " + hash.length);
        }
    }

    /** The items' places in [0, N · M), ascending. */
    private static long[] values(long key0, long key1, long count, Collection<byte[]> items) {
        long range = count * ERROR_ONE_IN;
        long[] values = new long[items.size()];
        int filled = 0;
        for (byte[] item : items) {
            values[filled++] = value(key0, key1, range, item);
        }
        Arrays.sort(values);
        return values;
    }

    private static long value(long key0, long key1, long range, byte[] item) {
        long hash = SipHash.hash(key0, key1, item);
        // The high half of an unsigned product, which Java 17 does not have; the range is below 2^63.
        return Math.multiplyHigh(hash, range) + (hash >> 63 & range);
    }

    private static byte[] encode(long[] values) {
        long bits = 0;
        long before = 0;
        for (long value : values) {
            bits += GolombRice.bits(value - before, REMAINDER_BITS);
            before = value;
        }
        int codesFrom = CompactSize.bytes(values.length);
        long size = codesFrom + (bits + 7) / Byte.SIZE;
        if (size > MAX_ARRAY_BYTES) {
            throw new IllegalArgumentException(Figures.count(values.length) + " items need " + Figures.bytes(size)
                    + ", and one filter has at most " + Figures.bytes(MAX_ARRAY_BYTES) + ": split the set");
        }
        byte[] bytes = new byte[(int) size];
        CompactSize.write(values.length, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        GolombRice.Writer out = new GolombRice.Writer(bytes, codesFrom, REMAINDER_BITS);
        before = 0;
        for (long value : values) {
            out.write(value - before);
            before = value;
        }
        return bytes;
    }

    @Override
    public boolean mightContain(byte[] item) {
        return containsAny(new long[] {value(key0, key1, items * ERROR_ONE_IN, item)});
    }

    /** Returns true if one of these scripts may be in the block; the filter is read once for all of them. */
    public boolean mightContainAny(Collection<byte[]> asked) {
        return containsAny(values(key0, key1, items, asked));
    }

    /** Walks the filter and the ascending values that are asked for side by side. */
    private boolean containsAny(long[] asked) {
        GolombRice.Reader in = new GolombRice.Reader(bytes, codesFrom, REMAINDER_BITS);
        int next = 0;
        long value = 0;
        for (long i = 0; i < items && next < asked.length; i++) {
            value += in.next();
            while (next < asked.length && asked[next] < value) {
                next++;
            }
            if (next < asked.length && asked[next] == value) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of distinct items. */
    public long items() {
        return items;
    }

    /** Returns the memory of the filter in bytes, which is the length of {@link #toBytes}. */
    public long sizeBytes() {
        return bytes.length;
    }

    /** Returns the filter as nodes send it. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** Returns the hash of the filter, in wire order. */
    public byte[] hash() {
        return doubleSha256(bytes);
    }

    /**
     * Returns the header of the filter, given the header of the previous block's filter; 32 zeros for the first block.
     */
    public byte[] header(byte[] previousHeader) {
        checkHash("previousHeader", previousHeader);
        byte[] both = Arrays.copyOf(hash(), 2 * HASH_BYTES);
        System.arraycopy(previousHeader, 0, both, HASH_BYTES, HASH_BYTES);
        return doubleSha256(both);
    }

    /** Compares the filter with the header that it must have: the only way to detect a changed bit. */
    public void verify(byte[] previousHeader, byte[] header) throws FormatException {
        checkHash("header", header);
        if (!MessageDigest.isEqual(header(previousHeader), header)) {
            throw new FormatException("it does not have the header "
                    + HexFormat.of().formatHex(reversed(header)) + ": it is damaged, or the filter of another block");
        }
    }

    private static byte[] doubleSha256(byte[] bytes) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            return sha256.digest(sha256.digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256, which every Java must have", e);
        }
    }

    /**
     * Reads a filter as nodes send it; bytes that cannot be the filter of any set are refused. {@link #verify} detects
     * changes that leave it well formed.
     */
    public static Bip158Filter readFrom(byte[] blockHash, byte[] filter) throws FormatException {
        checkHash("blockHash", blockHash);
        ByteBuffer in = ByteBuffer.wrap(filter).order(ByteOrder.LITTLE_ENDIAN);
        // A code has at least P + 1 bits: more items than fit are refused before anything is done for them.
        long most = (long) filter.length * Byte.SIZE / (REMAINDER_BITS + 1);
        long items = CompactSize.read(in, most, "the number of items");
        GolombRice.Reader codes = new GolombRice.Reader(filter, in.position(), REMAINDER_BITS);
        long range = items * ERROR_ONE_IN;
        long value = 0;
        for (long i = 0; i < items; i++) {
            long gap = codes.next();
            if (gap < 0) {
                throw new FormatException("it is cut short in item " + (i + 1) + " of " + items);
            }
            value += gap;
            if (value >= range) {
                throw new FormatException("item " + (i + 1) + " of " + items + " has the value " + value
                        + ", and all must be below " + range + ": it is damaged");
            }
        }
        if (!codes.atEnd()) {
            throw new FormatException("something follows after its " + items + " items: it is damaged");
        }
        return new Bip158Filter(blockHash, items, filter.clone());
    }

    @Override
    public String toString() {
        return "BIP 158 filter of " + Figures.count(items, "item") + ", " + Figures.bytes(bytes.length)
                + ", one error in " + Figures.count(ERROR_ONE_IN);
    }
}
