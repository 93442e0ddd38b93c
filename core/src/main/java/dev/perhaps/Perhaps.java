package dev.perhaps;

import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.Flows;
import dev.perhaps.frequency.HeavyHitters;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.frequency.SlidingCounts;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.frequency.TinyTopK;
import dev.perhaps.frequency.TopK;
import dev.perhaps.io.FormatException;
import dev.perhaps.io.Frame;
import dev.perhaps.io.FrameReader;
import dev.perhaps.io.Kind;
import dev.perhaps.io.Shareable;
import dev.perhaps.io.Sketch;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomDelta;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CountingBloom;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.FuseFilter;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.QuotientFilter;
import dev.perhaps.membership.ScalableBloom;
import dev.perhaps.membership.SelectiveCounting;
import dev.perhaps.plan.Candidate;
import dev.perhaps.plan.Choice;
import dev.perhaps.plan.Need;
import dev.perhaps.similarity.Signatures;
import dev.perhaps.similarity.SimilarityIndex;
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

/** Opens files of every kind, and plans filters by the word for their kind. */
public final class Perhaps {
    private static final Map<Kind, LongFunction<FilterPlan<String>>> PLANS = new EnumMap<>(Kind.class);
    private static final Map<Kind, Reader> READERS = new EnumMap<>(Kind.class);

    static {
        // The registry: how a kind is read and, of filters, how it is planned. One line a kind.
        filter(Kind.BLOOM, BloomFilter::expecting, BloomFilter::read);
        filter(Kind.BLOCKED, BlockedBloom::expecting, BlockedBloom::read);
        filter(Kind.SCALABLE, ScalableBloom::expecting, ScalableBloom::read);
        filter(Kind.COUNTING, CountingBloom::expecting, CountingBloom::read);
        filter(Kind.COUNTING2, items -> CountingBloom.expecting(items).compact(), CountingBloom::read);
        filter(Kind.QUOTIENT, QuotientFilter::expecting, QuotientFilter::read);
        filter(Kind.CUCKOO, CuckooFilter::expecting, CuckooFilter::read);
        filter(Kind.FUSE, FuseFilter::expecting, FuseFilter::read);
        sketch(Kind.SELECTIVE, SelectiveCounting::read);
        sketch(Kind.COUNT, CountMin::read);
        sketch(Kind.RANGES, RangeCounts::read);
        sketch(Kind.TOP, TopK::read);
        sketch(Kind.TINY_TOP, TinyTopK::read);
        sketch(Kind.HEAVY, HeavyHitters::read);
        sketch(Kind.DISTINCT, Distinct::read);
        sketch(Kind.SLIDING_COUNT, SlidingCounts::read);
        sketch(Kind.SLIDING_TOP, SlidingTopK::read);
        sketch(Kind.FLOWS, Flows::read);
        sketch(Kind.MINHASH, Signatures::read);
        sketch(Kind.SIMHASH, Signatures::read);
        sketch(Kind.BIT_SAMPLE, Signatures::read);
        sketch(Kind.SIMILAR, SimilarityIndex::read);
        sketch(Kind.BLOOM_DELTA, BloomDelta::read);
    }

    private Perhaps() {}

    /** Opens a file of any kind with the key that it names. For threads that share it: {@link #concurrent}. */
    public static Sketch open(Path file) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(
                    file.toString(),
                    in,
                    Key.named(in.frame().keyName(), in.frame().seed()));
        }
    }

    /** Opens a filter of any kind; a file written with another key is refused. For threads that share it: {@link #concurrent}. */
    public static <T> HashFilter<T> openFilter(Path file, Key<T> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            if (!filterKinds().contains(in.frame().kind())) {
                throw new FormatException(file + ": it holds a " + in.frame().kind() + ", which is no filter");
            }
            return asFilter(read(file.toString(), in, key));
        }
    }

    /** Reads a structure of any kind from a stream, not a byte too many; more than {@code maxBytes} are refused. */
    public static Sketch readFrom(InputStream stream, long maxBytes) throws IOException {
        FrameReader in = FrameReader.open(stream, maxBytes);
        return read("", in, Key.named(in.frame().keyName(), in.frame().seed()));
    }

    /**
     * The form of what was opened or read that any number of threads may add to and ask at once:
     * {@code Perhaps.concurrent(Perhaps.openFilter(file, key))}. It takes over the content: use only what is returned.
     *
     * @throws IllegalArgumentException if this kind has no such form
     * @throws IllegalStateException if this one has none, because of the way in which it is updated
     */
    @SuppressWarnings("unchecked") // the concurrent form is of the type that its kind is opened as
    public static <S extends Sketch> S concurrent(S opened) {
        if (opened instanceof Shareable<?> shareable) {
            return (S) shareable.concurrent();
        }
        throw new IllegalArgumentException(
                "a " + opened.kind() + " has no form that threads may share while it changes:"
                        + " guard it with a lock, or use a " + Kind.BLOOM + " or a " + Kind.COUNT);
    }

    /** Reads the header of a file: what it holds and which key it was written with. */
    public static Frame look(Path file) throws IOException {
        return Frame.look(file);
    }

    /** The kinds of filter. */
    public static Set<Kind> filterKinds() {
        return Collections.unmodifiableSet(PLANS.keySet());
    }

    /** A plan for a filter of this kind. */
    public static FilterPlan<String> planFilter(Kind kind, long items) {
        LongFunction<FilterPlan<String>> plan = PLANS.get(kind);
        if (plan == null) {
            throw new IllegalArgumentException("there is no filter of kind " + kind);
        }
        return plan.apply(items);
    }

    /** Holds all kinds of filter against a need, and recommends one. */
    public static Choice plan(Need need) {
        List<Candidate> candidates = new ArrayList<>();
        PLANS.forEach((kind, plan) -> candidates.add(Candidate.of(kind, plan, need)));
        return Choice.among(candidates, need);
    }

    private interface Reader {
        <T> Sketch read(FrameReader in, Key<T> key) throws IOException;
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
            return reader.read(in, key);
        } catch (FormatException e) {
            throw name.isEmpty() ? e : new FormatException(name + ": " + e.getMessage());
        }
    }

    @SuppressWarnings("unchecked") // every kind in the registry reads a filter of the key it is given
    private static <T> HashFilter<T> asFilter(Sketch sketch) {
        return (HashFilter<T>) sketch;
    }
}
