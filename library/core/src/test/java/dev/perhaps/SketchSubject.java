package dev.perhaps;

import dev.perhaps.frequency.FrequencySubject;
import dev.perhaps.guard.SelectiveCounting;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomDelta;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.Subject;
import dev.perhaps.similarity.BitSample;
import dev.perhaps.similarity.Hyperplanes;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Signatures;
import dev.perhaps.similarity.SimHash;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * One way to build a structure, of whatever kind, under test. The modes of filters and of counts come from the subjects of
 * their own contracts; a kind that is neither has its line in {@link #others}.
 *
 * @param name what the test report calls it
 * @param error the fact of the description that says how far an answer may be off
 */
record SketchSubject(String name, Kind kind, String error, Building building) {
    private static final int PLANNED = 100;

    /** Builds the structure of the first items of a sequence. */
    @FunctionalInterface
    interface Building {
        Sketch build(long seed, int items);
    }

    static Stream<SketchSubject> all() {
        return Stream.of(
                        Subject.all().map(SketchSubject::of),
                        FrequencySubject.all().map(SketchSubject::of),
                        others())
                .flatMap(subjects -> subjects);
    }

    private static Stream<SketchSubject> others() {
        return Stream.of(
                new SketchSubject("selective", Kind.SELECTIVE, "errorPlanned", SketchSubject::selective),
                new SketchSubject("bloom delta", Kind.BLOOM_DELTA, "errorPlanned", SketchSubject::delta),
                signatures(
                        "minhash",
                        Kind.MINHASH,
                        (seed, items) ->
                                Signatures.of(MinHash.of(20).of(key(seed)).sign(hashes(items), 0, items))),
                signatures(
                        "minhash, classic",
                        Kind.MINHASH,
                        (seed, items) ->
                                Signatures.of(MinHash.classic(9).of(key(seed)).sign(hashes(items), 0, items))),
                signatures(
                        "minhash, 4 bits",
                        Kind.MINHASH,
                        (seed, items) -> Signatures.of(
                                MinHash.of(20).of(key(seed)).bits(4).sign(hashes(items), 0, items))),
                signatures(
                        "simhash",
                        Kind.SIMHASH,
                        (seed, items) ->
                                Signatures.of(SimHash.of(100).of(key(seed)).sign(hashes(items), 0, items))),
                signatures(
                        "hyperplanes",
                        Kind.SIMHASH,
                        (seed, items) -> Signatures.of(Hyperplanes.of(70)
                                .seeded(seed)
                                .sign(Arrays.stream(hashes(Math.max(1, items)))
                                        .asDoubleStream()
                                        .toArray()))),
                signatures(
                        "bit sample",
                        Kind.BIT_SAMPLE,
                        (seed, items) -> Signatures.of(BitSample.of(65)
                                .dimensions(64L * Math.max(1, items))
                                .seeded(seed)
                                .sign(hashes(Math.max(1, items))))),
                new SketchSubject(
                        "similar", Kind.SIMILAR, "foundAtThreshold", (seed, items) -> index(false, seed, items)),
                new SketchSubject(
                        "similar, exact", Kind.SIMILAR, "foundAtThreshold", (seed, items) -> index(true, seed, items)));
    }

    private static SketchSubject of(Subject subject) {
        return new SketchSubject(subject.name(), subject.kind(), "errorNow", (seed, items) -> {
            FilterPlan<Long> plan = subject.plan()
                    .apply(Math.max(PLANNED, items))
                    .falsePositives(0.01)
                    .salt(3)
                    .of(key(seed));
            return plan.buildFrom(Hashes.of(hashes(items)));
        });
    }

    private static SketchSubject of(FrequencySubject subject) {
        return new SketchSubject(subject.name(), subject.kind(), error(subject.kind()), (seed, items) -> {
            Sketch sketch = subject.empty().apply(seed);
            for (long item = 0; item < items; item++) {
                subject.adding().add(sketch, item * item % 97, 1);
            }
            return sketch;
        });
    }

    private static String error(Kind kind) {
        return switch (kind) {
            case DISTINCT -> "standardError";
            case FLOWS -> "innocentsNow";
            case TOP, SLIDING_TOP -> "missed";
            case TINY_TOP -> "bounded"; // it says that it has no bound
            default -> "errorNow";
        };
    }

    private static SketchSubject signatures(String name, Kind kind, Building building) {
        return new SketchSubject(name, kind, "standardErrorAtMost", building);
    }

    private static Sketch selective(long seed, int items) {
        SelectiveCounting<Long> selective = SelectiveCounting.expecting(Math.max(PLANNED, items))
                .alpha(9)
                .of(key(seed))
                .build();
        for (long hash : hashes(items)) {
            selective.addHash(hash, 0.25);
        }
        return selective;
    }

    private static Sketch delta(long seed, int items) {
        BloomFilter<Long> before =
                BloomFilter.expecting(PLANNED).of(key(seed)).salt(3).build();
        before.addHashes(hashes(10), 0, 10);
        BloomFilter<Long> now = before.copy();
        now.addHashes(hashes(items), 0, items);
        return BloomDelta.between(before, now);
    }

    private static Sketch index(boolean exact, long seed, int items) {
        SimilarityIndex.Plan plan = SimilarityIndex.of(MinHash.of(18).of(key(seed)));
        SimilarityIndex index = (exact ? plan.exact() : plan).build();
        for (int i = 1; i <= items; i++) {
            index.add("Zürich " + i, hashes(i));
        }
        try {
            // Written, its layout is made again: only what was read takes the memory that it takes when it is read
            // again.
            return SimilarityIndex.fromBytes(index.toBytes(), key(seed));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Key.Stored<Long> key(long seed) {
        return Key.longs().seeded(seed);
    }

    private static long[] hashes(int items) {
        return Subject.hashes(items, 24);
    }

    /** The structure of this number of items, with a key of this seed. */
    Sketch build(long seed, int items) {
        return building.build(seed, items);
    }

    /** The structure of a few items, with a key of the default seed. */
    Sketch build() {
        return build(Key.DEFAULT_SEED, 40);
    }

    @Override
    public String toString() {
        return name;
    }
}
