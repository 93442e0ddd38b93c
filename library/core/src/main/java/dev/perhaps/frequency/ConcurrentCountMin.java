package dev.perhaps.frequency;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/** A Count-Min sketch that any number of threads may add to and query at once, without locks. */
final class ConcurrentCountMin<T> extends CountMin<T> {
    /*
     * Each counter is raised by a compare-and-set of its own. An addition that has returned is in every row, so a later
     * estimate includes it; an estimate during an addition is between the values before and after. The total is raised
     * first: it is never less than the sum of the counters of a row.
     *
     * A snapshot is a copy of the counters, in which an addition that was on its way may have reached some rows and not
     * others. A file of it would be refused, for its rows would not have the same sum; so they are levelled (CellRows).
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
    CountMin<T> snapshot() {
        CellRows now = rows.copy();
        // Where cells are at their limit, the rows do not tell the total.
        long total = now.level(now.saturated() == 0 ? 0 : striped.sum());
        return new CountMin<>(key(), Update.PLAIN, now, total);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        snapshot().writeTo(out);
    }

    @Override
    public CountMin<T> copy() {
        return snapshot().concurrent();
    }
}
