package dev.perhaps.frequency;

import dev.perhaps.io.FrameReader;
import dev.perhaps.key.Key;
import dev.perhaps.key.Mix;
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
    /*
     * The table is ordered by a hash that can be undone, so the hash is the value and no value is kept beside it: Stafford's
     * finaliser (Mix.finish) of the value and the seed, each step of which is a bijection.
     */
    private static final long UNDO_SECOND = 0x319642B2D24D8EC3L;
    private static final long UNDO_FIRST = 0x96DE1B173F119089L;
    private static final long MIX = 0xD1B54A32D192ED03L;

    private final long salt;

    TopLongs(Key.Longs key, int k, int capacity) {
        super(key, k, new SpaceSaving(capacity, false));
        this.salt = MIX ^ Mix.finish(key.seed());
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
        long hash = hash(value);
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
        int slot = counters.find(hash(value));
        return slot < 0 ? counters.missed() : counters.count(slot);
    }

    private long hash(long value) {
        return Mix.finish(value ^ salt);
    }

    private static long undo(long hash) {
        long x = (hash ^ hash >>> 31 ^ hash >>> 62) * UNDO_SECOND;
        x = (x ^ x >>> 27 ^ x >>> 54) * UNDO_FIRST;
        return x ^ x >>> 30 ^ x >>> 60;
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
        return hash(value);
    }

    @Override
    Long valueAt(int slot) {
        return undo(counters.hash(slot)) ^ salt;
    }

    @Override
    Object kept(Long value) {
        return SpaceSaving.NONE;
    }
}
