package dev.perhaps.similarity.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Signature;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One thread adds and removes while others ask. */
class SimilarityIndexStress {
    private static final int DOCUMENTS = 12_000;
    private static final int READERS = 3;
    private static final MinHash<Long> MIN_HASH = MinHash.of(32).of(Key.longs());

    private static Signature signature(int document) {
        return MIN_HASH.sign(new SplittableRandom(document).longs(60).toArray(), 0, 60);
    }

    /** What was added is found from then on, by itself and by iterating, unless it was removed; every fifth is, later. */
    @Test
    void readersSeeAllThatWasAddedBefore() throws Exception {
        SimilarityIndex index = SimilarityIndex.of(MIN_HASH).build();
        AtomicInteger added = new AtomicInteger();
        AtomicInteger removed = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(READERS);
        List<Future<Integer>> readers = new ArrayList<>();
        for (int reader = 0; reader < READERS; reader++) {
            SplittableRandom random = new SplittableRandom(reader);
            readers.add(pool.submit(() -> read(index, added, removed, random)));
        }
        for (int document = 0; document < DOCUMENTS; document++) {
            index.add("document " + document, signature(document));
            added.set(document + 1);
            int old = document - 600;
            if (old >= 0 && old % 5 == 0) {
                removed.set(old + 1);
                index.remove("document " + old);
            }
        }
        for (Future<Integer> reader : readers) {
            assertThat(reader.get()).isPositive();
        }
        pool.shutdown();
        assertThat(index.size()).isEqualTo(DOCUMENTS - (DOCUMENTS - 600) / 5);
    }

    private static int read(
            SimilarityIndex index, AtomicInteger added, AtomicInteger removed, SplittableRandom random) {
        int asked = 0;
        while (added.get() < DOCUMENTS) {
            int before = added.get();
            if (before == 0) {
                continue;
            }
            int document = random.nextInt(before);
            String name = "document " + document;
            boolean found =
                    index.query(signature(document), 0.9, 1).equals(List.of(new DocumentIndex.Match(name, 1, false)));
            boolean contained = index.contains(name);
            boolean mayBeGone = document % 5 == 0 && document < removed.get();
            if (!mayBeGone && !(found && contained)) {
                throw new AssertionError(name + " of " + before + " is gone: " + found + ", " + contained);
            }
            if (asked++ % 50 == 0) {
                Set<String> names = new HashSet<>();
                index.forEach(entry -> names.add(entry.name()));
                for (int each = 1; each < before; each += 5) {
                    assertThat(names).contains("document " + each);
                }
            }
        }
        return asked;
    }
}
