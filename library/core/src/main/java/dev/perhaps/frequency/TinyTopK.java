package dev.perhaps.frequency;

import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Addable;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the most frequent values in very little memory, without a guarantee: a count may be too high or too low,
 * and a frequent value may be missing. On skewed streams it is nearly always right: 5,120 bytes find the top 100 of 10
 * million events over a million values. 16 bytes per counter, values included if they are longs; an add reads 16
 * neighbouring counters. Not thread-safe.
 *
 * <pre>{@code
 * TinyTopK<Long> senders = TinyTopK.of(100).memoryBytes(5_120).of(Key.longs()).build();
 * senders.add(4711L);
 * List<Estimated<Long>> loudest = senders.top();
 * }</pre>
 *
 * With guaranteed bounds, in several times the memory: {@link TopK}.
 */
public final class TinyTopK<T> extends AbstractSketch implements Addable<T>, Mergeable<TinyTopK<T>> {
    /*
     * Randomised admission [1]. A value that is not there does not push the smallest out at once, as in Space-Saving,
     * but only with the chance 1 / (c + 1), where c is the smallest count; it then goes on from c + 1: on average it is
     * credited with the events that it took to get in. The many rare values rarely get in and do not inflate the
     * counts: the smallest stays far below N / counters, which is where Space-Saving's is. What came since a value
     * entered is counted exactly; what came before it was pushed out is forgotten. An addition of n at once enters with
     * the chance n / (c + n), and goes on from c + n.
     *
     * Counters stand in lines of 16; a value has one line, by its hash, and the smallest of the line is what it has to
     * beat. Nothing else points to a counter, so there is no index to pay for.
     *
     *     line i   | hash, count | hash, count | ... 16 ... |        the used ones first, in the order in which they came
     *
     * Chosen by measurement: recall of the top 100 of Zipf(1.1), 10 M events over 1 M values, in 2,560 bytes, two
     * streams.
     *
     *     this, lines of 8 / 16 / 32 / 64 (12 bytes per counter)              98  98 / 100 100 / 100 100 / 99 100
     *     110 counters with keys, fingerprints of 2 bytes for the rest
     *       that decay as in HeavyKeeper [2], base 1.08                       98  95
     *       that are admitted as here                                        100 100
     *
     * LongsSketch of DataSketches (Misra and Gries) reaches 45 in 4,608 bytes.
     *
     * Merging adds the counts of what is in both and keeps the larger ones of each line.
     *
     * [1] Ben Basat et al., "Randomized admission policy for efficient top-k and frequency estimation" (2017).
     * [2] Yang et al., "HeavyKeeper: an accurate algorithm for finding top-k elephant flows" (2019).
     */
    private static final long MIX = 0xAEF17502108EF2D9L;
    private static final int WAYS = 16;
    private static final int BYTES_PER_COUNTER = 16;
    private static final int MAX_LINES = 1 << 24;
    private static final int COUNTERS_FOR_EACH = 3;
    private static final long FIRST_STATE = 0x9E3779B97F4A7C15L;

    private final Key.Stored<T> key;
    private final ValueStore<T> kept;
    private final int k;
    private final int lines;
    private final long[] counters;
    private final @Nullable Object @Nullable [] values;
    private long total;
    private long randomState;

    private TinyTopK(Key.Stored<T> key, int k, int lines) {
        this.key = key;
        this.kept = ValueStore.by(key, MIX);
        this.k = k;
        this.lines = lines;
        this.counters = new long[2 * WAYS * lines];
        this.values = kept.inHash() ? null : new Object[WAYS * lines];
        this.randomState = firstState(key.seed());
    }

    private static long firstState(long seed) {
        long state = Mix.finish(seed) ^ FIRST_STATE;
        return state == 0 ? FIRST_STATE : state;
    }

    /** Starts a plan for the k most frequent values. */
    public static Plan<String> of(int k) {
        if (k < 1 || k > WAYS * MAX_LINES) {
            throw new IllegalArgumentException("k must be in [1, " + WAYS * MAX_LINES + "], got " + k);
        }
        return new Plan<>(k, 0, Key.strings());
    }

    /** Counts one event of a value. */
    public void add(T value) {
        add(value, 1);
    }

