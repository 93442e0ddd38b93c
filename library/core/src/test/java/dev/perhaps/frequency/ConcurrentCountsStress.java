package dev.perhaps.frequency;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Shareable;
import dev.perhaps.sketch.Sketch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many threads count in one sketch, and another asks, saves and opens it, at once. */
class ConcurrentCountsStress {
    private static final int WRITERS = 4;
    private static final int EVENTS_PER_WRITER = 20_000;
    private static final int DIFFERENT = 800;
    private static final int ROUNDS = 3;

    /** A sketch of which the order of events changes nothing, as none is evicted or late. */
    private record Case(String name, Supplier<Sketch> empty, FrequencySubject.Adding<Sketch> adding) {
        @Override
        public String toString() {
            return name;
        }
    }

    @SuppressWarnings("unchecked") // a case adds only to what it built
    private static <S extends Sketch> Case of(String name, Supplier<S> empty, FrequencySubject.Adding<S> adding) {
        return new Case(name, empty::get, (sketch, item, count) -> adding.add((S) sketch, item, count));
    }

    static Stream<Case> cases() {
        return Stream.of(
                ConcurrentCountsStress.<Distinct<Long>>of(
                        "distinct",
                        () -> Distinct.within(0.05).of(Key.longs()).build(),
                        (sketch, item, count) -> sketch.add(item)),
                ConcurrentCountsStress.<TopK<Long>>of(
                        "top of longs", () -> TopK.of(10).of(Key.longs()).build(), TopK::add),
                ConcurrentCountsStress.<TopK<String>>of(
                        "top of strings",
                        () -> TopK.of(10).build(),
                        (sketch, item, count) -> sketch.add("item " + item, count)),
                ConcurrentCountsStress.<TopK<byte[]>>of(
                        "top of bytes",
                        () -> TopK.of(10).of(Key.bytes()).build(),
                        (sketch, item, count) -> sketch.add(("item " + item).getBytes(UTF_8), count)),
                ConcurrentCountsStress.<SlidingCounts<Long>>of(
                        "sliding-count",
                        () -> SlidingCounts.last(Duration.ofSeconds(1))
                                .within(0.05)
                                .of(Key.longs())
                                .build(),
                        (sketch, item, count) -> sketch.add(item, count, item)),
                ConcurrentCountsStress.<SlidingTopK<Long>>of(
                        "sliding-top",
                        () -> SlidingTopK.last(Duration.ofSeconds(1))
                                .capacity(1_000)
                                .of(Key.longs())
                                .build(),
                        (sketch, item, count) -> sketch.add(item, count, item)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void countsWhatOneThreadWouldCount(Case subject) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            Sketch alone = subject.empty.get();
            Sketch shared = Perhaps.concurrent(subject.empty.get());
            assertThat(((Shareable<?>) shared).isConcurrent()).isTrue();
            List<Callable<Boolean>> threads = new ArrayList<>();
            for (int w = 0; w < WRITERS; w++) {
                long[] mine = EventStreams.of(EventStreams.Shape.ZIPF, EVENTS_PER_WRITER, DIFFERENT, round * 100L + w);
                for (long item : mine) {
                    subject.adding.add(alone, item, 1 + item % 3);
                }
                threads.add(() -> {
                    for (long item : mine) {
                        subject.adding.add(shared, item, 1 + item % 3);
                    }
                    return true;
                });
            }
            AtomicBoolean done = new AtomicBoolean();
            // Whatever is saved meanwhile is whole: it opens, and says of itself what was saved.
            together(threads, () -> opensWhatItSaves(shared, done), done);
            assertThat(shared.contentEquals(alone)).isTrue();
        }
    }

    private static boolean opensWhatItSaves(Sketch shared, AtomicBoolean done) throws Exception {
        do {
            byte[] saved = shared.toBytes();
            if (!Arrays.equals(Perhaps.fromBytes(saved).toBytes(), saved)) {
                return false;
            }
        } while (!done.get());
        return true;
    }

    /** A list of a busy stream: what it says is never outside the truth, and the k first are the true ones. */
    @Test
    void aTopListThatEvictsKeepsItsBounds() throws Exception {
        long[] truth = new long[20_000];
        TopK<Long> shared =
                TopK.of(20).capacity(500).of(Key.longs()).concurrent().build();
        List<Callable<Boolean>> threads = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
            long[] mine = EventStreams.of(EventStreams.Shape.ZIPF, 50_000, truth.length, w);
            for (long item : mine) {
                truth[(int) item]++;
            }
            threads.add(() -> {
                for (long item : mine) {
                    shared.add(item);
                }
                return true;
            });
        }
        AtomicBoolean done = new AtomicBoolean();
        together(threads, () -> sumsUp(shared, done), done);
        assertThat(shared.total()).isEqualTo(4 * 50_000);
        for (int item = 0; item < truth.length; item++) {
            assertThat(truth[item]).isBetween(shared.atLeast((long) item), shared.atMost((long) item));
        }
    }

