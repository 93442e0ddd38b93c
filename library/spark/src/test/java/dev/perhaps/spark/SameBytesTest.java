package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.QuotientFilter;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.Signatures;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What Spark builds of rows in any partitions is what the library builds of them in one run. */
@EnabledForJreRange(max = JRE.JAVA_21)
class SameBytesTest {
    /** Kinds of which the bytes are the same, whatever the order of rows. */
    private static final Set<Kind> SAME_BYTES = EnumSet.of(
            Kind.BLOOM,
            Kind.BLOCKED,
            Kind.COUNTING,
            Kind.QUOTIENT,
            Kind.FUSE,
            Kind.COUNT,
            Kind.RANGES,
            Kind.DISTINCT,
            Kind.MINHASH);

    /** Kinds whose bytes depend on the order in which values come, of which the promises hold. */
    private static final Set<Kind> SAME_PROMISE = EnumSet.of(Kind.COUNTING2, Kind.SCALABLE, Kind.CUCKOO, Kind.TOP);

    /** Kinds that SQL does not build: they need times, pairs, costs or vectors beside the value, or are made of others. */
    private static final Set<Kind> NOT_BUILT = EnumSet.of(
            Kind.EXPIRING,
            Kind.SELECTIVE,
            Kind.TINY_TOP,
            Kind.HEAVY,
            Kind.SLIDING_COUNT,
            Kind.SLIDING_TOP,
            Kind.FLOWS,
            Kind.SIMHASH,
            Kind.BIT_SAMPLE,
            Kind.SIMILAR,
            Kind.BLOOM_DELTA);

    private static final int ROWS = 20_000;
    private static final int DIFFERENT = 6_000;
    private static final double FPP = 0.01;
    private static final List<Long> VALUES = values();

    private static List<Long> values() {
        Random random = new Random(7);
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            values.add((long) (random.nextDouble() * random.nextDouble() * DIFFERENT));
        }
        return values;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyKindIsInOneList(Kind kind) {
        assertThat(Stream.of(SAME_BYTES, SAME_PROMISE, NOT_BUILT).filter(kinds -> kinds.contains(kind)))
                .as("say of the kind %s whether Spark builds it with the same bytes, the same promise, or not", kind)
                .hasSize(1);
    }

    static Stream<Kind> builtWithTheSameBytes() {
        return SAME_BYTES.stream();
    }

    @ParameterizedTest
    @MethodSource("builtWithTheSameBytes")
    void anyPartitioningGivesTheBytesOfTheLibrary(Kind kind) {
        byte[] expected = library(kind).toBytes();
        for (int partitions : new int[] {1, 3, 8}) {
            List<Long> shuffled = new ArrayList<>(VALUES);
            Collections.shuffle(shuffled, new Random(partitions));
            assertThat(built(TestSession.longs(shuffled, partitions), column(kind)))
                    .as("%s in %s partitions", kind, partitions)
                    .isEqualTo(expected);
        }
        assertThat(built(TestSession.longs(VALUES, 60).coalesce(2), column(kind)))
                .isEqualTo(expected);
    }

    @Test
    void aFilterWithoutItemsIsPlannedForTheDifferentValues() {
        long different = VALUES.stream().distinct().count();
        for (Kind kind : Perhaps.filterKinds()) {
            if (SAME_BYTES.contains(kind)) {
                Column filter = PerhapsFunctions.filter(functions.col("v"), kind.word(), FPP);
                assertThat(built(TestSession.longs(VALUES, 5), filter))
                        .as(kind.word())
                        .isEqualTo(filter(kind, different).toBytes());
            }
        }
    }

    @Test
    void groupsAreAsTheLibraryBuildsThem() throws Exception {
        Dataset<Row> rows = TestSession.longs(VALUES, 4).selectExpr("v", "v % 200 AS g");
        Map<Long, HashFilter.Adds<?>> expected = new HashMap<>();
        for (long value : VALUES) {
            HashFilter.Adds<?> filter = expected.computeIfAbsent(
                    value % 200,
                    g -> ((FilterPlan.Fillable<?>) Perhaps.planFilter(Kind.BLOCKED, 50)
                                    .falsePositives(FPP)
                                    .of(Key.longs()))
                            .build());
            filter.addHash(Key.longs().hash(value));
        }
        List<Row> groups = rows.groupBy("g")
                .agg(PerhapsFunctions.filter(functions.col("v"), "blocked", FPP, 50))
                .collectAsList();
        assertThat(groups).hasSize(200); // more than 128: Spark sorts then
        for (Row group : groups) {
            assertThat((byte[]) group.get(1))
                    .isEqualTo(Objects.requireNonNull(expected.get(group.getLong(0)))
                            .toBytes());
        }
    }

    @Test
    void storedFramesMergeToTheFrameOfAll() {
        for (Kind kind : SAME_BYTES) {
            if (kind != Kind.FUSE) {
                Dataset<Row> stored = TestSession.longs(VALUES, 4)
                        .groupBy(functions.expr("v % 7"))
                        .agg(column(kind).as("f"));
                // Values of one group only are in each frame, and together they are all.
                assertThat(built(stored, PerhapsFunctions.merge(functions.col("f"))))
                        .as(kind.word())
                        .isEqualTo(library(kind).toBytes());
            }
        }
    }

