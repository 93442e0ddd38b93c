package dev.perhaps.spark.catalyst;

import dev.perhaps.sketch.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the smaller side of a join, as a filter that is planned when all are there. With more than
 * {@link #MAX_KEYS} different keys there is no filter, and the result is null: a join must not fail because of it.
 */
final class JoinKeys extends SketchState {
    static final String NAME = "perhaps_join_filter";
    static final int MAX_KEYS = 1 << 23;

    private static final double FALSE_POSITIVES = 0.01;
    private static final byte[] TOO_MANY = {0};

    private final int most;
    private @Nullable GatheredHashes hashes;

    JoinKeys(ColumnKey key) {
        this(key, MAX_KEYS);
    }

    JoinKeys(ColumnKey key, int most) {
        this.most = most;
        // Two states that are merged may have most keys each.
        hashes = new GatheredHashes(
                key,
                false,
                2 * most,
                (all, distinct) -> AggregateFunctions.plan(
                                Kind.BLOCKED, Math.max(1, distinct), FALSE_POSITIVES, key.key())
                        .buildFrom(all)
                        .toBytes());
    }

    private void forgetIfTooMany() {
        if (hashes != null && hashes.size() > most) {
            hashes = null;
        }
    }

    @Override
    void add(Object value) {
        if (hashes != null) {
            hashes.add(value);
            forgetIfTooMany();
        }
    }

    @Override
    void merge(SketchState other) {
        GatheredHashes more = ((JoinKeys) other).hashes;
        if (hashes == null || more == null) {
            hashes = null;
            return;
        }
        hashes.merge(more);
        forgetIfTooMany();
    }

    @Override
    byte[] toBytes() {
        return hashes == null ? TOO_MANY.clone() : hashes.toBytes();
    }

    @Override
    void load(byte[] bytes) {
        if (bytes.length == TOO_MANY.length) {
            hashes = null;
        } else if (hashes != null) {
            hashes.load(bytes);
        }
    }

    @Override
    byte @Nullable [] frame() {
        return hashes == null ? null : hashes.frame();
    }
}
