package dev.perhaps.frequency;

import dev.perhaps.io.FrameReader;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A {@link TopK} of longs, without boxing and without an allocation.
 *
 * <pre>{@code
 * TopLongs ids = TopLongs.of(TopK.of(100));
 * ids.add(4711L, 3L);
 * }</pre>
 */
public final class TopLongs extends TopK<Long> {
    private final LongHash hashing;

    TopLongs(Key.Longs key, int k, int capacity) {
        super(key, k, new SpaceSaving(capacity, false));
        this.hashing = new LongHash(key.seed());
    }

    /** The list that a plan describes, but of longs. */
    public static TopLongs of(TopK.Plan<?> plan) {
        return (TopLongs) plan.of(Key.longs()).build();
    }

    public static TopLongs open(Path file) throws IOException {
        try (FrameReader in = FrameReader.open(file)) {
            return (TopLongs) read(in, Key.longs().seeded(in.frame().seed()));
        }
    }

    /** Counts so many events, 0 or more. */
    public void add(long value, long count) {
        counters.addToTotal(count);
        long hash = hashing.hash(value);
        int slot = counters.find(hash);
        if (slot >= 0) {
            counters.increase(slot, count);
        } else {
            counters.admit(hash, SpaceSaving.NONE, count);
        }
    }

    @Override
    public void add(Long value, long count) {
        add(value.longValue(), count);
    }

    /** Counts one event of each of {@code [from, to)}. */
    public void addAll(long[] values, int from, int to) {
        Objects.checkFromToIndex(from, to, values.length);
        for (int i = from; i < to; i++) {
            add(values[i], 1);
        }
    }

    /** The value came at most so often. */
    public long atMost(long value) {
        int slot = counters.find(hashing.hash(value));
        return slot < 0 ? counters.missed() : counters.count(slot);
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
        return hashing.hash(value);
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
