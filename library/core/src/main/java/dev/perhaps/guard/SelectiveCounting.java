package dev.perhaps.guard;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.CountingBloom;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.Filter;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.membership.bloom.BloomKernel;
import dev.perhaps.membership.bloom.BloomShape;
import dev.perhaps.membership.counting.CountingFormulas;
import dev.perhaps.membership.request.FilterRequest;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Says whether a cache is worth asking, and errs in <em>both</em> directions so that the total cost is lowest. It
 * stores only items that are likely enough to be asked for, and combines its counters with that probability in each
 * query. For use in front of a cache with an origin behind it, where a wrong "no" costs only time: it is not a {@link
 * Filter}, whose "no" is certain. An add and a query touch k places in memory; 32 bits per counter. Any number of
 * threads may read it while none changes it.
 *
 * <pre>{@code
 * SelectiveCounting<String> cached = SelectiveCounting.expecting(100_000).alpha(9).build();
 * SelectiveCounting.Taken taken = cached.add("203.0.113.7", 0.2);
 * boolean askTheCache = cached.isWorthAsking("203.0.113.7", 0.2);
 * }</pre>
 *
 * If a wrong "no" would give wrong results: {@link CountingBloom}, {@link CuckooFilter}.
 */
public final class SelectiveCounting<T> extends AbstractSketch implements Mergeable<SelectiveCounting<T>> {
    /*
     * The selective counting Bloom filter of [1]: a counting filter [2] that minds the prior P of an item, the chance
     * that it is in the cache before anything was asked, and α, the cost of a wrong "no" over that of a wrong "yes".
     *
     *     counters  | 0 | 1 | 0 | 3 | 0 | 0 | 0 | 0 | 2 |        m counters, k an item's, n items in it
     *
     * Insertion. Where P < 1 / (1 + α·2^(ln 2 · m/n)), n as planned, a positive answer would be wrong so often that it
     * had better be taken for a negative one (the Bloom paradox). Then the item is declined: it would only raise
     * counters of others. The bound is the one of [1], for the best number of hashes, also where another number was
     * asked for.
     *
     * Question. A counter c of the item multiplies the odds by m·c / (n·k), n as it is now; the cache is worth asking
     * iff the posterior is at least 1 / (α + 1). A counter of 0 means no. All in logarithms
     * (CountingFormulas.posterior).
     *
     * No more than the planned items are ever in it: then add returns FULL and changes nothing. So no counter passes
     * k·n, which the plan keeps below 2^31, and nothing saturates or sticks.
     *
     * Errors. A wrong "yes" is no likelier than (share of counters above 0)^k, and less likely the lower the prior.
     * Wrong "no"s are what was declined or refused, and what is there with a posterior below 1 / (α + 1).
     *
     * The prior is not stored: the caller provides it (Prior has tables by group), it may change between insertion and
     * query, and it is not in the file.
     *
     * [1] Rottenstreich and Keslassy, "The Bloom paradox: when not to use a Bloom filter" (2012). [2] Fan, Cao, Almeida
     * and Broder, "Summary cache: a scalable wide-area web cache sharing protocol" (2000).
     *
     * Left out: narrow counters. Of Poisson counters at the best k hardly one in m·10¹⁵ passes 15, but with other k,
     * and with items that come again and again, they do; highest() tells how wide they would have to be.
     */
    static final long MIX = 0xB36534E5C1A2F91DL;

    /** As many as fit into an array of ints. */
    private static final long MAX_SIZE = Integer.MAX_VALUE - 8;

    private final Key<T> key;
    private final int salt;
    private final long mix;
    private final Sizing sizing;
    private final double alpha;
    private final int hashes;
    private final int[] counters;
    private long items;
    private long declined;

    /** The result of an addition. */
    public enum Taken {
        /** The item was added. */
        ADDED,
        /** The item is too unlikely to be asked for; nothing was changed. */
        DECLINED,
        /** The filter is full; nothing was changed. */
        FULL
    }

