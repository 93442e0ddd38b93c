package dev.perhaps.frequency;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import java.util.Objects;

/** A Count-Min sketch that any number of threads may add to and query at once, without locks. */
final class ConcurrentCountMin<T> extends CountMin<T> {
    /*
     * Each counter is raised by a compare-and-set of its own. An addition that has returned is in every row, so a later
     * estimate includes it; an estimate during an addition is between the values before and after. The total is raised
     * first: it is never less than the sum of the counters of a row.
     */
    private final StripedTotal striped;

    ConcurrentCountMin(Key<T> key, CellRows rows, StripedTotal striped) {
        super(key, Update.PLAIN, rows, 0);
        this.striped = striped;
    }

    @Override
    public void addHash(long hash, long count) {
        claim(hash, count);
        rows.addAtomically(Mix.with(MIX, hash), count);
    }

    @Override
    public void addHashes(long[] hashes, int from, int to) {
        Objects.checkFromToIndex(from, to, hashes.length);
        claim(to - from);
        for (int i = from; i < to; i++) {
            rows.addAtomically(Mix.with(MIX, hashes[i]), 1);
        }
    }

    @Override
    public void clear() {
        super.clear();
        striped.clear();
    }

    @Override
    void claim(long count) {
        claim(Thread.currentThread().getId(), count);
    }

    private void claim(long stripe, long count) {
        if (count < 0 || !striped.add(stripe, count)) {
            throw refusal(count);
        }
    }

    @Override
    public long total() {
        return striped.sum();
    }

    @Override
    public boolean isConcurrent() {
        return true;
    }

    @Override
    public ConcurrentCountMin<T> concurrent() {
        return this;
    }

    @Override
    public ConcurrentCountMin<T> copy() {
        return new ConcurrentCountMin<>(key(), rows.copy(), striped.copy());
    }
}
