package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Added;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many threads add to one filter, remove from it and ask it, at once. */
class ConcurrentFiltersStress {
    private static final int WRITERS = 4;
    private static final int ITEMS_PER_WRITER = 30_000;
    private static final long ITEMS = WRITERS * (long) ITEMS_PER_WRITER;

    static Stream<Named<FilterPlan.Fillable<Long>>> plans() {
        return Stream.of(
                Named.of(
                        "bloom",
                        BloomFilter.expecting(2 * ITEMS).of(Key.longs()).concurrent()),
                Named.of(
                        "blocked",
                        BlockedBloom.expecting(2 * ITEMS).of(Key.longs()).concurrent()),
                Named.of(
                        "cuckoo",
                        CuckooFilter.expecting(2 * ITEMS).of(Key.longs()).concurrent()),
                Named.of(
                        "cuckoo, growing",
                        CuckooFilter.expecting(ITEMS / 20)
                                .of(Key.longs())
                                .growing()
                                .concurrent()),
                Named.of(
                        "cuckoo set",
                        CuckooSet.expecting(2 * ITEMS).of(Key.longs()).concurrent()));
    }

    /** A growing filter that keeps every copy is full early if every item is there twice. */
    static Stream<Named<FilterPlan.Fillable<Long>>> plansForTwoCopies() {
        return plans().filter(plan -> !plan.getName().equals("cuckoo, growing"));
    }

