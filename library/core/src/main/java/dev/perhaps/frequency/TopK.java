package dev.perhaps.frequency;

import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Addable;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Shareable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * The most frequent values, each with a lower and an upper bound of its count that always hold. Every value that was
 * counted more often than {@link #missed}, about N / (0.7 · capacity) of N events at worst, is in the list. 23 bytes
 * per counter, plus the values; an add touches one place in memory, and allocates only for a new value. Not
 * thread-safe. Threads may share the {@link #concurrent() concurrent} form; they take turns under a lock.
 *
 * <pre>{@code
 * TopK<String> pages = TopK.of(100).build();
 * pages.add("/index.html");
 * for (TopK.Ranked<String> page : pages.top()) {
 *     System.out.println(page.value() + " came " + page.atLeast() + " to " + page.atMost() + " times");
 * }
 * }</pre>
 *
 * Longs without boxing: {@link TopLongs}. Parts of a buffer: {@link TopBytes}. In a few kilobytes, without a guarantee:
 * {@link TinyTopK}.
 */
public abstract sealed class TopK<T> extends AbstractSketch
        implements Addable<T>, Mergeable<TopK<T>>, Shareable<TopK<T>> permits TopLongs, TopBytes, TopObjects {
    /*
     * The counters are Space-Saving's, evicted in batches: SpaceSaving tells how, and why the two bounds hold. This
     * class knows the values, the ranking and the file.
     *
     * The table holds several times the k that are asked for. What is asked for last is counted worst: an item near
     * rank k must not be evicted while it is still small, so the table must reach well below it. 20 k counters, at
     * least 1,000, are 46 kB for k = 100, and find the whole top 100 of Zipf(1.1).
     *
     * Merging (Agarwal et al., "Mergeable summaries", 2012) adds the counts of what is in both; what is in one only may
     * have come `missed` times in the other. Then the largest stay. Bounds add up, and so both hold for the two streams
     * together, in whatever order they are merged.
     *
     * Left out: removal. A count that was evicted cannot be taken back. HeavyHitters can.
     */
    private static final int COUNTERS_FOR_EACH = 20;
    private static final int LEAST_COUNTERS = 1000;
    private static final int PARAMETERS = 5;

    private final Key.Stored<T> key;
    private final int k;
    final SpaceSaving counters;
    final OptionalLock lock;

    TopK(Key.Stored<T> key, int k, SpaceSaving counters, boolean concurrent) {
        this.key = key;
        this.k = k;
        this.counters = counters;
        this.lock = OptionalLock.of(concurrent);
    }

    /** Starts a plan for the k most frequent values. */
    public static Plan<String> of(int k) {
        if (k < 1 || k > SpaceSaving.MAX_CAPACITY) {
            throw new IllegalArgumentException("k must be in [1, " + SpaceSaving.MAX_CAPACITY + "], got " + k);
        }
        return new Plan<>(k, 0, 0, Key.strings(), false);
    }

    /** The slot of a value of this hash, or less than 0. */
    abstract int slotOf(long hash, Object kept);

    abstract int slotOf(T value);

    abstract long hashOf(T value);

    abstract T valueAt(int slot);

    /** The value for a caller, who may change it. */
    T valueToGive(int slot) {
        return valueAt(slot);
    }

    /** A list of the same key and k, with these counters. */
    abstract TopK<T> with(SpaceSaving other, boolean concurrent);

    /** The value as it is kept; nothing, if its hash says it all. */
    abstract Object kept(T value);

    /** Counts one event of a value. */
    public final void add(T value) {
        add(value, 1);
    }

    /** Counts {@code count} events of a value, 0 or more. */
    public final void add(T value, long count) {
        lock.lock();
        try {
            count(value, count);
        } finally {
            lock.unlock();
        }
    }

    abstract void count(T value, long count);

    @Override
    public final boolean offer(T value) {
        add(value);
        return true;
    }

    @Override
    public final void clear() {
        lock.lock();
        try {
            counters.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the k most frequent values, ordered by their upper bounds, the highest first. */
    public final List<Ranked<T>> top() {
        return top(k);
    }

    /** Returns the {@code most} most frequent values, or all that are kept if there are fewer. */
    public final List<Ranked<T>> top(int most) {
        lock.lock();
        try {
            if (most < 0) {
                throw new IllegalArgumentException("most must be 0 or more, got " + most);
            }
            int[] slots = ranked(most);
            List<Ranked<T>> top = new ArrayList<>(slots.length);
            for (int slot : slots) {
                top.add(rankedAt(slot));
            }
            return top;
        } finally {
            lock.unlock();
        }
    }

    private Ranked<T> rankedAt(int slot) {
        long atMost = counters.count(slot);
        return new Ranked<>(valueToGive(slot), atMost - counters.err(slot), atMost);
    }

    /** The slots of the largest counts, the largest first; of equal ones the surer first, then by hash. */
    private int[] ranked(int most) {
        long[] counts = new long[counters.used()];
        int size = 0;
        for (int slot = 0; slot < counters.slotCount(); slot++) {
            if (counters.count(slot) != 0) {
                counts[size++] = counters.count(slot);
            }
        }
        Arrays.sort(counts);
        long least = most >= size ? 1 : most == 0 ? Long.MAX_VALUE : counts[size - most];
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < counters.slotCount(); slot++) {
            if (counters.count(slot) >= least) {
                slots.add(slot);
            }
        }
        slots.sort(Comparator.comparingLong((Integer slot) -> -counters.count(slot))
                .thenComparingLong(counters::err)
                .thenComparingLong(counters::hash));
        return slots.stream().limit(most).mapToInt(Integer::intValue).toArray();
    }

    /** Returns how often the value was counted: never too low, and too high by at most {@link #missed}. */
    public final long estimate(T value) {
        return atMost(value);
    }

    /** Returns an upper bound of how often the value was counted. */
    public final long atMost(T value) {
        lock.lock();
        try {
            int slot = slotOf(value);
            return slot < 0 ? counters.missed() : counters.count(slot);
        } finally {
            lock.unlock();
        }
    }

    /** Returns a lower bound of how often the value was counted. */
    public final long atLeast(T value) {
        lock.lock();
        try {
            int slot = slotOf(value);
            return slot < 0 ? 0 : counters.count(slot) - counters.err(slot);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns an upper bound for all values that are not kept: none of them was counted more often. 0 as long as all
     * are kept.
     */
    public final long missed() {
        lock.lock();
        try {
            return counters.missed();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the sum of all counts. */
    public final long total() {
        lock.lock();
        try {
            return counters.total();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of values that {@link #top()} returns. */
    public final int k() {
        return k;
    }

    /** Returns the number of values that can be kept. */
    public final int capacity() {
        return counters.capacity();
    }

    /** Returns the number of values that are kept now. */
    public final int size() {
        lock.lock();
        try {
            return counters.used();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the key that hashes, writes and reads the values. */
    public final Key.Stored<T> key() {
        return key;
    }

    @Override
    public final Kind kind() {
        return Kind.TOP;
    }

    /** True if both have the same key; k and capacity may differ. */
    @Override
    public final boolean fits(TopK<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return key.fits(other.key);
    }

    /** Merges the counts of the other: afterwards both bounds hold for the events of both. */
    @Override
    public final void merge(TopK<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        if (!fits(other)) {
            throw new IllegalArgumentException("these top lists do not fit: " + key.against(other.key));
        }
        // Never hold two locks at once: two structures that are merged with each other would deadlock.
        TopK<T> theirs = other.snapshot();
        lock.lock();
        try {
            mergeUnlocked(theirs);
        } finally {
            lock.unlock();
        }
    }

    private void mergeUnlocked(TopK<T> other) {
        SpaceSaving there = other.counters;
        long sum = counters.total() + there.total();
        if (sum < 0) {
            throw new IllegalArgumentException("the counts sum up to more than " + Long.MAX_VALUE + ": "
                    + counters.total() + " here, and " + there.total() + " there");
        }
        Entries all = new Entries(counters.used() + there.used());
        addEntries(all, other, false);
        other.addEntries(all, this, true);
        counters.load(all, sum, counters.missed() + there.missed());
    }

    /** Returns a list with the same content that shares no mutable state with this one. */
    public final TopK<T> copy() {
        lock.lock();
        try {
            return with(counters.copy(), isConcurrent());
        } finally {
            lock.unlock();
        }
    }

    /** This structure, or, if threads share it, a copy that none of them changes. */
    private TopK<T> snapshot() {
        return isConcurrent() ? copy().plain() : this;
    }

    private TopK<T> plain() {
        return with(counters, false);
    }

    @Override
    public final boolean isConcurrent() {
        return lock.exists();
    }

    /** {@inheritDoc} Threads take turns under a lock: every bound is as exact as in the plain form. */
    @Override
    public final TopK<T> concurrent() {
        return isConcurrent() ? this : with(counters, true);
    }

    /** Adds the entries of this, with what the other knows of them; or only those that the other does not know. */
    private void addEntries(Entries all, TopK<T> other, boolean newOnes) {
        for (int slot = 0; slot < counters.slotCount(); slot++) {
            long count = counters.count(slot);
            if (count == 0) {
                continue;
            }
            long hash = counters.hash(slot);
            Object kept = counters.keptAt(slot);
            int there = other.slotOf(hash, kept);
            if (there < 0) {
                long unseen = other.counters.missed();
                all.add(hash, kept, count + unseen, counters.err(slot) + unseen);
            } else if (!newOnes) {
                SpaceSaving theirs = other.counters;
                all.add(hash, kept, count + theirs.count(there), counters.err(slot) + theirs.err(there));
            }
        }
    }

    /** {@inheritDoc} The counters only; values that are not longs need more. */
    @Override
    public final long sizeBytes() {
        return counters.sizeBytes();
    }

    @Override
    public final Description describe() {
        return snapshot().describe(isConcurrent());
    }

    private Description describe(boolean concurrent) {
        return Description.of(kind())
                .text("key", key.name())
                .text("seed", Long.toString(key.seed()))
                .count("k", k)
                .count("capacity", capacity())
                .count("kept", size())
                .count("total", total())
                .count("missed", missed())
                .flag("concurrent", concurrent)
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    @Override
    public final String toString() {
        return "the top " + k + " of " + Figures.count(total()) + ", " + Figures.count(size()) + " kept of "
                + Figures.count(capacity()) + "; what is not kept came at most " + Figures.count(missed()) + " times";
    }

    // Parameters in the file (docs/format.md): k, capacity, kept, total, missed. Payload: the bounds, then the values.
    private Frame frame(ValueCodec<T> values) throws IOException {
        return Frame.of(
                Kind.TOP, key, size() * 2L * Long.BYTES + values.bytes(), k, capacity(), size(), total(), missed());
    }

    @Override
    public final long fileBytes() {
        if (isConcurrent()) {
            return snapshot().fileBytes();
        }
        try {
            return frame(new ValueCodec<>(key, values(top(size())))).fileBytes();
        } catch (IOException e) {
            throw new IllegalStateException("the key '" + key.name() + "' cannot write its values", e);
        }
    }

    @Override
    public final void writeTo(OutputStream out) throws IOException {
        if (isConcurrent()) {
            snapshot().writeTo(out);
            return;
        }
        List<Ranked<T>> all = top(size());
        ValueCodec<T> values = new ValueCodec<>(key, values(all));
        frame(values).write(out, payload -> {
            long[] bounds = new long[2 * all.size()];
            for (int i = 0; i < all.size(); i++) {
                bounds[2 * i] = all.get(i).atLeast();
                bounds[2 * i + 1] = all.get(i).atMost();
            }
            payload.longs(bounds);
            values.writeTo(payload);
        });
    }

    private static <T> List<T> values(List<Ranked<T>> ranked) {
        return ranked.stream().map(Ranked::value).toList();
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> TopK<T> open(Path file, Key.Stored<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> TopK<T> readFrom(InputStream in, Key.Stored<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> TopK<T> fromBytes(byte[] bytes, Key.Stored<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote; a key that cannot read its values is refused. */
    static <T> TopK<T> read(FrameReader in, Key.Stored<T> key) throws IOException {
        Frame frame = in.frame(Kind.TOP, key);
        long k = frame.parameter(0);
        long capacity = frame.parameter(1);
        long size = frame.parameter(2);
        long total = frame.parameter(3);
        long missed = frame.parameter(PARAMETERS - 1);
        frame.require(capacity > 0 && capacity <= SpaceSaving.MAX_CAPACITY, "capacity", capacity);
        frame.require(k > 0 && k <= capacity, "k", k);
        frame.require(size >= 0 && size <= capacity, "kept values", size);
        frame.require(total >= 0, "a total of", total);
        frame.require(missed >= 0 && missed <= total, "missed", missed);
        long[] bounds = in.longs(2 * size);
        byte[] bytes = in.bytes(frame.payloadBytes() - 2 * size * Long.BYTES);
        in.end();
        List<T> values = ValueCodec.read(key, bytes, (int) size);
        TopK<T> top = create(key, (int) k, (int) capacity);
        top.load(frame, values, bounds, total, missed);
        return top;
    }

    private void load(Frame frame, List<T> values, long[] bounds, long total, long missed) throws FormatException {
        Entries entries = new Entries(values.size());
        for (int i = 0; i < values.size(); i++) {
            long atLeast = bounds[2 * i];
            long atMost = bounds[2 * i + 1];
            frame.require(atLeast >= 0 && atMost > 0 && atMost <= total, "a count of", atMost);
            frame.require(atLeast <= atMost && atMost - atLeast <= missed, "a count of at least", atLeast);
            T value = values.get(i);
            entries.add(hashOf(value), kept(value), atMost, atMost - atLeast);
        }
        counters.load(entries, total, missed);
        for (int slot = 0; slot < counters.slotCount(); slot++) {
            if (counters.count(slot) != 0) {
                boolean once = slotOf(counters.hash(slot), counters.keptAt(slot)) == slot;
                frame.require(once, "the same value twice,", valueAt(slot));
            }
        }
    }

    @SuppressWarnings("unchecked") // a key of longs or bytes is a key of Long or byte[]
    static <T> TopK<T> create(Key.Stored<T> key, int k, int capacity) {
        if (key instanceof Key.Longs longs) {
            return (TopK<T>) new TopLongs(longs, k, capacity);
        }
        if (key instanceof Key.Bytes bytes) {
            return (TopK<T>) new TopBytes(bytes, k, capacity);
        }
        return new TopObjects<>(key, k, capacity);
    }

    /** Describes a top list before it is allocated. Immutable. */
    public static final class Plan<T> {
        private final int k;
        private final int capacity;
        private final long memoryBytes;
        private final Key.Stored<T> key;
        private final boolean concurrent;

        private Plan(int k, int capacity, long memoryBytes, Key.Stored<T> key, boolean concurrent) {
            this.k = k;
            this.capacity = capacity;
            this.memoryBytes = memoryBytes;
            this.key = key;
            this.concurrent = concurrent;
        }

        /** The key of the values (default: strings). */
        public <U> Plan<U> of(Key.Stored<U> other) {
            return new Plan<>(
                    k, capacity, memoryBytes, Objects.requireNonNull(other, "key must not be null"), concurrent);
        }

        /** The number of counters, at least k (default: 20 k). */
        public Plan<T> capacity(int counters) {
            if (counters < k || counters > SpaceSaving.MAX_CAPACITY) {
                throw new IllegalArgumentException(
                        "capacity must be in [k = " + k + ", " + SpaceSaving.MAX_CAPACITY + "], got " + counters);
            }
            return new Plan<>(k, counters, 0, key, concurrent);
        }

        /** The memory of the counters in bytes; values that are not longs need more. */
        public Plan<T> memoryBytes(long max) {
            if (max < 1) {
                throw new IllegalArgumentException("memoryBytes must be at least 1, got " + max);
            }
            return new Plan<>(k, 0, max, key, concurrent);
        }

        /**
         * Makes the list safe for any number of threads, which take turns under a lock. A file does not record this:
         * after opening, call {@link TopK#concurrent}.
         */
        public Plan<T> concurrent() {
            return new Plan<>(k, capacity, memoryBytes, key, true);
        }

        int k() {
            return k;
        }

        /** The same plan for another k; a capacity that was set stays. */
        Plan<T> k(int most) {
            Plan<String> checked = TopK.of(most);
            if (capacity != 0 && checked.k > capacity) {
                throw new IllegalArgumentException("k must be in [1, capacity = " + capacity + "], got " + most);
            }
            return new Plan<>(checked.k, capacity, memoryBytes, key, concurrent);
        }

        Key.Stored<T> key() {
            return key;
        }

        private boolean withValues() {
            return !(key instanceof Key.Longs);
        }

        /** Returns the number of counters. */
        public int capacity() {
            if (memoryBytes != 0) {
                int counters = SpaceSaving.capacityFor(memoryBytes, withValues());
                if (counters < k) {
                    throw new IllegalArgumentException("memoryBytes must be at least "
                            + SpaceSaving.sizeBytes(k, withValues()) + " for k = " + k + ", got " + memoryBytes);
                }
                return counters;
            }
            if (capacity != 0) {
                return capacity;
            }
            return (int) Math.min(SpaceSaving.MAX_CAPACITY, Math.max(LEAST_COUNTERS, (long) COUNTERS_FOR_EACH * k));
        }

        /** Returns the memory of the counters in bytes when all are in use; values that are not longs need more. */
        public long sizeBytes() {
            return SpaceSaving.sizeBytes(capacity(), withValues());
        }

        /** Builds an empty list. */
        public TopK<T> build() {
            TopK<T> top = create(key, k, capacity());
            return concurrent ? top.concurrent() : top;
        }
    }

    /**
     * A value and how often it was counted: at least {@code atLeast} and at most {@code atMost} times. If both are
     * equal, the count is exact.
     */
    public record Ranked<T>(T value, long atLeast, long atMost) {
        public Ranked {
            if (atLeast < 0 || atMost < atLeast) {
                throw new IllegalArgumentException(
                        "atLeast must be 0 or more and no more than atMost, got " + atLeast + " and " + atMost);
            }
        }

        /** Returns true if the count is exact. */
        public boolean isExact() {
            return atLeast == atMost;
        }
    }
}
