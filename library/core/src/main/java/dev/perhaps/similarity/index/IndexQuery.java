package dev.perhaps.similarity.index;

import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.search.ShingleSource;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.segments.Neighbours;
import dev.perhaps.similarity.segments.Snapshot;
import dev.perhaps.similarity.text.SetBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A document that an index is searched for: its signature and, where they are known, its set and its fingerprint. */
final class IndexQuery {
    private final long[] signature;
    private final long @Nullable [] set;
    /** Both 0 if there is no fingerprint. */
    private final long high;

    private final long low;

    /** With a signature that was cut, and a set in ascending order. */
    private IndexQuery(long[] signature, long @Nullable [] set, long high, long low) {
        this.signature = signature;
        this.set = set;
        this.high = high;
        this.low = low;
    }

    private static IndexQuery of(long[] components, long @Nullable [] hashes, long high, long low) {
        long[] set = hashes == null ? null : new SetBuilder().build(hashes, hashes.length);
        return new IndexQuery(IndexShape.cut(components), set, high, low);
    }

    static IndexQuery ofSignature(long[] components) {
        return of(components, null, 0, 0);
    }

    /** A document of the index itself. */
    static IndexQuery ofDocument(Snapshot now, int number, DocumentIndex index) {
        long[] signature = new long[IndexShape.signatureWords(index.banding().components())];
        now.signature(number, signature);
        return new IndexQuery(signature, index.isExact() ? now.set(number) : null, now.high(number), now.low(number));
    }

    static IndexQuery ofSet(long[] hashes, DocumentIndex index) {
        return of(signed(hashes, index), index.isExact() ? hashes : null, 0, 0);
    }

    static IndexQuery ofText(byte[] utf8, DocumentIndex index) throws IOException {
        MinHash<?> minHash = index.minHash();
        Shingles shingles = Shingles.named(minHash.key().name(), minHash.key().seed());
        ShingleSource.Reader text = ShingleSource.texts(
                        single(utf8), shingles, MinHash.of(minHash.scheme(), 1, shingles.key()))
                .reader();
        text.open(0);
        long[] hashes = text.set();
        return of(signed(hashes, index), index.isExact() ? hashes : null, text.high, text.low);
    }

    private static Documents single(byte[] utf8) {
        return new Documents() {
            @Override
            public int count() {
                return 1;
            }

            @Override
            public byte[] utf8(int document) {
                return utf8;
            }
        };
    }

    private static long[] signed(long[] hashes, DocumentIndex index) {
        long[] signature = new long[index.minHash().components()];
        index.minHash().sign(hashes, 0, hashes.length, signature);
        return signature;
    }

    /**
     * The best matches of at least this similarity, the best first, {@code limit} at most; twice as many are in memory.
     * {@code work} as in {@link #candidates}.
     */
    List<DocumentIndex.Match> run(Snapshot now, Banding banding, double threshold, int limit, LongConsumer work) {
        if (!(threshold > 0 && threshold <= 1)) {
            throw new IllegalArgumentException("threshold must be in (0, 1], got " + threshold);
        }
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1, got " + limit);
        }
        List<DocumentIndex.Match> matches = new ArrayList<>();
        for (int number : candidates(now, banding, work)) {
            if (!now.isLiving(number)) {
                continue;
            }
            double jaccard = jaccard(now, number, banding, threshold);
            if (jaccard >= threshold) {
                boolean exact = set != null || isSame(now, number);
                matches.add(new DocumentIndex.Match(DocumentIndex.text(now.utf8(number)), jaccard, exact));
                if (matches.size() >= 2L * limit) {
                    keepBest(matches, limit);
                }
            }
        }
        keepBest(matches, limit);
        return List.copyOf(matches);
    }

    private static void keepBest(List<DocumentIndex.Match> matches, int limit) {
        matches.sort(Comparator.comparingDouble(DocumentIndex.Match::jaccard)
                .reversed()
                .thenComparing(DocumentIndex.Match::name));
        matches.subList(Math.min(limit, matches.size()), matches.size()).clear();
    }

    /**
     * The documents that share a band with it, removed ones too. {@code work} is told the steps of finding them, and
     * then, before any is compared, those of comparing them all; it may throw.
     */
    int[] candidates(Snapshot now, Banding banding, LongConsumer work) {
        int[] candidates = now.sharingABand(signature, banding.bands(), banding.rows(), new Neighbours(work));
        long steps = (long) signature.length * candidates.length;
        if (set != null) {
            steps += (long) set.length * candidates.length;
            for (int number : candidates) {
                steps += now.setSize(number);
            }
        }
        work.accept(steps);
        return candidates;
    }

    private boolean isSame(Snapshot now, int number) {
        return high != 0 && high == now.high(number) && low == now.low(number);
    }

    /** The similarity to a document of the index; any number below the threshold if it is below. */
    double jaccard(Snapshot now, int number, Banding banding, double threshold) {
        if (isSame(now, number)) {
            return 1;
        }
        if (set != null) {
            return SetBuilder.jaccard(set, now.set(number), threshold);
        }
        long[] other = new long[signature.length];
        now.signature(number, other);
        int hits = IndexShape.hits(signature, other, banding.components());
        return IndexShape.estimate(hits, banding.components());
    }
}