    @ParameterizedTest
    @MethodSource("plans")
    void losesNothingAndForgetsNothing(FilterPlan.Fillable<Long> plan) throws Exception {
        HashFilter.Adds<Long> filter = plan.build();
        AtomicBoolean done = new AtomicBoolean();
        List<Callable<Boolean>> threads = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
            long[] mine = Subject.hashes(ITEMS_PER_WRITER, w);
            threads.add(() -> {
                boolean all = true;
                for (long hash : mine) {
                    all &= filter.addHash(hash) != Added.FULL && filter.mightContainHash(hash);
                }
                return all;
            });
        }
        long[] watched = Subject.hashes(ITEMS_PER_WRITER, 0);
        Callable<Boolean> reader = () -> neverForgets(filter, watched, done);
        assertThat(together(threads, reader, done)).containsOnly(true);
        long[] answers = new long[(ITEMS_PER_WRITER + 63) / 64];
        for (int w = 0; w < WRITERS; w++) {
            assertThat(filter.mightContainHashes(Subject.hashes(ITEMS_PER_WRITER, w), 0, ITEMS_PER_WRITER, answers))
                    .isEqualTo(ITEMS_PER_WRITER);
        }
        if (filter instanceof HashFilter.Counts<Long>) {
            assertThat(filter.itemsNow()).isEqualTo(ITEMS);
        }
    }

    /** Words are shared by the writers: the bits must be those that one thread sets. */
    @Test
    void aBlockedFilterHasTheBytesOfOneThread() throws Exception {
        BlockedBloom.Plan<Long> plan = BlockedBloom.expecting(2_000).of(Key.longs());
        for (int round = 0; round < 20; round++) {
            BlockedBloom<Long> shared = plan.concurrent().build();
            BlockedBloom<Long> alone = plan.build();
            List<Callable<Boolean>> threads = new ArrayList<>();
            for (int w = 0; w < WRITERS; w++) {
                long[] mine = Subject.hashes(500, round * 10L + w);
                alone.addHashes(mine, 0, mine.length);
                threads.add(() -> shared.addHashes(mine, 0, mine.length) == mine.length);
            }
            together(threads);
            assertThat(shared.toBytes()).isEqualTo(alone.toBytes());
        }
    }

    /**
     * Two threads add the same new values at once, in step: each value is told ADDED at most once and, but for those that the
     * filter errs about, once. n: 100,000 values; the error of 10⁻⁴ allows 10.
     */
    @ParameterizedTest
    @MethodSource("plansForTwoCopies")
    void tellsOneThreadOnlyThatAValueIsNew(FilterPlan.Fillable<Long> plan) throws Exception {
        long[] hashes = Subject.hashes(100_000, 77);
        HashFilter.Adds<Long> filter = plan.falsePositives(1e-4).build();
        AtomicIntegerArray added = new AtomicIntegerArray(hashes.length);
        int step = 100;
        CyclicBarrier inStep = new CyclicBarrier(2);
        Callable<Boolean> thread = () -> {
            for (int from = 0; from < hashes.length; from += step) {
                inStep.await();
                for (int i = from; i < from + step; i++) {
                    Added told = filter.addHash(hashes[i]);
                    if (told == Added.FULL) {
                        return false;
                    }
                    if (told.isNew()) {
                        added.incrementAndGet(i);
                    }
                }
            }
            return true;
        };
        assertThat(together(List.of(thread, thread))).containsOnly(true);
        int[] times = new int[3];
        for (int i = 0; i < hashes.length; i++) {
            times[added.get(i)]++;
        }
        assertThat(times[2]).isZero();
        assertThat(times[0]).isLessThan(40);
    }

    /** Every thread adds and removes items of its own again and again, among items that stay. */
    @Test
    void aCuckooFilterForgetsOnlyWhatIsRemoved() throws Exception {
        CuckooFilter<Long> filter =
                CuckooFilter.expecting(20_000).of(Key.longs()).concurrent().build();
        long[] staying = Subject.hashes(5_000, 1);
        filter.addHashes(staying, 0, staying.length);
        AtomicBoolean done = new AtomicBoolean();
        List<Callable<Boolean>> threads = new ArrayList<>();
        for (int w = 0; w < WRITERS; w++) {
            long[] mine = Subject.hashes(3_000, 100 + w);
            threads.add(() -> {
                boolean right = true;
                for (int round = 0; round < 5; round++) {
                    for (long hash : mine) {
                        right &= filter.addHash(hash) != Added.FULL && filter.countHash(hash) >= 1;
                    }
                    for (long hash : mine) {
                        right &= filter.removeHash(hash);
                    }
                }
                return right;
            });
        }
        Callable<Boolean> reader = () -> {
            boolean all = true;
            while (!done.get()) {
                for (long hash : staying) {
                    all &= filter.mightContainHash(hash);
                }
            }
            return all;
        };
        assertThat(together(threads, reader, done)).containsOnly(true);
        assertThat(filter.itemsNow()).isEqualTo(staying.length);
        assertThat(Perhaps.fromBytes(filter.toBytes()).describe().toString()).contains("items now         5,000");
    }

    /** Saved while threads add: each time a whole filter, which holds what was added before. */
    @Test
    void aCuckooFilterIsSavedWhileThreadsAddToIt() throws Exception {
        CuckooFilter<Long> filter = CuckooFilter.expecting(1_000)
                .of(Key.longs())
                .growing()
                .concurrent()
                .build();
        AtomicBoolean done = new AtomicBoolean();
        long[] mine = Subject.hashes(20_000, 5);
        Callable<Boolean> writer = () -> filter.addHashes(mine, 0, mine.length) == mine.length;
        Callable<Boolean> saver = () -> {
            boolean whole = true;
            do {
                long before = filter.itemsNow();
                CuckooFilter<Long> saved = CuckooFilter.fromBytes(filter.toBytes(), Key.longs());
                whole &= saved.itemsNow() >= before && saved.mightContainHash(mine[0]) == saved.itemsNow() > 0;
            } while (!done.get());
            return whole;
        };
        assertThat(together(List.of(writer), saver, done)).containsOnly(true);
    }

    @CanIgnoreReturnValue
    private static List<Boolean> together(List<Callable<Boolean>> threads) throws Exception {
        return together(threads, () -> true, new AtomicBoolean());
    }

    /** Runs all at once; the reader until the others are done. */
    private static List<Boolean> together(List<Callable<Boolean>> threads, Callable<Boolean> reader, AtomicBoolean done)
            throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(threads.size() + 1);
        try {
            Future<Boolean> reading = pool.submit(reader);
            List<Future<Boolean>> running = new ArrayList<>();
            for (Callable<Boolean> thread : threads) {
                running.add(pool.submit(thread));
            }
            List<Boolean> results = new ArrayList<>();
            for (Future<Boolean> one : running) {
                results.add(one.get());
            }
            done.set(true);
            results.add(reading.get());
            return results;
        } finally {
            done.set(true);
            pool.shutdown();
        }
    }

    /** Once an item has been seen it stays seen. */
    private static boolean neverForgets(HashFilter<Long> filter, long[] watched, AtomicBoolean done) {
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
