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
import dev.perhaps.membership.counting.CompactCounters;
import dev.perhaps.membership.counting.CounterArray;
import dev.perhaps.membership.counting.CountingFormulas;
import dev.perhaps.membership.counting.OverflowTable;
import dev.perhaps.membership.counting.StickyCounters;
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
import java.util.Objects;

/**
 * A Bloom filter that can remove and count: it never says "no" to a value that is in it, and says "perhaps" to another
 * value with the planned probability. About 48 bits per item at 1 % with lookups as fast as a {@link BloomFilter}'s, or
 * 22 planned {@link Plan#compact() compact}. A lookup touches up to k places in memory; adding, removing and counting
 * touch k, or up to 2k if it is not compact. Any number of threads may read it while none changes it.
 *
 * <pre>{@code
 * CountingBloom<String> cached = CountingBloom.expecting(1_000_000).falsePositives(0.01).build();
 * cached.add("https://example.org/");
 * boolean wasThere = cached.remove("https://example.org/");
 * }</pre>
 *
 * Removal in 10.5 bits per item: {@link CuckooFilter}. Items that are added many times: {@link QuotientFilter}.
 */
public final class CountingBloom<T> extends AbstractSketch
        implements HashFilter.Removes<T>, HashFilter.Counts<T>, Mergeable<CountingBloom<T>> {
    /*
     * A Bloom filter [1] with a counter at each position [2]: adding counts an item's k positions up, removing counts
     * them down, a lookup asks whether all are above 0, and the least of them is how often the item can be there.
     *
     *     counters  | 0 | 1 | 0 | 3 | 0 | 0 | 0 | 0 | 2 |       k = 2; x was added once, y, which meets it in the 3, twice
     *                     x       xy                  y
     *
     * Two stores keep them; their openings draw them.
     *     counting    StickyCounters   1 + 4 bits: 0 … 16. A counter that reaches 16 sticks: it is never counted down
     *                                  again, so nothing is ever forgotten that is still there. Never FULL.
     *     counting2   CompactCounters  2 bits and a table for the few above 3. Exact to 16,386, nothing sticks, FULL
     *                                  when the table is: 7 % or more beyond the plan, or earlier if many items are
     *                                  there twice or more, for the table is planned for different items, each once.
     *
     * Positions are those of BloomFilter with as many bits and hashes, down to the mixing constant: toBloom() hands out
     * the plain filter of what is there now, a fifth of the size, to be sent to others as in [2].
     *
     * Error. An absent value is "perhaps" with chance s^k, where s is the share of counters above 0.
     *
     * Counts. Each removal that succeeds undoes one addition exactly, unless a counter of it sticks. count() is never
     * below the truth, save that 16 means "16 or more" in the sticky store; it is above the truth where each of the
     * item's counters is shared, which is as likely as a false positive.
     *
     * Sticking. At the best number of hashes any of m counters reaches N with chance ≤ m·(e·ln 2 / N)^N [2],
     * 1.37·10⁻¹⁵·m for 16 (CountingFormulas.overflow): it happens to items that are there many times, hardly to others.
     *
     * Removing a false positive, which was never added, decrements counters of other items, which may then be
     * missed; no counting filter can detect this. What is certainly not there is refused.
     *
     * [1] Bloom (1970). [2] Fan, Cao, Almeida and Broder, "Summary cache: a scalable wide-area web cache sharing
     * protocol" (2000).
     *
     * Left out: conservative updating (raise only the least counters), which counts better but cannot remove.
     */
    private static final long MAX_ITEMS = Long.MAX_VALUE / BloomKernel.MAX_HASHES;

    private final Key<T> key;
    private final int salt;
    private final long mix;
    private final Sizing sizing;
    private final CounterArray counters;
    private long items;

    private CountingBloom(Key<T> key, int salt, Sizing sizing, CounterArray counters, long items) {
        this.key = key;
        this.salt = salt;
        this.mix = Mix.salted(BloomKernel.MIX, salt);
        this.sizing = sizing;
        this.counters = counters;
        this.items = items;
    }

    /** Starts a plan for this number of distinct items. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(FilterRequest.forItems(items), 0, 0, false);
    }

    @Override
    public Kind kind() {
        return sizing.kind();
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

    /** Returns the number of counters. */
    public long counters() {
        return counters.size;
    }

    /** The number of counters that an item increments. */
    public int hashes() {
        return counters.hashes;
    }

    /** Returns the number of counters that have reached 16 and stay there; always 0 in a compact filter. */
    public long stuck() {
        return counters.stuck();
    }

    /** {@inheritDoc} Only a compact filter returns {@code FULL}. */
    @CanIgnoreReturnValue
    @Override
    public Added addHash(long hash) {
        Added added = counters.add(Mix.with(mix, hash));
        items += added == Added.FULL ? 0 : 1;
        return added;
    }

    @Override
    public void clear() {
        counters.clear();
        items = 0;
    }

    @CanIgnoreReturnValue
    @Override
    public boolean removeHash(long hash) {
        boolean removed = counters.remove(Mix.with(mix, hash));
        if (removed && items > 0) {
            // An item whose counters are stuck can be removed more often than it was added.
            items--;
        }
        return removed;
    }

    @Override
    public boolean mightContainHash(long hash) {
        return counters.holds(Mix.with(mix, hash));
    }

    @Override
    public int mightContainHashes(long[] hashesAsked, int from, int to, long[] answerBits) {
        HashBatch.begin(hashesAsked, from, to, answerBits);
        int found = 0;
        for (int at = from; at < to; at += 64) {
            long answers = counters.holds64(mix, hashesAsked, at, Math.min(64, to - at));
            answerBits[(at - from) >>> 6] = answers;
            found += Long.bitCount(answers);
        }
        return found;
    }

    /** {@inheritDoc} In a filter that is not compact, 16 means "16 or more". */
    @Override
    public long countHash(long hash) {
        return counters.least(Mix.with(mix, hash));
    }

    /**
     * The posterior probability that the item with this hash is in the filter, given the prior probability: high
     * counters make it more likely. A stuck counter counts as 16.
     */
    public double posteriorHash(long hash, double prior) {
        CountingFormulas.checkPrior(prior);
        double logFactors = counters.logFactors(Mix.with(mix, hash), Math.max(1, items));
        return CountingFormulas.posterior(prior, logFactors);
    }

    /** Returns {@link #posteriorHash} for a value. */
    public double posterior(T value, double prior) {
        return posteriorHash(key.hash(value), prior);
    }

    /** True if both have the same key, salt, counters and hashes, and the sum of both has room here. */
    @Override
    public boolean fits(CountingBloom<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty() && counters.copy().merge(other.counters);
    }

    /**
     * Adds the counters of the other filter: afterwards this is the filter of everything added to either. A compact
     * filter needs memory for a second copy while it merges.
     */
    @Override
    public void merge(CountingBloom<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (difference.isEmpty() && !counters.merge(other.counters)) {
            difference = "the overflow table has no room for both, plan both for more items";
        }
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these counting Bloom filters do not fit: " + difference);
        }
        items += other.items;
    }

    private String difference(CountingBloom<T> other) {
        if (kind() != other.kind()) {
            return kind() + " against " + other.kind();
        }
        if (!key.fits(other.key)) {
            return key.against(other.key);
        }
        if (salt != other.salt) {
            return FilterRequest.salts(salt, other.salt);
        }
        if (counters.size != other.counters.size) {
            return counters.size + " counters against " + other.counters.size;
        }
        return hashes() == other.hashes() ? "" : hashes() + " hashes against " + other.hashes();
    }

    /** Returns a Bloom filter of the current items, with one bit per counter. */
    public BloomFilter<T> toBloom() {
        long[] words = counters.toBits();
        Sizing plain = BloomFilter.sizing(sizing.items(), sizing.error(), words.length * (long) Long.BYTES);
        return new BloomFilter<>(key, salt, counters.size, counters.hashes, plain, false, words);
    }

    /** Returns an estimate of the number of distinct items. */
    public long estimateDistinct() {
        return Math.round(BloomFormulas.distinct(counters.size, counters.hashes, counters.inUse()));
    }

    @Override
    public double load() {
        return (double) counters.inUse() / counters.size;
    }

    @Override
    public double errorNow() {
        return Math.pow(load(), counters.hashes);
    }

    /** The number of additions minus the number of removals: an item that was added twice counts as two. */
    @Override
    public long itemsNow() {
        return items;
    }

    /** Compares distinct items with the plan: adding the same item again does not raise the error. */
    @Override
    public boolean overfilled() {
        return sizing.isExceededBy(estimateDistinct());
    }

    @Override
    public CountingBloom<T> copy() {
        return new CountingBloom<>(key, salt, sizing, counters.copy(), items);
    }

    @Override
    public long sizeBytes() {
        return counters.sizeBytes();
    }

    @Override
    public long fileBytes() {
        return frame().fileBytes();
    }

    @Override
    public Description describe() {
        Description common = HashFilter.Removes.super
                .describe()
                .count("counters", counters.size)
                .count("hashes", counters.hashes)
                .count("distinctNow", estimateDistinct());
        return counters.describe(common, sizing.items());
    }

    // Parameters in the file (docs/format.md): counters, hashes, items planned, error planned, items now; compact:
    // reach
    // and slots of the overflow table. Payload: the store's arrays.
    private Frame frame() {
        long error = Double.doubleToRawLongBits(sizing.error());
        if (counters instanceof CompactCounters compact) {
            OverflowTable.Shape shape = compact.shape();
            return Frame.of(
                            kind(),
                            key,
                            sizeBytes(),
                            counters.size,
                            counters.hashes,
                            sizing.items(),
                            error,
                            items,
                            shape.reach(),
                            shape.slots())
                    .salted(salt);
        }
        return Frame.of(kind(), key, sizeBytes(), counters.size, counters.hashes, sizing.items(), error, items)
                .salted(salt);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, counters::write);
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> CountingBloom<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> CountingBloom<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> CountingBloom<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote. */
    static <T> CountingBloom<T> read(FrameReader in, Key<T> key) throws IOException {
        boolean compact = in.frame().kind() == Kind.COUNTING2;
        Frame frame = in.frame(compact ? Kind.COUNTING2 : Kind.COUNTING, key);
        long size = frame.parameter(0);
        long hashes = frame.parameter(1);
        long planned = frame.parameter(2);
        double error = frame.parameterAsDouble(3);
        long items = frame.parameter(4);
        long most = compact ? CompactCounters.MAX_SIZE : StickyCounters.MAX_SIZE;
        frame.require(size > 0 && size <= most, "counters", size);
        frame.require(hashes > 0 && hashes <= BloomKernel.MAX_HASHES, "hashes", hashes);
        frame.require(planned > 0, "planned items", planned);
        frame.require(error > 0 && error <= 1, "planned error", error);
        frame.require(items >= 0 && items <= MAX_ITEMS, "items", items);
        CounterArray counters = compact
                ? CompactCounters.read(in, size, (int) hashes, OverflowTable.Shape.read(frame, 5, size))
                : StickyCounters.read(in, size, (int) hashes);
        in.end();
        counters.check(frame);
        if (counters.stuck() == 0) {
            frame.require(counters.sum() == hashes * items, "items", items);
        }
        Sizing sizing = new Sizing(frame.kind(), planned, error, frame.payloadBytes(), 0);
        return new CountingBloom<>(key, frame.salt(), sizing, counters, items);
    }

    @Override
    public String toString() {
        return sizing + ", " + Figures.percent(load()) + " of the counters in use, error now "
                + Figures.percent(errorNow());
    }

    /** The settings of a counting Bloom filter; see {@link FilterPlan}. */
    public static final class Plan<T> implements FilterPlan.Fillable<T> {
        private final FilterRequest<T> asked;
        private final long counters;
        private final int hashes;
        private final boolean compact;

        private Plan(FilterRequest<T> asked, long counters, int hashes, boolean compact) {
            this.asked = asked;
            this.counters = counters;
            this.hashes = hashes;
            this.compact = compact;
        }

        @Override
        public Plan<T> falsePositives(double rate) {
            return new Plan<>(asked.falsePositives(rate), counters, hashes, compact);
        }

        @Override
        public Plan<T> memoryBytes(long max) {
            return new Plan<>(asked.memoryBytes(max), counters, hashes, compact);
        }

        @Override
        public <U> Plan<U> of(Key<U> key) {
            return new Plan<>(asked.of(key), counters, hashes, compact);
        }

        @Override
        public Plan<T> salt(int salt) {
            return new Plan<>(asked.salt(salt), counters, hashes, compact);
        }

        /** Uses exactly this number of counters, whatever error that gives. */
        public Plan<T> counters(long exactly) {
            if (exactly < 1 || exactly > StickyCounters.MAX_SIZE) {
                throw new IllegalArgumentException(
                        "counters must be in [1, " + StickyCounters.MAX_SIZE + "], got " + exactly);
            }
            return new Plan<>(asked, exactly, hashes, compact);
        }

        /** Uses exactly this number of hashes (default: the best number). */
        public Plan<T> hashes(int exactly) {
            if (exactly < 1 || exactly > BloomKernel.MAX_HASHES) {
                throw new IllegalArgumentException(
                        "hashes must be in [1, " + BloomKernel.MAX_HASHES + "], got " + exactly);
            }
            return new Plan<>(asked, counters, exactly, compact);
        }

        /**
         * Uses half the memory, for items that are mostly added once; additions far beyond the plan return {@code
         * FULL}.
         */
        public Plan<T> compact() {
            return new Plan<>(asked, counters, hashes, true);
        }

        @Override
        public Sizing sizing() {
            return sizing(shape());
        }

        @Override
        public CountingBloom<T> build() {
            BloomShape shape = shape();
            Sizing sizing = sizing(shape);
            CounterArray empty = compact
                    ? CompactCounters.empty(shape.bits(), shape.hashes(), overflowFor(shape))
                    : StickyCounters.empty(shape.bits(), shape.hashes());
            return new CountingBloom<>(asked.key(), asked.salt(), sizing, empty, 0);
        }

        private OverflowTable.Shape overflowFor(BloomShape shape) {
            return CompactCounters.overflowFor(shape.bits(), shape.hashes(), asked.items());
        }

        private long bytesFor(BloomShape shape) {
            return compact
                    ? CompactCounters.bytesFor(shape.bits(), overflowFor(shape))
                    : StickyCounters.bytesFor(shape.bits());
        }

        private Sizing sizing(BloomShape shape) {
            double error = BloomFormulas.falsePositives(shape.bits(), shape.hashes(), asked.items());
            Kind kind = compact ? Kind.COUNTING2 : Kind.COUNTING;
            return asked.within(new Sizing(kind, asked.items(), error, bytesFor(shape), 0));
        }

        private BloomShape shape() {
            if (counters > 0) {
                return BloomShape.ofBits(counters, asked.items(), hashes);
            }
            if (asked.byMemory()) {
                return shapeWithin(asked.memoryBytes());
            }
            long most = compact ? CompactCounters.MAX_SIZE : StickyCounters.MAX_SIZE;
            return BloomShape.forError(asked.items(), asked.errorOrDefault(), hashes, "counters", most);
        }

        /** The most counters, in steps of 64, that keep within the memory; 64 are the least, and may be too many. */
        private BloomShape shapeWithin(long bytes) {
            // With less than 1.5 counters per item, the overflow table would outgrow the counters: then more counters
            // take less memory. From there on, more counters take more.
            long above = (compact ? CompactCounters.MAX_SIZE : StickyCounters.MAX_SIZE) / 64 + 1;
            long orderly = Math.min(above - 1, asked.items() / 64 * 3 / 2);
            long fits = orderly > 1 && fits(orderly, bytes) ? orderly : 1;
            while (above - fits > 1) {
                long middle = (fits + above) >>> 1;
                if (fits(middle, bytes)) {
                    fits = middle;
                } else {
                    above = middle;
                }
            }
            return BloomShape.ofBits(fits * 64, asked.items(), hashes);
        }

        private boolean fits(long sixtyFours, long bytes) {
            // Two bits per counter at least: what is above that needs no closer look.
            return sixtyFours <= bytes / 16
                    && bytesFor(BloomShape.ofBits(sixtyFours * 64, asked.items(), hashes)) <= bytes;
        }
    }
}
