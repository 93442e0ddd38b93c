package dev.perhaps.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.membership.bloom.BloomKernel;
import dev.perhaps.membership.bloom.BloomShape;
import dev.perhaps.membership.bloom.GenerationCells;
import dev.perhaps.membership.request.FilterRequest;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * A filter whose items expire: it never says "no" to a value that was added within the window, and says "perhaps" with
 * at most the planned probability to a value that was never added or was added more than 13/12 of a window ago. About
 * 42 bits per item of a window at 1 %. An add touches k places in memory, a lookup up to k; twelve times per window an
 * add also makes one pass over all cells. Any number of threads may read it while none changes it. Lookups change
 * nothing.
 *
 * <pre>{@code
 * ExpiringBloom<String> seen = ExpiringBloom.expecting(1_000_000).within(Duration.ofHours(1)).build();
 * boolean isNew = seen.add("https://example.org/") == Added.ADDED;
 * boolean lately = seen.mightContain("https://example.org/", System.currentTimeMillis());
 * }</pre>
 *
 * If items never expire, a {@link BloomFilter} takes a quarter of the memory. If you know when each item leaves: {@link
 * CuckooFilter}. How often within the last hour: {@code SlidingCounts}.
 */
public final class ExpiringBloom<T> extends AbstractSketch implements HashFilter.Adds<T>, Mergeable<ExpiringBloom<T>> {
    /*
     * A timing Bloom filter [1] by generations. Time is cut into generations of a twelfth of the window W; generation g
     * is the time [g·W/12, (g+1)·W/12) since 1970, so that filters of the same window have the same boundaries
     * everywhere. Each of m cells of 4 bits holds the generation in which it was set last, by a number that a table
     * maps to it. GenerationCells draws the layout, and says how numbers are used again and what a wrong clock does.
     *
     * Adding writes its generation into k cells, unless a cell holds a newer one. A lookup at time t is
     * "perhaps" iff all k cells hold a generation that is live at t: one that ended less than W ago, or a later one. An
     * item that was added at s ≤ t has cells of its generation or newer, so with t − s ≤ W all are live: never missed.
     * With t − s > W + W/12 none of its own is live, and what is live in its cells is chance: as absent as one never
     * added.
     *
     * Error. A cell is live iff a live item chose it. So the live cells are the bits of a Bloom filter of the different
     * items of the last W + W/12, and an absent value is "perhaps" with chance s^k exactly, where s is the share of
     * live cells. At a steady rate of n different items per window up to n·13/12 are live: that is what m and k are
     * planned for, with s near 1/2. How they are spread over the window does not matter, a burst of n at once is as
     * good; and an item that comes again is not counted again. The cells of each generation are counted as they change,
     * so that errorNow() and describe() take 15 additions, whatever the size.
     *
     * Why not an age-partitioned Bloom filter [2], with k + l slices of which the oldest is dropped at each step. It
     * takes little more than half of the memory (23 bits per item at 1 % with l = 12). But its slices are shared by k
     * generations, so an item that has just expired still has k − 1 of its bits in order: one generation after the
     * window it is found with chance 1/2, then 1/4, and the planned error is reached seven generations later. More
     * generations make that shorter, and then a burst fills its few slices (l = 79, a window's items at once: 88 %
     * error for a whole window), which [3] meets with more memory when it happens. See
     * docs/decisions/expiring-filter.md.
     *
     * [1] Zhang and Guan, "Detecting click fraud in pay-per-click streams of online advertising networks" (2008),
     * doi:10.1109/ICDCS.2008.98. [2] Shtul, Baquero and Almeida, "Age-partitioned Bloom filters" (2020),
     * doi:10.48550/arXiv.2001.03147. [3] Rodrigues, Shtul, Baquero and Almeida, "Time-limited Bloom filter" (2023),
     * doi:10.48550/arXiv.2306.06742.
     *
     * Where this differs from [1]: there time is a position in the stream, and each step clears a part of the cells;
     * here the caller gives the time, and numbers are looked up in a table, so that a jump of the clock never makes an
     * old generation look live.
     *
     * Left out: clearing a part of the cells with each add, which would spread the pass over all memory (about 0.1 s
     * per GB).
     */
    /** The window of a plan that sets none: one hour. */
    public static final Duration DEFAULT_WINDOW = Duration.ofHours(1);

