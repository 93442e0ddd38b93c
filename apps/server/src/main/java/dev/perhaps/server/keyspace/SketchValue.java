package dev.perhaps.server.keyspace;

import dev.perhaps.Perhaps;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.frequency.SlidingCounts;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Key;
import dev.perhaps.membership.FuseFilter;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** A structure of the library as a value: its bytes are those of a file of it. */
public record SketchValue(Sketch sketch) implements Value {
    /** What the objects around the arrays of a structure take. */
    public static final int OBJECT_BYTES = 128;

    /** What adding a document to an index may rewrite: it takes less than a second. */
    private static final int MAX_JOINED_BYTES = 32 << 20;

    /** What an index takes that has no documents yet; what each takes while it is found or numbered, and its set, if that is kept. */
    private static final int EMPTY_INDEX_BYTES = 4_096;

    private static final int NUMBERS_BYTES = 24;
    private static final int SETS_BYTES = 104;

    /** The kinds that commands use; any other is refused. */
    public static final Set<Kind> KINDS = Collections.unmodifiableSet(EnumSet.of(
            Kind.BLOOM,
            Kind.BLOCKED,
            Kind.SCALABLE,
            Kind.EXPIRING,
            Kind.COUNTING,
            Kind.COUNTING2,
            Kind.QUOTIENT,
            Kind.CUCKOO,
            Kind.FUSE,
            Kind.DISTINCT,
            Kind.RANGES,
            Kind.SLIDING_COUNT,
            Kind.SLIDING_TOP,
            Kind.SIMILAR));

    /** An index is told what one command may rewrite. */
    public SketchValue {
        if (sketch instanceof SimilarityIndex index) {
            index.maxJoinedBytes(MAX_JOINED_BYTES);
        }
    }

    @Override
    public ValueType type() {
        return ValueType.SKETCH;
    }

    @Override
    public String word() {
        return sketch.kind().word();
    }

    @Override
    public long sizeBytes() {
        long values = sketch instanceof SlidingTopK<?> top ? top.valueBytes() : 0;
        return OBJECT_BYTES
                + sketch.sizeBytes()
                + values
                + (sketch instanceof SimilarityIndex index ? workingBytes(index) : 0);
    }

    /**
     * What an index takes beside its arrays: places for the next documents and the tables of its shingles; and per document what a
     * query may find, or what its parts are numbered by when they are joined or written. Counted all the time, so that neither a
     * question nor a removal is refused for lack of it.
     */
    private static long workingBytes(SimilarityIndex index) {
        return EMPTY_INDEX_BYTES + (long) bytesPerDocument(index) * (index.size() + index.removed());
    }

    /** What each document of an index takes beside what the index says. */
    public static int bytesPerDocument(SimilarityIndex index) {
        return index.isExact() ? NUMBERS_BYTES + SETS_BYTES : NUMBERS_BYTES;
    }

    @Override
    public String encoding() {
        return sketch.kind().word();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        sketch.writeTo(out);
    }

    @Override
    public long fileBytes() {
        return sketch.fileBytes();
    }

    @Override
    public SketchValue copy() {
        return new SketchValue(copy(sketch));
    }

    /** A fuse filter never changes: its copy is the filter itself. */
    @Override
    public long frozenBytes() {
        return sketch instanceof FuseFilter<?> ? OBJECT_BYTES : sizeBytes();
    }

    private static Sketch copy(Sketch sketch) {
        if (sketch instanceof HashFilter<?> filter) {
            return filter.copy();
        }
        if (sketch instanceof Distinct<?> distinct) {
            return distinct.copy();
        }
        if (sketch instanceof CountMin<?> counts) {
            return counts.copy();
        }
        if (sketch instanceof RangeCounts ranges) {
            return ranges.copy();
        }
        if (sketch instanceof TopK<?> top) {
            return top.copy();
        }
        if (sketch instanceof SlidingCounts<?> counts) {
            return counts.copy();
        }
        if (sketch instanceof SlidingTopK<?> top) {
            return top.copy();
        }
        if (sketch instanceof SimilarityIndex index) {
            return index.copy();
        }
        throw new IllegalStateException("a " + sketch.kind() + " cannot be a value");
    }

    /**
     * Reads a file of a kind that commands use, and no byte after it; a payload of more than {@code maxBytes} bytes is
     * refused. Items that are texts are bytes here, as clients send them.
     */
    public static SketchValue readFrom(InputStream in, long maxBytes) throws IOException {
        Sketch sketch = Perhaps.readFrom(in, maxBytes, SketchValue::asBytes);
        if (!KINDS.contains(sketch.kind())) {
            throw new FormatException("no command uses a file of kind '" + sketch.kind() + "'");
        }
        return new SketchValue(sketch instanceof Distinct<?> distinct ? distinct.concurrent() : sketch);
    }

    private static Key<?> asBytes(Key<?> key) {
        Key.Bytes bytes = Key.bytes().seeded(key.seed());
        return bytes.fits(key) ? bytes : key;
    }
}
