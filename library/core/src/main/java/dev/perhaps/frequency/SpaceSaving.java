package dev.perhaps.frequency;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a {@link TopK}: a hash table with a bounded number of entries, from which the smallest counts are
 * evicted in batches, and which knows for every entry, and for all that is not there, how wrong it may be.
 */
final class SpaceSaving {
    /*
     * Space-Saving [1] gives the counter of the smallest entry to the new item, and lets the new item go on from that
     * count: it may have been there before. A count is then never too low, and too high by at most what it began with.
     * The summary that finds the smallest entry at once, a list of lists, costs several cache misses per item. Here a
     * full table evicts about its smallest quarter at once instead, and remembers the largest count that was ever
     * evicted:
     *
     *     missed       no item that is not in the table came more often than this
     *     count        of an entry: `missed` when it entered, and what came since: never too low
     *     err          of an entry: `missed` when it entered. count - err is never too high
     *
     * This is also the purge of Misra and Gries [2, 3]: lowering all counters by m is the same as raising what they are
     * counted from. But they have one error for all, and here each entry keeps its own: an item that stayed from its
     * first event on is counted exactly, however long the stream.
     *
     *     slots   | hash 0 | count 0 | hash 1 | count 1 | ...      linear probing; a count of 0 is an empty slot
     *     epochs  | e0 | e1 | ...                                  1 byte per slot: err = errs[e]
     *     values  | v0 | v1 | ...                                  only where the value is not the hash itself
     *     errs    | 0 = errs[0] < errs[1] < ... < missed |         at most 256 different values of `missed`
     *
     * `missed` grows with every eviction. When there are 256 values of it (fewer in a table of under 2,048), the one
     * nearest to the next larger is dropped, and its entries take the larger: a little less sure, never wrong. The 0
     * stays.
     *
     * What happens depends on the entries and the numbers above alone, not on where in the table they stand. So a table
     * that was written and read again goes on exactly as it would have.
     *
     * Eviction takes all counts up to a bound, which a sample says are a quarter. What is as small as the bound goes
     * too: an entry whose count is `missed` knows no more than its absence tells. So where many are equal, as in the
     * tail of a stream, far more than a quarter goes, and evictions are rare. If s entries stay each time, then missed
     * ≤ N / s, where N is the sum of all counts: each of the s had come as often since the last eviction as `missed`
     * grows by. [1] has N / capacity; here s is about three quarters of it, and on skewed streams missed is half of N /
     * capacity nevertheless.
     *
     * The sweep that evicts also closes the gaps: it begins behind an empty slot, and moves each entry that stays to
     * the first empty slot from its home on. That slot is its own or one already swept, so one pass in place suffices.
     *
     * [1] Metwally, Agrawal and El Abbadi, "Efficient computation of frequent and top-k elements in data streams"
     *     (2005).
     * [2] Misra and Gries, "Finding repeated elements" (1982). [3] Anderson et al., "A high-performance algorithm for
     * identifying frequent items in data streams" (2017).
     */
    static final int MAX_CAPACITY = 1 << 28;

    /** In place of a value, where the hash is the value. */
    static final Object NONE = new Object();

    private static final int MAX_ERRORS = 256;
    private static final int LEAST_ERRORS = 16;
    private static final long SLOT_BYTES = 17;
    private static final long REFERENCE_BYTES = 4;
    private static final long ARRAY_BYTES = 16;
    private static final int FIRST_SLOTS = 16;
    private static final int SAMPLED = 24;

    private final int capacity;
    private final int maxErrors;
    private long[] slots;
    private byte[] epochs;
    private @Nullable Object @Nullable [] values;
    private int slotCount;
    private int limit;
    private int used;
    private long valueBytes;
    private long total;
    private long missed;
    private long[] errs = new long[4];
    private int errCount = 1;

    SpaceSaving(int capacity, boolean withValues) {
        this.capacity = capacity;
        this.maxErrors = maxErrors(capacity);
        this.slotCount = Math.min(FIRST_SLOTS, slotsFor(capacity));
        this.limit = limitOf(slotCount);
        this.slots = new long[2 * slotCount];
        this.epochs = new byte[slotCount];
        this.values = withValues ? new Object[slotCount] : null;
    }

