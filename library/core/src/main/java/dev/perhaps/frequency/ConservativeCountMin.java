package dev.perhaps.frequency;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import java.util.Objects;

/**
 * A Count-Min sketch that raises only the counters that need it. Any number of threads may read it while none changes
 * it.
 */
final class ConservativeCountMin<T> extends CountMin<T> {
    /*
     * After an addition the item's count is at most its estimate plus the addition: no counter of it need be more.
     * Those that are more already, by others, stay. A class of its own, so that neither way of adding pays for the
     * other.
     */
    ConservativeCountMin(Key<T> key, CellRows rows, long total) {
        super(key, Update.CONSERVATIVE, rows, total);
    }

    @Override
    public void addHash(long hash, long count) {
        claim(count);
        long x = Mix.with(MIX, hash);
        rows.raise(x, rows.min(x) + count);
    }

    @Override
    public void addHashes(long[] hashes, int from, int to) {
        Objects.checkFromToIndex(from, to, hashes.length);
        claim(to - from);
        for (int i = from; i < to; i++) {
            long x = Mix.with(MIX, hashes[i]);
            rows.raise(x, rows.min(x) + 1);
        }
    }

    @Override
    public ConservativeCountMin<T> copy() {
        return new ConservativeCountMin<>(key(), rows.copy(), total);
    }
}