    private SelectiveCounting(Key<T> key, int salt, Sizing sizing, double alpha, int hashes, int[] counters) {
        this.key = key;
        this.salt = salt;
        this.mix = Mix.salted(MIX, salt);
        this.sizing = sizing;
        this.alpha = alpha;
        this.hashes = hashes;
        this.counters = counters;
    }

    /** Starts a plan for at most this number of items. */
    public static Plan<String> expecting(long items) {
        return new Plan<>(FilterRequest.forItems(items), 1, 0, 0);
    }

    @Override
    public Kind kind() {
        return Kind.SELECTIVE;
    }

    /** Returns the key that hashes the values. */
    public Key<T> key() {
        return key;
    }

    /** The salt that was planned (default: 0); see {@link FilterPlan#salt}. */
    public int salt() {
        return salt;
    }

    /**
     * Returns the planned items, error and memory. The error is that of a counting filter with the same counters, which
     * is an upper bound.
     */
    public Sizing sizing() {
        return sizing;
    }

    /** Returns the cost of a wrong "no" divided by that of a wrong "yes". */
    public double alpha() {
        return alpha;
    }

    /** Returns the number of counters. */
    public int counters() {
        return counters.length;
    }

    /** Returns the number of counters per item. */
    public int hashes() {
        return hashes;
    }

    /** Returns the prior below which items are declined. */
    public double insertionBound() {
        return CountingFormulas.paradoxBound(alpha, (double) counters.length / sizing.items());
    }

    /** Returns the posterior from which the cache is worth asking. */
    public double askingBound() {
        return 1 / (alpha + 1);
    }

    /** Adds a value if its prior, the probability that it is in the cache when it is asked for, is high enough. */
    @CanIgnoreReturnValue
    public Taken add(T value, double prior) {
        return addHash(key.hash(value), prior);
    }

    /** Adds the item with this hash; see {@link #add}. */
    @CanIgnoreReturnValue
    public Taken addHash(long hash, double prior) {
        CountingFormulas.checkPrior(prior);
        if (prior < insertionBound()) {
            declined++;
            return Taken.DECLINED;
        }
        if (items == sizing.items()) {
            return Taken.FULL;
        }
        count(hash, 1);
        items++;
        return Taken.ADDED;
    }

    /**
     * Removes one occurrence of a value for which {@link #add} returned {@code ADDED}. Returns false, with nothing
     * changed, if it is certainly not there.
     */
    @CanIgnoreReturnValue
    public boolean remove(T value) {
        return removeHash(key.hash(value));
    }

    /** Removes the item with this hash; see {@link #remove}. */
    @CanIgnoreReturnValue
    public boolean removeHash(long hash) {
        // Counted down first, and up again if a counter went below 0: that also finds two positions in one counter of
        // 1.
        if (count(hash, -1) < 0) {
            count(hash, 1);
            return false;
        }
        items--;
        return true;
    }

