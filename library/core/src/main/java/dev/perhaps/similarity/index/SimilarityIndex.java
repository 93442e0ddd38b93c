package dev.perhaps.similarity.index;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Signature;
import dev.perhaps.similarity.segments.Addition;
import dev.perhaps.similarity.segments.IndexSegment;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.segments.SegmentWeaver;
import dev.perhaps.similarity.segments.Snapshot;
import dev.perhaps.similarity.segments.WordArray;
import dev.perhaps.similarity.text.SetBuilder;
import dev.perhaps.sketch.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finds the named documents that are similar to a signature: unless more than 2,048 of them share a band, a query reads
 * a document at the threshold with at least the planned probability (default: 99 %); of more, only the 512 most similar
 * on either side. Each similarity is estimated, too high or too low, with the error of {@link MinHash}, so a document
 * exactly at the threshold is found every second time; similarities are exact if it is planned {@link Plan#exact
 * exact}. For 128 components and threshold 0.8 it takes 388 bytes per document, plus the name; exact, 8 more per
 * distinct shingle. A query reads about 230 of a million documents. One writer and any number of readers at once,
 * without locks.
 *
 * <pre>{@code
 * MinHash<String> minHash = MinHash.of(128);
 * SimilarityIndex index = SimilarityIndex.of(minHash).threshold(0.5).build();
 * index.add("monday", minHash.sign(Set.of("bread", "milk", "eggs")));
 * List<DocumentIndex.Match> like = index.query(minHash.sign(Set.of("bread", "milk", "tea")), 0.4, 10);
 * }</pre>
 */
public final class SimilarityIndex extends DocumentIndex {
    /*
     *     segment 0 (sorted)        | segment 1 | … | tail: up to 256, as they came       numbers run through
     *
     * A segment holds, for each band, the numbers of its documents sorted by the band's key (IndexSegment), and so 4
     * bytes per document and band; keys are computed again from the signature. An addition goes to the tail, which a
     * query reads from one end to the other (10 µs). A full tail becomes a segment, and segments are joined while one
     * is not twice as large as the next: an addition is written again log₂(n / 256) times. One that joins all of a
     * million takes seconds, which a server cannot wait for: maxJoinedBytes. Saving weaves all segments into one,
     * without the removed documents; what is opened is one segment.
     *
     * Readers take the list of segments from one volatile field, and the tail's length from another. Only states change
     * in place, a word each: the cluster, whether kept, whether removed.
     *
     * Bytes per document: state 8, fingerprint 16, length 8, end of the name 8, signature 2k (256 for k = 128), 4 for
     * each band and for the orders by name and by fingerprint (92 for 21 bands); and the name. Components are cut to 16
     * bits: different ones look alike once in 65,536, which the estimate takes off and which adds a hundred-thousandth
     * to its error. 8 bits would save 128 bytes and add 0.3 % to the error, but bands of one or two rows would find
     * strangers; 32 bits add 256 bytes for nothing that shows.
     *
     * Clusters. Each document points to another of its cluster, and in the end to the one that the cluster is known by;
     * two clusters are joined by one such pointer. What NearDuplicates.against finds is put here.
     *
     * Left out: the texts themselves, which would make an exact index 8 times smaller and tell what was indexed.
     *
     * [1] Indyk and Motwani (1998). [2] O'Neil and others, "The log-structured merge-tree" (1996). [3] Li and König,
     * "b-bit minwise hashing" (2010).
     */
    /** What the object of an addition and its arrays take beside what is in them. */
    private static final int ADDITION_WORDS = 15;

    private static final long MAX_JOINED_WORDS = Integer.MAX_VALUE / 2;

    private volatile Snapshot snapshot;
    private final AtomicInteger living;
    private volatile long maxJoinedWords = MAX_JOINED_WORDS;

    /** False as long as every document is a cluster of its own: then nothing is left to name when one is removed. */
    private boolean hasClusters;

    private SimilarityIndex(
            MinHash<?> minHash, Banding banding, double recall, boolean exact, List<IndexSegment> segments) {
        super(minHash, banding, recall, exact);
        this.snapshot = new Snapshot(segments, Snapshot.TAIL);
        this.living = new AtomicInteger(snapshot.documents());
        for (int number = 0; number < snapshot.documents() && !hasClusters; number++) {
            hasClusters = Snapshot.cluster(snapshot.state(number)) != number;
        }
    }

    /** Starts a plan for signatures of this family (default: threshold 0.8, recall 0.99). */
    public static Plan of(MinHash<?> minHash) {
        return new Plan(minHash, Banding.of(minHash.components()).threshold(0.8).recall(0.99), 0.99, false);
    }

