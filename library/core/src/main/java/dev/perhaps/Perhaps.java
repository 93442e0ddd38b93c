package dev.perhaps;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.Flows;
import dev.perhaps.frequency.HeavyHitters;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.frequency.SlidingCounts;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.frequency.TinyTopK;
import dev.perhaps.frequency.TopK;
import dev.perhaps.guard.SelectiveCounting;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomDelta;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CountingBloom;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.CuckooSet;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.FuseFilter;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.QuotientFilter;
import dev.perhaps.membership.QuotientSet;
import dev.perhaps.membership.ScalableBloom;
import dev.perhaps.plan.Choice;
import dev.perhaps.plan.Need;
import dev.perhaps.similarity.Signatures;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.sketch.Addable;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Shareable;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collector;

/** Opens files of every kind, plans filters by kind, and collects streams. All methods are thread-safe. */
public final class Perhaps {
    private static final Map<Kind, LongFunction<FilterPlan<String>>> PLANS = new EnumMap<>(Kind.class);
    private static final Map<Kind, Reader> READERS = new EnumMap<>(Kind.class);

    static {
        // The registry: how a kind is read and, of filters, how it is planned. One line per kind.
        filter(Kind.BLOOM, BloomFilter::expecting, BloomFilter::readFrom);
        filter(Kind.BLOCKED, BlockedBloom::expecting, BlockedBloom::readFrom);
        filter(Kind.SCALABLE, ScalableBloom::expecting, ScalableBloom::readFrom);
        filter(Kind.COUNTING, CountingBloom::expecting, CountingBloom::readFrom);
        filter(Kind.COUNTING2, items -> CountingBloom.expecting(items).compact(), CountingBloom::readFrom);
        filter(Kind.QUOTIENT, QuotientFilter::expecting, Perhaps::quotient);
        filter(Kind.CUCKOO, CuckooFilter::expecting, Perhaps::cuckoo);
        filter(Kind.FUSE, FuseFilter::expecting, FuseFilter::readFrom);
        filter(Kind.EXPIRING, ExpiringBloom::expecting, ExpiringBloom::readFrom);
        sketch(Kind.SELECTIVE, SelectiveCounting::readFrom);
        sketch(Kind.COUNT, CountMin::readFrom);
        sketch(Kind.RANGES, Perhaps::ranges);
        sketch(Kind.TOP, Perhaps::top);
        sketch(Kind.TINY_TOP, Perhaps::tinyTop);
        sketch(Kind.HEAVY, Perhaps::heavy);
        sketch(Kind.DISTINCT, Distinct::readFrom);
        sketch(Kind.SLIDING_COUNT, SlidingCounts::readFrom);
        sketch(Kind.SLIDING_TOP, Perhaps::slidingTop);
        sketch(Kind.FLOWS, Flows::readFrom);
        sketch(Kind.MINHASH, Signatures::readFrom);
        sketch(Kind.SIMHASH, Signatures::readFrom);
        sketch(Kind.BIT_SAMPLE, Signatures::readFrom);
        sketch(Kind.SIMILAR, SimilarityIndex::readFrom);
        sketch(Kind.BLOOM_DELTA, BloomDelta::readFrom);
    }

    private Perhaps() {}

