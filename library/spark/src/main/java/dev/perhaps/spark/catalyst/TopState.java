package dev.perhaps.spark.catalyst;

import dev.perhaps.frequency.TopK;
import java.io.IOException;

/** Counts values and keeps the most frequent. */
final class TopState extends SketchState {
    private final ColumnKey key;
    private TopK<Object> top;

    TopState(ColumnKey key, int k) {
        this.key = key;
        this.top = TopK.of(k).of(key.stored()).build();
    }

    @Override
    void add(Object value) {
        top.add(key.kept(value));
    }

    @Override
    void merge(SketchState other) {
        top.merge(((TopState) other).top);
    }

    @Override
    byte[] toBytes() {
        return top.toBytes();
    }

    @Override
    void load(byte[] bytes) throws IOException {
        top = TopK.fromBytes(bytes, key.stored());
    }

    @Override
    byte[] frame() {
        return top.toBytes();
    }
}
