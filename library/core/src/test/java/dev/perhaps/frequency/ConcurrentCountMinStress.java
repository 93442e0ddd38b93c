package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads add to one sketch, and another asks it, at once. */
class ConcurrentCountMinStress {
    private static final int WRITERS = 4;
    private static final int EVENTS_A_WRITER = 50_000;
    private static final int THREADS = 8;
    private static final int EVENTS_A_THREAD = 25_000;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(CountMin.Cells.class)
    void losesNothingThatAnyThreadCounted(CountMin.Cells cells) throws Exception {
        for (int round = 0; round < 3; round++) {
            // Few counters for many writers: every one is fought over, and its neighbours in the word too.
            CountMin.Plan<Long> plan =
                    CountMin.ofWidth(64).depth(3).cells(cells).of(Key.longs());
            CountMin<Long> shared = plan.concurrent().build();
            CountMin<Long> alone = plan.build();
            AtomicBoolean done = new AtomicBoolean();
            ExecutorService pool = Executors.newFixedThreadPool(WRITERS + 1);
            List<Future<?>> writers = new ArrayList<>();
            for (int w = 0; w < WRITERS; w++) {
                long[] mine = EventStreams.of(EventStreams.Shape.ZIPF, EVENTS_A_WRITER, 1_000, round * 100L + w);
                for (long item : mine) {
                    alone.add(item, 1 + item % 3);
                }
                writers.add(pool.submit(() -> {
                    for (long item : mine) {
                        shared.add(item, 1 + item % 3);
                    }
                }));
            }
            Future<Boolean> reader = pool.submit(() -> neverGoesDown(shared, done));
            for (Future<?> writer : writers) {
                writer.get();
            }
            done.set(true);
            assertThat(reader.get()).isTrue();
            pool.shutdown();
            assertThat(shared.total()).isEqualTo(alone.total());
            assertThat(bytes(shared)).isEqualTo(bytes(alone));
        }
    }

    /** A file that was saved while threads added had rows of different sums, and was refused as damaged. */
    @ParameterizedTest
    @EnumSource(CountMin.Cells.class)
    void canBeSavedCopiedAndMergedWhileOthersAdd(CountMin.Cells cells) throws Exception {
        CountMin.Plan<Long> plan = CountMin.ofWidth(64).depth(3).cells(cells).of(Key.longs());
        CountMin<Long> shared = plan.concurrent().build();
        shared.add(7L, 100);
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(WRITERS);
        List<Future<?>> writers = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
            long first = w;
            writers.add(pool.submit(() -> {
                for (long item = first; !done.get(); item++) {
                    shared.add(item % 1_000, item % 5);
                }
            }));
        }
        try {
            long before = 0;
            for (int round = 0; round < 300; round++) {
                CountMin<Long> saved = CountMin.fromBytes(bytes(shared), Key.longs());
                assertThat(saved.estimate(7L)).isGreaterThanOrEqualTo(100);
                assertThat(saved.total()).isGreaterThanOrEqualTo(before);
                before = saved.total();
                CountMin<Long> merged = plan.build();
                merged.merge(shared);
                merged.merge(shared.copy());
                CountMin<Long> again = CountMin.fromBytes(bytes(merged), Key.longs());
                assertThat(again.total()).isGreaterThanOrEqualTo(2 * before);
            }
        } finally {
            done.set(true);
            pool.shutdown();
        }
        for (Future<?> writer : writers) {
            writer.get();
        }
        assertThat(CountMin.fromBytes(bytes(shared), Key.longs()).total()).isEqualTo(shared.total());
    }

    /** A file does not say that its sketch was concurrent: who opens it does. 8 threads, 25,000 events each. */
    @ParameterizedTest
    @EnumSource(CountMin.Cells.class)
    void countsEveryEventAfterReopeningForThreads(CountMin.Cells cells) throws Exception {
        CountMin.Plan<Long> plan = CountMin.ofWidth(64).depth(3).cells(cells).of(Key.longs());
        CountMin<Long> alone = plan.build();
        CountMin<Long> saved = plan.concurrent().build();
        alone.add(7L, 5);
        saved.add(7L, 5);
        Path file = folder.resolve("sketch");
        saved.save(file);

        CountMin<Long> opened = CountMin.open(file, Key.longs()).concurrent();
        assertThat(opened.describe().toString()).containsPattern("concurrent +yes");
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> writers = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            long[] mine = EventStreams.of(EventStreams.Shape.ZIPF, EVENTS_A_THREAD, 1_000, t);
            for (long item : mine) {
                alone.add(item);
            }
            writers.add(pool.submit(() -> {
                for (long item : mine) {
                    opened.add(item);
                }
            }));
        }
        for (Future<?> writer : writers) {
            writer.get();
        }
        pool.shutdown();
        assertThat(opened.total()).isEqualTo(5 + THREADS * EVENTS_A_THREAD);
        assertThat(bytes(opened)).isEqualTo(bytes(alone));
    }

    private static boolean neverGoesDown(CountMin<Long> sketch, AtomicBoolean done) {
        long last = 0;
        while (!done.get()) {
            long now = sketch.estimate(0L);
            if (now < last) {
                return false;
            }
            last = now;
        }
        return true;
    }

    private static byte[] bytes(CountMin<Long> sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        return out.toByteArray();
    }
}