    /** Counts the positions of the hash up or down; the least counter afterwards. */
    @CanIgnoreReturnValue
    private int count(long hash, int by) {
        long x = Mix.with(mix, hash);
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < hashes; i++) {
            int at = (int) BloomKernel.position(x, counters.length);
            counters[at] += by;
            least = Math.min(least, counters[at]);
            x *= BloomKernel.STEP;
        }
        return least;
    }

    /**
     * Returns true if asking the cache costs less than not asking it, given the prior probability that the value is
     * there.
     */
    public boolean isWorthAsking(T value, double prior) {
        return isWorthAskingHash(key.hash(value), prior);
    }

    /** Returns {@link #isWorthAsking} for the item with this hash. */
    public boolean isWorthAskingHash(long hash, double prior) {
        return posteriorHash(hash, prior) >= askingBound();
    }

    /** Returns the posterior probability that the value is there, given its counters; 0 is certain. */
    public double posterior(T value, double prior) {
        return posteriorHash(key.hash(value), prior);
    }

    /** Returns {@link #posterior} for the item with this hash. */
    public double posteriorHash(long hash, double prior) {
        CountingFormulas.checkPrior(prior);
        long x = Mix.with(mix, hash);
        double logFactors = 0;
        for (int i = 0; i < hashes; i++) {
            int counter = counters[(int) BloomKernel.position(x, counters.length)];
            if (counter == 0) {
                return 0;
            }
            logFactors += CountingFormulas.logFactor(counters.length, hashes, items, counter);
            x *= BloomKernel.STEP;
        }
        return CountingFormulas.posterior(prior, logFactors);
    }

    /** Returns the number of additions minus the number of removals: an item that was added twice counts as two. */
    public long itemsNow() {
        return items;
    }

    /** Returns the number of additions that were declined. */
    public long declined() {
        return declined;
    }

    /** Returns the highest counter: counters of ⌈log2(highest + 1)⌉ bits would be enough. */
    public int highest() {
        int highest = 0;
        for (int counter : counters) {
            highest = Math.max(highest, counter);
        }
        return highest;
    }

    /** Returns the share of counters above 0. */
    public double load() {
        long used = 0;
        for (int counter : counters) {
            used += counter > 0 ? 1 : 0;
        }
        return (double) used / counters.length;
    }

    /**
     * True if both have the same key, salt, alpha, items planned, counters and hashes, and room for what is in both.
     */
    @Override
    public boolean fits(SelectiveCounting<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    /** Adds the counters of the other filter: afterwards this filter holds everything that either accepted. */
    @Override
    public void merge(SelectiveCounting<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these selective filters do not fit: " + difference);
        }
        // Itself with itself is merged too: each counter is read before it is written.
        for (int i = 0; i < counters.length; i++) {
            counters[i] += other.counters[i];
        }
        items += other.items;
        declined += other.declined;
    }

    /** Removes everything; parameters and memory stay. */
    public void clear() {
        Arrays.fill(counters, 0);
        items = 0;
        declined = 0;
    }

    private String difference(SelectiveCounting<T> other) {
        if (!key.fits(other.key)) {
            return key.against(other.key);
        }
        if (salt != other.salt) {
            return FilterRequest.salts(salt, other.salt);
        }
        if (counters.length != other.counters.length || hashes != other.hashes) {
            return counters.length + " counters and " + hashes + " hashes against " + other.counters.length + " and "
                    + other.hashes;
        }
        if (alpha != other.alpha) {
            return "alpha " + alpha + " against " + other.alpha;
        }
        if (sizing.items() != other.sizing.items()) {
            return sizing.items() + " items planned against " + other.sizing.items();
        }
        return items <= sizing.items() - other.items
                ? ""
                : items + " and " + other.items + " items, and both were planned for " + sizing.items();
    }

    /** Returns a filter that gives the same results and shares no mutable state with this one. */
    public SelectiveCounting<T> copy() {
        SelectiveCounting<T> copy = new SelectiveCounting<>(key, salt, sizing, alpha, hashes, counters.clone());
        copy.items = items;
        copy.declined = declined;
        return copy;
    }

    @Override
    public long sizeBytes() {
        return bytesFor(counters.length);
    }

    private static long bytesFor(long counters) {
        return counters * Integer.BYTES;
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
                .count("itemsNow", items)
                .count("declined", declined)
                .number("alpha", alpha, "")
                .share("insertionBound", insertionBound())
                .share("askingBound", askingBound())
                .count("counters", counters.length)
                .count("hashes", hashes)
                .count("highestCounter", highest())
                .share("load", load())
                .number("bitsPerItem", sizing.bitsPerItem(), "bits")
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    // Parameters and payload: docs/format.md.
    private Frame frame() {
        return Frame.of(
                        kind(),
                        key,
                        (counters.length + 1L) / 2 * Long.BYTES,
                        counters.length,
                        hashes,
                        sizing.items(),
                        Double.doubleToRawLongBits(sizing.error()),
                        Double.doubleToRawLongBits(alpha),
                        items,
                        declined)
                .salted(salt);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame().write(out, this::writeCounters);
    }

    private void writeCounters(PayloadOutput payload) throws IOException {
        long[] words = new long[(counters.length + 1) / 2];
        for (int i = 0; i < counters.length; i++) {
            words[i >>> 1] |= (long) counters[i] << ((i & 1) << 5);
        }
        payload.longs(words);
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> SelectiveCounting<T> open(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> SelectiveCounting<T> readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> SelectiveCounting<T> fromBytes(byte[] bytes, Key<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote. */
    static <T> SelectiveCounting<T> read(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.SELECTIVE, key);
        long size = frame.parameter(0);
        long hashes = frame.parameter(1);
        long planned = frame.parameter(2);
        double error = frame.parameterAsDouble(3);
        double alpha = frame.parameterAsDouble(4);
        long items = frame.parameter(5);
        long declined = frame.parameter(6);
        frame.require(size > 0 && size <= MAX_SIZE, "counters", size);
        frame.require(hashes > 0 && hashes <= BloomKernel.MAX_HASHES, "hashes", hashes);
        frame.require(planned > 0 && planned <= Integer.MAX_VALUE / hashes, "planned items", planned);
        frame.require(error > 0 && error <= 1, "planned error", error);
        frame.require(alpha > 0 && alpha < Double.POSITIVE_INFINITY, "alpha", alpha);
        frame.require(items >= 0 && items <= planned, "items", items);
        frame.require(declined >= 0, "declined items", declined);
        long[] words = in.longs((size + 1) / 2);
        in.end();
        int[] counters = new int[(int) size];
        long sum = 0;
        for (int i = 0; i < counters.length; i++) {
            counters[i] = (int) (words[i >>> 1] >>> ((i & 1) << 5));
            frame.require(counters[i] >= 0, "a counter of", counters[i]);
            sum += counters[i];
        }
        frame.require(size % 2 == 0 || words[words.length - 1] >>> 32 == 0, "bits beyond counter", size);
        frame.require(sum == hashes * items, "items", items);
        Sizing sizing = new Sizing(Kind.SELECTIVE, planned, error, bytesFor(size), 0);
        SelectiveCounting<T> read = new SelectiveCounting<>(key, frame.salt(), sizing, alpha, (int) hashes, counters);
        read.items = items;
        read.declined = declined;
        return read;
    }

    @Override
    public String toString() {
        return sizing + ", alpha " + Figures.significant(alpha) + ", " + Figures.count(items, "item") + " in, "
                + Figures.count(declined) + " declined";
    }

    /**
     * Describes a selective filter before it is allocated: items, the cost of a wrong "no", and an error or a memory
     * limit. Immutable.
     */
    public static final class Plan<T> {
        private final FilterRequest<T> asked;
        private final double alpha;
        private final long counters;
        private final int hashes;

        private Plan(FilterRequest<T> asked, double alpha, long counters, int hashes) {
            this.asked = asked;
            this.alpha = alpha;
            this.counters = counters;
            this.hashes = hashes;
        }

        /** The cost of a wrong "no" divided by that of a wrong "yes", (origin − cache) / cache (default: 1). */
        public Plan<T> alpha(double ratio) {
            if (!(ratio > 0 && ratio < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("alpha must be above 0, got " + ratio);
            }
            return new Plan<>(asked, ratio, counters, hashes);
        }

        /**
         * The highest acceptable error of the counters alone when the filter holds the planned items, in (0, 1)
         * (default: 0.01).
         */
        public Plan<T> falsePositives(double rate) {
            return new Plan<>(asked.falsePositives(rate), alpha, counters, hashes);
        }

        /** The memory limit in bytes. Without a false positive rate, the filter gets the lowest rate that fits. */
        public Plan<T> memoryBytes(long max) {
            return new Plan<>(asked.memoryBytes(max), alpha, counters, hashes);
        }

        /** The key of the values (default: strings). */
        public <U> Plan<U> of(Key<U> key) {
            return new Plan<>(asked.of(key), alpha, counters, hashes);
        }

        /** The salt (default: 0); see {@link FilterPlan#salt}. */
        public Plan<T> salt(int salt) {
            return new Plan<>(asked.salt(salt), alpha, counters, hashes);
        }

        /** Uses exactly this number of counters, whatever error that gives. */
        public Plan<T> counters(long exactly) {
            if (exactly < 1 || exactly > MAX_SIZE) {
                throw new IllegalArgumentException("counters must be in [1, " + MAX_SIZE + "], got " + exactly);
            }
            return new Plan<>(asked, alpha, exactly, hashes);
        }

        /** Uses exactly this number of hashes (default: the best number). */
        public Plan<T> hashes(int exactly) {
            if (exactly < 1 || exactly > BloomKernel.MAX_HASHES) {
                throw new IllegalArgumentException(
                        "hashes must be in [1, " + BloomKernel.MAX_HASHES + "], got " + exactly);
            }
            return new Plan<>(asked, alpha, counters, exactly);
        }

        /** Returns the size and error that the filter will have, without allocating it. */
        public Sizing sizing() {
            return sizing(shape());
        }

        /** Builds an empty filter. */
        public SelectiveCounting<T> build() {
            BloomShape shape = shape();
            return new SelectiveCounting<>(
                    asked.key(), asked.salt(), sizing(shape), alpha, shape.hashes(), new int[(int) shape.bits()]);
        }

        private Sizing sizing(BloomShape shape) {
            double error = BloomFormulas.falsePositives(shape.bits(), shape.hashes(), asked.items());
            return asked.within(new Sizing(Kind.SELECTIVE, asked.items(), error, bytesFor(shape.bits()), 0));
        }

        private BloomShape shape() {
            BloomShape shape;
            if (counters > 0) {
                shape = BloomShape.ofBits(counters, asked.items(), hashes);
            } else if (asked.byMemory()) {
                shape = BloomShape.ofBits(
                        Math.min(MAX_SIZE, asked.memoryBytes() / Integer.BYTES), asked.items(), hashes);
            } else {
                shape = BloomShape.forError(asked.items(), asked.errorOrDefault(), hashes, "counters", MAX_SIZE);
            }
            if (asked.items() > Integer.MAX_VALUE / shape.hashes()) {
                throw new IllegalArgumentException("a selective filter of " + shape.hashes() + " hashes is for at most "
                        + Integer.MAX_VALUE / shape.hashes() + " items, got " + asked.items() + ": split the set");
            }
            return shape;
        }
    }

    /** The prior probability that a value is there, which a {@link SelectiveCounting} combines with its counters. */
    @FunctionalInterface
    public interface Prior<T> {
        /** Returns the probability, in [0, 1], that the value is there. */
        double of(T value);

        /** Returns a prior that is the same for all values. */
        static <T> Prior<T> constant(double prior) {
            CountingFormulas.checkPrior(prior);
            return value -> prior;
        }

        /**
         * Returns a prior that is the same for all values of a group, for example of an address prefix or a tenant.
         *
         * @param otherwise the prior of groups that are not in the table
         */
        static <T, G> Prior<T> byGroup(Function<? super T, ? extends G> group, Map<G, Double> table, double otherwise) {
            CountingFormulas.checkPrior(otherwise);
            table.values().forEach(CountingFormulas::checkPrior);
            Map<G, Double> fixed = Map.copyOf(table);
            return value -> fixed.getOrDefault(group.apply(value), otherwise);
        }
    }
}
