package dev.perhaps.similarity.index;

import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.Signature;
import dev.perhaps.similarity.segments.Addition;
import dev.perhaps.similarity.segments.IndexInside;
import dev.perhaps.similarity.segments.IndexSegment;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.segments.Snapshot;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * An index of named documents that can be queried: which of them are similar to a given one, and how similar. Documents
 * can be added to a {@link SimilarityIndex}; {@link SimilarityIndex#map} returns an index that reads only the parts of
 * its file that a query needs. Safe for any number of readers.
 */
public abstract sealed class DocumentIndex implements Sketch, Iterable<DocumentIndex.Entry>
        permits SimilarityIndex, MappedIndex {
    static {
        IndexInside.set(new IndexInside() {
            @Override
            public Snapshot snapshot(Sketch index) {
                return ((DocumentIndex) index).snapshot();
            }

            @Override
            public void addAll(Sketch index, Addition[] batch) {
                ((SimilarityIndex) index).addAll(batch);
            }

            @Override
            public void join(Sketch index, int root, int other) {
                ((SimilarityIndex) index).join(root, other);
            }
        });
    }

    private final MinHash<?> minHash;
    private final Banding banding;
    private final double recall;
    private final boolean exact;
    private final Key.Bytes names;

    DocumentIndex(MinHash<?> minHash, Banding banding, double recall, boolean exact) {
        this.minHash = minHash;
        this.banding = banding;
        this.recall = recall;
        this.exact = exact;
        this.names = IndexSegment.names(minHash.key().seed());
    }

    /**
     * A document that is similar to the given one.
     *
     * @param exact true if the similarity was computed from both sets, false if it is estimated from the signatures
     */
    public record Match(String name, double jaccard, boolean exact) {}

    /**
     * A document of the index.
     *
     * @param length the length of its text in bytes, or the size of its set; 0 if it was added as a signature
     * @param cluster the name of the document that represents its cluster: a kept one, if there is one
     * @param kept false if it was removed as a near duplicate
     */
    public record Entry(String name, long length, String cluster, boolean kept) {}

    /** Returns the documents as they are now; later changes do not affect it. */
    abstract Snapshot snapshot();

    /** Returns the number of documents. */
    public abstract int size();

    /**
     * Reads the whole file of an index that {@link SimilarityIndex#map} returned and compares it with its checksum; one
     * in memory was compared when it was read.
     *
     * @throws dev.perhaps.sketch.FormatException if it is damaged
     */
    public abstract void verify() throws IOException;

    @Override
    public final Kind kind() {
        return Kind.SIMILAR;
    }

    /** Returns the family that signs the documents. */
    public final MinHash<?> minHash() {
        return minHash;
    }

    /** Returns the shingles of the texts; empty if the documents are sets of something else. */
    public final Optional<Shingles> shingles() {
        return Shingles.of(minHash.key());
    }

    /** Returns the bands; {@code banding().chance(j)} is the probability that a document of similarity j is found. */
    public final Banding banding() {
        return banding;
    }

    /** Returns the planned probability of finding a document at the threshold. */
    public final double recall() {
        return recall;
    }

    /** Returns true if sets are stored and matches are exact. */
    public final boolean isExact() {
        return exact;
    }

    /** Returns true if the index has a document with this name. */
    public final boolean contains(String name) {
        return find(snapshot(), utf8(name)) != Snapshot.NONE;
    }

    /** Returns what the index knows of the document with this name; empty if there is none. */
    public final Optional<Entry> entry(String name) {
        Snapshot now = snapshot();
        int number = find(now, utf8(name));
        return number == Snapshot.NONE ? Optional.empty() : Optional.of(entry(now, number));
    }

    final int find(Snapshot now, byte[] name) {
        return now.named(name, nameKey(name));
    }

    /** Returns the hash by which a name is found. */
    final long nameKey(byte[] name) {
        return names.hash(name, 0, name.length);
    }

    static byte[] utf8(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns UTF-8 bytes as a string. */
    static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private static Entry entry(Snapshot now, int number) {
        return new Entry(
                text(now.utf8(number)), now.length(number), text(now.utf8(now.root(number))), now.isKept(number));
    }

    /** Returns the documents in the order in which they were added, as they were when the iteration began. */
    @Override
    public final Iterator<Entry> iterator() {
        Snapshot now = snapshot();
        int end = now.documents();
        return new Iterator<>() {
            private int next = living(0);

            private int living(int from) {
                int number = from;
                while (number < end && !now.isLiving(number)) {
                    number++;
                }
                return number;
            }

            @Override
            public boolean hasNext() {
                return next < end;
            }

            @Override
            public Entry next() {
                if (next >= end) {
                    throw new NoSuchElementException("there are no more documents");
                }
                Entry entry = entry(now, next);
                next = living(next + 1);
                return entry;
            }
        };
    }

    /**
     * Returns the best matches with at least this estimated similarity, the best first, at most {@code limit}. Below
     * the planned threshold fewer are found; see {@code banding().chance(j)}.
     */
    public final List<Match> query(Signature signature, double threshold, int limit) {
        minHash.check(signature);
        return query(IndexQuery.ofSignature(signature.words()), threshold, limit);
    }

    /** Returns the best matches among all documents that share a band, whatever their similarity. */
    public final List<Match> query(Signature signature, int limit) {
        minHash.check(signature);
        return query(IndexQuery.ofSignature(signature.words()), Double.MIN_VALUE, limit);
    }

    /**
     * Returns the best matches of a set of hashes of the key; see {@link #query(Signature, double, int)}. Exact if the
     * index is.
     */
    public final List<Match> query(long[] hashes, double threshold, int limit) {
        return query(hashes, threshold, limit, any -> {});
    }

    /**
     * Returns {@link #query(long[], double, int)} and reports its work to {@code work}, in steps of a few nanoseconds:
     * several times while it finds documents that share a band, and once more before it compares them. {@code work} may
     * throw to end the query.
     */
    public final List<Match> query(long[] hashes, double threshold, int limit, LongConsumer work) {
        return IndexQuery.ofSet(hashes, this).run(snapshot(), banding, threshold, limit, work);
    }

    /**
     * Returns the best matches of a UTF-8 text in an index of shingles; see {@link #query(Signature, double, int)}.
     * Exact if the index is; documents with the same text are always exact matches.
     */
    public final List<Match> queryText(byte[] utf8, double threshold, int limit) throws IOException {
        return query(IndexQuery.ofText(utf8, this), threshold, limit);
    }

    /** Returns the best matches of the document with this name, itself left out; none if there is no such document. */
    public final List<Match> query(String name, double threshold, int limit) {
        return query(name, threshold, limit, any -> {});
    }

    /**
     * Returns {@link #query(String, double, int)}; {@code work} as in
     * {@link #query(long[], double, int, LongConsumer)}.
     */
    public final List<Match> query(String name, double threshold, int limit, LongConsumer work) {
        Snapshot now = snapshot();
        int number = find(now, utf8(name));
        if (number == Snapshot.NONE) {
            return List.of();
        }
        return IndexQuery.ofDocument(now, number, this)
                .run(now, banding, threshold, limit == Integer.MAX_VALUE ? limit : limit + 1, work)
                .stream()
                .filter(match -> !match.name().equals(name))
                .limit(limit)
                .toList();
    }

    /**
     * Returns the groups of two or more documents that are connected by pairs of at least this similarity, the largest
     * first. It runs one query per document; {@code work} as in {@link #query(long[], double, int, LongConsumer)}.
     */
    public final List<List<String>> clusters(double threshold, LongConsumer work) {
        return IndexClusters.of(snapshot(), this, threshold, work);
    }

    private List<Match> query(IndexQuery asked, double threshold, int limit) {
        return asked.run(snapshot(), banding, threshold, limit, any -> {});
    }

    final IndexShape emptyShape() {
        return new IndexShape(banding.components(), banding.rows(), exact, 0, 0, 0);
    }

    /** Parameters in the file (docs/format.md). */
    final Frame frame(IndexShape shape) {
        return Frame.of(
                Kind.SIMILAR,
                minHash.key(),
                shape.words() * Long.BYTES,
                minHash.scheme(),
                shape.components(),
                shape.rows(),
                Double.doubleToRawLongBits(banding.threshold()),
                Double.doubleToRawLongBits(recall),
                exact ? 1 : 0,
                shape.documents(),
                shape.nameBytes(),
                shape.setWords());
    }

    @Override
    public final Description describe() {
        Snapshot now = snapshot();
        long kept = 0;
        long clusters = 0;
        for (int number = 0; number < now.documents(); number++) {
            if (now.isLiving(number)) {
                kept += now.isKept(number) ? 1 : 0;
                clusters += now.root(number) == number ? 1 : 0;
            }
        }
        int documents = size();
        long file = fileBytes();
        return Description.of(kind())
                .text("key", minHash.key().name())
                .text("seed", Long.toString(minHash.key().seed()))
                .text("family", minHash.name())
                .count("components", banding.components())
                .count("bands", banding.bands())
                .count("rows", banding.rows())
                .number("threshold", banding.threshold(), "")
                .share("foundAtThreshold", banding.chance(banding.threshold()))
                .flag("exact", exact)
                .count("documents", documents)
                .count("kept", kept)
                .count("clusters", clusters)
                .number("bytesPerDocument", documents == 0 ? 0 : (double) file / documents, "bytes")
                .bytes("sizeBytes", sizeBytes())
                .bytes("fileBytes", file);
    }

    @Override
    public String toString() {
        return size() + " documents, " + banding + ", key " + minHash.key().name() + (exact ? ", exact" : "");
    }
}
