package dev.perhaps.foreign;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.hash.Murmur2;
import dev.perhaps.io.Figures;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The top list of Redis ({@code TOPK.*}), a HeavyKeeper: the k items that were most likely added most often, with
 * counts that are too low, or too high where two items share a fingerprint. 8 bytes per cell, and the k items
 * themselves. An addition touches one cell per row and takes O(log k) in the list. Not thread-safe.
 *
 * <pre>{@code
 * RedisTopK top = RedisTopK.of(10, 2_000, 7, 0.925);
 * byte[] pushedOut = top.add("apple".getBytes(UTF_8), 1);
 * }</pre>
 *
 * For compatibility with Redis; {@link dev.perhaps.frequency.TopK} states its error.
 */
public final class RedisTopK {
    /*
     * A cell has a fingerprint, MurmurHash2(item, 1919), and a count; that of an item in row r is at MurmurHash2(item,
     * r) mod width. An empty cell takes the fingerprint, the same one counts; another one decays: per unit of the
     * increment, with probability decay^count, the count sinks by one, and at 0 the item takes the cell with what is
     * left of the increment. If the largest count of the item reaches the least of the list, the item enters the list.
     *
     * The items of the list stay where they are until they are pushed out: the order of the list is that of its places.
     * Two indexes find a place: `byItem` that of an item, and the heap `leastFirst` the one with the least count, of
     * several the first. `heapAt` of a slot says where the heap has it, so that a count that has changed moves it from
     * there.
     *
     * The random numbers are those of a generator whose state is part of the list (SplitMix64), so that the same
     * additions give the same list: Redis uses rand(), and its replicas may differ.
     */
    private static final int FINGERPRINT_SEED = 1919;
    private static final int TABLE = 256;
    private static final int CELL_BYTES = 8;
    /** A slot with its node, its places in both indexes, and the header of its item. */
    private static final int SLOT_BYTES = 120;

    private static final int HEADER_BYTES = 40;
    private static final int MAX_CELLS = 1 << 28;
    private static final int MAX_LIST = 1 << 24;
    private static final int CHUNK_CELLS = 8_192;

    /** An item of the list, with its count. */
    public static final class Ranked {
        private final byte[] item;
        private final long count;

        private Ranked(byte[] item, long count) {
            this.item = item;
            this.count = count;
        }

        /** Returns the bytes of the item. */
        public byte[] item() {
            return item.clone();
        }

        /** Returns its count. */
        public long count() {
            return count;
        }
    }

    /**
     * An item of the list; equal to another one of the same item. Ordered, so that a map is fast also if hashes
     * collide.
     */
    private static final class Slot implements Comparable<Slot> {
        final byte[] item;
        final int fingerprint;
        long count;
        int place;
        int heapAt;

        Slot(byte[] item, int fingerprint, long count) {
            this.item = item;
            this.fingerprint = fingerprint;
            this.count = count;
        }

        boolean isBefore(Slot other) {
            return count < other.count || count == other.count && place < other.place;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Slot slot && slot.fingerprint == fingerprint && Arrays.equals(slot.item, item);
        }

        @Override
        public int hashCode() {
            return fingerprint;
        }

        @Override
        public int compareTo(Slot other) {
            return Arrays.compareUnsigned(item, other.item);
        }
    }

    private final int k;
    private final int width;
    private final int depth;
    private final double decay;
    private final double[] decays = new double[TABLE];
    private final int[] fingerprints;
    private final int[] counts;
    private final List<Slot> list = new ArrayList<>();
    private final Map<Slot, Slot> byItem = new HashMap<>();
    private final List<Slot> leastFirst = new ArrayList<>();
    private long listBytes;
    private long random;

    private RedisTopK(int k, int width, int depth, double decay) {
        this.k = k;
        this.width = width;
        this.depth = depth;
        this.decay = decay;
        fingerprints = new int[width * depth];
        counts = new int[width * depth];
        for (int i = 0; i < TABLE; i++) {
            decays[i] = Math.pow(decay, i);
        }
    }

    /** Returns the memory of an empty list in bytes, {@link Long#MAX_VALUE} if it is too large for one. */
    public static long sizeBytes(long k, long width, long depth) {
        double cells = (double) width * depth;
        return k < 1 || width < 1 || depth < 1 || k > MAX_LIST || cells > MAX_CELLS
                ? Long.MAX_VALUE
                : CELL_BYTES * width * depth + SLOT_BYTES * k;
    }

    /** Returns an empty list of k items, with width × depth cells and a decay in (0, 1]. */
    public static RedisTopK of(long k, long width, long depth, double decay) {
        if (sizeBytes(k, width, depth) == Long.MAX_VALUE || !(decay > 0 && decay <= 1)) {
            throw new IllegalArgumentException("a list of " + k + " items with " + width + " × " + depth
                    + " cells and decay " + decay + ": at most " + MAX_LIST + " items, " + MAX_CELLS
                    + " cells, decay in (0, 1]");
        }
        return new RedisTopK((int) k, (int) width, (int) depth, decay);
    }

