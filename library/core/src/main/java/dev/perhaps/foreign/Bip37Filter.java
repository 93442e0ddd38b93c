package dev.perhaps.foreign;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.hash.Murmur3;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.Filter;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The Bloom filter that a Bitcoin light node sends to full nodes (BIP 37), byte for byte: it never says "no" to added
 * bytes, and says "perhaps" to others with about the planned probability. An add and a lookup hash the bytes k times.
 * At most 36,000 bytes and 50 hashes. Any number of threads may read it while none changes it.
 *
 * <pre>{@code
 * Bip37Filter mine = Bip37Filter.expecting(20).falsePositives(0.0001).tweak(2147483649L).build();
 * mine.add(HexFormat.of().parseHex("477abbacd4113f2e6b100526222eedd953c26a64"));
 * byte[] filterload = mine.toBytes();
 * }</pre>
 *
 * It reveals to the full node which coins are yours. {@link Bip158Filter} works the other way round and reveals
 * nothing.
 */
public final class Bip37Filter implements Filter<byte[]> {
    /*
     * The payload of the message "filterload", numbers little-endian:
     *
     *     CompactSize  S, at most 36,000
     *     S bytes      bit p is bit p & 7 of byte p >>> 3
     *     u32          k, at most 50
     *     u32          tweak
     *     u8           what a full node adds to the filter when it finds a match: 0, 1 or 2 (Update)
     *
     * Position i of an item is MurmurHash3_x86_32(seed = i · FBA4C795 + tweak, item) mod 8·S. The tweak makes two
     * filters of the same items differ; choose it at random for every connection.
     *
     * Sizing, with N items at rate P: S = ⌊(−1/ln²2 · N · ln P) / 8⌋ bytes and k = ⌊⌊8S/N⌋ · ln 2⌋. Both are rounded
     * down as nodes do, so that few items get a little more than P: `errorNow` says how much. Where nodes clip to
     * 36,000 bytes in silence, the plan refuses.
     *
     * No bytes (S = 0) or no hashes (k = 0) are allowed by the format and mean "matches everything". We read and ask
     * such a filter, but do not plan one.
     *
     * [1] Hearn and Corallo, "BIP 37: Connection Bloom filtering" (2012).
     *
     * Left out: looking for matches in a transaction, and the updating of the filter. Both are the full node's work and
     * need its parser of scripts.
     */
    /** The largest size of the bits in bytes that the protocol allows. */
    public static final int MAX_BYTES = 36_000;
    /** The largest number of hashes per item that the protocol allows. */
    public static final int MAX_HASHES = 50;

    private static final int SEED_STEP = 0xFBA4C795;
    private static final double LN2 = 0.6931471805599453;
    private static final double LN2_SQUARED = 0.4804530139182014;
    private static final int AFTER_THE_BITS_BYTES = Integer.BYTES + Integer.BYTES + 1;

    /** What a full node adds to the filter, on its side, when a transaction's output matches. */
    public enum Update {
        /** Nothing. */
        NONE(0),
        /** The output, so that the transaction which spends it matches too. */
        ALL(1),
        /** The output, if it pays to a public key or to several of them. */
        P2PUBKEY_ONLY(2);

        private final int number;

        Update(int number) {
            this.number = number;
        }

        /** The number in the message. */
        public int number() {
            return number;
        }

        static Update numbered(int number) throws FormatException {
            for (Update update : values()) {
                if (update.number == number) {
                    return update;
                }
            }
            throw new FormatException("its flags are " + number + ", and only 0, 1 and 2 are known: it is damaged");
        }
    }

    private final byte[] bits;
    private final int hashes;
    private final int tweak;
    private final Update update;

    private Bip37Filter(byte[] bits, int hashes, int tweak, Update update) {
        assert bits.length <= MAX_BYTES && hashes <= MAX_HASHES;
        this.bits = bits;
        this.hashes = hashes;
        this.tweak = tweak;
        this.update = update;
    }

    /** Starts a plan for this number of items. */
    public static Plan expecting(long items) {
        if (items < 1) {
            throw new IllegalArgumentException("items must be at least 1, got " + items);
        }
        return new Plan(items, 0.01, 0, Update.NONE);
    }

    /** Adds bytes. The filter is never full, but its error rises beyond the plan. */
    @CanIgnoreReturnValue
    public Added add(byte[] item) {
        if (bits.length == 0) {
            return Added.PRESENT;
        }
        boolean fresh = false;
        for (int i = 0; i < hashes; i++) {
            int position = position(i, item);
            int bit = 1 << (position & 7);
            fresh |= (bits[position >>> 3] & bit) == 0;
            bits[position >>> 3] |= (byte) bit;
        }
        return fresh ? Added.ADDED : Added.PRESENT;
    }

    @Override
    public boolean mightContain(byte[] item) {
        if (bits.length == 0) {
            return true;
        }
        for (int i = 0; i < hashes; i++) {
            int position = position(i, item);
            if ((bits[position >>> 3] >>> (position & 7) & 1) == 0) {
                return false;
            }
        }
        return true;
    }

    private int position(int i, byte[] item) {
        return Integer.remainderUnsigned(Murmur3.x86_32(i * SEED_STEP + tweak, item), bits.length * Byte.SIZE);
    }

    /** Returns the number of bits set per item. */
    public int hashes() {
        return hashes;
    }

    /** Returns the number, below 2^32, that makes filters of the same items differ. */
    public long tweak() {
        return Integer.toUnsignedLong(tweak);
    }

