package dev.perhaps.membership;

import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.io.Figures;
import dev.perhaps.io.GolombRice;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.membership.bloom.BloomKernel;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;

/**
 * The difference between two Bloom filters of the same shape: the bits that are not equal. Applied to the first filter
 * it gives exactly the second one; applied to any other it fails. About log2(m / d) + 1.5 bits for each of d differing
 * bits of m: if 1 % of the items changed, the delta takes a twentieth of the filter's size. Immutable.
 *
 * <pre>{@code
 * BloomFilter<String> before = BloomFilter.expecting(1_000).build();
 * BloomFilter<String> now = before.copy();
 * now.add("https://example.org/");
 * BloomFilter<String> there = BloomDelta.between(before, now).applyTo(before);
 * }</pre>
 *
 * Between filters that have little in common the delta is larger than the filter: send the filter instead.
 */
public final class BloomDelta<T> extends AbstractSketch {
    /*
     *     before   | 0 1 1 0 0 0 1 0 1 … |
     *     now      | 0 1 0 0 0 1 1 0 1 … |
     *     differ         ^     ^                  positions 2, 5; gaps 2, 2: the zeros before each
     *
     * The differing bits of two filters lie at random, so the gaps between them are geometric, and Golomb-Rice codes
     * [1] are within a few hundredths of a bit of the shortest code there is; a general compressor finds nothing in
     * them, and costs more time. Against an empty filter it is the compressed form of a filter that is far from half
     * full.
     *
     * A delta carries checksums (CRC-32C of the words) of the filter before and of the filter after. The first refuses
     * a wrong start, the second says that the result is what the sender had.
     *
     * [1] Rice, "Some practical universal noiseless coding techniques" (1979). Sending the changed bits, or all of them
     * if that is shorter: Fan, Cao, Almeida and Broder, "Summary cache: a scalable wide-area web cache sharing
     * protocol" (2000).
     *
     * Left out: deltas between different sizes; that is another filter.
     */
    private final Key<T> key;
    private final int salt;
    private final long bits;
    private final int hashes;
    private final Sizing sizing;
    private final int checksumBefore;
    private final int checksumAfter;
    private final long changes;
    private final int remainderBits;
    private final byte[] codes;

    private BloomDelta(
            Key<T> key,
            int salt,
            long bits,
            int hashes,
            Sizing sizing,
            int checksumBefore,
            int checksumAfter,
            long changes,
            int remainderBits,
            byte[] codes) {
        this.key = key;
        this.salt = salt;
        this.bits = bits;
        this.hashes = hashes;
        this.sizing = sizing;
        this.checksumBefore = checksumBefore;
        this.checksumAfter = checksumAfter;
        this.changes = changes;
        this.remainderBits = remainderBits;
        this.codes = codes;
    }

    /**
     * Returns the delta from one filter to another with the same key, salt, bits and hashes. Threads may add to a
     * concurrent filter meanwhile: the delta is that of a copy.
     */
    public static <T> BloomDelta<T> between(BloomFilter<T> before, BloomFilter<T> now) {
        before.refuseIfDifferent(now);
        long[] old = still(before);
        long[] young = still(now);
        long changes = 0;
        for (int i = 0; i < old.length; i++) {
            changes += Long.bitCount(old[i] ^ young[i]);
        }
        int remainderBits = GolombRice.remainderBitsFor(changes, now.bits());
        long[] codeBits = new long[1];
        forEachGap(old, young, gap -> codeBits[0] += GolombRice.bits(gap, remainderBits));
        byte[] codes = new byte[Math.toIntExact((codeBits[0] + 7) >>> 3)];
        forEachGap(old, young, new GolombRice.Writer(codes, 0, remainderBits)::write);
        return new BloomDelta<>(
                now.key(),
                now.salt(),
                now.bits(),
                now.hashes(),
                now.sizing(),
                checksum(old),
                checksum(young),
                changes,
                remainderBits,
                codes);
    }

    /** The words, which are read several times and must be the same each time. */
    private static long[] still(BloomFilter<?> filter) {
        return filter.isConcurrent() ? filter.words().clone() : filter.words();
    }

    /**
     * Returns the delta from an empty filter, which is a compressed form of the filter unless about half of its bits
     * are set.
     */
    public static <T> BloomDelta<T> fromEmpty(BloomFilter<T> now) {
        return between(empty(now.key(), now.salt(), now.bits(), now.hashes(), now.sizing()), now);
    }

    private static <T> BloomFilter<T> empty(Key<T> key, int salt, long bits, int hashes, Sizing sizing) {
        return new BloomFilter<>(key, salt, bits, hashes, sizing, false, new long[BloomKernel.wordsFor(bits)]);
    }

    private static void forEachGap(long[] old, long[] young, LongConsumer gap) {
        long next = 0;
        for (int i = 0; i < old.length; i++) {
            for (long differ = old[i] ^ young[i]; differ != 0; differ &= differ - 1) {
                long position = ((long) i << 6) + Long.numberOfTrailingZeros(differ);
                gap.accept(position - next);
                next = position + 1;
            }
        }
    }

