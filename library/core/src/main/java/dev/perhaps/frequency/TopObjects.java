package dev.perhaps.frequency;

import dev.perhaps.hash.Mix;
import dev.perhaps.key.Key;

/** A {@link TopK} of any values that know when they are equal: strings, UUIDs, addresses. */
final class TopObjects<T> extends TopK<T> {
    static final long MIX = 0xC6A4A7935BD1E995L;

    TopObjects(Key.Stored<T> key, int k, int capacity) {
        this(key, k, new SpaceSaving(capacity, true), false);
    }

    private TopObjects(Key.Stored<T> key, int k, SpaceSaving counters, boolean concurrent) {
        super(key, k, counters, concurrent);
    }

    @Override
    TopObjects<T> with(SpaceSaving other, boolean concurrent) {
        return new TopObjects<>(key(), k(), other, concurrent);
    }

    @Override
    void count(T value, long count) {
        long hash = hashOf(value);
        counters.addToTotal(count);
        int slot = slotOf(hash, value);
        if (slot >= 0) {
            counters.increase(slot, count);
        } else {
            counters.admit(hash, value, count);
        }
    }

    @Override
    int slotOf(long hash, Object kept) {
        int slot = counters.find(hash);
        while (slot >= 0 && !valueAt(slot).equals(kept)) {
            slot = counters.findAfter(slot);
        }
        return slot;
    }

    @Override
    int slotOf(T value) {
        return slotOf(hashOf(value), value);
    }

    @Override
    long hashOf(T value) {
        return Mix.with(MIX, key().hash(value));
    }

    @Override
    @SuppressWarnings("unchecked") // only values of T were put in
    T valueAt(int slot) {
        return (T) counters.keptAt(slot);
    }

    @Override
    T kept(T value) {
        return value;
    }
}