    SpaceSaving copy() {
        SpaceSaving copy = new SpaceSaving(capacity, values != null);
        copy.slots = slots.clone();
        copy.epochs = epochs.clone();
        copy.values = values == null ? null : values.clone();
        copy.slotCount = slotCount;
        copy.limit = limit;
        copy.used = used;
        copy.valueBytes = valueBytes;
        copy.total = total;
        copy.missed = missed;
        copy.errs = errs.clone();
        copy.errCount = errCount;
        return copy;
    }

    /** Empties the table: it is then as small as a new one. */
    void clear() {
        clear(Math.min(FIRST_SLOTS, slotsFor(capacity)));
        used = 0;
        valueBytes = 0;
        total = 0;
        missed = 0;
        errs = new long[4];
        errCount = 1;
    }

    /** A table that is never more than three quarters full. */
    static int slotsFor(int capacity) {
        return (int) (capacity + (capacity + 2L) / 3);
    }

    /** The number of distinct errors: in a small table they must not take more memory than its counters. */
    private static int maxErrors(int capacity) {
        return Math.max(LEAST_ERRORS, Math.min(MAX_ERRORS, capacity / 8));
    }

    /** The memory of a table that has grown to its full size. */
    static long sizeBytes(int capacity, boolean withValues) {
        return slotsFor(capacity) * (withValues ? SLOT_BYTES + REFERENCE_BYTES : SLOT_BYTES) + maxErrors(capacity) * 8L;
    }

