package dev.perhaps.similarity.index;

import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.Signature;
import dev.perhaps.similarity.TextKey;
import dev.perhaps.similarity.search.ShingleSource;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.segments.Neighbours;
import dev.perhaps.similarity.segments.Snapshot;
import dev.perhaps.similarity.text.SetBuilder;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The queries of an index of named documents: which of them are similar to a given one, and how similar. {@link
 * SimilarityIndex} can be added to; {@link MappedIndex} is mapped from its file. Safe for any number of readers.
 */
public abstract sealed class DocumentIndex implements Sketch, Iterable<DocumentIndex.Entry>
        permits SimilarityIndex, MappedIndex {
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
        this.names = Key.bytes().seeded(minHash.key().seed());
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
    public abstract Snapshot snapshot();

    /** Returns the number of documents. */
    public abstract int size();

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
        String name = minHash.key().name();
        return name.startsWith(TextKey.CODE_POINTS) || name.startsWith(TextKey.WORDS)
                ? Optional.of(Shingles.named(name, minHash.key().seed()))
                : Optional.empty();
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
    public final long nameKey(byte[] name) {
        return names.hash(name, 0, name.length);
    }

    static byte[] utf8(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns UTF-8 bytes as a string. */
    public static String text(byte[] utf8) {
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
        return query(new Asked(signature.words(), null, 0, 0), threshold, limit);
    }

    /** Returns the best matches among all documents that share a band, whatever their similarity. */
    public final List<Match> query(Signature signature, int limit) {
        minHash.check(signature);
        return query(new Asked(signature.words(), null, 0, 0), Double.MIN_VALUE, limit);
    }

    /**
     * Returns the best matches of a set of hashes of the key; see {@link #query(Signature, double, int)}. Exact if the
     * index is.
     */
    public final List<Match> query(long[] hashes, double threshold, int limit) {
        return query(new Asked(signed(hashes), exact ? hashes : null, 0, 0), threshold, limit);
    }

    /**
     * Returns the best matches of a UTF-8 text in an index of shingles; see {@link #query(Signature, double, int)}.
     * Exact if the index is; documents with the same text are always exact matches.
     */
    public final List<Match> queryText(byte[] utf8, double threshold, int limit) throws IOException {
        Shingles shingles = Shingles.named(minHash.key().name(), minHash.key().seed());
        ShingleSource.Reader text = ShingleSource.texts(
                        single(utf8), shingles, MinHash.of(minHash.scheme(), 1, shingles.key()))
                .reader();
        text.open(0);
        long[] hashes = text.set();
        return query(new Asked(signed(hashes), exact ? hashes : null, text.high, text.low), threshold, limit);
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

    /** What is asked for. */
    private static final class Asked {
        final long[] signature;
        final long @Nullable [] set;
        final long high;
        final long low;

        Asked(long[] components, long @Nullable [] hashes, long high, long low) {
            this.signature = IndexShape.cut(components);
            this.set = hashes == null ? null : new SetBuilder().build(hashes, hashes.length);
            this.high = high;
            this.low = low;
        }
    }

    private long[] signed(long[] hashes) {
        long[] signature = new long[minHash.components()];
        minHash.sign(hashes, 0, hashes.length, signature);
        return signature;
    }

    private List<Match> query(Asked asked, double threshold, int limit) {
        if (!(threshold > 0 && threshold <= 1)) {
            throw new IllegalArgumentException("threshold must be in (0, 1], got " + threshold);
        }
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1, got " + limit);
        }
        Snapshot now = snapshot();
        long[] other = new long[asked.signature.length];
        List<Match> matches = new ArrayList<>();
        for (int number : now.sharingABand(asked.signature, banding.bands(), banding.rows(), new Neighbours())) {
            if (!now.isLiving(number)) {
                continue;
            }
            boolean same = asked.high != 0 && asked.high == now.high(number) && asked.low == now.low(number);
            double jaccard = same ? 1 : -1;
            if (!same && asked.set != null) {
                jaccard = SetBuilder.jaccard(asked.set, now.set(number), threshold);
            } else if (!same) {
                now.signature(number, other);
                jaccard = estimate(hits(asked.signature, other, banding.components()), banding.components());
            }
            if (jaccard >= threshold) {
                matches.add(new Match(text(now.utf8(number)), jaccard, same || asked.set != null));
            }
        }
        matches.sort(Comparator.comparingDouble(Match::jaccard).reversed().thenComparing(Match::name));
        return List.copyOf(matches.subList(0, Math.min(limit, matches.size())));
    }

    /** Returns the number of equal components of two signatures of 16 bits per component. */
    public static int hits(long[] a, long[] b, int components) {
        int different = 0;
        for (int i = 0; i < a.length; i++) {
            long x = a[i] ^ b[i];
            // The highest bit of each lane of 16 is set iff the lane is not 0.
            x = (x & 0x7FFF7FFF7FFF7FFFL) + 0x7FFF7FFF7FFF7FFFL | x;
            different += Long.bitCount(x & 0x8000800080008000L);
        }
        return components - different;
    }

    /**
     * Returns the similarity estimated from {@code hits} equal components of 16 bits; different components are equal
     * once in 2^16.
     */
    public static double estimate(int hits, int components) {
        double alike = 1.0 / (1 << IndexShape.BITS);
        return Math.max(0, ((double) hits / components - alike) / (1 - alike));
    }

    /**
     * Returns the first difference from an index of this family and these bands, for messages; empty if there is none.
     */
    public final String difference(MinHash<?> otherMinHash, Banding otherBanding) {
        String family = minHash.difference(otherMinHash);
        if (!family.isEmpty()) {
            return family;
        }
        if (banding.threshold() != otherBanding.threshold()) {
            return "threshold " + banding.threshold() + " against " + otherBanding.threshold();
        }
        return banding.rows() == otherBanding.rows()
                ? ""
                : "bands of " + banding.rows() + " rows against " + otherBanding.rows();
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
