package dev.perhaps.spark.catalyst;

import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Signature;
import dev.perhaps.similarity.Signatures;
import java.io.IOException;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.jspecify.annotations.Nullable;

/** The signature of a set of items: that of a union is the union of signatures. */
final class MinHashState extends SketchState.Batches {
    private final ColumnKey key;
    private final MinHash<?> family;

    private @Nullable Signature signature;

    MinHashState(ColumnKey key, int components) {
        this.key = key;
        this.family = MinHash.of(components).of(key.key());
    }

    @Override
    long number(Object value) {
        return key.hash(value);
    }

    @Override
    int numbers(ColumnVector column, int rows, long[] into) {
        return key.hashes(column, rows, into);
    }

    @Override
    void take(long[] numbers, int count) {
        unite(family.sign(numbers, 0, count));
    }

    private void unite(Signature more) {
        signature = signature == null ? more : family.union(signature, more);
    }

    @Override
    void mergeContent(SketchState other) {
        Signature that = ((MinHashState) other).signature;
        if (that != null) {
            unite(that);
        }
    }

    @Override
    byte[] content() {
        Signature known = signature;
        return Signatures.of(known == null ? family.sign(new long[0], 0, 0) : known)
                .toBytes();
    }

    @Override
    void loadContent(byte[] bytes) throws IOException {
        signature = Signatures.fromBytes(bytes, family.key()).get(0);
    }
}