    private static boolean sumsUp(TopK<Long> shared, AtomicBoolean done) {
        boolean right = true;
        while (!done.get()) {
            long sum = shared.top().stream().mapToLong(TopK.Ranked::atLeast).sum();
            right &= sum <= shared.total();
        }
        return right;
    }

    /** The registers are raised by code of our own: to the byte, they are those of the plain form, for every size. */
    @Test
    void distinctRegistersAreThoseOfThePlainForm() {
        for (double error : new double[] {0.19, 0.1, 0.03, 0.01, 0.004}) {
            Distinct.Plan<Long> plan = Distinct.within(error).of(Key.longs());
            Distinct<Long> plain = plan.build();
            Distinct<Long> shared = plan.concurrent().build();
            long[] hashes = EventStreams.of(EventStreams.Shape.ZIPF, 50_000, 1 << 20, 3);
            for (long hash : new long[] {0, -1, 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                plain.addHash(hash);
                shared.addHash(hash);
            }
            for (int i = 0; i < hashes.length; i++) {
                plain.add(hashes[i] * i);
                shared.add(hashes[i] * i);
            }
            assertThat(shared.contentEquals(plain)).isTrue();
            Distinct<Long> more = plan.build();
            more.addAll(List.of(-7L, -8L, -9L));
            plain.merge(more);
            shared.merge(more);
            assertThat(shared.contentEquals(plain)).isTrue();
        }
    }

    /** Two that are merged with each other at once do not wait for each other forever. */
    @ParameterizedTest
    @MethodSource("cases")
    void areMergedWithEachOtherAtOnce(Case subject) throws Exception {
        Sketch one = Perhaps.concurrent(subject.empty.get());
        Sketch other = Perhaps.concurrent(subject.empty.get());
        subject.adding.add(one, 5, 1);
        subject.adding.add(other, 6, 1);
        AtomicBoolean done = new AtomicBoolean();
        together(List.of(() -> merged(one, other), () -> merged(other, one)), () -> true, done);
        assertThat(one.describe()).isNotNull();
    }

    @SuppressWarnings("unchecked") // both are of one case
    private static boolean merged(Sketch one, Sketch other) {
        for (int i = 0; i < 20; i++) {
            ((Mergeable<Sketch>) one).merge(other);
        }
        return true;
    }

    private static void together(List<Callable<Boolean>> threads, Callable<Boolean> reader, AtomicBoolean done)
            throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads.size() + 1);
        try {
            Future<Boolean> reading = pool.submit(reader);
            List<Future<Boolean>> running = new ArrayList<>();
            for (Callable<Boolean> thread : threads) {
                running.add(pool.submit(thread));
            }
            for (Future<Boolean> one : running) {
                assertThat(one.get()).isTrue();
            }
            done.set(true);
            assertThat(reading.get()).isTrue();
        } finally {
            done.set(true);
            pool.shutdown();
        }
    }
}
