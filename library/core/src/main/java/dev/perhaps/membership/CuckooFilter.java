package dev.perhaps.membership;

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
 * Never says "no" to what was added and not removed; says "perhaps" to the rest with the planned error. Every copy of an
 * item is kept, up to twice the slots of a bucket (8), so it forgets and counts. 10.5 bits per item at 1 %, 1.05 more
 * for every halving: smaller than a Bloom filter below 0.3 %. A lookup, a count and a removal touch two places of
 * memory; an add too, and some more once three quarters are full. One writer at a time, readers only after it. Planned
 * {@link Plan#concurrent() concurrent}, or opened and made {@link #concurrent() concurrent}, any number of threads may change
 * and ask at once.
 *
 * <pre>{@code
 * CuckooFilter<String> online = CuckooFilter.expecting(1_000_000).falsePositives(0.001).build();
 * online.add("ada");
 * online.remove("ada");
 * }</pre>
 *
 * Never removing, many repeats: {@link CuckooSet}. Never changing: {@code FuseFilter}. Merging: {@code QuotientFilter}.
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
     * CuckooBuckets draws the bits and the walk that makes room, CuckooTable the two buckets and why removal is right with
     * several tables, CuckooFormulas the sizes, Cuckoo the growth and the file.
     *
     * Error. A lookup meets 2b slots, of which a share α is in use: 1 − (1 − 2^−p)^(2bα), and a hair more because the
     * fingerprint 1 stands for two. Items that agree in f and {i, j} are one and the same to the filter; a count is exact
     * for such a class, so it is too high no more often than the error, and removing one of them leaves the others.
     *
     * Room. The plan asks for n/(0.95·b) buckets and a few, for any n, not for a power of two: up to half the memory. An add
     * that finds no room returns FULL and changes nothing. Past the plan it goes on to about 97 % of the slots.
     *
     * Paper: Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo filter: practically better than Bloom" (2014). It is
     * smaller than a Bloom filter from 3 % down, because it sorts the slots of a bucket to save a bit each; we do not, for
     * the sake of lookups, and are smaller from 0.3 % down.
     *
     * Left out: merging (two half-full tables would have to be walked into one; the quotient filter merges in order), and
     * shrinking.
     */
    CuckooFilter(Key<T> key, int salt, Sizing sizing, boolean growing, boolean concurrent, CuckooTable... tables) {
        super(key, salt, sizing, growing, false, concurrent, tables);
    }

    /** Plans a filter for this number of items at a time, equal ones counted each time. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(CuckooRequest.forItems(items));
    }

    @Override
    public boolean removeHash(long hash) {
        return take(hash);
    }

    /** How many copies are kept of what looks like it: the times it was added, or more. */
    @Override
    public long countHash(long hash) {
        return copies(hash);
    }

    @Override
    public CuckooFilter<T> copy() {
        return new CuckooFilter<>(key(), salt(), sizing(), growing(), isConcurrent(), copyTables());
    }

    /** {@inheritDoc} Changes take turns; who asks does not wait for them. */
    @Override
    public CuckooFilter<T> concurrent() {
        return isConcurrent() ? this : new CuckooFilter<>(key(), salt(), sizing(), growing(), true, currentTables());
    }

    public static <T> CuckooFilter<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return removing(readEither(in, key));
        }
    }

    /** Reads from a stream, not a byte too many; a payload of more than {@code maxBytes} is refused. */
    public static <T> CuckooFilter<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return removing(readEither(FrameReader.open(in, maxBytes), key));
    }

    /** Reads what {@link #toBytes} returned; bytes that are too many or too few are refused, as of a file. */
    public static <T> CuckooFilter<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return removing(readEither(FrameReader.open(bytes), key));
    }

    private static <T> CuckooFilter<T> removing(Cuckoo<T> either) throws FormatException {
        if (either instanceof CuckooFilter<T> filter) {
            return filter;
        }
        throw new FormatException("it holds a cuckoo set, which cannot remove: open it as a CuckooSet");
    }

    /** What is wanted of a cuckoo filter; see {@link FilterPlan}. */
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

        /** Fingerprints per bucket (default: 4); 1 or 2 fill less far and are there for comparison. */
        public Plan<T> slots(int perBucket) {
            return new Plan<>(wanted.slots(perBucket));
        }

        /** Exactly this number of bits per fingerprint, whatever error that gives. */
        public Plan<T> fingerprintBits(int exactly) {
            return new Plan<>(wanted.fingerprintBits(exactly));
        }

        /**
         * Begins another table, twice as large, whenever it holds what was planned; the error of all together stays under
         * what was asked, for one bit more an item. Each table costs a lookup two more places of memory.
         */
        public Plan<T> growing() {
            return new Plan<>(wanted.growAsNeeded());
        }

        /** The same, with each fingerprint kept once and no removal. */
        public CuckooSet.Plan<T> asSet() {
            return new CuckooSet.Plan<>(wanted);
        }

        /**
         * A filter that any number of threads may change and ask at once: changes take turns, who asks does not wait for them. A
         * file does not record this: after opening, ask for it again with {@link CuckooFilter#concurrent}.
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
