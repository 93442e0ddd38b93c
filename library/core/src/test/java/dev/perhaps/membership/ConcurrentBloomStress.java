package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Added;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many threads add to one filter, and others ask it, at once. */
class ConcurrentBloomStress {
    private static final int WRITERS = 4;
    private static final int ITEMS_A_WRITER = 100_000;
    private static final int THREADS = 8;
    private static final int ITEMS_A_THREAD = 50_000;

    @TempDir
    Path folder;

    @Test
    void losesNothingThatAnyThreadAdded() throws Exception {
        for (int round = 0; round < 5; round++) {
            // Few words for many writers: every word is fought over.
            BloomFilter<Long> filter = BloomFilter.expecting(WRITERS * ITEMS_A_WRITER)
                    .of(Key.longs())
                    .concurrent()
                    .build();
            AtomicBoolean done = new AtomicBoolean();
            ExecutorService pool = Executors.newFixedThreadPool(WRITERS + 1);
            List<Future<?>> writers = new ArrayList<>();
            for (int w = 0; w < WRITERS; w++) {
                long[] mine = Subject.hashes(ITEMS_A_WRITER, round * 100L + w);
                writers.add(pool.submit(() -> {
                    for (long hash : mine) {
                        filter.addHash(hash);
                        assertThat(filter.mightContainHash(hash)).isTrue();
                    }
                }));
            }
            long[] watched = Subject.hashes(ITEMS_A_WRITER, round * 100L);
            Future<Boolean> reader = pool.submit(() -> neverForgets(filter, watched, done));
            for (Future<?> writer : writers) {
                writer.get();
            }
            done.set(true);
            assertThat(reader.get()).isTrue();
            pool.shutdown();

            BloomFilter<Long> alone = BloomFilter.expecting(WRITERS * ITEMS_A_WRITER)
                    .of(Key.longs())
                    .build();
            for (int w = 0; w < WRITERS; w++) {
                alone.addHashes(Subject.hashes(ITEMS_A_WRITER, round * 100L + w), 0, ITEMS_A_WRITER);
            }
            assertThat(filter.load()).isEqualTo(alone.load());
            assertThat(alone.fits(filter)).isTrue();
        }
    }

    /**
     * Two threads add the same new values at once, in step: each is told ADDED at most once (it was told twice for 40 of
     * 300,000), and but for those that the filter errs about, once. n: 300,000 values; the error of 10⁻⁴ allows 30.
     */
    @Test
    void tellsOneThreadOnlyThatAValueIsNew() throws Exception {
        long[] hashes = Subject.hashes(300_000, 77);
        BloomFilter<Long> filter = BloomFilter.expecting(hashes.length)
                .falsePositives(1e-4)
                .of(Key.longs())
                .concurrent()
                .build();
        AtomicIntegerArray added = new AtomicIntegerArray(hashes.length);
        int step = 100;
        CyclicBarrier together = new CyclicBarrier(2);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        List<Future<?>> threads = new ArrayList<>();
        for (int thread = 0; thread < 2; thread++) {
            threads.add(pool.submit(() -> {
                for (int from = 0; from < hashes.length; from += step) {
                    together.await();
                    for (int i = from; i < from + step; i++) {
                        if (filter.addHash(hashes[i]) == Added.ADDED) {
                            added.incrementAndGet(i);
                        }
                    }
                }
                return null;
            }));
        }
        for (Future<?> thread : threads) {
            thread.get();
        }
        pool.shutdown();
        int[] times = new int[3];
        for (int i = 0; i < hashes.length; i++) {
            times[added.get(i)]++;
        }
        assertThat(times[2]).isZero();
        assertThat(times[0]).isLessThan(60);
    }

    /** A file does not say that its filter was concurrent: who opens it does. */
    @ParameterizedTest
    @MethodSource("ways")
    void hasNoFalseNegativeAfterReopeningForThreads(Reopening way) throws Exception {
        BloomFilter<Long> saved = BloomFilter.expecting(THREADS * ITEMS_A_THREAD)
                .of(Key.longs())
                .concurrent()
                .build();
        long[] before = Subject.hashes(1_000, 1_000);
        saved.addHashes(before, 0, before.length);
        Path file = folder.resolve("filter");
        saved.save(file);

        BloomFilter<Long> opened = way.open(file);
        assertThat(opened.describe().toString()).containsPattern("concurrent +yes");
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> writers = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            long[] mine = Subject.hashes(ITEMS_A_THREAD, t);
            writers.add(pool.submit(() -> {
                for (long hash : mine) {
                    opened.addHash(hash);
                }
            }));
        }
        for (Future<?> writer : writers) {
            writer.get();
        }
        pool.shutdown();
        long[] answers = new long[(ITEMS_A_THREAD + 63) / 64];
        for (int t = 0; t < THREADS; t++) {
            long[] added = Subject.hashes(ITEMS_A_THREAD, t);
            assertThat(opened.mightContainHashes(added, 0, added.length, answers))
                    .isEqualTo(added.length);
        }
        assertThat(opened.mightContainHashes(before, 0, before.length, answers)).isEqualTo(before.length);
    }

    static Stream<Named<Reopening>> ways() {
        return Stream.of(
                named("open", file -> BloomFilter.open(file, Key.longs()).concurrent()),
                named("readFrom", file -> {
                    try (InputStream in = Files.newInputStream(file)) {
                        return BloomFilter.readFrom(in, Key.longs(), 1 << 24).concurrent();
                    }
                }),
                named("Perhaps.openFilter", file ->
                        (BloomFilter<Long>) Perhaps.concurrent(Perhaps.openFilter(file, Key.longs()))));
    }

    private static Named<Reopening> named(String name, Reopening way) {
        return Named.of(name, way);
    }

    /** A way to open a file for threads. */
    private interface Reopening {
        BloomFilter<Long> open(Path file) throws IOException;
    }

    /** Once an item has been seen it stays seen. */
    private static boolean neverForgets(BloomFilter<Long> filter, long[] watched, AtomicBoolean done) {
        int seen = 0;
        while (!done.get()) {
            for (int i = 0; i < seen; i += 97) {
                if (!filter.mightContainHash(watched[i])) {
                    return false;
                }
            }
            while (seen < watched.length && filter.mightContainHash(watched[seen])) {
                seen++;
            }
        }
        return true;
    }
}
