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
 * A read-only {@link SimilarityIndex} that is mapped from a file of any size: a query reads only the pages that it
 * needs. Safe for any number of threads. Opening checks header and length only; {@link #verify} reads the whole file
 * and checks it.
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

    /** {@inheritDoc} The mapped bytes, which are in the page cache and not on the heap. */
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
