package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.SlidingCounts;
import dev.perhaps.frequency.TinyTopK;
import dev.perhaps.frequency.TopK;
import dev.perhaps.guard.SelectiveCounting;
import dev.perhaps.key.Key;
import dev.perhaps.membership.Subject;
import dev.perhaps.plan.Need;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every sketch that can be planned by memory, from 1 byte to more than there is; those of filters are in {@code
 * FilterContractTest}.
 */
class PlansByMemoryTest {
    /** A plan within the given memory: the memory it says, and a sketch with a few items in it. */
    record Planned(long sizeBytes, Building building) {
        interface Building {
            Sketch build();
        }
    }

    record Plans(String name, LongFunction<Planned> within) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Plans> plans() {
        return Stream.of(
                new Plans("count", bytes -> counts(CountMin.memoryBytes(bytes).of(Key.longs()))),
                new Plans(
                        "count, 8 bits",
                        bytes -> counts(
                                CountMin.memoryBytes(bytes).of(Key.longs()).cells(CountMin.Cells.BITS_8))),
                new Plans(
                        "count, conservative",
                        bytes -> counts(
                                CountMin.memoryBytes(bytes).of(Key.longs()).conservative())),
                new Plans(
                        "count, concurrent",
                        bytes -> counts(
                                CountMin.memoryBytes(bytes).of(Key.longs()).concurrent())),
                new Plans("sliding-count", PlansByMemoryTest::sliding),
                new Plans("top", PlansByMemoryTest::top),
                new Plans("tiny-top", PlansByMemoryTest::tinyTop),
                new Plans("selective", PlansByMemoryTest::selective));
    }

    private static Planned counts(CountMin.Plan<Long> plan) {
        return new Planned(plan.sizing().bytes(), () -> {
            CountMin<Long> counts = plan.build();
            counts.add(1L, 2);
            counts.add(2L, 1);
            assertThat(counts.estimate(1L)).isBetween(2L, 3L);
            assertThat(counts.sizing().bytes()).isEqualTo(plan.sizing().bytes());
            return counts;
        });
    }

    /** The number of panes may be said after the memory, which is of all of them. */
    private static Planned sliding(long bytes) {
        SlidingCounts.Plan<Long> plan = SlidingCounts.last(Duration.ofSeconds(1))
                .confidence(0.5)
                .memoryBytes(bytes)
                .panes(50)
                .of(Key.longs());
        return new Planned(plan.sizeBytes(), () -> {
            SlidingCounts<Long> counts = plan.build();
            counts.add(1L, 2, 100);
            counts.add(2L, 1, 300);
            assertThat(counts.estimate(1L)).isBetween(2L, 3L);
            return counts;
        });
    }

    private static Planned top(long bytes) {
        TopK.Plan<Long> plan = TopK.of(2).memoryBytes(bytes).of(Key.longs());
        return new Planned(plan.sizeBytes(), () -> {
            TopK<Long> top = plan.build();
            top.add(1L, 2);
            top.add(2L, 1);
            assertThat(top.top().get(0).value()).isEqualTo(1);
            return top;
        });
    }

    private static Planned tinyTop(long bytes) {
        TinyTopK.Plan<Long> plan = TinyTopK.of(2).memoryBytes(bytes).of(Key.longs());
        return new Planned(plan.sizeBytes(), () -> {
            TinyTopK<Long> top = plan.build();
            top.add(1L, 2);
            assertThat(top.top().get(0).value()).isEqualTo(1);
            return top;
        });
    }

    private static Planned selective(long bytes) {
        SelectiveCounting.Plan<Long> plan =
                SelectiveCounting.expecting(10).memoryBytes(bytes).of(Key.longs());
        return new Planned(plan.sizing().bytes(), () -> {
            SelectiveCounting<Long> selective = plan.build();
            assertThat(selective.add(1L, 0.9)).isEqualTo(SelectiveCounting.Taken.ADDED);
            assertThat(selective.isWorthAsking(1L, 0.9)).isTrue();
            return selective;
        });
    }

    /** A new class that takes {@code memoryBytes} fails here until it is tested, here or as a filter. */
    @Test
    void holdsForEveryPlanByMemory() {
        Set<Class<?>> tested =
                Subject.all().map(subject -> subject.plan().apply(1).getClass()).collect(Collectors.toSet());
        tested.addAll(Set.of(
                CountMin.class,
                SlidingCounts.Plan.class,
                TopK.Plan.class,
                TinyTopK.Plan.class,
                SelectiveCounting.Plan.class,
                // Has a format of its own: worksWithinAnyMemoryAsAFilterOfRedis.
                RedisBloom.Plan.class));
        // A need asks the plans of all filters.
        tested.add(Need.class);
        Set<Class<?>> planned = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("dev.perhaps").stream()
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC) && !type.isInterface())
                        .filter(type -> !type.getPackageName().equals("dev.perhaps.membership.request"))
                        .filter(type ->
                                type.tryGetMethod("memoryBytes", long.class).isPresent())
                        .map(JavaClass::reflect)
                        .collect(Collectors.toSet());
        assertThat(tested).isEqualTo(planned);
    }

    @ParameterizedTest
    @ValueSource(longs = {16, 40, 64, 100, 500, 1_000, 10_000, 1 << 20, 1 << 26})
    void worksWithinAnyMemoryAsAFilterOfRedis(long bytes) {
        for (long items : new long[] {1, 10, 1_000, 100_000}) {
            RedisBloom.Plan plan = RedisBloom.expecting(items).memoryBytes(bytes);
            assertThat(plan.error()).isBetween(Double.MIN_VALUE, RedisBloom.MAX_ERROR);
            if (plan.error() < RedisBloom.MAX_ERROR) {
                assertThat(plan.sizeBytes()).isLessThanOrEqualTo(bytes);
            }
            RedisBloom filter = plan.build();
            assertThat(filter.add(new byte[] {1})).isEqualTo(Added.ADDED);
            assertThat(filter.mightContain(new byte[] {1})).isTrue();
            assertThat(filter.errorNow()).isLessThan(1);
        }
    }

    @ParameterizedTest
    @MethodSource("plans")
    void worksWithinAnyMemoryOrRefusesIt(Plans plans) throws IOException {
        boolean accepted = false;
        for (long bytes : new long[] {
            1, 7, 8, 20, 40, 64, 100, 500, 1_000, 10_000, 1 << 20, 1L << 34, 1L << 40, 1L << 62, Long.MAX_VALUE
        }) {
            Planned planned;
            try {
                planned = plans.within().apply(bytes);
            } catch (IllegalArgumentException e) {
                assertThat(accepted).as("%d bytes", bytes).isFalse();
                assertThat(e).hasMessageNotContaining("\n").hasMessageMatching(".*(at least|must hold).*");
                continue;
            }
            accepted = true;
            assertThat(planned.sizeBytes()).isPositive().isLessThanOrEqualTo(bytes);
            if (bytes <= 1 << 20) {
                byte[] file = bytes(planned.building().build());
                assertThat(bytes(Perhaps.readFrom(new ByteArrayInputStream(file), 1 << 22)))
                        .isEqualTo(file);
            }
        }
        assertThat(accepted).isTrue();
    }

    private static byte[] bytes(Sketch sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        return out.toByteArray();
    }
}
