package dev.perhaps.membership;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.MappedLongs;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A read-only filter that is mapped from a file of any size: it never says "no" to an item of the file, and a lookup
 * reads only the pages that it needs. Safe for any number of threads. Opening checks header and length only; {@link
 * #verify} reads the whole file and checks it. Lookups are faster on the heap ({@code open}).
 */
public abstract class MappedFilter<T> implements HashFilter<T> {
    final MappedLongs words;

    private final Frame frame;
    private final Key<T> key;
    private final Sizing sizing;

    MappedFilter(Frame frame, Key<T> key, MappedLongs words, Sizing sizing) {
        this.frame = frame;
        this.key = key;
        this.words = words;
        this.sizing = sizing;
    }

    /**
     * Reads the whole file and compares it with its checksum.
     *
     * @throws dev.perhaps.sketch.FormatException if it is damaged
     */
    public void verify() throws IOException {
        words.verify();
    }

    @Override
    public final Kind kind() {
        return frame.kind();
    }

    @Override
    public final Key<T> key() {
        return key;
    }

    @Override
    public final int salt() {
        return frame.salt();
    }

    @Override
    public final Sizing sizing() {
        return sizing;
    }

    /** {@inheritDoc} The mapped bytes, which are in the page cache and not on the heap. */
    @Override
    public final long sizeBytes() {
        return words.length() * Long.BYTES;
    }

    @Override
    public final long fileBytes() {
        return frame.fileBytes();
    }

    /** Returns this filter, which is immutable. */
    @Override
    public final HashFilter<T> copy() {
        return this;
    }

    @Override
    public final void writeTo(OutputStream out) throws IOException {
        frame.write(out, words::writeTo);
    }

    final long setBits() {
        long set = 0;
        for (long i = 0; i < words.length(); i++) {
            set += Long.bitCount(words.get(i));
        }
        return set;
    }

    @Override
    public final String toString() {
        return sizing + ", mapped";
    }
}
