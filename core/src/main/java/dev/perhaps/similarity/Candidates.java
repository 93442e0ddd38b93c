package dev.perhaps.similarity;

import dev.perhaps.key.Mix;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Pairs of contents that agree on a whole band and on enough components in all: candidates to compare exactly. A pair is a
 * long, the lesser content number in its high half. Depends on the contents only.
 */
final class Candidates {
    /*
     * One band at a time: the rows of every content hashed to a key, keys sorted, runs of equal keys are buckets.
     *
     * A bucket of up to HOT contents gives all its pairs. A larger one (a licence, a template that thousands share) would
     * make the work quadratic. What meets there gives pairs in two ways. Contents are ordered by the components that follow
     * the band, and each is paired with the next few: those that all resemble each other are linked to one cluster. And
     * after all bands, of the contents that were in such a bucket, those that share a component which at most RARE of them
     * have are paired: near duplicates among the many share what is theirs, not only what is everybody's. So no band and
     * no component gives more than a fixed number of pairs a content, and the whole is linear.
     *
     * Sketch filter: a pair with fewer equal components than `leastHits` is dropped at once.
     */
    static final int HOT = 64;

    private static final int NEXT = 4;
    private static final int RARE = 32;
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final int TIDY = 1 << 20;

    private final Sketches signatures;
    private final int rows;
    private final int leastHits;
    private final int hotSize;
    private long[] pairs = new long[1 << 10];
    private int count;
    private int tidied;

    private Candidates(Sketches signatures, int rows, int leastHits, int hotSize) {
        this.signatures = signatures;
        this.rows = rows;
        this.leastHits = leastHits;
        this.hotSize = hotSize;
    }

    /** All candidate pairs, ascending, each once; all pairs of buckets of up to {@code hotSize}. */
    static long[] find(Sketches signatures, int bands, int rows, int leastHits, int hotSize, int threads)
            throws IOException {
        Candidates all = new Candidates(signatures, rows, leastHits, hotSize);
        boolean[] hot = new boolean[signatures.count()];
        Workers.run(threads, bands, 1, () -> {
            RadixSort sort = new RadixSort(signatures.count());
            return band -> {
                Candidates own = new Candidates(signatures, rows, leastHits, hotSize);
                own.band(band * rows, sort, hot);
                all.addAll(own);
            };
        });
        if (rows > 1) {
            int[] contents = IntStream.range(0, hot.length).filter(i -> hot[i]).toArray();
            int components = contents.length == 0 ? 0 : signatures.get(contents[0]).length;
            Workers.run(threads, components, 1, () -> {
                RadixSort sort = new RadixSort(contents.length);
                return component -> {
                    Candidates own = new Candidates(signatures, rows, leastHits, hotSize);
                    own.component(component, contents, sort);
                    all.addAll(own);
                };
            });
        }
        all.tidy();
        return Arrays.copyOf(all.pairs, all.count);
    }

    /** Pairs from the buckets of one band; marks the contents that were in a hot one. */
    private void band(int firstRow, RadixSort sort, boolean[] hot) {
        for (int content = 0; content < signatures.count(); content++) {
            sort.keys()[content] = key(signatures.get(content), firstRow);
            sort.values()[content] = content;
        }
        sort.sort();
        int[] contents = sort.values();
        sort.forEachRun((from, to) -> {
            if (to - from <= hotSize) {
                pair(contents, from, to, to - from);
                return;
            }
            for (int i = from; i < to; i++) {
                hot[contents[i]] = true;
            }
            order(contents, from, to, firstRow + rows);
            pair(contents, from, to, NEXT);
        });
    }

    /** Pairs of the contents that share one component with few others. */
    private void component(int component, int[] contents, RadixSort sort) {
        for (int i = 0; i < contents.length; i++) {
            sort.keys()[i] = signatures.get(contents[i])[component] & 0xFFFFFFFFL;
            sort.values()[i] = contents[i];
        }
        sort.sort();
        int[] sorted = sort.values();
        sort.forEachRun((from, to) -> {
            if (to - from <= RARE) {
                pair(sorted, from, to, RARE);
            }
        });
    }

    private long key(int[] signature, int firstRow) {
        long key = 0;
        for (int row = firstRow; row < firstRow + rows; row++) {
            key = Mix.finish((key ^ signature[row]) + GAMMA);
        }
        return key;
    }

    /** Pairs each content with the next so many. */
    private void pair(int[] contents, int from, int to, int next) {
        for (int i = from; i < to; i++) {
            int end = Math.min(to, i + 1 + next);
            int a = contents[i];
            int[] signature = signatures.get(a);
            for (int j = i + 1; j < end; j++) {
                int b = contents[j];
                if (hits(signature, signatures.get(b)) >= leastHits) {
                    add((long) Math.min(a, b) << 32 | Math.max(a, b));
                }
            }
        }
    }

    /** Orders a bucket by the components from {@code nextRow} on, around to the first; equal signatures by number. */
    private void order(int[] contents, int from, int to, int nextRow) {
        Integer[] boxed = new Integer[to - from];
        Arrays.setAll(boxed, i -> contents[from + i]);
        Arrays.sort(boxed, (a, b) -> {
            int[] left = signatures.get(a);
            int[] right = signatures.get(b);
            for (int i = 0; i < left.length; i++) {
                int row = (nextRow + i) % left.length;
                if (left[row] != right[row]) {
                    return Integer.compare(left[row], right[row]);
                }
            }
            return Integer.compare(a, b);
        });
        for (int i = 0; i < boxed.length; i++) {
            contents[from + i] = boxed[i];
        }
    }

    static int hits(int[] a, int[] b) {
        int hits = 0;
        for (int i = 0; i < a.length; i++) {
            hits += a[i] == b[i] ? 1 : 0;
        }
        return hits;
    }

    private void add(long pair) {
        if (count == pairs.length) {
            if (count > TIDY && count / 2 >= tidied) {
                tidy();
            }
            if (count > pairs.length / 2) {
                if (pairs.length > (1 << 29)) {
                    throw new IllegalStateException(
                            "more than " + count + " candidate pairs: raise the threshold or split the documents");
                }
                pairs = Arrays.copyOf(pairs, 2 * pairs.length);
            }
        }
        pairs[count++] = pair;
    }

    private synchronized void addAll(Candidates others) {
        for (int i = 0; i < others.count; i++) {
            add(others.pairs[i]);
        }
    }

    /** Sorts, and keeps each pair once. */
    private void tidy() {
        Arrays.sort(pairs, 0, count);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (kept == 0 || pairs[kept - 1] != pairs[i]) {
                pairs[kept++] = pairs[i];
            }
        }
        count = kept;
        tidied = kept;
    }
}
