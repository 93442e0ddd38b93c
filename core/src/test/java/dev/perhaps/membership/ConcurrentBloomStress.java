package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Many threads add to one filter, and others ask it, at once. */
class ConcurrentBloomStress {
    private static final int WRITERS = 4;
    private static final int ITEMS_A_WRITER = 100_000;

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
