package dev.perhaps.spark.catalyst;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.key.Key;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.TextSigner;
import dev.perhaps.sketch.Sketch;
import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * A call of a scalar function in a task, with what it keeps from row to row: the frames that it opened. Generated code
 * calls it, so it is public and knows nothing of the plan. Confined to a task.
 */
public final class ScalarCall implements Serializable {
    private final ScalarFunctions function;
    private final DataType[] types;

    private transient @Nullable Opened first;
    private transient @Nullable Opened second;
    private transient @Nullable ColumnKey key;
    private transient @Nullable Key<?> keyOf;
    private transient @Nullable TextSigner signer;

    /** A frame and what it holds. */
    private static final class Opened {
        private final byte[] frame;
        private final Sketch sketch;

        Opened(byte[] frame, Sketch sketch) {
            this.frame = frame;
            this.sketch = sketch;
        }
    }

    ScalarCall(ScalarFunctions function, DataType[] types) {
        this.function = function;
        this.types = types;
    }

    /** The result for arguments that are not null. */
    public @Nullable Object apply(Object[] arguments) {
        return function.apply(this, arguments);
    }

    /** The same for a filter and a whole number, without boxing. */
    public boolean mightContain(byte[] frame, long value) {
        HashFilter<?> filter = filter(frame);
        return filter.mightContainHash(keyIn(filter.key()).hashNumber(value));
    }

    /** The same for a filter and a string, hashed where it lies. */
    public boolean mightContain(byte[] frame, UTF8String value) {
        HashFilter<?> filter = filter(frame);
        ColumnKey in = keyIn(filter.key());
        return filter.mightContainHash(in.isUtf8() ? in.hashUtf8(value) : in.hash(value));
    }

    HashFilter<?> filter(byte[] frame) {
        Sketch sketch = sketch(frame);
        if (sketch instanceof HashFilter<?> filter) {
            return filter;
        }
        throw new IllegalArgumentException("the frame holds a " + sketch.kind() + ", which is not a filter");
    }

    /** The structure of a frame, which mostly is that of the row before. */
    @CanIgnoreReturnValue
    Sketch sketch(byte[] frame) {
        Opened known = first;
        if (known != null && known.frame == frame) {
            return known.sketch;
        }
        if (known == null || !Arrays.equals(known.frame, frame)) {
            known = new Opened(frame, SharedSketches.open(frame));
        } else {
            known = new Opened(frame, known.sketch);
        }
        first = known;
        return known.sketch;
    }

    /** The same, of a second frame. */
    Sketch other(byte[] frame) {
        Opened known = second;
        if (known == null || known.frame != frame && !Arrays.equals(known.frame, frame)) {
            known = new Opened(frame, SharedSketches.open(frame));
            second = known;
        }
        return known.sketch;
    }

    /** How the second argument is hashed for a frame with this key. */
    @CanIgnoreReturnValue
    ColumnKey keyIn(Key<?> frame) {
        ColumnKey known = key;
        if (known == null || keyOf != frame) {
            known = ColumnKey.in(frame, types[1]);
            key = known;
            keyOf = frame;
        }
        return known;
    }

    DataType type(int argument) {
        return types[argument];
    }

    @CanIgnoreReturnValue
    TextSigner signer(int components, int shingle, long seed) {
        TextSigner known = signer;
        if (known == null) {
            Shingles shingles = Shingles.codePoints(shingle).seeded(seed);
            known = shingles.signer(MinHash.of(components).of(shingles.key()));
            signer = known;
        }
        return known;
    }
}