    private double chance() {
        random += 0x9E3779B97F4A7C15L;
        long z = random;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return ((z ^ z >>> 31) >>> 11) * 0x1p-53;
    }

    private double decayAt(long count) {
        return count < TABLE
                ? decays[(int) count]
                : Math.pow(decays[TABLE - 1], Math.floorDiv(count, TABLE - 1)) * decays[(int) (count % (TABLE - 1))];
    }

    private @Nullable Slot slot(byte[] item, int fingerprint) {
        return byItem.get(new Slot(item, fingerprint, 0));
    }

    // The list and its indexes

    /** Adds a slot at the end of the list; false if its item is there. */
    @CanIgnoreReturnValue
    private boolean append(Slot slot) {
        if (byItem.putIfAbsent(slot, slot) != null) {
            return false;
        }
        slot.place = list.size();
        slot.heapAt = leastFirst.size();
        list.add(slot);
        leastFirst.add(slot);
        listBytes += slot.item.length;
        sift(slot);
        return true;
    }

    /** Gives the place of a slot to another one. */
    private void replace(Slot out, Slot in) {
        byItem.remove(out);
        byItem.put(in, in);
        in.place = out.place;
        in.heapAt = out.heapAt;
        list.set(in.place, in);
        leastFirst.set(in.heapAt, in);
        listBytes += in.item.length - out.item.length;
        sift(in);
    }

    /** Moves a slot to where it belongs in the heap. */
    private void sift(Slot slot) {
        int at = slot.heapAt;
        while (at > 0 && slot.isBefore(leastFirst.get((at - 1) / 2))) {
            at = move(at, (at - 1) / 2);
        }
        while (true) {
            int child = 2 * at + 1;
            if (child + 1 < leastFirst.size() && leastFirst.get(child + 1).isBefore(leastFirst.get(child))) {
                child++;
            }
            if (child >= leastFirst.size() || !leastFirst.get(child).isBefore(slot)) {
                break;
            }
            at = move(at, child);
        }
        leastFirst.set(at, slot);
        slot.heapAt = at;
    }

    /** Moves what is at another place of the heap here; returns the place that it left. */
    private int move(int here, int from) {
        Slot moving = leastFirst.get(from);
        leastFirst.set(here, moving);
        moving.heapAt = here;
        return from;
    }

    private static long count(int cell) {
        return Integer.toUnsignedLong(cell);
    }

    /** Adds an item this many times; returns the item that it pushed out of the list, or null. */
    public byte @Nullable [] add(byte[] item, long increment) {
        int fingerprint = Murmur2.hash32(item, FINGERPRINT_SEED);
        long most = 0;
        for (int row = 0; row < depth; row++) {
            int at = row * width + Integer.remainderUnsigned(Murmur2.hash32(item, row), width);
            long count = count(counts[at]);
            if (count == 0) {
                fingerprints[at] = fingerprint;
                count = increment;
                most = Math.max(most, count);
            } else if (fingerprints[at] == fingerprint) {
                count = Math.min(count + increment, 0xffffffffL);
                most = Math.max(most, count);
            } else {
                for (long left = increment; left > 0; left--) {
                    if (chance() < decayAt(count) && --count == 0) {
                        fingerprints[at] = fingerprint;
                        count = left;
                        most = Math.max(most, count);
                        break;
                    }
                }
            }
            counts[at] = (int) count;
        }
        return most == 0 ? null : enter(item, fingerprint, most);
    }

    private byte @Nullable [] enter(byte[] item, int fingerprint, long count) {
        Slot own = slot(item, fingerprint);
        if (own != null) {
            own.count = count;
            sift(own);
            return null;
        }
        if (list.size() < k) {
            append(new Slot(item, fingerprint, count));
            return null;
        }
        Slot least = leastFirst.get(0);
        if (count < least.count) {
            return null;
        }
        replace(least, new Slot(item, fingerprint, count));
        return least.item;
    }

    /** Returns true if the item is in the list. */
    public boolean contains(byte[] item) {
        return slot(item, Murmur2.hash32(item, FINGERPRINT_SEED)) != null;
    }

    /** Returns the largest count of the item's cells. */
    public long count(byte[] item) {
        int fingerprint = Murmur2.hash32(item, FINGERPRINT_SEED);
        long most = 0;
        for (int row = 0; row < depth; row++) {
            int at = row * width + Integer.remainderUnsigned(Murmur2.hash32(item, row), width);
            most = fingerprints[at] == fingerprint ? Math.max(most, count(counts[at])) : most;
        }
        return most;
    }

