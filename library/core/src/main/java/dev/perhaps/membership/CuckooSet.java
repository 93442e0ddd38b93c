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
 * A {@link CuckooFilter} that keeps each fingerprint once: it never says "no" to an added value, and says "perhaps" to
 * another value with the planned probability. Adding an item again takes no space and never returns {@code FULL}. A
 * fingerprint may stand for several items, so there is no removal. 10.5 bits per item at 1 %, two places in memory per
 * lookup. Any number of threads may read it while none changes it; the {@link #concurrent() concurrent} form may be
 * shared by threads that add.
 *
 * <pre>{@code
 * CuckooSet<String> seen = CuckooSet.expecting(1_000_000).falsePositives(0.001).build();
 * boolean isNew = seen.add("ada") == Added.ADDED;
 * }</pre>
 *
 * With removal: {@link CuckooFilter}. For an error above 3 %, or to merge: {@link BloomFilter}. For a set that never
 * changes: {@link FuseFilter}.
 */
public final class CuckooSet<T> extends Cuckoo<T> implements Shareable<CuckooSet<T>> {
    /*
     * The tables, the error and the file are those of CuckooFilter; only an add looks first whether the fingerprint is
     * there. It is a separate type because a method that cannot be honoured should not exist: code that checks whether
     * a HashFilter is a HashFilter.Removes gets the right result.
     */
    CuckooSet(Key<T> key, int salt, Sizing sizing, boolean growing, boolean concurrent, CuckooTable... tables) {
        super(key, salt, sizing, growing, true, concurrent, tables);
    }

    /** Starts a plan for this number of distinct items. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(CuckooRequest.forItems(items));
    }

    @Override
    public CuckooSet<T> copy() {
        return new CuckooSet<>(key(), salt(), sizing(), growing(), isConcurrent(), copyTables());
    }

    /** {@inheritDoc} Changes take turns under a lock; lookups do not wait for it. */
    @Override
    public CuckooSet<T> concurrent() {
        return isConcurrent() ? this : new CuckooSet<>(key(), salt(), sizing(), growing(), true, currentTables());
    }

    /**
     * Opens a file; a file that was written with another key, or by a {@link CuckooFilter}, is refused with a {@code
     * FormatException}.
     */
    public static <T> CuckooSet<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return once(readEither(in, key));
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> CuckooSet<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return once(readEither(FrameReader.open(in, maxBytes), key));
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> CuckooSet<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return once(readEither(FrameReader.open(bytes), key));
    }

    private static <T> CuckooSet<T> once(Cuckoo<T> either) throws FormatException {
        if (either instanceof CuckooSet<T> set) {
            return set;
        }
        throw new FormatException("it holds a cuckoo filter that keeps every copy: open it as a CuckooFilter");
    }

    /** The settings of a cuckoo set; see {@link FilterPlan}. */
    public static final class Plan<T> implements FilterPlan.Fillable<T> {
        private final CuckooRequest<T> wanted;

        Plan(CuckooRequest<T> wanted) {
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

        /** As {@link CuckooFilter.Plan#slots}. */
        public Plan<T> slots(int perBucket) {
            return new Plan<>(wanted.slots(perBucket));
        }

        /** As {@link CuckooFilter.Plan#fingerprintBits}. */
        public Plan<T> fingerprintBits(int exactly) {
            return new Plan<>(wanted.fingerprintBits(exactly));
        }

        /** As {@link CuckooFilter.Plan#growing}. */
        public Plan<T> growing() {
            return new Plan<>(wanted.growAsNeeded());
        }

        /**
         * Makes the filter safe for any number of threads that change and query at once: changes take turns under a
         * lock, lookups do not wait for it. A file does not record this: after opening, call {@link
         * CuckooSet#concurrent}.
         */
        public Plan<T> concurrent() {
            return new Plan<>(wanted.shared());
        }

        @Override
        public Sizing sizing() {
            return wanted.sizing();
        }

        @Override
        public CuckooSet<T> build() {
            return new CuckooSet<>(
                    wanted.key(),
                    wanted.asked().salt(),
                    wanted.sizing(),
                    wanted.growing(),
                    wanted.concurrent(),
                    wanted.table());
        }
    }
}