    /** The largest capacity that takes no more memory than this, or 0. */
    static int capacityFor(long bytes, boolean withValues) {
        int low = 0;
        int high = MAX_CAPACITY;
        while (low < high) {
            int middle = low + (high - low + 1) / 2;
            if (sizeBytes(middle, withValues) <= bytes) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    int capacity() {
        return capacity;
    }

    int used() {
        return used;
    }

    /** The sum of all counts. */
    long total() {
        return total;
    }

    /** No value that is not here came more often than this. */
    long missed() {
        return missed;
    }

    int slotCount() {
        return slotCount;
    }

    long hash(int slot) {
        return slots[2 * slot];
    }

    /** Never too low; 0 if the slot is empty. */
    long count(int slot) {
        return slots[2 * slot + 1];
    }

    /** By how much the count may be too high. */
    long err(int slot) {
        return Math.min(count(slot), errs[epochs[slot] & 0xFF]);
    }

    /** The value of an entry; nothing, where the hash is the value. */
    Object keptAt(int slot) {

        return kept(values, slot);
    }

    private static Object kept(@Nullable Object @Nullable [] kept, int slot) {
        return kept == null ? NONE : Objects.requireNonNull(kept[slot]);
    }

    /** What it takes when it has grown to its full size. */
    long sizeBytes() {
        return sizeBytes(capacity, values != null);
    }

    /** The memory of the values that are byte arrays, which is known without looking at them. */
    long valueBytes() {
        return valueBytes;
    }

    private static long bytesOf(@Nullable Object value) {
        return value instanceof byte[] bytes ? (ARRAY_BYTES + bytes.length + 7L) & -8L : 0;
    }

    /** The slot of an entry with this hash, or less than 0 if there is none. */
    int find(long hash) {
        return findFrom(home(hash), hash);
    }

    /** The next slot of an entry with the hash of this one: another value, by an accident of 2^-64. */
    int findAfter(int slot) {
        return findFrom(slot + 1 == slotCount ? 0 : slot + 1, hash(slot));
    }

    private int findFrom(int from, long hash) {
        long[] table = slots;
        int at = 2 * from;
        while (table[at + 1] != 0) {
            if (table[at] == hash) {
                return at >>> 1;
            }
            at = at + 2 == table.length ? 0 : at + 2;
        }
        return -1;
    }

    private int home(long hash) {
        return (int) ((hash >>> 32) * slotCount >>> 32);
    }

    /** Counts into the total, and refuses what it cannot hold: nothing is changed then. */
    void addToTotal(long count) {
        long sum = total + count;
        if ((count | sum) < 0) {
            throw refused(count);
        }
        total = sum;
    }

    private IllegalArgumentException refused(long count) {
        return new IllegalArgumentException(
                count < 0
                        ? "count must be 0 or more, got " + count
                        : "the counts sum up to more than " + Long.MAX_VALUE + ": " + total + " so far, and " + count
                                + " more");
    }

    /** Counts an item whose hash is its value; it is taken in if it is not there. */
    void add(long hash, long count) {
        addToTotal(count);
        long[] table = slots;
        int at = 2 * home(hash);
        // A frequent item is nearly always in its home slot: check that case first.
        if (table[at] != hash || table[at + 1] == 0) {
            while (table[at + 1] != 0 && table[at] != hash) {
                at = at + 2 == table.length ? 0 : at + 2;
            }
            if (table[at + 1] == 0) {
                admitAt(at >>> 1, hash, count);
                return;
            }
        }
        table[at + 1] += count;
    }

    /** Takes in an item whose hash is its value, into an empty slot, if the table can stay as it is. */
    private void admitAt(int slot, long hash, long count) {
        if (used >= limit || count == 0) {
            admit(hash, NONE, count);
            return;
        }
        slots[2 * slot] = hash;
        slots[2 * slot + 1] = missed + count;
        epochs[slot] = (byte) (errCount - 1);
        used++;
    }

    /** Counts an entry up. */
    void increase(int slot, long count) {
        slots[2 * slot + 1] += count;
    }

    /** Takes in an item that is not there, and evicts others if there is no room. */
    void admit(long hash, Object value, long count) {
        if (count == 0) {
            return;
        }
        if (used == capacity) {
            evict();
        } else if (used >= limit) {
            grow();
        }
        put(hash, value, missed + count, errCount - 1);
        used++;
        valueBytes += bytesOf(value);
    }

    private void put(long hash, Object value, long count, int epoch) {
        int at = home(hash);
        while (slots[2 * at + 1] != 0) {
            at = at + 1 == slotCount ? 0 : at + 1;
        }
        slots[2 * at] = hash;
        slots[2 * at + 1] = count;
        epochs[at] = (byte) epoch;
        if (values != null) {
            values[at] = value;
        }
    }

    private void grow() {
        long[] oldSlots = slots;
        byte[] oldEpochs = epochs;
        @Nullable Object @Nullable [] oldValues = values;
        clear((int) Math.min(slotsFor(capacity), slotCount * 2L));
        for (int i = 0; i < oldEpochs.length; i++) {
            if (oldSlots[2 * i + 1] != 0) {
                put(oldSlots[2 * i], kept(oldValues, i), oldSlots[2 * i + 1], oldEpochs[i]);
            }
        }
    }

    /**
     * The number of entries at which a table of {@code count} slots is full: it then grows, or evicts at its largest
     * size.
     */
    private int limitOf(int count) {
        return count < slotsFor(capacity) ? Math.min(capacity, count - count / 4) : capacity;
    }

    private void clear(int newSlotCount) {
        slotCount = newSlotCount;
        limit = limitOf(newSlotCount);
        slots = new long[2 * newSlotCount];
        epochs = new byte[newSlotCount];
        values = values == null ? null : new Object[newSlotCount];
    }

    private void evict() {
        long bound = Math.max(missed, sampledQuantile());
        sweep(bound);
        if (bound > missed) {
            raiseMissed(bound);
        }
    }

    /** What about a quarter of the counts are not above, by a sample: those whose hash ends in zeros. */
    private long sampledQuantile() {
        long ending = Integer.highestOneBit(Math.max(1, capacity / SAMPLED)) - 1L;
        long[] sample = sample(ending);
        if (sample.length == 0) {
            sample = sample(0);
        }
        Arrays.sort(sample);
        return sample[sample.length / 4];
    }

    private long[] sample(long ending) {
        long[] sample = new long[SAMPLED];
        int size = 0;
        for (int at = 0; at < slots.length; at += 2) {
            if ((slots[at] & ending) == 0 && slots[at + 1] != 0) {
                if (size == sample.length) {
                    sample = Arrays.copyOf(sample, 2 * size);
                }
                sample[size++] = slots[at + 1];
            }
        }
        return Arrays.copyOf(sample, size);
    }

    /** Evicts all counts that are not above the bound, and closes the gaps. */
    private void sweep(long bound) {
        int at = 0;
        while (count(at) != 0) {
            at++;
        }
        for (int i = 1; i < slotCount; i++) {
            at = at + 1 == slotCount ? 0 : at + 1;
            long count = slots[2 * at + 1];
            if (count == 0) {
                continue;
            }
            if (count <= bound) {
                slots[2 * at + 1] = 0;
                used--;
                if (values != null) {
                    valueBytes -= bytesOf(values[at]);
                    values[at] = null;
                }
            } else if (home(slots[2 * at]) != at) {
                moveHomeward(at);
            }
        }
    }

    private void moveHomeward(int from) {
        long hash = slots[2 * from];
        int to = home(hash);
        while (to != from && slots[2 * to + 1] != 0) {
            to = to + 1 == slotCount ? 0 : to + 1;
        }
        if (to == from) {
            return;
        }
        slots[2 * to] = hash;
        slots[2 * to + 1] = slots[2 * from + 1];
        slots[2 * from + 1] = 0;
        epochs[to] = epochs[from];
        if (values != null) {
            values[to] = values[from];
            values[from] = null;
        }
    }

    private void raiseMissed(long more) {
        missed = more;
        if (errCount == maxErrors) {
            dropUnusedErrors();
        }
        if (errCount == maxErrors) {
            dropAnError();
        }
        if (errCount == errs.length) {
            errs = Arrays.copyOf(errs, Math.min(maxErrors, errs.length * 2));
        }
        errs[errCount++] = more;
    }

    private void dropUnusedErrors() {
        boolean[] isUsed = new boolean[errCount];
        isUsed[0] = true;
        for (int i = 0; i < slotCount; i++) {
            if (count(i) != 0) {
                isUsed[epochs[i] & 0xFF] = true;
            }
        }
        byte[] moved = new byte[errCount];
        int kept = 0;
        for (int i = 0; i < errCount; i++) {
            if (isUsed[i]) {
                moved[i] = (byte) kept;
                errs[kept++] = errs[i];
            }
        }
        errCount = kept;
        for (int i = 0; i < slotCount; i++) {
            if (count(i) != 0) {
                epochs[i] = moved[epochs[i] & 0xFF];
            }
        }
    }

    private void dropAnError() {
        int dropped = nearestToNext(errs, errCount);
        System.arraycopy(errs, dropped + 1, errs, dropped, errCount - dropped - 1);
        errCount--;
        for (int i = 0; i < epochs.length; i++) {
            int epoch = epochs[i] & 0xFF;
            epochs[i] = (byte) (epoch > dropped ? epoch - 1 : epoch);
        }
    }

    /** Which of these ascending errors, but not the first, is nearest to the one after it. */
    private static int nearestToNext(long[] errors, int count) {
        int nearest = 1;
        for (int i = 2; i < count - 1; i++) {
            if (errors[i + 1] - errors[i] < errors[nearest + 1] - errors[nearest]) {
                nearest = i;
            }
        }
        return nearest;
    }

    /**
     * Begins again with these entries, or as many of the largest as there is room for.
     *
     * @param bound what the count of a value that is not among them may be
     */
    void load(Entries entries, long sum, long bound) {
        total = sum;
        missed = Math.max(bound, entries.keepLargest(capacity));
        loadErrors(entries);
        used = entries.size();
        clear((int) Math.min(slotsFor(capacity), Math.max(FIRST_SLOTS, used + used / 2L)));
        valueBytes = 0;
        for (int i = 0; i < entries.size(); i++) {
            valueBytes += bytesOf(entries.value(i));
            int epoch = Arrays.binarySearch(errs, 0, errCount, entries.err(i));
            put(entries.hash(i), entries.value(i), entries.count(i), epoch >= 0 ? epoch : -epoch - 1);
        }
    }

    /** Takes the errors of the entries; if there are too many, the largest of each of equal ranges. */
    private void loadErrors(Entries entries) {
        long[] all = new long[entries.size() + 2];
        for (int i = 0; i < entries.size(); i++) {
            all[i] = entries.err(i);
        }
        all[entries.size() + 1] = missed;
        Arrays.sort(all);
        int count = keepLargestOfEach(all, all.length, 1);
        if (count > maxErrors) {
            count = keepLargestOfEach(all, count, missed / (maxErrors - 2) + 1);
        }
        errs = Arrays.copyOf(all, Math.max(4, count));
        errCount = count;
        assert errs[0] == 0 && errs[count - 1] == missed && count <= maxErrors;
    }

    /** Of ascending errors, keeps the 0 and the largest of each {@code width} numbers; returns how many those are. */
    private static int keepLargestOfEach(long[] errors, int count, long width) {
        int kept = 1;
        for (int i = 1; i < count; i++) {
            if (errors[i] == 0) {
                continue;
            }
            boolean sameRange = kept > 1 && (errors[kept - 1] - 1) / width == (errors[i] - 1) / width;
            errors[sameRange ? kept - 1 : kept++] = errors[i];
        }
        return kept;
    }
}
