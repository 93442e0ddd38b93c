package dev.perhaps.similarity.duplicates;

import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.search.Buckets;
import dev.perhaps.similarity.search.Candidates;
import dev.perhaps.similarity.search.DistinctTexts;
import dev.perhaps.similarity.search.FineSignatures;
import dev.perhaps.similarity.search.HotBucket;
import dev.perhaps.similarity.search.OneText;
import dev.perhaps.similarity.search.PairIds;
import dev.perhaps.similarity.search.ShingleSource;
import dev.perhaps.similarity.search.ShortSignatures;
import dev.perhaps.similarity.segments.IndexSegment;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.segments.Neighbours;
import dev.perhaps.similarity.text.SetBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rule by which {@link NearDuplicates} finds pairs to compare, in steps that depend on nothing but what they are
 * given. An engine that keeps documents on many machines and takes these steps has the clusters, the kept documents and
 * the edges of {@link NearDuplicates#run}, however the documents are distributed. Not thread-safe: one per thread.
 *
 * <p>{@code DuplicateRule rule = NearDuplicates.atLeast(0.8).rule();}
 */
public final class DuplicateRule {
    /*
     * What an engine does. A content is a text that differs from all others, named by its fingerprint.
     *
     *     1. Sign every document (Reader); equal fingerprints are one content.
     *     2. Pass 0: enter every content under keys(signature, 0), one key per band. Of each bucket of one band:
     *        isCrowd(size): its members take part in the passes 1 and 2 too. isHot(size): remember the bucket and its
     *        members, unless isWithoutHot(pass). Else all its pairs have met.
     *     3. Passes 1 and 2 with what was in a crowd, in the same way; nobody is in a crowd there.
     *     4. Sign the members of hot buckets finely; hotPairs chooses of each such bucket.
     *     5. Of all contents that were in a hot bucket that isCut, those that share one of the fineValues, of which
     *        areFew have it, are chosen if they areClose.
     *     6. compare the texts of pairs that met or were chosen; whole components of their graph at a time.
     *
     * Against an index: contents meet those that were indexed under one of their earlierKeys. One with the same
     * fingerprint is the only edge, 1. Of the others, those with leastHits (earlierHits) are shown to an earlierChoice.
     * A document that is connected by its edges to clusters of the index is compared together with all others that are.
     *
     * Pairs that met are those with leastHits; compare drops the others, so an engine that is not sure may give too
     * many.
     */
    private final NearDuplicates search;
    private final Banding banding;
    private final int leastHits;
    private final int[][][] rowsOf;
    private final int leastClose;
    /** Has a table of up to 8 MiB, and is made when it is needed. */
    private @Nullable HotBucket hotBucket;

    DuplicateRule(NearDuplicates search, int leastHits) {
        this.search = search;
        this.banding = search.banding();
        this.leastHits = leastHits;
        int bands = banding.bands();
        this.rowsOf = IntStream.range(0, Buckets.PASSES)
                .mapToObj(pass -> IntStream.range(0, bands)
                        .mapToObj(band -> Buckets.rows(pass, band, bands, banding.rows()))
                        .toArray(int[][]::new))
                .toArray(int[][][]::new);
        this.leastClose = HotBucket.least(banding.threshold());
    }

    /** Receives pairs. */
    @FunctionalInterface
    public interface Sink {
        /** Takes a pair, given by the places of both. */
        void pair(int a, int b);
    }

    /** Computes the fingerprint, signatures and shingles of one text after the other. Not thread-safe. */
    public static final class Reader {
        private final OneText text;
        private final ShingleSource.Reader texts;
        private final ShingleSource.Reader fine;
        private final long[] components;
        private final long[] fineComponents = new long[FineSignatures.COMPONENTS];

        Reader(OneText text, ShingleSource.Reader texts, ShingleSource.Reader fine, int components) {
            this.text = text;
            this.texts = texts;
            this.fine = fine;
            this.components = new long[components];
        }

        /**
         * Reads a text in UTF-8, to which the other methods then refer; the array must not be changed before the next
         * call.
         */
        public void read(byte[] utf8) throws IOException {
            text.set(Objects.requireNonNull(utf8, "utf8"));
            texts.open(0);
        }

        /** Returns the first half of the fingerprint: contents are in the order of both halves, unsigned. */
        public long high() {
            return texts.high;
        }

        /** Returns the second half of the fingerprint. */
        public long low() {
            return texts.low;
        }

        /** Returns the length of the text in bytes, by which the one to keep is chosen. */
        public long length() {
            return texts.length;
        }

        /** Returns the signature, cut to 32 bits per component. */
        public int[] signature() {
            return DistinctTexts.sign(texts, components);
        }

        /** Returns the different hashes of the text's shingles, ascending. */
        public long[] set() {
            return texts.set();
        }

        /** Returns the longer signature that members of hot buckets need. */
        public long[] fineSignature() throws IOException {
            fine.open(0);
            fine.sign(fineComponents);
            return FineSignatures.cut(fineComponents);
        }

        /**
         * Returns the values by which members of cut buckets are paired, for the text of the last {@link
         * #fineSignature}.
         */
        public char[] fineValues() {
            return FineSignatures.values(fineComponents);
        }
    }

    /**
     * Chooses, for one new content after the other, which documents of earlier runs it is compared with and has edges
     * to, of those that share a band and have enough equal components. They are passed in the order of the number of
     * different components, ascending, then of their number in the index. Not thread-safe.
     */
    public static final class EarlierChoice {
        /*
         * Of documents with one content only the first has an edge. Once FEW edges lead to one cluster of the index,
         * only its kept documents are still compared: further edges to it connect nothing.
         */
        private static final int FEW = 32;

        private final double threshold;
        private final int components;
        private final Map<Object, Integer> edgesOfCluster = new HashMap<>();
        /** Fingerprints of those with an edge, two numbers each. */
        private long[] fingerprints = new long[32];

        private int count;

        EarlierChoice(double threshold, int components) {
            this.threshold = threshold;
            this.components = components;
        }

        /** Starts with another content. */
        public void start() {
            edgesOfCluster.clear();
            count = 0;
        }

        /**
         * Returns whether a document of the index is to be compared.
         *
         * @param cluster the number that identifies the cluster of the document
         * @param high the first half of its fingerprint; 0 if it has none
         */
        public boolean isWanted(Object cluster, boolean kept, long high, long low) {
            for (int i = 0; i < count; i++) {
                if (high != 0 && high == fingerprints[2 * i] && low == fingerprints[2 * i + 1]) {
                    return false;
                }
            }
            return kept || edgesOfCluster.getOrDefault(cluster, 0) < FEW;
        }

        /** Returns whether a document that was wanted has an edge, given its similarity. */
        public boolean isEdge(Object cluster, long high, long low, double jaccard) {
            if (jaccard < threshold) {
                return false;
            }
            if (2 * count == fingerprints.length) {
                fingerprints = Arrays.copyOf(fingerprints, 4 * count);
            }
            fingerprints[2 * count] = high;
            fingerprints[2 * count + 1] = low;
            count++;
            edgesOfCluster.merge(cluster, 1, Integer::sum);
            return true;
        }

        /** Returns the similarity that a number of equal components suggests, where there is no exact one. */
        public double estimate(int hits) {
            return IndexShape.estimate(hits, components);
        }
    }

    /**
     * Documents of earlier runs, and the edges of new documents to them, found by an engine that stores the index
     * elsewhere. Both are numbered within one comparison. Not thread-safe.
     */
    public static final class EarlierMatches {
        private final List<Integer> roots = new ArrayList<>();
        private final BitSet kept = new BitSet();
        private final List<List<EarlierEdges.Edge>> ofDocument = new ArrayList<>();

        /** Creates an empty collection. */
        public EarlierMatches() {}

        /**
         * Adds a document of the index; documents are added in the order in which they were added to the index.
         *
         * @param root the number of the document that identifies its cluster: at most its own number, unless clusters
         *     were joined
         * @return its number
         */
        public int add(int root, boolean isKept) {
            int number = roots.size();
            roots.add(root);
            kept.set(number, isKept);
            return number;
        }

        /**
         * Adds an edge.
         *
         * @param document the number of a new document
         * @param earlier the number of a document of the index
         * @param hits the number of equal components
         * @param exact false if the similarity is an estimate
         */
        public void edge(int document, int earlier, double jaccard, int hits, boolean exact) {
            while (ofDocument.size() <= document) {
                ofDocument.add(new ArrayList<>());
            }
            Objects.checkIndex(earlier, roots.size());
            ofDocument.get(document).add(new EarlierEdges.Edge(earlier, jaccard, hits, exact));
        }

        /** The edges by content. */
        EarlierEdges of(int[] contentOfDocument, int contents) {
            EarlierEdges.Edge[][] edges = new EarlierEdges.Edge[contents][];
            Arrays.fill(edges, EarlierEdges.NO_EDGES);
            for (int document = 0; document < ofDocument.size(); document++) {
                EarlierEdges.Edge[] sorted = ofDocument.get(document).toArray(EarlierEdges.NO_EDGES);
                Arrays.sort(sorted, Comparator.comparingInt(EarlierEdges.Edge::number));
                if (sorted.length > 0) {
                    edges[contentOfDocument[document]] = sorted;
                }
            }
            EarlierDocuments documents = new EarlierDocuments() {
                @Override
                public int root(int number) {
                    return roots.get(number);
                }

                @Override
                public boolean isKept(int number) {
                    return kept.get(number);
                }

                @Override
                public byte[] utf8(int number) {
                    throw new UnsupportedOperationException("the engine knows the names");
                }
            };
            return new EarlierEdges(documents, roots.size(), edges);
        }
    }

    /** Returns a reader that signs texts. */
    public Reader reader() {
        return search.reader();
    }

    /** Returns the bands of every pass. */
    public Banding banding() {
        return banding;
    }

    /** Returns the number of equal components that a pair of a bucket needs. */
    public int leastHits() {
        return leastHits;
    }

    /** Returns the number of equal components of two signatures. */
    public static int hits(int[] a, int[] b) {
        return Candidates.hits(a, b);
    }

    /** Returns the number of passes over the bands. */
    public static int passes() {
        return Buckets.PASSES;
    }

    /** Returns the keys of a signature, one per band; contents with equal keys of one band and pass are a bucket. */
    public long[] keys(int[] signature, int pass) {
        int[][] rows = rowsOf[pass];
        long[] keys = new long[rows.length];
        for (int band = 0; band < keys.length; band++) {
            keys[band] = Buckets.key(signature, rows[band]);
        }
        return keys;
    }

    /** Returns true if the members of a bucket of this size in pass 0 take part in the other passes. */
    public static boolean isCrowd(int size) {
        return Buckets.isCrowd(size);
    }

    /** Returns true if not all pairs of a bucket of this size are compared. */
    public static boolean isHot(int size) {
        return size > Buckets.HOT;
    }

    /** Returns true if hot buckets are skipped in this pass. */
    public static boolean isWithoutHot(int pass) {
        return Buckets.isLast(pass);
    }

    /** Returns true if a hot bucket of this size is cut into blocks, and its members are also paired by values. */
    public static boolean isCut(int size) {
        return HotBucket.isCut(size);
    }

    /**
     * Chooses pairs of a hot bucket, some of them twice.
     *
     * @param signatures those of the members, in the order of their fingerprints; used only if the bucket is cut
     * @param fineSignatures those of the members, in the same order
     */
    public void hotPairs(int pass, int band, int[][] signatures, long[][] fineSignatures, Sink sink) {
        hotBucket = hotBucket == null ? new HotBucket(banding.threshold()) : hotBucket;
        int[] members = IntStream.range(0, fineSignatures.length).toArray();
        hotBucket.pairs(
                members,
                Buckets.orderedFrom(pass, band, banding.rows()),
                ShortSignatures.of(signatures),
                FineSignatures.of(fineSignatures),
                sink::pair);
    }

    /** Returns true if a value is shared by so small a number of contents that all their pairs are compared. */
    public static boolean areFew(int size) {
        return Buckets.areFew(size);
    }

    /** Returns true if two contents that share a rare value are chosen. */
    public boolean areClose(long[] fineSignature, long[] other) {
        return FineSignatures.hits(fineSignature, other) >= leastClose;
    }

    /** Returns two positions as one number, for {@link #compare}. */
    public static long pair(int a, int b) {
        return PairIds.of(a, b);
    }

    /**
     * Compares pairs of documents exactly, and returns the clusters that result from the pairs at or above the
     * threshold.
     *
     * @param documents the texts of whole components of the graph of all pairs, one of each content
     * @param met pairs of a bucket, by the numbers of the documents; those with too few equal components are dropped
     * @param chosen pairs of {@link #hotPairs}, and those that {@link #areClose}
     */
    public Clusters compare(Documents documents, long[] met, long[] chosen) throws IOException {
        return compare(documents, met, chosen, new EarlierMatches());
    }

    /** Does the same with edges to documents of earlier runs. */
    public Clusters compare(Documents documents, long[] met, long[] chosen, EarlierMatches earlier) throws IOException {
        return search.compare(documents, met, chosen, earlier);
    }

    /** Returns a signature as an index stores it: 16 bits per component, four components per number. */
    public static long[] indexed(int[] signature) {
        return IndexShape.cut(signature);
    }

    /**
     * Returns the keys of an {@link #indexed} signature, one per band: a new content is compared with the documents
     * that were indexed under one of its keys.
     */
    public long[] earlierKeys(long[] indexed) {
        long[] keys = new long[banding.bands()];
        for (int band = 0; band < keys.length; band++) {
            keys[band] = IndexSegment.bandKey(indexed, band, banding.rows());
        }
        return keys;
    }

    /** Returns the number of equal components of two {@link #indexed} signatures. */
    public int earlierHits(long[] indexed, long[] other) {
        return IndexShape.hits(indexed, other, banding.components());
    }

    /**
     * Compares two {@link #indexed} signatures by the components that follow a band: among those that share it,
     * neighbouring signatures are similar.
     */
    public int compareTies(int band, long[] indexed, long[] other) {
        return IndexShape.compareTies(indexed, other, (band + 1) * banding.rows(), banding.components());
    }

    /**
     * Returns true if a bucket of an index with this size is large: only the members {@link #earlierSide next to} a new
     * content are compared with it.
     */
    public static boolean isLargeEarlier(int size) {
        return size > Neighbours.WHOLE;
    }

    /** Returns the number of members of a large bucket that are compared on each side. */
    public static int earlierSide() {
        return Neighbours.SIDE;
    }

    /** Returns a choice of the documents of an index that a content has edges to. */
    public EarlierChoice earlierChoice() {
        return new EarlierChoice(banding.threshold(), banding.components());
    }

    /** Returns the similarity of two sets of {@link Reader#set}; −1 if it is below the threshold. */
    public double jaccard(long[] set, long[] other) {
        return SetBuilder.jaccard(set, other, banding.threshold());
    }

    @Override
    public String toString() {
        return "rule of " + search;
    }
}
