package dev.perhaps.similarity.index;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.MappedLongs;
import dev.perhaps.similarity.segments.IndexSegment;
import dev.perhaps.similarity.segments.Snapshot;
import dev.perhaps.similarity.segments.WordArray;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * A {@link SimilarityIndex} read straight from its file, of any size: a query touches only the pages that it needs. Read-only,
 * safe for any number of threads. Opening checks header and length; {@link #verify} reads everything once and checks that too.
 */
final class MappedIndex extends DocumentIndex {
    private final Frame frame;
    private final MappedLongs words;
    private final Snapshot snapshot;

    MappedIndex(IndexHeader header, Frame frame, MappedLongs words) {
        super(
                header.minHash(),
                header.banding(),
                header.recall(),
                header.shape().exact());
        this.frame = frame;
        this.words = words;
        this.snapshot = new Snapshot(
                List.of(new IndexSegment(
                        header.shape(),
                        WordArray.mapped(words),
                        header.minHash().key().seed())),
                0);
    }

    @Override
    public void verify() throws IOException {
        words.verify();
    }

    @Override
    Snapshot snapshot() {
        return snapshot;
    }

    @Override
    public int size() {
        return snapshot.documents();
    }

    /** The mapped bytes: they are the page cache's, not the heap's. */
    @Override
    public long sizeBytes() {
        return words.length() * Long.BYTES;
    }

    @Override
    public long fileBytes() {
        return frame.fileBytes();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        frame.write(out, words::writeTo);
    }
}