    /** The number of generations per window: an item expires at most one generation late. */
    public static final int GENERATIONS = GenerationCells.PER_WINDOW;

    /** The largest time, in milliseconds since 1970 (285,000 years); the smallest is its negative. */
    public static final long MAX_MILLIS = GenerationCells.MAX_MILLIS;

    private static final long MIX = 0xA24BAED4963EE407L;
    private static final int TABLE_BYTES = GenerationCells.MAX_NUMBER * Long.BYTES;

    private final Key<T> key;
    private final int salt;
    private final long mix;
    private final LongSupplier clock;
    private final Sizing sizing;
    private final GenerationCells store;

    private ExpiringBloom(Key<T> key, int salt, LongSupplier clock, Sizing sizing, GenerationCells store) {
        this.key = key;
        this.salt = salt;
        this.mix = Mix.salted(MIX, salt);
        this.clock = clock;
        this.sizing = sizing;
        this.store = store;
    }

    /** Plans a filter for this number of distinct items per window. */
    public static Plan<String> expecting(long itemsPerWindow) {
        return new Plan<>(FilterRequest.forItems(itemsPerWindow), DEFAULT_WINDOW.toMillis(), System::currentTimeMillis);
    }

    @Override
    public Kind kind() {
        return Kind.EXPIRING;
    }

    @Override
    public Key<T> key() {
        return key;
    }

    @Override
    public int salt() {
        return salt;
    }

    @Override
    public Sizing sizing() {
        return sizing;
    }

    /** Returns the duration for which an added item is never missed. */
    public Duration window() {
        return Duration.ofMillis(store.windowMillis());
    }

    /** Returns the number of cells. */
    public long cells() {
        return store.cells();
    }

    /** Returns the number of cells per item. */
    public int hashes() {
        return store.hashes();
    }

    /**
     * Returns this filter with another clock, in milliseconds since 1970, for calls that give no time. It takes over
     * the content without a copy: use only the returned filter afterwards.
     */
    public ExpiringBloom<T> withClock(LongSupplier millis) {
        Objects.requireNonNull(millis, "clock");
        return new ExpiringBloom<>(key, salt, millis, sizing, store);
    }

    /** Adds a value at this time, in milliseconds since 1970. */
    @CanIgnoreReturnValue
    public Added add(T value, long atMillis) {
        return addHash(key.hash(value), atMillis);
    }

    /** {@inheritDoc} The time is that of the clock (default: the system clock). */
    @CanIgnoreReturnValue
    @Override
    public Added addHash(long hash) {
        return addHash(hash, clock.getAsLong());
    }

    /**
     * Adds the item with this hash at this time, in milliseconds since 1970. Returns {@code PRESENT} if it was perhaps
     * added within the window before; in either case it is kept for a whole window from now.
     */
    @CanIgnoreReturnValue
    public Added addHash(long hash, long atMillis) {
        return store.add(Mix.with(mix, hash), atMillis) ? Added.PRESENT : Added.ADDED;
    }

    @CanIgnoreReturnValue
    @Override
    public int addHashes(long[] hashesAdded, int from, int to) {
        Objects.checkFromToIndex(from, to, hashesAdded.length);
        long atMillis = clock.getAsLong();
        for (int i = from; i < to; i++) {
            addHash(hashesAdded[i], atMillis);
        }
        return to - from;
    }

    /** Returns true if the value was perhaps added within the window before this time, or at a later time. */
    public boolean mightContain(T value, long atMillis) {
        return mightContainHash(key.hash(value), atMillis);
    }

    /** {@inheritDoc} The time is that of the clock (default: the system clock). */
    @Override
    public boolean mightContainHash(long hash) {
        return mightContainHash(hash, clock.getAsLong());
    }