    /** Returns what a full node adds to its copy of the filter when an output matches. */
    public Update update() {
        return update;
    }

    /** Returns the memory of the bits in bytes. */
    public long sizeBytes() {
        return bits.length;
    }

    /** Returns the share of bits that are set. */
    public double load() {
        return bits.length == 0 ? 1 : (double) setBits() / (bits.length * Byte.SIZE);
    }

    /** Returns the current probability that the result is "perhaps" for bytes that were never added. */
    public double errorNow() {
        return Math.pow(load(), hashes);
    }

    private int setBits() {
        int set = 0;
        for (byte b : bits) {
            set += Integer.bitCount(Byte.toUnsignedInt(b));
        }
        return set;
    }

    /** Returns the payload of a "filterload" message. */
    public byte[] toBytes() {
        ByteBuffer out = ByteBuffer.allocate(CompactSize.bytes(bits.length) + bits.length + AFTER_THE_BITS_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        CompactSize.write(bits.length, out);
        out.put(bits).putInt(hashes).putInt(tweak).put((byte) update.number());
        return out.array();
    }

    /**
     * Reads the payload of a "filterload" message.
     *
     * <p>The format has no checksum of its own (the message around it has one): changed bits cannot be detected.
     */
    public static Bip37Filter readFrom(byte[] payload) throws FormatException {
        ByteBuffer in = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
        int size = (int) CompactSize.read(in, MAX_BYTES, "the size of the filter");
        if (in.remaining() != size + AFTER_THE_BITS_BYTES) {
            String how = in.remaining() < size + AFTER_THE_BITS_BYTES ? "cut short" : "longer than it should be";
            throw new FormatException("it is " + how + ": " + in.remaining()
                    + " bytes after the size of the filter where " + (size + AFTER_THE_BITS_BYTES) + " belong");
        }
        byte[] bits = new byte[size];
        in.get(bits);
        int hashes = in.getInt();
        if (hashes < 0 || hashes > MAX_HASHES) {
            throw new FormatException("it asks for " + Integer.toUnsignedString(hashes) + " hashes, and at most "
                    + MAX_HASHES + " are allowed");
        }
        int tweak = in.getInt();
        return new Bip37Filter(bits, hashes, tweak, Update.numbered(Byte.toUnsignedInt(in.get())));
    }

    @Override
    public String toString() {
        return "BIP 37 filter of " + Figures.bytes(bits.length) + " with " + hashes + " hashes, tweak " + tweak()
                + ", update " + update + ", error now " + Figures.percent(errorNow());
    }

    /**
     * Describes a filter before it is allocated: items and a false positive rate. Immutable: every method returns a new
     * plan.
     */
    public static final class Plan {
        private final long items;
        private final double rate;
        private final int tweak;
        private final Update update;

        private Plan(long items, double rate, int tweak, Update update) {
            this.items = items;
            this.rate = rate;
            this.tweak = tweak;
            this.update = update;
        }

        /** The false positive rate that the size is computed from (default: 1 %). */
        public Plan falsePositives(double asked) {
            if (!(asked > 0 && asked < 1)) {
                throw new IllegalArgumentException("falsePositives must be in (0, 1), got " + asked);
            }
            return new Plan(items, asked, tweak, update);
        }

        /** A number that makes filters of the same items differ, below 2^32 (default: 0). */
        public Plan tweak(long number) {
            if (number < 0 || number > 0xFFFF_FFFFL) {
                throw new IllegalArgumentException("tweak must be in [0, 4294967295], got " + number);
            }
            return new Plan(items, rate, (int) number, update);
        }

        /** What the full node adds when an output matches (default: nothing). */
        public Plan updating(Update what) {
            return new Plan(items, rate, tweak, Objects.requireNonNull(what, "update must not be null"));
        }

        /** Returns the size of the bits in bytes. */
        public int sizeBytes() {
            double wanted = -1 / LN2_SQUARED * items * Math.log(rate);
            if (wanted >= (MAX_BYTES + 1) * (double) Byte.SIZE) {
                throw new IllegalArgumentException(Figures.count(items) + " items at " + Figures.percent(rate)
                        + " need " + Figures.bytes((long) wanted / Byte.SIZE) + ", and BIP 37 allows "
                        + Figures.count(MAX_BYTES) + " bytes: add fewer items or accept a higher rate");
            }
            int bytes = (int) ((long) wanted / Byte.SIZE);
            if (hashes(bytes) == 0) {
                throw new IllegalArgumentException(Figures.count(items) + " items at " + Figures.percent(rate)
                        + " round down to " + bytes + " bytes and no hash, a filter that matches everything:"
                        + " ask for a lower rate");
            }
            return bytes;
        }

        /** Returns the number of bits that will be set per item. */
        public int hashes() {
            return hashes(sizeBytes());
        }

        private int hashes(int bytes) {
            // Rounded down to whole bits per item, as nodes do.
            long bitsPerItem = (long) bytes * Byte.SIZE / items;
            return (int) Math.min(MAX_HASHES, (long) (bitsPerItem * LN2));
        }

        /**
         * Builds an empty filter.
         *
         * @throws IllegalArgumentException if the planned filter exceeds {@link Bip37Filter#MAX_BYTES} or has no bits
         */
        public Bip37Filter build() {
            return new Bip37Filter(new byte[sizeBytes()], hashes(), tweak, update);
        }
    }
}