    /** Counts {@code count} events of a value, 0 or more. */
    public void add(T value, long count) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be 0 or more, got " + count);
        }
        if (count > Long.MAX_VALUE - total) {
            throw new IllegalArgumentException(
                    "count must leave the total below 2^63, got " + count + " at a total of " + total);
        }
        long hash = kept.hash(value);
        total += count;
        if (count == 0) {
            return;
        }
        int first = firstOf(hash);
        int smallest = first;
        for (int at = first; at < first + WAYS; at++) {
            long here = counters[2 * at + 1];
            if (here == 0) {
                put(at, hash, kept.of(value), count);
                return;
            }
            if (counters[2 * at] == hash && kept.same(keptAt(at), value)) {
                counters[2 * at + 1] = here + count;
                return;
            }
            if (here < counters[2 * smallest + 1]) {
                smallest = at;
            }
        }
        long sum = counters[2 * smallest + 1] + count;
        if (random() * sum < count) {
            put(smallest, hash, kept.of(value), sum);
        }
    }

    @Override
    public boolean offer(T value) {
        add(value);
        return true;
    }

    @Override
    public void clear() {
        Arrays.fill(counters, 0);
        if (values != null) {
            Arrays.fill(values, null);
        }
        total = 0;
        randomState = firstState(key.seed());
    }

    private int firstOf(long hash) {
        return WAYS * (int) ((hash >>> 32) * lines >>> 32);
    }

    private void put(int at, long hash, Object value, long count) {
        counters[2 * at] = hash;
        counters[2 * at + 1] = count;
        if (values != null) {
            values[at] = value;
        }
    }

    private Object keptAt(int at) {
        return values == null ? ValueStore.NOTHING : Objects.requireNonNull(values[at]);
    }

    private T valueAt(int at) {
        return kept.value(counters[2 * at], keptAt(at));
    }

    /** In [0, 1), by Marsaglia's xorshift: 53 bits of a state that the file keeps. */
    private double random() {
        long x = randomState;
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        randomState = x;
        return (x >>> 11) * 0x1p-53;
    }

    /** Returns an estimate without a bound; 0 if the value is not kept. */
    public long estimate(T value) {
        int at = find(kept.hash(value), value);
        return at < 0 ? 0 : counters[2 * at + 1];
    }

    private int find(long hash, T value) {
        int first = firstOf(hash);
        for (int at = first; at < first + WAYS && counters[2 * at + 1] != 0; at++) {
            if (counters[2 * at] == hash && kept.same(keptAt(at), value)) {
                return at;
            }
        }
        return -1;
    }

    /** Returns the k values that are probably the most frequent, the most frequent first. */
    public List<Estimated<T>> top() {
        List<Estimated<T>> all = inOrder();
        all.sort(Comparator.comparingLong(one -> -one.estimate()));
        return List.copyOf(all.subList(0, Math.min(k, all.size())));
    }

    /** All that is kept, line by line. */
    private List<Estimated<T>> inOrder() {
        List<Estimated<T>> all = new ArrayList<>();
        for (int at = 0; at < WAYS * lines; at++) {
            if (counters[2 * at + 1] != 0) {
                all.add(new Estimated<>(valueAt(at), counters[2 * at + 1]));
            }
        }
        return all;
    }

    /** Returns the sum of all counts. */
    public long total() {
        return total;
    }

    /** Returns the number of values that {@link #top} returns. */
    public int k() {
        return k;
    }

    /** Returns the number of values that can be kept. */
    public int capacity() {
        return WAYS * lines;
    }

    /** Returns the key that hashes, writes and reads the values. */
    public Key.Stored<T> key() {
        return key;
    }

    @Override
    public Kind kind() {
        return Kind.TINY_TOP;
    }

    /** True if both have the same key and capacity. */
    @Override
    public boolean fits(TinyTopK<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    private String difference(TinyTopK<T> other) {
        if (!key.fits(other.key)) {
            return key.against(other.key);
        }
        return lines == other.lines ? "" : "capacity " + capacity() + " against " + other.capacity();
    }

    @Override
    public void merge(TinyTopK<T> other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these tiny top lists do not fit: " + difference);
        }
        if (other.total > Long.MAX_VALUE - total) {
            throw new IllegalArgumentException(
                    "the counts sum up to more than " + Long.MAX_VALUE + ": " + total + " and " + other.total);
        }
        for (int line = 0; line < lines; line++) {
            mergeLine(other, WAYS * line);
        }
        total += other.total;
    }

    private void mergeLine(TinyTopK<T> other, int first) {
        Entries both = new Entries(2 * WAYS);
        for (int at = first; at < first + WAYS && counters[2 * at + 1] != 0; at++) {
            int there = other.find(counters[2 * at], valueAt(at));
            long more = there < 0 ? 0 : other.counters[2 * there + 1];
            both.add(counters[2 * at], keptAt(at), counters[2 * at + 1] + more, 0);
        }
        for (int at = first; at < first + WAYS && other.counters[2 * at + 1] != 0; at++) {
            if (find(other.counters[2 * at], other.valueAt(at)) < 0) {
                both.add(other.counters[2 * at], other.keptAt(at), other.counters[2 * at + 1], 0);
            }
        }
        both.sortLargestFirst();
        for (int i = 0; i < Math.min(WAYS, both.size()); i++) {
            put(first + i, both.hash(i), both.value(i), both.count(i));
        }
    }

    /** {@inheritDoc} The counters only; values that are not longs need more. */
    @Override
    public long sizeBytes() {
        return (long) BYTES_PER_COUNTER * capacity();
    }

    @Override
    public Description describe() {
        return Description.of(kind())
                .text("key", key.name())
                .text("seed", Long.toString(key.seed()))
                .count("k", k)
                .count("capacity", capacity())
                .count("total", total)
                .flag("bounded", false)
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", fileBytes());
    }

    @Override
    public String toString() {
        return "the top " + k + " of " + Figures.count(total) + ", estimated without a bound by "
                + Figures.count(capacity()) + " counters";
    }

    // Parameters in the file (docs/format.md): k, lines, total, random state. Payload: all counts, then the values.
    private Frame frame(ValueCodec<T> written) throws IOException {
        return Frame.of(kind(), key, capacity() * (long) Long.BYTES + written.bytes(), k, lines, total, randomState);
    }

    private ValueCodec<T> values() {
        return new ValueCodec<>(key, inOrder().stream().map(Estimated::value).toList());
    }

    @Override
    public long fileBytes() {
        try {
            return frame(values()).fileBytes();
        } catch (IOException e) {
            throw new IllegalStateException("the key '" + key.name() + "' cannot write its values", e);
        }
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        long[] counts = new long[capacity()];
        Arrays.setAll(counts, at -> counters[2 * at + 1]);
        ValueCodec<T> written = values();
        frame(written).write(out, payload -> {
            payload.longs(counts);
            written.writeTo(payload);
        });
    }

    /** Opens a file; a file that was written with another key is refused with a {@code FormatException}. */
    public static <T> TinyTopK<T> open(Path file, Key.Stored<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static <T> TinyTopK<T> readFrom(InputStream in, Key.Stored<T> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static <T> TinyTopK<T> fromBytes(byte[] bytes, Key.Stored<T> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /** Reads what {@link #writeTo} wrote; a key that cannot read its values is refused. */
    static <T> TinyTopK<T> read(FrameReader in, Key.Stored<T> key) throws IOException {
        Frame frame = in.frame(Kind.TINY_TOP, key);
        long k = frame.parameter(0);
        long lines = frame.parameter(1);
        long total = frame.parameter(2);
        frame.require(lines > 0 && lines <= MAX_LINES, "lines", lines);
        frame.require(k > 0 && k <= WAYS * lines, "k", k);
        frame.require(total >= 0, "a total of", total);
        frame.require(frame.parameter(3) != 0, "a random state of", 0);
        long[] counts = in.longs(WAYS * lines);
        byte[] bytes = in.bytes(frame.payloadBytes() - WAYS * lines * Long.BYTES);
        in.end();
        int size = (int) Arrays.stream(counts).filter(count -> count != 0).count();
        TinyTopK<T> top = new TinyTopK<>(key, (int) k, (int) lines);
        top.total = total;
        top.randomState = frame.parameter(3);
        top.load(frame, counts, ValueCodec.read(key, bytes, size));
        return top;
    }

    private void load(Frame frame, long[] counts, List<T> all) throws FormatException {
        int next = 0;
        for (int at = 0; at < counts.length; at++) {
            frame.require(counts[at] >= 0 && counts[at] <= total, "a count of", counts[at]);
            if (counts[at] == 0) {
                continue;
            }
            T value = all.get(next++);
            long hash = kept.hash(value);
            boolean behindAnother = at % WAYS == 0 || counts[at - 1] != 0;
            if (firstOf(hash) != at / WAYS * WAYS || !behindAnother || find(hash, value) >= 0) {
                throw new FormatException("its values do not stand where they belong: it is damaged");
            }
            put(at, hash, kept.of(value), counts[at]);
        }
    }

    /** Describes a tiny top list before it is allocated. Immutable. */
    public static final class Plan<T> {
        private final int k;
        private final int lines;
        private final Key.Stored<T> key;

        private Plan(int k, int lines, Key.Stored<T> key) {
            this.k = k;
            this.lines = lines;
            this.key = key;
        }

        /** The key of the values (default: strings). */
        public <U> Plan<U> of(Key.Stored<U> other) {
            return new Plan<>(k, lines, Objects.requireNonNull(other, "key must not be null"));
        }

        /** The memory of the counters in bytes (default: 3 k counters); values that are not longs need more. */
        public Plan<T> memoryBytes(long max) {
            long fitting = Math.min(MAX_LINES, max / (WAYS * BYTES_PER_COUNTER));
            if (fitting * WAYS < k) {
                throw new IllegalArgumentException("memoryBytes must be at least "
                        + (long) linesFor(k) * WAYS * BYTES_PER_COUNTER + " for k = " + k + ", got " + max);
            }
            return new Plan<>(k, (int) fitting, key);
        }

        private static int linesFor(long counters) {
            return (int) Math.min(MAX_LINES, (counters + WAYS - 1) / WAYS);
        }

        private int lines() {
            return lines != 0 ? lines : linesFor((long) COUNTERS_FOR_EACH * k);
        }

        /** Returns the memory of the counters in bytes. */
        public long sizeBytes() {
            return (long) lines() * WAYS * BYTES_PER_COUNTER;
        }

        /** Builds an empty list. */
        public TinyTopK<T> build() {
            return new TinyTopK<>(key, k, lines());
        }
    }
}