    /**
     * Opens a file of any kind with the key that it names; a file that cannot be read is refused with a {@code
     * FormatException}. For threads that share the structure: {@link #concurrent}.
     */
    public static Sketch open(Path file) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(
                    file.toString(),
                    in,
                    Key.named(in.frame().keyName(), in.frame().seed()));
        }
    }

    /**
     * Opens a filter of any kind; a file with another key, or of a kind that is not a filter, is refused with a {@code
     * FormatException}. For threads that share the filter: {@link #concurrent}.
     */
    public static <T> HashFilter<T> openFilter(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return asFilter(read(file.toString(), filtersOnly(file.toString(), in), key));
        }
    }

    /**
     * Reads one structure of any kind from a stream and no byte after it; a payload of more than {@code maxBytes} bytes
     * is refused.
     */
    public static Sketch readFrom(InputStream stream, long maxBytes) throws IOException {
        FrameReader in = FrameReader.open(stream, maxBytes);
        return read("", in, Key.named(in.frame().keyName(), in.frame().seed()));
    }

    /**
     * {@link #readFrom(InputStream, long)} with another key in place of the one that the frame names: one that fits it,
     * such as that of bytes in place of strings.
     */
    public static Sketch readFrom(InputStream stream, long maxBytes, UnaryOperator<Key<?>> replacement)
            throws IOException {
        FrameReader in = FrameReader.open(stream, maxBytes);
        return read(
                "",
                in,
                replacement.apply(Key.named(in.frame().keyName(), in.frame().seed())));
    }

    /**
     * Reads the bytes that {@link Sketch#toBytes} returned, with the key that they name; missing or extra bytes are
     * refused.
     */
    public static Sketch fromBytes(byte[] bytes) throws IOException {
        FrameReader in = FrameReader.open(bytes);
        return read("", in, Key.named(in.frame().keyName(), in.frame().seed()));
    }

    /** Reads a filter of any kind from the bytes that {@link Sketch#toBytes} returned; another key is refused. */
    public static <T> HashFilter<T> filterFromBytes(byte[] bytes, Key<T> key) throws IOException {
        FrameReader in = FrameReader.open(bytes);
        return asFilter(read("", filtersOnly("", in), key));
    }

    private static FrameReader filtersOnly(String name, FrameReader in) throws FormatException {
        if (!filterKinds().contains(in.frame().kind())) {
            String where = name.isEmpty() ? "" : name + ": ";
            throw new FormatException(where + "it holds a " + in.frame().kind() + ", which is not a filter");
        }
        return in;
    }

    /**
     * Returns the concurrent form of a structure, which any number of threads may add to and query at once: {@code
     * Perhaps.concurrent(Perhaps.openFilter(file, key))}. It takes over the content: use only the returned structure
     * afterwards.
     *
     * @throws IllegalArgumentException if this kind has no concurrent form
     * @throws IllegalStateException if this structure has none, because of the way in which it is updated
     */
    @SuppressWarnings("unchecked") // the concurrent form is of the type that its kind is opened as
    public static <S extends Sketch> S concurrent(S opened) {
        if (opened instanceof Shareable<?> shareable) {
            return (S) shareable.concurrent();
        }
        throw new IllegalArgumentException("kind '" + opened.kind() + "' has no concurrent form: guard it with a lock,"
                + " or use a kind that has one (docs/threads.md), such as '" + Kind.BLOCKED + "' or '" + Kind.CUCKOO
                + "'");
    }

    /**
     * Returns a collector that adds a stream to a new structure: {@code
     * ids.collect(Perhaps.collector(BloomFilter.expecting(1_000_000)::build))}. A parallel stream fills one structure,
     * not one per thread, so that the memory is that of the plan; its threads take turns, or run without a lock if the
     * structure is {@link Shareable#isConcurrent concurrent}.
     *
     * @throws IllegalStateException while collecting, if the structure is full
     */
    public static <T, S extends Addable<T>> Collector<T, ?, S> collector(Supplier<S> empty) {
        Objects.requireNonNull(empty, "empty must not be null");
        return Collector.of(
                empty,
                Perhaps::take,
                Perhaps::merged,
                Collector.Characteristics.UNORDERED,
                Collector.Characteristics.CONCURRENT,
                Collector.Characteristics.IDENTITY_FINISH);
    }

    private static <T> void take(Addable<T> into, T value) {
        if (into instanceof Shareable<?> shareable && shareable.isConcurrent()) {
            offer(into, value);
            return;
        }
        synchronized (into) {
            offer(into, value);
        }
    }

    private static <T> void offer(Addable<T> into, T value) {
        if (!into.offer(value)) {
            throw new IllegalStateException("the " + into.kind() + " filter is full: plan it for more items");
        }
    }

    /**
     * Called only for a collector inside another one, such as groupingBy, of a parallel stream: that fills several
     * structures.
     */
    @SuppressWarnings("unchecked") // both are of the type that one supplier gave
    private static <S extends Addable<?>> S merged(S one, S other) {
        if (one instanceof Mergeable<?> mergeable) {
            ((Mergeable<S>) mergeable).merge(other);
            return one;
        }
        throw new UnsupportedOperationException("two " + one.kind()
                + " structures cannot be merged: collect a sequential stream, or use groupingByConcurrent");
    }

    /** Reads the header of a file: its kind, key and length. The content is not read. */
    public static Sketch.Header look(Path file) throws IOException {
        return Frame.look(file).describe();
    }

    /** Returns the kinds that are filters. */
    public static Set<Kind> filterKinds() {
        return Collections.unmodifiableSet(PLANS.keySet());
    }

    /** Starts a plan for a filter of this kind and number of items. */
    public static FilterPlan<String> planFilter(Kind kind, long items) {
        LongFunction<FilterPlan<String>> plan = PLANS.get(kind);
        if (plan == null) {
            throw new IllegalArgumentException("there is no filter of kind " + kind);
        }
        return plan.apply(items);
    }

    /** Compares all kinds of filter whose items do not expire with a need, and recommends one of them, or none. */
    public static Choice plan(Need need) {
        List<Choice.Candidate> candidates = new ArrayList<>();
        PLANS.forEach((kind, plan) -> {
            if (kind != Kind.EXPIRING) {
                candidates.add(Choice.Candidate.of(kind, plan, need));
            }
        });
        return Choice.among(candidates, need);
    }

    private interface Reader {
        <T> Sketch readFrom(InputStream in, Key<T> key, long maxBytes) throws IOException;
    }

    private static void filter(Kind kind, LongFunction<FilterPlan<String>> plan, Reader reader) {
        PLANS.put(kind, plan);
        READERS.put(kind, reader);
    }

    private static void sketch(Kind kind, Reader reader) {
        READERS.put(kind, reader);
    }

    private static Sketch read(String name, FrameReader in, Key<?> key) throws IOException {
        Reader reader = Objects.requireNonNull(READERS.get(in.frame().kind()), "every kind is in the registry");
        try {
            return reader.readFrom(in.stream(), key, in.frame().payloadBytes());
        } catch (FormatException e) {
            throw name.isEmpty() ? e : new FormatException(name + ": " + e.getMessage());
        }
    }

    private static <T> Sketch quotient(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return isSet(in, maxBytes)
                ? QuotientSet.readFrom(in, key, maxBytes)
                : QuotientFilter.readFrom(in, key, maxBytes);
    }

    private static <T> Sketch cuckoo(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return isSet(in, maxBytes) ? CuckooSet.readFrom(in, key, maxBytes) : CuckooFilter.readFrom(in, key, maxBytes);
    }

    /** Parameter 3 of both kinds says whether each fingerprint is kept once (docs/format.md). */
    private static boolean isSet(InputStream in, long maxBytes) throws IOException {
        return FrameReader.open(in, maxBytes).frame().parameter(3) == 1;
    }

    private static <T> Sketch ranges(InputStream in, Key<T> key, long maxBytes) throws IOException {
        FrameReader.open(in, maxBytes).frame(Kind.RANGES, key);
        return RangeCounts.readFrom(in, maxBytes);
    }

    private static <T> Sketch top(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return TopK.readFrom(in, stored(key), maxBytes);
    }

    private static <T> Sketch tinyTop(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return TinyTopK.readFrom(in, stored(key), maxBytes);
    }

    private static <T> Sketch heavy(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return HeavyHitters.readFrom(in, stored(key), maxBytes);
    }

    private static <T> Sketch slidingTop(InputStream in, Key<T> key, long maxBytes) throws IOException {
        return SlidingTopK.readFrom(in, stored(key), maxBytes);
    }

    /** The key, if it can read values back. */
    private static <T> Key.Stored<T> stored(Key<T> key) throws FormatException {
        if (key instanceof Key.Stored<T> stored) {
            return stored;
        }
        throw new FormatException("it keeps values of the key '" + key.name()
                + "', which can hash them but not read them: open it with a key that can");
    }

    @SuppressWarnings("unchecked") // every kind in the registry reads a filter of the key it is given
    private static <T> HashFilter<T> asFilter(Sketch sketch) {
        return (HashFilter<T>) sketch;
    }
}
