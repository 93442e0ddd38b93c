package dev.perhaps.membership;

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
 * A {@link QuotientFilter} that keeps each fingerprint once: it never says "no" to an added value, and says "perhaps"
 * to another value with the planned probability. Adding an item again takes no space and never returns {@code FULL}. A
 * fingerprint may stand for several items, so there is no removal and no count. About 13.3 bits per item at 1 %; an add
 * and a lookup touch one place in memory. Any number of threads may read it while none changes it.
 *
 * <pre>{@code
 * QuotientSet<String> seen = QuotientSet.expecting(1_000_000).falsePositives(0.001).build();
 * boolean isNew = seen.add("ada") == Added.ADDED;
 * }</pre>
 *
 * With removal and counts: {@link QuotientFilter}. Smaller, if it need not grow: {@link BloomFilter}.
 */
public final class QuotientSet<T> extends Quotient<T> implements Mergeable<QuotientSet<T>> {
    /*
     * Table, error and file are those of QuotientFilter; only an add stops where it finds its fingerprint, and a merge
     * drops what comes twice. It is a separate type because a method that cannot be honoured should not exist: code
     * that checks whether a HashFilter is a HashFilter.Removes gets the right result.
     */
    QuotientSet(Key<T> key, int salt, Sizing sizing, int spareBits, QuotientTable table) {
        super(key, salt, false, sizing, spareBits, table);
    }

    /** Starts a plan for this number of distinct items. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(QuotientRequest.forItems(items));
    }

    /** Returns true if both have the same key, salt and range, and their union fits; the number of slots may differ. */
    @Override
    public boolean fits(QuotientSet<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(List.of(other)).isEmpty();
    }

    /** Merges by union. The filter grows if it must, even without spare bits. */
    @Override
    public void merge(QuotientSet<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        mergeAny(List.of(other));
    }

    /** Merges all these filters in one pass. */
    public void mergeAll(List<QuotientSet<T>> others) {
        mergeAny(others);
    }

    @Override
    public QuotientSet<T> copy() {
        return new QuotientSet<>(key(), salt(), sizing(), spareBits(), table().copy());
    }

    /**
     * Opens a file; a file that was written with another key, or by a {@link QuotientFilter}, is refused with a
     * {@code FormatException}.
     */
    public static <T> QuotientSet<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return once(readEither(in, key));
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> QuotientSet<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return once(readEither(FrameReader.open(in, maxBytes), key));
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> QuotientSet<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return once(readEither(FrameReader.open(bytes), key));
    }

    private static <T> QuotientSet<T> once(Quotient<T> either) throws FormatException {
        if (either instanceof QuotientSet<T> set) {
            return set;
        }
        throw new FormatException("it holds a quotient filter that keeps every copy: open it as a QuotientFilter");
    }

    /** The settings of a quotient set; see {@link FilterPlan}. */
    public static final class Plan<T> implements FilterPlan.Fillable<T> {
        private final QuotientRequest<T> wanted;

        Plan(QuotientRequest<T> wanted) {
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

        /** As {@link QuotientFilter.Plan#growingTo}. */
        public Plan<T> growingTo(long items) {
            return new Plan<>(wanted.growingTo(items));
        }

        /** As {@link QuotientFilter.Plan#load}. */
        public Plan<T> load(double most) {
            return new Plan<>(wanted.load(most));
        }

        @Override
        public Sizing sizing() {
            return wanted.sizing();
        }

        @Override
        public QuotientSet<T> build() {
            return new QuotientSet<>(
                    wanted.key(), wanted.asked().salt(), wanted.sizing(), wanted.spareBits(), wanted.table());
        }
    }
}
