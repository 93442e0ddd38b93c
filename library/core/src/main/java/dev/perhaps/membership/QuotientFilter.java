package dev.perhaps.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.key.Key;
import dev.perhaps.membership.quotient.QuotientRequest;
import dev.perhaps.membership.quotient.QuotientTable;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A filter that removes, counts, merges, grows and shrinks without the keys: it never says "no" to a value that was
 * added and not removed, and says "perhaps" to another value with the planned probability. Every copy of an item is
 * kept. About 13.3 bits per item at 1 %, and 1.33 more for each halving of the error. A lookup, a count, an add and a
 * removal touch one place in memory. Any number of threads may read it while none changes it.
 *
 * <pre>{@code
 * QuotientFilter<String> seen = QuotientFilter.expecting(1_000_000).growingTo(8_000_000).build();
 * boolean grown = seen.add("ada") != Added.FULL || seen.grow();
 * }</pre>
 *
 * Smaller, without merging: {@link CuckooFilter}. Without removal, for items that repeat often: {@link QuotientSet}.
 */
public final class QuotientFilter<T> extends Quotient<T>
        implements HashFilter.Removes<T>, HashFilter.Counts<T>, Mergeable<QuotientFilter<T>> {
    /*
     * A hash table that keeps no keys but a fingerprint each, sorted:
     *
     *     hash -> mix -> fingerprint f = ⌊x · range / 2^64⌋ = quotient · 2^r + remainder        range = slots · 2^r
     *
     * The remainder is stored in the slot of its quotient, or soon after it: linear probing that keeps equal quotients
     * together and in order, with three bits per slot to find them again. QuotientTable draws the bits. Since f can be
     * read back, two filters are merged like two sorted lists (QuotientWeaver), and a filter grows by taking the top
     * bit of the remainder into the quotient: f is the same number, only cut elsewhere.
     *
     * Slots. The paper has 2^q of them and takes the top q + r bits of the hash; that is this formula for range =
     * 2^(q+r). With any other range, nothing changes but that a plan for n items takes n / 0.75 slots and not up to
     * twice as many.
     *
     * Error. An absent value is "perhaps" iff its fingerprint is one of those kept: with D different ones, D / range
     * exactly, which is what errorNow() says; 1 − (1 − 1/range)^n ≈ α · 2^−r is expected of n items at load α. Growing
     * does not change it, but makes room for twice the items, which double it: growingTo(n) plans a longer remainder,
     * one bit per doubling, so that it is met at n. When these bits are gone, grow() returns false. A merge does not
     * ask for spare bits: it takes what the sum of both needs, and its error is the sum of both (less what they share).
     *
     * Load. The plan fills three quarters of the slots; add returns FULL at nine tenths. Clusters grow like
     * 1 / (1 − α)²: load(0.9) saves a sixth of the memory, and lookups take 1.7 times as long.
     *
     * Removal is exact for fingerprints. Two values with one fingerprint are one to the filter, with a count of two;
     * removing one leaves the other.
     *
     * Deviations. Words of 64 slots instead of slots of r + 3 bits, and any number of slots (above).
     *
     * Left out: the variant with two bits per slot. Without the third one, where a cluster begins is found by decoding
     * slot after slot instead of by one instruction per word; the bit is a tenth of the memory at 1 %, and load(0.9)
     * saves more.
     *
     * Bender, Farach-Colton, Johnson, Kraner, Kuszmaul, Medjedovic, Montes, Shetty, Spillane and Zadok, "Don't thrash:
     * how to cache your hash on flash" (2012).
     */
    QuotientFilter(Key<T> key, int salt, Sizing sizing, int spareBits, QuotientTable table) {
        super(key, salt, true, sizing, spareBits, table);
    }

    /** Starts a plan for this number of items at a time; each copy of an item counts. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(QuotientRequest.forItems(items));
    }

    @CanIgnoreReturnValue
    @Override
    public boolean removeHash(long hash) {
        return table().remove(fingerprint(hash));
    }

    /** {@inheritDoc} The count is that of all items with the same fingerprint. */
    @Override
    public long countHash(long hash) {
        return table().count(fingerprint(hash));
    }

    /**
     * Returns true if both have the same key, salt and range, and both together fit; the number of slots may differ.
     */
    @Override
    public boolean fits(QuotientFilter<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(List.of(other)).isEmpty();
    }

    /**
     * Adds the content of the other filter: counts add up, and so do the errors. The filter grows if it must, even
     * without spare bits.
     */
    @Override
    public void merge(QuotientFilter<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        mergeAny(List.of(other));
    }

    /** Adds the content of all these filters in one pass. */
    public void mergeAll(List<QuotientFilter<T>> others) {
        mergeAny(others);
    }

    /** Returns the memory in bytes that the slots take after {@link #mergeAll} of these filters, which must fit. */
    public long mergedBytes(List<QuotientFilter<T>> others) {
        return mergedBytesOfAny(others);
    }

    @Override
    public QuotientFilter<T> copy() {
        return new QuotientFilter<>(key(), salt(), sizing(), spareBits(), table().copy());
    }

    /**
     * Opens a file; a file that was written with another key, or by a {@link QuotientSet}, is refused with a {@code
     * FormatException}.
     */
    public static <T> QuotientFilter<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return removing(readEither(in, key));
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> QuotientFilter<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return removing(readEither(FrameReader.open(in, maxBytes), key));
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> QuotientFilter<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return removing(readEither(FrameReader.open(bytes), key));
    }

    private static <T> QuotientFilter<T> removing(Quotient<T> either) throws FormatException {
        if (either instanceof QuotientFilter<T> filter) {
            return filter;
        }
        throw new FormatException("it holds a quotient set, which cannot remove: open it as a QuotientSet");
    }

    /** The settings of a quotient filter; see {@link FilterPlan}. */
    public static final class Plan<T> implements FilterPlan.Fillable<T> {
        private final QuotientRequest<T> wanted;

        private Plan(QuotientRequest<T> wanted) {
            this.wanted = wanted;
        }

        @Override
        public Plan<T> falsePositives(double rate) {
            return new Plan<>(wanted.with(wanted.asked().falsePositives(rate)));
        }

        @Override
        public Plan<T> memoryBytes(long max) {
            return new Plan<>(wanted.with(wanted.asked().memoryBytes(max)));
        }

        @Override
        public <U> Plan<U> of(Key<U> key) {
            return new Plan<>(wanted.with(wanted.asked().of(key)));
        }

        @Override
        public Plan<T> salt(int salt) {
            return new Plan<>(wanted.with(wanted.asked().salt(salt)));
        }

        /**
         * Reserves spare bits to grow to this number of items, one per doubling: the planned error is reached with that
         * number, and lower before.
         */
        public Plan<T> growingTo(long items) {
            return new Plan<>(wanted.growingTo(items));
        }

        /**
         * The share of slots in use with the planned items (default: 0.75). Up to 0.9, a higher load is smaller and
         * slower.
         */
        public Plan<T> load(double most) {
            return new Plan<>(wanted.load(most));
        }

        /** Returns the same plan for a filter that keeps each fingerprint once and cannot remove. */
        public QuotientSet.Plan<T> asSet() {
            return new QuotientSet.Plan<>(wanted);
        }

        @Override
        public Sizing sizing() {
            return wanted.sizing();
        }

        @Override
        public QuotientFilter<T> build() {
            return new QuotientFilter<>(
                    wanted.key(), wanted.asked().salt(), wanted.sizing(), wanted.spareBits(), wanted.table());
        }
    }
}