    /** Describes an index before it is built. Immutable. */
    public static final class Plan {
        private final MinHash<?> minHash;
        private final Banding banding;
        private final double recall;
        private final boolean exact;

        private Plan(MinHash<?> minHash, Banding banding, double recall, boolean exact) {
            this.minHash = minHash;
            this.banding = banding;
            this.recall = recall;
            this.exact = exact;
        }

        /** The similarity, in (0, 1], from which documents are to be found (default: 0.8). */
        public Plan threshold(double threshold) {
            return new Plan(
                    minHash,
                    Banding.of(minHash.components()).threshold(threshold).recall(recall),
                    recall,
                    exact);
        }

        /**
         * The probability, in (0, 1), that a query reads a document at the threshold, unless more than 2,048 share a
         * band (default: 0.99).
         */
        public Plan recall(double chance) {
            double threshold = banding.threshold();
            return new Plan(
                    minHash,
                    Banding.of(minHash.components()).threshold(threshold).recall(chance),
                    chance,
                    exact);
        }

        /** Returns this plan with exactly these bands, and the recall at their threshold that the index states. */
        public Plan bands(Banding bands, double chance) {
            return new Plan(minHash, bands, chance, exact);
        }

        /** Stores the sets too, 8 bytes per distinct hash, so that matches are exact. */
        public Plan exact() {
            return new Plan(minHash, banding, recall, true);
        }

        /** Builds an empty index. */
        public SimilarityIndex build() {
            return new SimilarityIndex(minHash, banding, recall, exact, List.of());
        }
    }

    @Override
    Snapshot snapshot() {
        return snapshot;
    }

    @Override
    public void verify() {
        // Read, and so compared with its checksum, or made here.
    }

    @Override
    public int size() {
        return living.get();
    }

    /**
     * Adds a document by its signature; returns false, with nothing changed, if the name exists. Not for an exact
     * index.
     */
    @CanIgnoreReturnValue
    public boolean add(String name, Signature signature) {
        minHash().check(signature);
        if (isExact()) {
            throw new IllegalArgumentException("an exact index needs the hashes of '" + name + "', not its signature");
        }
        return add(name, signature.words(), new long[0], 0);
    }

    /** Adds a document by its hashes; returns false, with nothing changed, if the name exists. */
    @CanIgnoreReturnValue
    public boolean add(String name, long[] hashes) {
        long[] signature = new long[minHash().components()];
        minHash().sign(hashes, 0, hashes.length, signature);
        long[] set = new SetBuilder().build(hashes, hashes.length);
        return add(name, signature, isExact() ? set : new long[0], set.length);
    }

    private synchronized boolean add(String name, long[] signature, long[] set, long length) {
        byte[] utf8 = IndexShape.checkedName(name);
        if (find(snapshot, utf8) != Snapshot.NONE) {
            return false;
        }
        int number = snapshot.documents();
        checkCount(number + 1L);
        append(new Addition(utf8, nameKey(utf8), 0, 0, length, IndexShape.cut(signature), set, Snapshot.KEPT | number));
        return true;
    }

    private static void checkCount(long documents) {
        if (documents > IndexShape.MAX_DOCUMENTS) {
            throw new IllegalStateException("an index holds at most " + IndexShape.MAX_DOCUMENTS + " documents");
        }
    }

    private void append(Addition addition) {
        snapshot.append(addition);
        living.incrementAndGet();
        if (snapshot.isFull()) {
            push(List.of());
        }
    }

    /** Makes the tail a segment, puts others behind it, and joins what is not twice as large as what follows. */
    private void push(List<IndexSegment> more) {
        List<IndexSegment> all =
                snapshot.sorted(banding().components(), banding().rows(), isExact(), seed());
        all.addAll(more);
        IndexSegment last = all.get(all.size() - 1);
        List<IndexSegment> before = all.subList(0, all.size() - 1);
        List<IndexSegment> joined = all.subList(firstJoined(before, last.documents(), last.shape.words()), all.size());
        if (joined.size() > 1) {
            // All at once: the parts and what is made of them are in memory, and nothing in between.
            IndexSegment one = SegmentWeaver.joined(List.copyOf(joined), seed());
            joined.clear();
            all.add(one);
        }
        snapshot = new Snapshot(all, Snapshot.TAIL);
    }