    @Test
    void filtersThatDependOnOrderKeepTheirPromise() throws Exception {
        for (Kind kind : List.of(Kind.SCALABLE, Kind.CUCKOO)) {
            byte[] first = null;
            for (int partitions : new int[] {1, 5}) {
                byte[] frame = built(
                        TestSession.longs(VALUES, partitions),
                        PerhapsFunctions.filter(functions.col("v"), kind.word(), FPP, DIFFERENT));
                HashFilter<Long> filter = Perhaps.filterFromBytes(frame, Key.longs());
                assertThat(VALUES).allMatch(filter::mightContain);
                long errors = 0;
                for (long absent = DIFFERENT; absent < DIFFERENT + 100_000; absent++) {
                    errors += filter.mightContain(absent) ? 1 : 0;
                }
                // 100,000 lookups at 1 %: 1,000 expected, 1,200 is more than six standard deviations above.
                assertThat(errors).as(kind.word()).isLessThan(1_200);
                // Hashes are sorted before: here partitions do not matter either.
                assertThat(first == null ? frame : first).isEqualTo(frame);
                first = frame;
            }
        }
    }

    @Test
    void compactCountersKeepTheirPromise() throws Exception {
        // Values that mostly come once, as compact counters want them: the table of larger counts depends on the order.
        List<Long> values = new ArrayList<>(VALUES.stream().distinct().toList());
        values.addAll(values.subList(0, 50));
        for (int partitions : new int[] {1, 6}) {
            byte[] frame = built(
                    TestSession.longs(values, partitions),
                    PerhapsFunctions.filter(functions.col("v"), "counting2", FPP, DIFFERENT));
            HashFilter.Counts<Long> counts = (HashFilter.Counts<Long>) Perhaps.filterFromBytes(frame, Key.longs());
            assertThat(counts.itemsNow()).isEqualTo(values.size());
            for (int i = 0; i < values.size() - 50; i++) {
                assertThat(counts.count(values.get(i))).isGreaterThanOrEqualTo(i < 50 ? 2 : 1);
            }
        }
    }

    @Test
    void topListsHoldTheirBounds() throws Exception {
        Map<Long, Long> exact = new HashMap<>();
        VALUES.forEach(value -> exact.merge(value, 1L, Long::sum));
        for (int partitions : new int[] {1, 6}) {
            byte[] frame = built(TestSession.longs(VALUES, partitions), PerhapsFunctions.top(functions.col("v"), 20));
            TopK<Long> top = TopK.fromBytes(frame, Key.longs());
            assertThat(top.total()).isEqualTo(ROWS);
            assertThat(top.top())
                    .hasSize(20)
                    .allSatisfy(ranked ->
                            assertThat(exact.get(ranked.value())).isBetween(ranked.atLeast(), ranked.atMost()));
            exact.forEach((value, count) -> {
                assertThat(top.atLeast(value)).isLessThanOrEqualTo(count);
                assertThat(top.atMost(value)).isGreaterThanOrEqualTo(count);
            });
        }
    }

    @Test
    void aSeedGivesTheBytesOfThatSeed() {
        TestSession.longs(VALUES, 3).createOrReplaceTempView("seeded");
        HashFilter<Long> expected = Perhaps.planFilter(Kind.BLOOM, DIFFERENT)
                .falsePositives(FPP)
                .of(Key.longs().seeded(99))
                .buildFrom(Hashes.of(Key.longs().seeded(99), VALUES));
        assertThat(TestSession.frame("SELECT perhaps_filter(v, items => 6000, seed => 99) FROM seeded"))
                .isEqualTo(expected.toBytes());
    }

    @Test
    void signaturesOfTextsAreThoseOfTheLibrary() {
        Shingles shingles = Shingles.codePoints();
        byte[] expected = Signatures.of(shingles.signer(MinHash.of(128).of(shingles.key()))
                        .sign("A text of some length, with Zürich in it."))
                .toBytes();
        assertThat(TestSession.frame("SELECT perhaps_minhash('A text of some length, with Zürich in it.')"))
                .isEqualTo(expected);
    }

    private static byte[] built(Dataset<Row> rows, Column aggregate) {
        return (byte[]) rows.agg(aggregate).head().get(0);
    }

    private static Column column(Kind kind) {
        Column v = functions.col("v");
        return switch (kind) {
            case COUNT -> PerhapsFunctions.count(v, 0.001, 0.99);
            case RANGES ->
                functions.call_function(
                        "perhaps_ranges", v, functions.lit(0.01), functions.lit(0.99), functions.lit(16));
            case DISTINCT -> PerhapsFunctions.distinct(v, 0.02);
            case MINHASH -> PerhapsFunctions.minHashOfItems(v, 64);
            default -> PerhapsFunctions.filter(v, kind.word(), FPP, DIFFERENT);
        };
    }

    private static Sketch library(Kind kind) {
        return switch (kind) {
            case COUNT ->
                filled(CountMin.within(0.001).confidence(0.99).of(Key.longs()).build());
            case RANGES -> {
                RangeCounts ranges =
                        RangeCounts.within(0.01).confidence(0.99).universe(16).build();
                VALUES.forEach(ranges::add);
                yield ranges;
            }
            case DISTINCT -> {
                Distinct<Long> distinct = Distinct.within(0.02).of(Key.longs()).build();
                VALUES.forEach(distinct::add);
                yield distinct;
            }
            case MINHASH -> Signatures.of(MinHash.of(64).of(Key.longs()).sign(VALUES));
            default -> filter(kind, DIFFERENT);
        };
    }

    private static Sketch filled(CountMin<Long> counts) {
        VALUES.forEach(counts::add);
        return counts;
    }

    private static Sketch filter(Kind kind, long items) {
        FilterPlan<String> plan = Perhaps.planFilter(kind, items);
        if (plan instanceof QuotientFilter.Plan<String> quotient) {
            plan = quotient.asSet();
        }
        return plan.falsePositives(FPP).of(Key.longs()).buildFrom(Hashes.of(Key.longs(), VALUES));
    }
}