    /** Returns the items of the list, the most frequent first, then by their bytes. */
    public List<Ranked> list() {
        return list.stream()
                .filter(slot -> slot.count > 0)
                .sorted(Comparator.comparingLong((Slot slot) -> -slot.count)
                        .thenComparing(slot -> slot.item, Arrays::compareUnsigned))
                .map(slot -> new Ranked(slot.item, slot.count))
                .toList();
    }

    /** Returns the length of the list. */
    public int k() {
        return k;
    }

    /** Returns the number of cells per row. */
    public int width() {
        return width;
    }

    /** Returns the number of rows. */
    public int depth() {
        return depth;
    }

    /** Returns the base of the probability with which counts of others decay. */
    public double decay() {
        return decay;
    }

    /** Returns the memory in bytes. */
    public long sizeBytes() {
        return sizeBytes(k, width, depth) + listBytes;
    }

    /** Returns a list with the same content that does not change with this one. */
    public RedisTopK copy() {
        RedisTopK copy = new RedisTopK(k, width, depth, decay);
        System.arraycopy(fingerprints, 0, copy.fingerprints, 0, fingerprints.length);
        System.arraycopy(counts, 0, copy.counts, 0, counts.length);
        list.forEach(slot -> copy.append(new Slot(slot.item, slot.fingerprint, slot.count)));
        copy.random = random;
        return copy;
    }

    /** Returns the length of what {@link #writeTo} writes, in bytes. */
    public long fileBytes() {
        return HEADER_BYTES + (long) CELL_BYTES * counts.length + 12L * list.size() + listBytes;
    }

    /**
     * Writes, little-endian, k, width, depth and the length of the list (u32), decay (f64), the state of the random
     * numbers (u64), 8 bytes of zero, per cell fingerprint and count (u32), and per item of the list its count (u64),
     * length (u32) and bytes.
     */
    public void writeTo(OutputStream out) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(k)
                .putInt(width)
                .putInt(depth)
                .putInt(list.size())
                .putDouble(decay)
                .putLong(random);
        out.write(header.array());
        for (int from = 0; from < counts.length; from += CHUNK_CELLS) {
            int to = Math.min(counts.length, from + CHUNK_CELLS);
            ByteBuffer cells = ByteBuffer.allocate(CELL_BYTES * (to - from)).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = from; i < to; i++) {
                cells.putInt(fingerprints[i]).putInt(counts[i]);
            }
            out.write(cells.array());
        }
        for (Slot slot : list) {
            ByteArrayOutputStream one = new ByteArrayOutputStream(12 + slot.item.length);
            one.writeBytes(ByteBuffer.allocate(12)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(slot.count)
                    .putInt(slot.item.length)
                    .array());
            one.writeBytes(slot.item);
            one.writeTo(out);
        }
    }

    /** Reads what {@link #writeTo} wrote and no byte after it; one that takes more than {@code maxBytes} is refused. */
    public static RedisTopK readFrom(InputStream in, long maxBytes) throws IOException {
        ByteBuffer header =
                ByteBuffer.wrap(LittleEndian.readExactly(in, HEADER_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        int k = header.getInt();
        int width = header.getInt();
        int depth = header.getInt();
        int length = header.getInt();
        double decay = header.getDouble();
        long random = header.getLong();
        long emptyBytes = sizeBytes(k, width, depth);
        if (emptyBytes > maxBytes || !(decay > 0 && decay <= 1) || length < 0 || length > k) {
            throw new FormatException("not a top list, or larger than the " + Figures.bytes(maxBytes)
                    + " that are allowed: k " + k + ", " + width + " × " + depth + " cells, decay " + decay);
        }
        RedisTopK top = new RedisTopK(k, width, depth, decay);
        for (int from = 0; from < top.counts.length; from += CHUNK_CELLS) {
            int to = Math.min(top.counts.length, from + CHUNK_CELLS);
            ByteBuffer cells = ByteBuffer.wrap(LittleEndian.readExactly(in, CELL_BYTES * (to - from)))
                    .order(ByteOrder.LITTLE_ENDIAN);
            for (int i = from; i < to; i++) {
                top.fingerprints[i] = cells.getInt();
                top.counts[i] = cells.getInt();
            }
        }
        for (int i = 0; i < length; i++) {
            ByteBuffer head = ByteBuffer.wrap(LittleEndian.readExactly(in, 12)).order(ByteOrder.LITTLE_ENDIAN);
            long count = head.getLong();
            int bytes = head.getInt();
            if (count < 0 || bytes < 0 || bytes > maxBytes - emptyBytes - top.listBytes) {
                throw new FormatException("item " + i + " has the count " + count + " and " + bytes + " bytes");
            }
            byte[] item = LittleEndian.readExactly(in, bytes);
            if (!top.append(new Slot(item, Murmur2.hash32(item, FINGERPRINT_SEED), count))) {
                throw new FormatException("item " + i + " is in the list twice");
            }
        }
        top.random = random;
        return top;
    }
}