    /** Returns {@link #mightContain(Object, long)} for the item with this hash. */
    public boolean mightContainHash(long hash, long atMillis) {
        return store.isLive(Mix.with(mix, hash), store.liveAt(atMillis));
    }

    @Override
    public int mightContainHashes(long[] hashesAsked, int from, int to, long[] answerBits) {
        return mightContainHashes(hashesAsked, from, to, answerBits, clock.getAsLong());
    }

    /** {@link #mightContainHashes(long[], int, int, long[])} at this time. */
    public int mightContainHashes(long[] hashesAsked, int from, int to, long[] answerBits, long atMillis) {
        HashBatch.begin(hashesAsked, from, to, answerBits);
        int liveNow = store.liveAt(atMillis);
        int found = 0;
        for (int i = from; i < to; i++) {
            if (store.isLive(Mix.with(mix, hashesAsked[i]), liveNow)) {
                answerBits[(i - from) >>> 6] |= 1L << (i - from);
                found++;
            }
        }
        return found;
    }

    /**
     * True if both have the same key, salt, window, cells and hashes: then their generations begin at the same times.
     */
    @Override
    public boolean fits(ExpiringBloom<T> other) {
        return difference(other).isEmpty();
    }

    /**
     * The union: afterwards this filter holds everything added to either, and each item expires as it would have in its
     * filter. Where both together have more than 15 generations, the oldest are dropped; they expired before the newest
     * began.
     */
    @Override
    public void merge(ExpiringBloom<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these expiring Bloom filters do not fit: " + difference);
        }
        store.merge(other.store);
    }

    private String difference(ExpiringBloom<T> other) {
        if (!key.fits(other.key)) {
            return key.against(other.key);
        }
        if (salt != other.salt) {
            return FilterRequest.salts(salt, other.salt);
        }
        if (store.windowMillis() != other.store.windowMillis()) {
            return "a window of " + window() + " against " + other.window()
                    + ", so that their generations begin at different times; build both with the same window";
        }
        if (cells() != other.cells()) {
            return cells() + " cells against " + other.cells() + ", build both for the same items and error";
        }
        return hashes() == other.hashes() ? "" : hashes() + " hashes against " + other.hashes();
    }

    /** {@inheritDoc} The share of cells that are live at the time of the clock. */
    @Override
    public double load() {
        return load(clock.getAsLong());
    }

    private double load(long atMillis) {
        return (double) store.liveCells(atMillis) / store.cells();
    }

    @Override
    public double errorNow() {
        return errorNow(clock.getAsLong());
    }

    /**
     * Returns the probability that the result is "perhaps", at this time, for a value that was not added or has
     * expired.
     */
    public double errorNow(long atMillis) {
        return Math.pow(load(atMillis), store.hashes());
    }

    @Override
    public long itemsNow() {
        return itemsNow(clock.getAsLong());
    }

    /**
     * Returns an estimate of the number of distinct items that have not expired at this time: those of the last 13/12
     * windows.
     */
    public long itemsNow(long atMillis) {
        return Math.round(BloomFormulas.distinct(store.cells(), store.hashes(), store.liveCells(atMillis)));
    }

    @Override
    public boolean overfilled() {
        return overfilled(clock.getAsLong());
    }

    /**
     * Returns true if clearly more items than planned were added in a window, so that the error is above the plan at
     * this time.
     */
    public boolean overfilled(long atMillis) {
        return sizing.isExceededBy(Math.round(itemsNow(atMillis) * (double) GENERATIONS / (GENERATIONS + 1)));
    }

    @Override
    public boolean isItemsEstimated() {
        return true;
    }

    @Override
    public void clear() {
        store.clear();
    }

    @Override
    public ExpiringBloom<T> copy() {
        return new ExpiringBloom<>(key, salt, clock, sizing, store.copy());
    }

    /** The memory of the cells. */
    @Override
    public long sizeBytes() {
        return store.words().length * (long) Long.BYTES;
    }

    @Override
    public long fileBytes() {
        return frame().fileBytes();
    }

    @Override
    public Description describe() {
        return describe(clock.getAsLong());
    }

    /** Returns the description at this time, in constant time. */
    public Description describe(long atMillis) {
        return Description.of(kind())
                .text("key", key.name())
                .text("seed", Long.toString(key.seed()))
                .text("salt", Integer.toString(salt))
                .count("itemsPlanned", sizing.items())
                .share("errorPlanned", sizing.error())
                .count("itemsNow", itemsNow(atMillis))
                .share("errorNow", errorNow(atMillis))
                .share("load", load(atMillis))
                .flag("overfilled", overfilled(atMillis))
                .number("bitsPerItem", sizing.bitsPerItem(), "bits")
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes())
                .count("cells", store.cells())
                .count("hashes", store.hashes())
                .count("windowMillis", store.windowMillis())
                .number("generationMillis", (double) store.windowMillis() / GENERATIONS, "ms")
                .text("newestGeneration", newestGeneration());
    }

    /** When the newest generation began. */
    private String newestGeneration() {
        long newest = store.newest();
        if (newest == GenerationCells.UNUSED) {
            return "none";
        }
        // In doubles: what a file says may be above what milliseconds can be.
        return Instant.ofEpochMilli((long) Math.floor(newest * ((double) store.windowMillis() / GENERATIONS)))
                .toString();
    }

    @Override
    public String toString() {
        return sizing + ", within " + window() + ", error now " + Figures.percent(errorNow());
    }

    // Parameters in the file (docs/format.md): cells, hashes, items planned, error planned, window. Payload: the table
    // of generations, then the words.
    private Frame frame() {
        return Frame.of(
                        Kind.EXPIRING,
                        key,
                        TABLE_BYTES + sizeBytes(),
                        store.cells(),
                        store.hashes(),
                        sizing.items(),
                        Double.doubleToRawLongBits(sizing.error()),
                        store.windowMillis())
                .salted(salt);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, payload -> {
            payload.longs(store.table());
            payload.longs(store.words());
        });
    }

    /**
     * Opens a file, with the system clock; see {@link #withClock}. Another key is refused with a {@code
     * FormatException}.
     */
    public static <T> ExpiringBloom<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> ExpiringBloom<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> ExpiringBloom<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote. */
    static <T> ExpiringBloom<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.EXPIRING, key);
        long cells = frame.parameter(0);
        long hashes = frame.parameter(1);
        long items = frame.parameter(2);
        double error = frame.parameterAsDouble(3);
        long windowMillis = frame.parameter(4);
        frame.require(cells > 0 && cells <= GenerationCells.MAX_CELLS, "cells", cells);
        long bytes = GenerationCells.wordsFor(cells) * (long) Long.BYTES;
        frame.require(TABLE_BYTES + bytes == frame.payloadBytes(), "a payload of", frame.payloadBytes());
        frame.require(hashes > 0 && hashes <= BloomKernel.MAX_HASHES, "hashes", hashes);
        frame.require(items > 0, "planned items", items);
        frame.require(error > 0 && error <= 1, "planned error", error);
        frame.require(windowMillis > 0 && windowMillis <= MAX_MILLIS, "window of milliseconds", windowMillis);
        long[] table = in.longs(GenerationCells.MAX_NUMBER);
        long[] words = in.longs(GenerationCells.wordsFor(cells));
        in.end();
        GenerationCells store = GenerationCells.of(cells, (int) hashes, windowMillis, table, words);
        for (int i = 0; i < table.length; i++) {
            long generation = table[i];
            boolean possible = GenerationCells.isGeneration(generation);
            frame.require(possible || generation == GenerationCells.UNUSED, "generation", generation);
            frame.require(possible || store.inUse(i + 1) == 0, "cells of no generation:", store.inUse(i + 1));
            for (int earlier = 0; possible && earlier < i; earlier++) {
                frame.require(table[earlier] != generation, "two numbers for generation", generation);
            }
        }
        long beyond = cells % 16 == 0 ? 0 : words[words.length - 1] >>> (cells << 2);
        frame.require(beyond == 0, "cells beyond cell", cells);
        Sizing sizing = new Sizing(Kind.EXPIRING, items, error, bytes, 0);
        return new ExpiringBloom<>(key, frame.salt(), System::currentTimeMillis, sizing, store);
    }

    /** The settings of an expiring Bloom filter; see {@link FilterPlan}. */
    public static final class Plan<T> implements FilterPlan.Fillable<T> {
        private final FilterRequest<T> asked;
        private final long windowMillis;
        private final LongSupplier clock;

        private Plan(FilterRequest<T> asked, long windowMillis, LongSupplier clock) {
            this.asked = asked;
            this.windowMillis = windowMillis;
            this.clock = clock;
        }

        /**
         * The duration for which an item must not be missed (default: {@link #DEFAULT_WINDOW}). It expires at most a
         * twelfth of that later.
         */
        public Plan<T> within(Duration window) {
            if (window.compareTo(Duration.ofMillis(1)) < 0 || window.compareTo(Duration.ofMillis(MAX_MILLIS)) > 0) {
                throw new IllegalArgumentException("the window must be at least 1 ms and at most "
                        + Duration.ofMillis(MAX_MILLIS) + ", got " + window);
            }
            // Rounded up to whole milliseconds: no item expires early.
            long millis = window.toMillis() + (window.toNanosPart() % 1_000_000 == 0 ? 0 : 1);
            return new Plan<>(asked, Math.min(MAX_MILLIS, millis), clock);
        }

        /** The clock for calls that give no time, in milliseconds since 1970 (default: the system clock). */
        public Plan<T> clock(LongSupplier millis) {
            return new Plan<>(asked, windowMillis, Objects.requireNonNull(millis, "clock"));
        }

        @Override
        public Plan<T> falsePositives(double rate) {
            return new Plan<>(asked.falsePositives(rate), windowMillis, clock);
        }

        @Override
        public Plan<T> memoryBytes(long max) {
            return new Plan<>(asked.memoryBytes(max), windowMillis, clock);
        }

        @Override
        public <U> Plan<U> of(Key<U> key) {
            return new Plan<>(asked.of(key), windowMillis, clock);
        }

        @Override
        public Plan<T> salt(int salt) {
            return new Plan<>(asked.salt(salt), windowMillis, clock);
        }

        @Override
        public Sizing sizing() {
            return sizing(shape());
        }

        @Override
        public ExpiringBloom<T> build() {
            BloomShape shape = shape();
            Sizing sizing = sizing(shape);
            GenerationCells store = GenerationCells.empty(shape.bits(), shape.hashes(), windowMillis);
            return new ExpiringBloom<>(asked.key(), asked.salt(), clock, sizing, store);
        }

        private Sizing sizing(BloomShape shape) {
            double error = BloomFormulas.falsePositives(shape.bits(), shape.hashes(), liveItems());
            long bytes = GenerationCells.wordsFor(shape.bits()) * (long) Long.BYTES;
            return asked.within(new Sizing(Kind.EXPIRING, asked.items(), error, bytes, 0));
        }

        private BloomShape shape() {
            if (asked.byMemory()) {
                long fitting = Math.min(GenerationCells.MAX_CELLS / 16, asked.memoryBytes() / Long.BYTES) * 16;
                return BloomShape.ofBits(fitting, liveItems(), 0);
            }
            return BloomShape.forError(liveItems(), asked.errorOrDefault(), 0, "cells", GenerationCells.MAX_CELLS);
        }

        /** Those of a window, and of the generation that is expiring. */
        private long liveItems() {
            long more = (asked.items() - 1) / GENERATIONS + 1;
            return asked.items() > Long.MAX_VALUE - more ? Long.MAX_VALUE : asked.items() + more;
        }
    }
}