    /**
     * Returns the filter after the change; the argument is not changed.
     *
     * @throws FormatException if {@code before} is not the filter that the delta was computed from
     */
    public BloomFilter<T> applyTo(BloomFilter<T> before) throws FormatException {
        if (!key.fits(before.key()) || bits != before.bits() || hashes != before.hashes()) {
            throw new FormatException("the delta is of a filter of " + bits + " bits and " + hashes
                    + " hashes with key "
                    + key.name() + " and seed " + key.seed() + ", this one has " + before.bits() + " bits and "
                    + before.hashes() + " hashes with key " + before.key().name() + " and seed "
                    + before.key().seed());
        }
        if (salt != before.salt()) {
            throw new FormatException("the delta is of a filter with salt " + salt + ", this one has salt "
                    + before.salt() + ": fetch the whole filter");
        }
        if (checksum(before.words()) != checksumBefore) {
            throw new FormatException("the delta was made from another filter than the one it is applied to: fetch the"
                    + " whole filter");
        }
        long[] words = before.words().clone();
        GolombRice.Reader in = new GolombRice.Reader(codes, 0, remainderBits);
        long next = 0;
        for (long i = 0; i < changes; i++) {
            long position = next + in.next();
            words[(int) (position >>> 6)] ^= 1L << position;
            next = position + 1;
        }
        if (checksum(words) != checksumAfter) {
            throw new FormatException("the delta does not lead to the filter it says: it is damaged");
        }
        return new BloomFilter<>(key, salt, bits, hashes, sizing, false, words);
    }

    /**
     * Returns the filter that an empty one becomes. It takes {@link #bits()} bits of memory, however short the delta
     * is.
     */
    public BloomFilter<T> applyToEmpty() throws FormatException {
        return applyTo(empty(key, salt, bits, hashes, sizing));
    }

    private static int checksum(long[] words) {
        CRC32C crc = new CRC32C();
        ByteBuffer chunk =
                ByteBuffer.allocate(Math.min(words.length, 1_024) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < words.length; at += 1_024) {
            int count = Math.min(1_024, words.length - at);
            chunk.clear().asLongBuffer().put(words, at, count);
            crc.update(chunk.limit(count * Long.BYTES));
        }
        return (int) crc.getValue();
    }

    @Override
    public Kind kind() {
        return Kind.BLOOM_DELTA;
    }

    /** Returns the number of bits of each of the two filters. */
    public long bits() {
        return bits;
    }

    /** Returns the number of bits that differ. */
    public long changes() {
        return changes;
    }

    @Override
    public long sizeBytes() {
        return codes.length;
    }

    @Override
    public long fileBytes() {
        return frame().fileBytes();
    }

    @Override
    public Description describe() {
        return Description.of(kind())
                .text("key", key.name())
                .text("seed", Long.toString(key.seed()))
                .text("salt", Integer.toString(salt))
                .count("itemsPlanned", sizing.items())
                .share("errorPlanned", sizing.error())
                .count("bits", bits)
                .count("hashes", hashes)
                .count("changes", changes)
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    // Parameters in the file (docs/format.md): bits, hashes, items planned, error planned, both checksums, changes,
    // bits of
    // remainder. Payload: the codes of the gaps.
    private Frame frame() {
        return Frame.of(
                        kind(),
                        key,
                        codes.length,
                        bits,
                        hashes,
                        sizing.items(),
                        Double.doubleToRawLongBits(sizing.error()),
                        Integer.toUnsignedLong(checksumBefore),
                        Integer.toUnsignedLong(checksumAfter),
                        changes,
                        remainderBits)
                .salted(salt);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, payload -> payload.bytes(codes));
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> BloomDelta<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> BloomDelta<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote. */
    static <T> BloomDelta<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.BLOOM_DELTA, key);
        long bits = frame.parameter(0);
        long hashes = frame.parameter(1);
        long items = frame.parameter(2);
        double error = frame.parameterAsDouble(3);
        long before = frame.parameter(4);
        long after = frame.parameter(5);
        long changes = frame.parameter(6);
        long remainderBits = frame.parameter(7);
        frame.require(bits > 0 && bits <= BloomFormulas.MAX_BITS, "bits", bits);
        frame.require(hashes > 0 && hashes <= BloomKernel.MAX_HASHES, "hashes", hashes);
        frame.require(items > 0, "planned items", items);
        frame.require(error > 0 && error <= 1, "planned error", error);
        frame.require(before >>> 32 == 0, "a checksum of", before);
        frame.require(after >>> 32 == 0, "a checksum of", after);
        frame.require(
                remainderBits >= 0 && remainderBits <= GolombRice.MAX_REMAINDER_BITS,
                "bits of remainder",
                remainderBits);
        // A code has at least one bit more than its remainder: refuse a number of codes that the payload cannot hold.
        frame.require(
                changes >= 0 && changes <= frame.payloadBytes() * Byte.SIZE / (remainderBits + 1), "changes", changes);
        byte[] codes = in.bytes(frame.payloadBytes());
        in.end();
        GolombRice.Reader gaps = new GolombRice.Reader(codes, 0, (int) remainderBits);
        long next = 0;
        for (long i = 0; i < changes; i++) {
            long gap = gaps.next();
            frame.require(gap >= 0 && gap < bits - next, "a gap of", gap);
            next += gap + 1;
        }
        frame.require(gaps.atEnd(), "more than its", changes + " changes");
        Sizing sizing = BloomFilter.sizing(items, error, BloomKernel.wordsFor(bits) * (long) Long.BYTES);
        return new BloomDelta<>(
                key,
                frame.salt(),
                bits,
                (int) hashes,
                sizing,
                (int) before,
                (int) after,
                changes,
                (int) remainderBits,
                codes);
    }

    @Override
    public String toString() {
        return Figures.count(changes) + " of " + Figures.count(bits) + " bits changed, " + Figures.bytes(codes.length);
    }
}
