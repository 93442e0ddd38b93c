package dev.perhaps.similarity.index;

import dev.perhaps.frame.Frame;
import dev.perhaps.similarity.segments.IndexSegment;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.segments.Snapshot;
import dev.perhaps.sketch.FormatException;
import java.util.Arrays;
import java.util.BitSet;

/** Checks that an index from a file is consistent: afterwards it behaves like one that was built. */
final class IndexCheck {
    private final Frame frame;
    private final IndexSegment segment;
    private final IndexShape shape;

    private IndexCheck(Frame frame, IndexSegment segment) {
        this.frame = frame;
        this.segment = segment;
        this.shape = segment.shape;
    }

    static void check(Frame frame, IndexSegment segment, long[] words) throws FormatException {
        IndexCheck check = new IndexCheck(frame, segment);
        check.documents();
        check.padding(words);
        if (check.shape.exact()) {
            check.sets();
        }
        for (int order = 0; order < check.shape.orders(); order++) {
            check.order(order);
        }
    }

    private void documents() throws FormatException {
        int count = segment.documents();
        long nameEnd = 0;
        for (int document = 0; document < count; document++) {
            long state = segment.state(document);
            long cluster = state & ~Snapshot.KEPT;
            boolean known = cluster >= 0 && cluster < count;
            frame.require(known, "the cluster", cluster);
            frame.require(
                    Snapshot.cluster(segment.state((int) cluster)) == cluster,
                    "a cluster that is in another,",
                    cluster);
            frame.require(segment.length(document) >= 0, "the length", segment.length(document));
            long end = segment.nameEnd(document);
            frame.require(
                    end > nameEnd && end - nameEnd <= IndexShape.MAX_NAME_BYTES && end <= shape.nameBytes(),
                    "a name that ends at",
                    end);
            nameEnd = end;
            byte[] name = segment.utf8(document);
            frame.require(Arrays.equals(name, DocumentIndex.utf8(DocumentIndex.text(name))), "the name at", document);
        }
        frame.require(nameEnd == shape.nameBytes(), "bytes of names", shape.nameBytes());
    }

    /** What is left over of the last word of a part is 0. */
    private void padding(long[] words) throws FormatException {
        int lanes = shape.components() % 4;
        for (int document = 0; lanes > 0 && document < shape.documents(); document++) {
            long last = words[(int) (shape.signaturesAt() + (document + 1L) * shape.signatureWords() - 1)];
            frame.require(last >>> IndexShape.BITS * lanes == 0, "such a signature at", document);
        }
        if (shape.documents() % 2 == 1) {
            for (int order = 0; order < shape.orders(); order++) {
                long last = words[(int) (shape.ordersAt(order + 1) - 1)];
                frame.require(last >>> 32 == 0, "more documents than it says in order", order);
            }
        }
        int bytes = (int) (shape.nameBytes() % Long.BYTES);
        if (bytes > 0) {
            frame.require(words[(int) shape.setsAt() - 1] >>> 8 * bytes == 0, "more names than", shape.nameBytes());
        }
    }

    /** Sets stand one after the other, in the order in which documents first name them. */
    private void sets() throws FormatException {
        BitSet starts = new BitSet();
        long end = 0;
        for (int document = 0; document < segment.documents(); document++) {
            long start = segment.setStart(document);
            if (start == end) {
                long size = segment.setSize(start);
                frame.require(size >= 0, "a set of", size);
                starts.set((int) start);
                long[] set = segment.set(document);
                for (int i = 1; i < set.length; i++) {
                    frame.require(set[i - 1] < set[i], "a set that is not sorted at", document);
                }
                end += 1 + size;
            } else {
                frame.require(start >= 0 && start < end && starts.get((int) start), "a set that starts at", start);
            }
        }
        frame.require(end == shape.setWords(), "words of sets", shape.setWords());
    }

    /** Every document once, keys ascending, and of equal keys as ties are ordered; and no name twice. */
    private void order(int order) throws FormatException {
        int count = segment.documents();
        BitSet seen = new BitSet(count);
        long keyBefore = 0;
        int before = -1;
        for (int place = 0; place < count; place++) {
            long word = segment.place(order, place);
            frame.require(word < count && !seen.get((int) word), "the document in order " + order + ":", word);
            int document = (int) word;
            seen.set(document);
            long key = segment.key(order, document);
            int byKey = before < 0 ? -1 : Long.compareUnsigned(keyBefore, key);
            int byTie = byKey == 0 ? segment.compareTies(order, before, segment, document) : byKey;
            frame.require(byTie < 0 || byTie == 0 && before < document, "an order that is none:", order);
            if (byKey == 0 && order == shape.byName()) {
                frame.require(
                        !Arrays.equals(segment.utf8(before), segment.utf8(document)),
                        "two documents of the name",
                        segment.name(document));
            }
            keyBefore = key;
            before = document;
        }
    }
}
