package dev.perhaps.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.key.Key;
import dev.perhaps.membership.cuckoo.CuckooRequest;
import dev.perhaps.membership.cuckoo.CuckooTable;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Shareable;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * A filter that can remove and count: it never says "no" to a value that was added and not removed, and says "perhaps"
 * to another value with the planned probability. Every copy of an item is kept, up to 8; if most come
 * more than once, plan it {@link Plan#growing() growing}. 10.5 bits per item at 1 %, and
 * 1.05 more for each halving of the error: smaller than a Bloom filter below 0.3 %. A lookup, a count and a removal
 * touch two places in memory; an add too, and some more when three quarters are full. Any number of threads may read it
 * while none changes it. The {@link #concurrent() concurrent} form may be changed and queried by any number of threads
 * at once.
 *
 * <pre>{@code
 * CuckooFilter<String> online = CuckooFilter.expecting(1_000_000).falsePositives(0.001).build();
 * online.add("ada");
 * online.remove("ada");
 * }</pre>
 *
 * Without removal, for items that repeat often: {@link CuckooSet}. For a set that never changes: {@link FuseFilter}.
 * With merging, or any number of copies: {@link QuotientFilter}.
 */
public final class CuckooFilter<T> extends Cuckoo<T>
        implements HashFilter.Removes<T>, HashFilter.Counts<T>, Shareable<CuckooFilter<T>> {
    /*
     * An item is kept as a fingerprint of p bits in one of two buckets of b slots. The second bucket follows from the
     * first and the fingerprint, so a fingerprint can be moved without the item it stands for:
     *
     *     hash -> mix -> fingerprint f, bucket i;  j = (h(f) − i) mod m
     *
     *     bucket      0    1    2    3    4    5    6    7
     *               |7·  |····|3f1·|c···|2·  |f98e|····|11··|      f is looked for in two buckets, in all slots at once;
     *                           ▲ i            ▲ j                 removing empties one slot that holds it
     *
     * CuckooBuckets draws the bits and the walk that makes room, CuckooTable the two buckets and why removal is right
     * with several tables, CuckooFormulas the sizes, Cuckoo the growth and the file.
     *
     * Error. A lookup meets 2b slots, of which a share α is in use: 1 − (1 − 2^−p)^(2bα), and slightly more because the
     * fingerprint 1 stands for two. Items that agree in f and {i, j} are one and the same to the filter; a count is
     * exact for such a class, so it is too high no more often than the error, and removing one of them leaves the
     * others.
     *
     * Room. The plan asks for n/(0.95·b) buckets and a few, for any n, not for a power of two: up to half the memory.
     * An add that finds no room returns FULL and changes nothing. Past the plan it goes on to about 97 % of the slots.
     * Copies of an item share its two buckets and leave less choice: the first FULL comes at 93 % of the planned items
     * if all come twice, at 73 % if all come four times, at 45 % if all come eight times. A growing filter begins
     * another table then.
     *
     * Paper: Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo filter: practically better than Bloom" (2014). It is
     * smaller than a Bloom filter from 3 % down, because it sorts the slots of a bucket to save a bit each; we do not,
     * for the sake of lookups, and are smaller from 0.3 % down.
     *
     * Left out: merging (two half-full tables would have to be walked into one; the quotient filter merges in order),
     * and shrinking.
     */
    CuckooFilter(Key<T> key, int salt, Sizing sizing, boolean growing, boolean concurrent, CuckooTable... tables) {
        super(key, salt, sizing, growing, false, concurrent, tables);
    }

    /** Starts a plan for this number of items at a time; each copy of an item counts. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(CuckooRequest.forItems(items));
    }

    @CanIgnoreReturnValue
    @Override
    public boolean removeHash(long hash) {
        return take(hash);
    }

    /** {@inheritDoc} The count is that of all items with the same fingerprint and buckets. */
    @Override
    public long countHash(long hash) {
        return copies(hash);
    }

    @Override
    public CuckooFilter<T> copy() {
        return new CuckooFilter<>(key(), salt(), sizing(), growing(), isConcurrent(), copyTables());
    }

    /** {@inheritDoc} Changes take turns under a lock; lookups do not wait for it. */
    @Override
    public CuckooFilter<T> concurrent() {
        return isConcurrent() ? this : new CuckooFilter<>(key(), salt(), sizing(), growing(), true, currentTables());
    }

    /**
     * Opens a file; a file that was written with another key, or by a {@link CuckooSet}, is refused with a {@code
     * FormatException}.
     */
    public static <T> CuckooFilter<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return removing(readEither(in, key));
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> CuckooFilter<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return removing(readEither(FrameReader.open(in, maxBytes), key));
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> CuckooFilter<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return removing(readEither(FrameReader.open(bytes), key));
    }

    private static <T> CuckooFilter<T> removing(Cuckoo<T> either) throws FormatException {
        if (either instanceof CuckooFilter<T> filter) {
            return filter;
        }
        throw new FormatException("it holds a cuckoo set, which cannot remove: open it as a CuckooSet");
    }

    /** The settings of a cuckoo filter; see {@link FilterPlan}. */
    public static final class Plan<T> implements FilterPlan.Fillable<T> {
        private final CuckooRequest<T> wanted;

        private Plan(CuckooRequest<T> wanted) {
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
         * Fingerprints per bucket (default: 4). Tables with 1 or 2 cannot be filled as far; they exist for comparison.
         */
        public Plan<T> slots(int perBucket) {
            return new Plan<>(wanted.slots(perBucket));
        }

        /** Uses exactly this number of bits per fingerprint, whatever error that gives. */
        public Plan<T> fingerprintBits(int exactly) {
            return new Plan<>(wanted.fingerprintBits(exactly));
        }

        /**
         * Adds another table, twice as large, whenever the filter holds the planned items, or is at least half full and
         * finds no room. The error of all tables together stays within the plan, for one more bit per item. Each
         * further table costs a lookup two more places in memory.
         */
        public Plan<T> growing() {
            return new Plan<>(wanted.growAsNeeded());
        }

        /** Returns the same plan for a filter that keeps each fingerprint once and cannot remove. */
        public CuckooSet.Plan<T> asSet() {
            return new CuckooSet.Plan<>(wanted);
        }

        /**
         * Makes the filter safe for any number of threads that change and query at once: changes take turns under a
         * lock, lookups do not wait for it. A file does not record this: after opening, call {@link
         * CuckooFilter#concurrent}.
         */
        public Plan<T> concurrent() {
            return new Plan<>(wanted.shared());
        }

        @Override
        public Sizing sizing() {
            return wanted.sizing();
        }

        @Override
        public CuckooFilter<T> build() {
            return new CuckooFilter<>(
                    wanted.key(),
                    wanted.asked().salt(),
                    wanted.sizing(),
                    wanted.growing(),
                    wanted.concurrent(),
                    wanted.table());
        }
    }
}
