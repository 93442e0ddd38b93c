package dev.perhaps.spark.catalyst;

import dev.perhaps.Perhaps;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Signatures;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Merges stored frames of one kind; null if there were none. */
final class MergeState extends SketchState {
    private @Nullable Sketch merged;

    @Override
    void add(Object value) {
        try {
            unite(Perhaps.fromBytes((byte[]) value));
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    @SuppressWarnings("unchecked") // of one class, and so mergeable with each other
    private void unite(Sketch other) {
        Sketch known = merged;
        if (known == null) {
            merged = other;
        } else if (known.kind() != other.kind() || known.getClass() != other.getClass()) {
            throw new IllegalArgumentException(
                    "frames of one kind can be merged, got a " + known.kind() + " and a " + other.kind());
        } else if (known instanceof Signatures one && other instanceof Signatures two) {
            merged = union(one, two);
        } else if (known instanceof Mergeable<?> mergeable) {
            ((Mergeable<Sketch>) mergeable).merge(other);
        } else {
            throw new IllegalArgumentException(
                    "two " + known.kind() + " frames cannot be merged: build one of all rows");
        }
    }

    private static Signatures union(Signatures one, Signatures two) {
        if (one.family() instanceof MinHash<?> family && one.count() == 1 && two.count() == 1) {
            return Signatures.of(family.union(one.get(0), two.get(0)));
        }
        throw new IllegalArgumentException(
                "only frames of one minhash signature can be merged, got " + one + " and " + two);
    }

    @Override
    void merge(SketchState other) {
        Sketch that = ((MergeState) other).merged;
        if (that != null) {
            unite(that);
        }
    }

    @Override
    byte[] toBytes() {
        byte[] frame = frame();
        return frame == null ? new byte[0] : frame;
    }

    @Override
    void load(byte[] bytes) {
        if (bytes.length > 0) {
            add(bytes);
        }
    }

    @Override
    byte @Nullable [] frame() {
        return merged == null ? null : merged.toBytes();
    }
}
