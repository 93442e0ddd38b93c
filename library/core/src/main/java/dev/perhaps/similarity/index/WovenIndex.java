package dev.perhaps.similarity.index;

import dev.perhaps.similarity.segments.SegmentWeaver;
import dev.perhaps.similarity.segments.Snapshot;

/** All documents of an index that are there now, without those that were removed, on their way into a file. */
record WovenIndex(Snapshot now, SegmentWeaver weaver) {
    long state(int part, int document) {
        int number = now.start(part) + document;
        int root = now.root(number);
        int rootPart = now.part(root);
        int cluster = weaver.number(rootPart, root - now.start(rootPart));
        return Snapshot.inCluster(now.state(number) & Snapshot.KEPT, cluster);
    }
}
