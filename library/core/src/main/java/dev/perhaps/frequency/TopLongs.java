package dev.perhaps.frequency;

import dev.perhaps.frame.FrameReader;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A {@link TopK} of longs that neither boxes nor allocates per event.
 *
 * <pre>{@code
 * TopLongs ids = TopLongs.of(TopK.of(100));
 * ids.add(4711L, 3L);
 * }</pre>
 */
public final class TopLongs extends TopK<Long> {
    private final Key.Longs longsKey;
    private final LongHash hashing;

    TopLongs(Key.Longs key, int k, int capacity) {
        this(key, k, new SpaceSaving(capacity, false), false);
    }

    private TopLongs(Key.Longs key, int k, SpaceSaving counters, boolean concurrent) {
        super(key, k, counters, concurrent);
        this.longsKey = key;
        this.hashing = new LongHash(key.seed());
    }

    @Override
    TopLongs with(SpaceSaving other, boolean concurrent) {
        return new TopLongs(longsKey, k(), other, concurrent);
    }

    /** Builds the list of a plan, but of longs. */
    public static TopLongs of(TopK.Plan<?> plan) {
        return (TopLongs) plan.of(Key.longs()).build();
    }

    /** Opens a list of longs with the seed that it was written with. */
    public static TopLongs open(Path file) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return (TopLongs) read(in, Key.longs().seeded(in.frame().seed()));
        }
    }

    /** Counts {@code count} events of a value, 0 or more. */
    public void add(long value, long count) {
        lock.lock();
        try {
            countLong(value, count);
        } finally {
            lock.unlock();
        }
    }

    private void countLong(long value, long count) {
        counters.add(hashing.hash(value), count);
    }

    @Override
    void count(Long value, long count) {
        countLong(Objects.requireNonNull(value, "value must not be null").longValue(), count);
    }

    /** Counts one event of each of the values in {@code [from, to)}. */
    public void addAll(long[] values, int from, int to) {
        Objects.checkFromToIndex(from, to, values.length);
        lock.lock();
        try {
            for (int i = from; i < to; i++) {
                countLong(values[i], 1);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns an upper bound of how often the value was counted, without boxing. */
    public long atMost(long value) {
        lock.lock();
        try {
            int slot = counters.find(hashing.hash(value));
            return slot < 0 ? counters.missed() : counters.count(slot);
        } finally {
            lock.unlock();
        }
    }

    @Override
    int slotOf(long hash, Object kept) {
        return counters.find(hash);
    }

    @Override
    int slotOf(Long value) {
        return counters.find(hashOf(value));
    }

    @Override
    long hashOf(Long value) {
        return hashing.hash(Objects.requireNonNull(value, "value must not be null"));
    }

    @Override
    Long valueAt(int slot) {
        return hashing.value(counters.hash(slot));
    }

    @Override
    Object kept(Long value) {
        return SpaceSaving.NONE;
    }
}