    /** The first of these segments that is joined with a later one of this number of documents and words. */
    private int firstJoined(List<IndexSegment> before, long documents, long words) {
        int first = before.size();
        long joinedDocuments = documents;
        long joinedWords = words;
        while (first > 0) {
            IndexSegment next = before.get(first - 1);
            joinedWords += next.shape.words();
            if (next.documents() >= 2L * joinedDocuments || joinedWords >= maxJoinedWords) {
                break;
            }
            joinedDocuments += next.documents();
            first--;
        }
        return first;
    }

    /**
     * Limits the bytes that one addition may rewrite: parts of the index that together take more bytes are not joined
     * any more (default: 8 GiB). Joining takes about 10 to 30 ns per byte; a query reads every part. The limit is not
     * stored in the file.
     */
    public void maxJoinedBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("maxJoinedBytes must be 0 or more, got " + bytes);
        }
        maxJoinedWords = Math.min(MAX_JOINED_WORDS, bytes / Long.BYTES);
    }

    /**
     * Returns the memory in bytes of one more document with a name of this many bytes and this number of hashes, at
     * most.
     */
    public long additionBytes(int nameBytes, int hashes) {
        return Long.BYTES * additionWords(nameBytes, isExact() ? hashes : 0);
    }

    /**
     * Returns the memory in bytes that adding such a document allocates at most: that of the document, and once in 256
     * additions that of the parts which are joined, old and new at once.
     */
    public long growthBytes(int nameBytes, int hashes) {
        Snapshot now = snapshot;
        long document = additionBytes(nameBytes, hashes);
        int tail = now.documents() - now.start(now.segments.size());
        if (tail + 1 < Snapshot.TAIL) {
            return document;
        }
        long words = tailWords(now) + document / Long.BYTES;
        int first = firstJoined(now.segments, Snapshot.TAIL, words);
        // The tail as a segment, and again in what it is joined to.
        long joined = first < now.segments.size() ? 2 * words : words;
        for (IndexSegment each : now.segments.subList(first, now.segments.size())) {
            joined += each.shape.words();
        }
        return document + Long.BYTES * joined;
    }

    private long seed() {
        return minHash().key().seed();
    }

    /**
     * Adds many documents at once. Their names must be new, and their states refer to numbers after those of the
     * snapshot.
     */
    synchronized void addAll(Addition[] batch) {
        checkCount((long) snapshot.documents() + batch.length);
        if (batch.length > 0) {
            push(List.of(
                    Addition.sorted(batch, banding().components(), banding().rows(), isExact(), seed())));
            living.addAndGet(batch.length);
            hasClusters = true;
        }
    }

    /** Joins two clusters, each given by the number of the document that represents it. */
    synchronized void join(int root, int other) {
        Snapshot now = snapshot;
        assert now.root(other) == other;
        now.state(root, Snapshot.inCluster(now.state(root), other));
        hasClusters = true;
    }

    /** Removes a document; returns false if the name does not exist. */
    @CanIgnoreReturnValue
    public boolean remove(String name) {
        return removeAll(List.of(name)) == 1;
    }

    /** Removes the documents with these names and returns their number. Cheaper than one by one. */
    @CanIgnoreReturnValue
    public synchronized int removeAll(Collection<String> names) {
        Snapshot now = snapshot;
        int removed = 0;
        boolean headless = false;
        for (String name : names) {
            int number = find(now, utf8(name));
            if (number != Snapshot.NONE) {
                now.state(number, now.state(number) | Snapshot.REMOVED);
                headless |= Snapshot.cluster(now.state(number)) == number;
                removed++;
            }
        }
        living.addAndGet(-removed);
        if (headless && hasClusters) {
            nameClustersAgain(now);
        }
        return removed;
    }

    /** A cluster is known by a document that is there: by the first that was kept, else by the first. */
    private static void nameClustersAgain(Snapshot now) {
        int documents = now.documents();
        int[] heads = new int[documents];
        Arrays.fill(heads, Snapshot.NONE);
        int[] roots = new int[documents];
        for (int number = 0; number < documents; number++) {
            roots[number] = now.root(number);
        }
        for (int number = 0; number < documents; number++) {
            int root = roots[number];
            int head = heads[root];
            boolean better = head == Snapshot.NONE || now.isKept(number) && !now.isKept(head);
            if (now.isLiving(number) && better) {
                heads[root] = number;
            }
        }
        for (int number = 0; number < documents; number++) {
            int root = roots[number];
            int head = heads[root];
            if (!now.isLiving(root) && head != Snapshot.NONE) {
                now.state(number, Snapshot.inCluster(now.state(number), head));
            }
        }
    }

    @Override
    public long sizeBytes() {
        Snapshot now = snapshot;
        long words = 0;
        for (IndexSegment segment : now.segments) {
            words += segment.shape.words();
        }
        return (words + tailWords(now)) * Long.BYTES;
    }

    /** More than in a segment: what is read from a file never takes more than what was written into it. */
    private long tailWords(Snapshot now) {
        Addition[] tail = now.additions();
        long words = tail.length > 0 ? (emptyShape().orders() + 1) / 2 : 0;
        for (Addition each : tail) {
            words += additionWords(each.name.length, each.set.length);
        }
        return words;
    }

    private long additionWords(int nameBytes, int hashes) {
        int orders = (emptyShape().orders() + 1) / 2;
        return (long) ADDITION_WORDS
                + IndexShape.signatureWords(banding().components())
                + hashes
                + (nameBytes + 7) / 8
                + 5
                + orders
                + (isExact() ? 2 : 0);
    }

    /** Returns the number of removed documents that still take memory: {@link #copy} leaves them out. */
    public int removed() {
        return snapshot.documents() - size();
    }

    /** Returns an index with the same documents that shares no mutable state with this one. */
    public synchronized SimilarityIndex copy() {
        Snapshot now = snapshot;
        List<IndexSegment> parts = now.sorted(banding().components(), banding().rows(), isExact(), seed());
        List<IndexSegment> segments = IndexCopy.segments(now, parts, emptyShape(), seed());
        SimilarityIndex copy = new SimilarityIndex(minHash(), banding(), recall(), isExact(), segments);
        copy.maxJoinedWords = maxJoinedWords;
        return copy;
    }

    @Override
    public long fileBytes() {
        return frame(woven().weaver().shape()).fileBytes();
    }

    private synchronized WovenIndex woven() {
        Snapshot now = snapshot;
        List<IndexSegment> parts =
                new ArrayList<>(now.sorted(banding().components(), banding().rows(), isExact(), seed()));
        SegmentWeaver weaver =
                new SegmentWeaver(parts, emptyShape(), (part, document) -> now.isLiving(now.start(part) + document));
        return new WovenIndex(now, weaver);
    }

    /** {@inheritDoc} Writes the content at the start of the call; writers wait until it is written. */
    @Override
    public synchronized void writeTo(OutputStream out) throws IOException {
        WovenIndex woven = woven();
        frame(woven.weaver().shape()).write(out, payload -> {
            long[] chunk = new long[1 << 13];
            int[] filled = {0};
            woven.weaver().weave(woven::state, word -> {
                chunk[filled[0]++] = word;
                if (filled[0] == chunk.length) {
                    payload.longs(chunk);
                    filled[0] = 0;
                }
            });
            payload.longs(chunk, 0, filled[0]);
        });
    }

    /**
     * Opens a file; a file with another key, for example of other shingles, is refused with a {@code FormatException}.
     */
    public static SimilarityIndex open(Path file, Key<?> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return read(in, key);
        }
    }

    /**
     * Reads one structure from a stream and no byte after it; a payload of more than {@code maxBytes} bytes is refused.
     */
    public static SimilarityIndex readFrom(InputStream in, Key<?> key, long maxBytes) throws IOException {
        return read(FrameReader.open(in, maxBytes), key);
    }

    /** Reads the bytes that {@link #toBytes} returned; missing or extra bytes are refused. */
    public static SimilarityIndex fromBytes(byte[] bytes, Key<?> key) throws IOException {
        return read(FrameReader.open(bytes), key);
    }

    /**
     * Maps a file of any size into memory: a query reads only the pages that it needs. Read-only, safe for any number
     * of threads. Opening checks header and length; {@link DocumentIndex#verify} reads everything once and checks that
     * too.
     */
    public static DocumentIndex map(Path file, Key<?> key) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            Frame frame = in.frame(Kind.SIMILAR, key);
            IndexHeader header = IndexHeader.of(frame, key);
            return new MappedIndex(header, frame, in.map());
        }
    }

    /** Reads what {@link #writeTo} wrote. */
    static SimilarityIndex read(FrameReader in, Key<?> key) throws IOException {
        Frame frame = in.frame(Kind.SIMILAR, key);
        IndexHeader header = IndexHeader.of(frame, key);
        long[] words = in.longs(header.shape().words());
        in.end();
        IndexSegment segment = new IndexSegment(header.shape(), new WordArray.Heap(words), key.seed());
        IndexCheck.check(frame, segment, words);
        List<IndexSegment> segments = segment.documents() == 0 ? List.of() : List.of(segment);
        return new SimilarityIndex(
                header.minHash(),
                header.banding(),
                header.recall(),
                header.shape().exact(),
                segments);
    }
}
