package dev.perhaps.frequency;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;
import java.util.Arrays;

/**
 * A {@link TopK} of byte strings, which may be parts of a buffer: bytes are copied only when a new value is added.
 *
 * <pre>{@code
 * TopBytes lines = TopBytes.of(TopK.of(100).capacity(100_000));
 * byte[] buffer = "GET /index.html".getBytes(UTF_8);
 * lines.add(buffer, 0, 15, 1);
 * }</pre>
 *
 * A file of it can be opened as a {@code TopK<String>}, and vice versa.
 */
public final class TopBytes extends TopK<byte[]> {
    private final Key.Bytes bytesKey;

    TopBytes(Key.Bytes key, int k, int capacity) {
        this(key, k, new SpaceSaving(capacity, true), false);
    }

    private TopBytes(Key.Bytes key, int k, SpaceSaving counters, boolean concurrent) {
        super(key, k, counters, concurrent);
        this.bytesKey = key;
    }

    @Override
    TopBytes with(SpaceSaving other, boolean concurrent) {
        return new TopBytes(bytesKey, k(), other, concurrent);
    }

    /** Builds the list of a plan, but of bytes. */
    public static TopBytes of(TopK.Plan<?> plan) {
        return (TopBytes) plan.of(Key.bytes()).build();
    }

    /** Counts {@code count} events, 0 or more, of the bytes in {@code [from, to)}. */
    public void add(byte[] bytes, int from, int to, long count) {
        lock.lock();
        try {
            countPart(bytes, from, to, count);
        } finally {
            lock.unlock();
        }
    }

    private void countPart(byte[] bytes, int from, int to, long count) {
        long hash = Mix.with(TopObjects.MIX, bytesKey.hash(bytes, from, to));
        counters.addToTotal(count);
        int slot = slotOf(hash, bytes, from, to);
        if (slot >= 0) {
            counters.increase(slot, count);
        } else {
            counters.admit(hash, Arrays.copyOfRange(bytes, from, to), count);
        }
    }

    @Override
    void count(byte[] value, long count) {
        countPart(value, 0, value.length, count);
    }

    private int slotOf(long hash, byte[] bytes, int from, int to) {
        int slot = counters.find(hash);
        while (slot >= 0 && !isAt(slot, bytes, from, to)) {
            slot = counters.findAfter(slot);
        }
        return slot;
    }

    private boolean isAt(int slot, byte[] bytes, int from, int to) {
        byte[] kept = valueAt(slot);
        return Arrays.equals(kept, 0, kept.length, bytes, from, to);
    }

    @Override
    int slotOf(long hash, Object kept) {
        byte[] bytes = (byte[]) kept;
        return slotOf(hash, bytes, 0, bytes.length);
    }

    @Override
    int slotOf(byte[] value) {
        return slotOf(hashOf(value), value);
    }

    @Override
    long hashOf(byte[] value) {
        return Mix.with(TopObjects.MIX, bytesKey.hash(value));
    }

    @Override
    byte[] valueAt(int slot) {
        return (byte[]) counters.keptAt(slot);
    }

    @Override
    byte[] valueToGive(int slot) {
        return valueAt(slot).clone();
    }

    @Override
    byte[] kept(byte[] value) {
        return value;
    }
}
