package dev.perhaps.similarity.index;

import dev.perhaps.similarity.segments.IndexSegment;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.segments.SegmentWeaver;
import dev.perhaps.similarity.segments.Snapshot;
import dev.perhaps.similarity.segments.WordArray;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The segments of an index without the documents that were removed, each on its own: joining them would take ten times
 * as long, because the order of a segment is known and that of several is not.
 */
final class IndexCopy {
    private final Snapshot now;
    private final List<SegmentWeaver> weavers = new ArrayList<>();
    /** The number of the first document of each segment in the copy. */
    private final List<Integer> starts = new ArrayList<>();

    /** Of a view whose last part, if it has additions, are these, sorted. */
    private IndexCopy(Snapshot now, List<IndexSegment> parts, IndexShape like) {
        this.now = now;
        int documents = 0;
        for (int part = 0; part < parts.size(); part++) {
            int first = now.start(part);
            SegmentWeaver weaver = new SegmentWeaver(
                    List.of(parts.get(part)), like, (any, document) -> now.isLiving(first + document));
            weavers.add(weaver);
            starts.add(documents);
            documents += Math.toIntExact(weaver.shape().documents());
        }
    }

    static List<IndexSegment> segments(Snapshot now, List<IndexSegment> parts, IndexShape like, long seed) {
        IndexCopy copy = new IndexCopy(now, parts, like);
        List<IndexSegment> segments = new ArrayList<>();
        for (int part = 0; part < parts.size(); part++) {
            if (copy.weavers.get(part).shape().documents() > 0) {
                segments.add(copy.segment(part, seed));
            }
        }
        return segments;
    }

    private IndexSegment segment(int part, long seed) {
        SegmentWeaver weaver = weavers.get(part);
        long[] words = new long[Math.toIntExact(weaver.shape().words())];
        int[] filled = {0};
        try {
            weaver.weave((any, document) -> state(now.start(part) + document), word -> words[filled[0]++] = word);
        } catch (IOException e) {
            throw new AssertionError("an array takes every word", e);
        }
        return new IndexSegment(weaver.shape(), new WordArray.Heap(words), seed);
    }

    private long state(int number) {
        int root = now.root(number);
        int part = now.part(root);
        int cluster = starts.get(part) + weavers.get(part).number(0, root - now.start(part));
        return Snapshot.inCluster(now.state(number) & Snapshot.KEPT, cluster);
    }
}
