package dev.perhaps.similarity.duplicates;

import dev.perhaps.key.Key;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.similarity.search.DistinctTexts;
import dev.perhaps.similarity.search.ShingleSource;
import dev.perhaps.similarity.segments.Addition;
import dev.perhaps.similarity.segments.IndexInside;
import dev.perhaps.similarity.segments.IndexSegment;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.segments.Snapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Documents that were compared, on their way into an index together. Not thread-safe. */
final class Additions {
    private final DistinctTexts contents;
    private final IndexInside inside = IndexInside.get();
    private final SimilarityIndex index;
    private final Key.Bytes names;
    private final int earlier;
    /** As bytes, by which an index knows them: names with half a pair of surrogates may have the same. */
    private final Set<ByteBuffer> taken = new HashSet<>();

    private final Addition[] batch;
    private final long[][] signatures;
    private final long[][] sets;
    private final ShingleSource.Reader reader;

    /** For an index that had {@code earlier} documents when they were compared. */
    Additions(ShingleSource source, DistinctTexts contents, SimilarityIndex index, int earlier) {
        int there = inside.snapshot(index).documents();
        if (there != earlier) {
            throw new IllegalArgumentException("the index has changed since it was compared with: it had " + earlier
                    + " documents, and has " + there);
        }
        this.reader = source.reader();
        this.contents = contents;
        this.index = index;
        this.names = IndexSegment.names(index.minHash().key().seed());
        this.earlier = earlier;
        this.batch = new Addition[contents.ofDocument.length];
        this.signatures = new long[contents.count()][];
        this.sets = new long[contents.count()][];
    }

    /** Numbers of this run: new documents first, then those of the index. In the index it is the other way round. */
    private int inIndex(int number) {
        return number < batch.length ? earlier + number : number - batch.length;
    }

    void add(int document, String name, int cluster, boolean kept) throws IOException {
        byte[] utf8 = IndexShape.checkedName(name);
        if (!taken.add(ByteBuffer.wrap(utf8))) {
            throw new IllegalArgumentException(
                    "two documents are named '" + name + "': each document of an index needs its own name");
        }
        if (index.contains(name)) {
            throw new IllegalArgumentException(
                    "the index has a document named '" + name + "' already: remove it first, or use another name");
        }
        int content = contents.ofDocument[document];
        if (signatures[content] == null) {
            signatures[content] = IndexShape.cut(contents.signatures.get(content));
            sets[content] = set(content);
        }
        batch[document] = new Addition(
                utf8,
                names.hash(utf8, 0, utf8.length),
                contents.high[document],
                contents.low[document],
                contents.lengths[document],
                signatures[content],
                sets[content],
                Snapshot.inCluster(kept ? Snapshot.KEPT : 0, inIndex(cluster)));
    }

    private long[] set(int content) throws IOException {
        if (!index.isExact()) {
            return new long[0];
        }
        reader.open(contents.first(content));
        return reader.set();
    }

    /**
     * Puts all into the index; clusters of the index, by the number there, become part of others, by the number here.
     */
    void put(Map<Integer, Integer> joined) {
        inside.addAll(index, batch);
        joined.forEach((root, cluster) -> inside.join(index, root, inIndex(cluster)));
    }
}
