package dev.perhaps.key;

import java.util.Collection;
import java.util.Objects;

/**
 * The hashes of a whole set, which can be read several times in batches: a filter can be built from them at once.
 *
 * <p>{@code Hashes.of(Key.strings(), words)}
 */
public interface Hashes {
    /** Returns the number of hashes that {@link #replay} passes on; each copy of a hash counts. */
    long count();

    /** Passes all hashes to the sink, each time the same ones in the same order. */
    void replay(Sink sink);

    /** Receives batches of hashes. */
    @FunctionalInterface
    interface Sink {
        /** Takes the hashes in {@code [from, to)}. The array is reused after the call. */
        void take(long[] hashes, int from, int to);
    }

    /** Returns these hashes, in this order. */
    static Hashes of(long... hashes) {
        Objects.requireNonNull(hashes, "hashes must not be null");
        return new Hashes() {
            @Override
            public long count() {
                return hashes.length;
            }

            @Override
            public void replay(Sink sink) {
                sink.take(hashes, 0, hashes.length);
            }
        };
    }

    /**
     * Returns the hashes of a collection, computed again on each replay. The collection must not change between
     * replays.
     */
    static <T> Hashes of(Key<T> key, Collection<? extends T> values) {
        Objects.requireNonNull(key, "key must not be null");
        Objects.requireNonNull(values, "values must not be null");
        return new Hashes() {
            @Override
            public long count() {
                return values.size();
            }

            @Override
            public void replay(Sink sink) {
                long[] batch = new long[1 << 12];
                int filled = 0;
                for (T value : values) {
                    batch[filled++] = key.hash(value);
                    if (filled == batch.length) {
                        sink.take(batch, 0, filled);
                        filled = 0;
                    }
                }
                sink.take(batch, 0, filled);
            }
        };
    }
}
