package dev.perhaps.foreign;

import dev.perhaps.hash.Murmur2;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.Filter;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The cuckoo filter of Redis ({@code CF.*}), byte for byte: it never says "no" to an added item, and says "perhaps" to another
 * one with a probability of about 2 · bucket size / 255 per sub-filter, 1.6 % by default. Items can be removed, and an item that
 * was added twice is there twice. 8 bits per slot. An add or lookup touches two buckets per sub-filter. Any number of threads
 * may read it while none changes it.
 *
 * <pre>{@code
 * RedisCuckoo seen = RedisCuckoo.expecting(1_000_000).build();
 * Added added = seen.add(item);
 * }</pre>
 *
 * For filters that a Redis wrote or will read; {@link dev.perhaps.membership.CuckooFilter} lets the error be chosen.
 */
public final class RedisCuckoo implements Filter<byte[]> {
    /*
     * Sub-filter i has B · expansion^i buckets of `bucketSize` slots of one byte, 0 = empty; B and expansion are powers of two.
     * With h = MurmurHash64A(item, 0) the fingerprint is f = h mod 255 + 1, and its buckets are h and h ^ (f · 0x5bd1e995), each
     * mod the number of buckets.
     *
     * Add: newest to oldest sub-filter, first bucket then second, the first empty slot. If there is none, fingerprints of the
     * newest are pushed on, from the first bucket, slot 0, 1, 2 … in turn; if that does not end within maxIterations, the pushes
     * are undone and a sub-filter is added, unless expansion is 0. Remove: newest to oldest. When removals are more than a tenth
     * of the items and there are several sub-filters, slots move to older ones and an empty newest one goes.
     *
     * The header, little-endian and packed; the slots of all sub-filters follow it:
     *
     *     u64 items, u64 buckets, u64 deletes, u64 sub-filters, u16 bucketSize, u16 maxIterations, u16 expansion
     */
    /** The length of the header in bytes. */
    public static final int HEADER_BYTES = 38;

    /** The largest capacity that can be planned. */
    public static final long MAX_CAPACITY = 1L << 30;

    /** The most slots of a bucket. */
    public static final int MAX_BUCKET_SIZE = 255;

    /** The most pushes of an addition. */
    public static final int MAX_ITERATIONS = 65_535;

    /** The largest factor by which a further sub-filter may be larger. */
    public static final int MAX_EXPANSION = 32_768;

    private static final int MAX_FILTERS = 65_535;
    private static final int MAX_SLOTS = Integer.MAX_VALUE - 8;

    /** The result of {@link #load}. */
    public enum Load {
        /** The bytes are in the filter. */
        LOADED,
        /** There is no such place; nothing was changed. */
        REFUSED
    }

    /** How a filter is to be built; each method returns a new plan. */
    public static final class Plan {
        private final long capacity;
        private final int bucketSize;
        private final int maxIterations;
        private final int expansion;

        private Plan(long capacity, int bucketSize, int maxIterations, int expansion) {
            this.capacity = capacity;
            this.bucketSize = bucketSize;
            this.maxIterations = maxIterations;
            this.expansion = expansion;
        }

        /** Returns this plan with this many slots per bucket. */
        public Plan bucketSize(int slots) {
            check("bucket size", slots, 1, MAX_BUCKET_SIZE);
            return new Plan(capacity, slots, maxIterations, expansion);
        }

        /** Returns this plan with at most this many pushes per addition. */
        public Plan maxIterations(int pushes) {
            check("number of iterations", pushes, 1, MAX_ITERATIONS);
            return new Plan(capacity, bucketSize, pushes, expansion);
        }

        /** Returns this plan with further sub-filters that are larger by this factor; 0: it does not grow. */
        public Plan expansion(int factor) {
            check("expansion", factor, 0, MAX_EXPANSION);
            return new Plan(capacity, bucketSize, maxIterations, factor);
        }

        private long buckets() {
            return powerOfTwo(capacity / bucketSize);
        }

        /** Returns the memory of its first sub-filter in bytes. */
        public long sizeBytes() {
            return buckets() * bucketSize;
        }

        /**
         * Returns an empty filter.
         *
         * @throws IllegalStateException if a sub-filter does not fit into an array
         */
        public RedisCuckoo build() {
            if (sizeBytes() > MAX_SLOTS) {
                throw new IllegalStateException("a sub-filter of " + sizeBytes() + " slots does not fit into an array");
            }
            RedisCuckoo built = new RedisCuckoo(
                    buckets(), bucketSize, maxIterations, expansion == 0 ? 0 : (int) powerOfTwo(expansion));
            built.filters.add(new byte[(int) sizeBytes()]);
            return built;
        }
    }

    private final List<byte[]> filters = new ArrayList<>();
    private final long buckets;
    private final int bucketSize;
    private final int maxIterations;
    private final int expansion;
    private long items;
    private long deletes;

    private RedisCuckoo(long buckets, int bucketSize, int maxIterations, int expansion) {
        this.buckets = buckets;
        this.bucketSize = bucketSize;
        this.maxIterations = maxIterations;
        this.expansion = expansion;
    }

    private static void check(String what, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "the " + what + " must be in [" + least + ", " + most + "], got " + value);
        }
    }

    private static long powerOfTwo(long number) {
        return number <= 1 ? 1 : Long.highestOneBit(number - 1) << 1;
    }

    /** Starts a plan for this many items: buckets of 2 slots, 20 iterations, further sub-filters of the same size. */
    public static Plan expecting(long items) {
        check("capacity", items, 1, MAX_CAPACITY);
        return new Plan(items, 2, 20, 1);
    }

    private static int fingerprint(long hash) {
        return (int) Long.remainderUnsigned(hash, 255) + 1;
    }

    private static long other(int fingerprint, long index) {
        return index ^ fingerprint * 0x5bd1e995L;
    }

    private int start(byte[] filter, long hash) {
        long mask = filter.length / bucketSize - 1L;
        return (int) (hash & mask) * bucketSize;
    }

    private int find(byte[] filter, int start, int fingerprint) {
        for (int i = start; i < start + bucketSize; i++) {
            if (filter[i] == (byte) fingerprint) {
                return i;
            }
        }
        return -1;
    }

    private int findInBoth(byte[] filter, long first, int fingerprint, int wanted) {
        int found = find(filter, start(filter, first), wanted);
        return found >= 0 ? found : find(filter, start(filter, other(fingerprint, first)), wanted);
    }

    @Override
    public boolean mightContain(byte[] item) {
        long hash = Murmur2.hash64(item, 0);
        int fingerprint = fingerprint(hash);
        for (byte[] filter : filters) {
            if (findInBoth(filter, hash, fingerprint, fingerprint) >= 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of slots in which the item may be: at least as often as it was added and not removed. */
    public long count(byte[] item) {
        long hash = Murmur2.hash64(item, 0);
        int fingerprint = fingerprint(hash);
        long found = 0;
        for (byte[] filter : filters) {
            for (long index : new long[] {hash, other(fingerprint, hash)}) {
                int start = start(filter, index);
                for (int i = start; i < start + bucketSize; i++) {
                    found += filter[i] == (byte) fingerprint ? 1 : 0;
                }
            }
        }
        return found;
    }

    /**
     * Adds an item, also one that is there; {@link Added#FULL} if it needs a sub-filter more than this many, or the filter does
     * not grow.
     *
     * @param maxFilters the most sub-filters that it may have
     * @param maxBytes the most memory that it may take
     */
    public Added add(byte[] item, int maxFilters, long maxBytes) {
        long hash = Murmur2.hash64(item, 0);
        int fingerprint = fingerprint(hash);
        for (int f = filters.size() - 1; f >= 0; f--) {
            byte[] filter = filters.get(f);
            int slot = findInBoth(filter, hash, fingerprint, 0);
            if (slot >= 0) {
                filter[slot] = (byte) fingerprint;
                items++;
                return Added.ADDED;
            }
        }
        if (push(filters.get(filters.size() - 1), hash, fingerprint)) {
            items++;
            return Added.ADDED;
        }
        long more = growthBytes();
        if (filters.size() >= maxFilters || more == Long.MAX_VALUE || more > maxBytes - slots()) {
            return Added.FULL;
        }
        byte[] added = new byte[(int) more];
        added[start(added, hash)] = (byte) fingerprint;
        filters.add(added);
        items++;
        return Added.ADDED;
    }

    /** Adds an item unless it perhaps is there. */
    public Added addNew(byte[] item, int maxFilters, long maxBytes) {
        return mightContain(item) ? Added.PRESENT : add(item, maxFilters, maxBytes);
    }

    private boolean push(byte[] filter, long hash, int fingerprint) {
        long mask = filter.length / bucketSize - 1L;
        long bucket = hash & mask;
        int victim = 0;
        int moving = fingerprint;
        for (int i = 0; i < maxIterations; i++) {
            int slot = (int) bucket * bucketSize + victim;
            int pushed = filter[slot] & 0xff;
            filter[slot] = (byte) moving;
            moving = pushed;
            bucket = other(moving, bucket) & mask;
            int empty = find(filter, (int) bucket * bucketSize, 0);
            if (empty >= 0) {
                filter[empty] = (byte) moving;
                return true;
            }
            victim = (victim + 1) % bucketSize;
        }
        for (int i = 0; i < maxIterations; i++) {
            victim = (victim + bucketSize - 1) % bucketSize;
            bucket = other(moving, bucket) & mask;
            int slot = (int) bucket * bucketSize + victim;
            int pushed = filter[slot] & 0xff;
            filter[slot] = (byte) moving;
            moving = pushed;
        }
        return false;
    }

    /** Returns the memory of the next sub-filter in bytes, {@link Long#MAX_VALUE} if there can be none. */
    public long growthBytes() {
        double size = (double) buckets * bucketSize * Math.pow(expansion, filters.size());
        return expansion == 0 || filters.size() >= MAX_FILTERS || size > MAX_SLOTS ? Long.MAX_VALUE : (long) size;
    }

    /** Removes an item once; returns false if it was certainly not added. Remove only what was added. */
    public boolean remove(byte[] item) {
        long hash = Murmur2.hash64(item, 0);
        int fingerprint = fingerprint(hash);
        for (int f = filters.size() - 1; f >= 0; f--) {
            int slot = findInBoth(filters.get(f), hash, fingerprint, fingerprint);
            if (slot >= 0) {
                filters.get(f)[slot] = 0;
                items--;
                deletes++;
                if (filters.size() > 1 && deletes > items * 0.10) {
                    compact(false);
                }
                return true;
            }
        }
        return false;
    }

    /** Moves slots to older sub-filters and drops the newest ones that become empty. */
    public void compact() {
        compact(true);
    }

    private void compact(boolean goesOn) {
        for (int f = filters.size() - 1; f > 0; f--) {
            boolean isEmptied = moveDown(f);
            if (isEmptied && f == filters.size() - 1) {
                filters.remove(f);
            }
            if (!isEmptied && !goesOn) {
                break;
            }
        }
        deletes = 0;
    }

    private boolean moveDown(int number) {
        byte[] filter = filters.get(number);
        boolean isEmptied = true;
        for (int slot = 0; slot < filter.length; slot++) {
            int fingerprint = filter[slot] & 0xff;
            if (fingerprint == 0) {
                continue;
            }
            // An older sub-filter has no more buckets, so that the place here says enough of the hash.
            long bucket = slot / bucketSize;
            boolean hasMoved = false;
            for (int f = 0; f < number && !hasMoved; f++) {
                int empty = findInBoth(filters.get(f), bucket, fingerprint, 0);
                if (empty >= 0) {
                    filters.get(f)[empty] = (byte) fingerprint;
                    filter[slot] = 0;
                    hasMoved = true;
                }
            }
            isEmptied &= hasMoved;
        }
        return isEmptied;
    }

    /** Returns the number of items. */
    public long count() {
        return items;
    }

    /** Returns the number of removals since the filter was compacted. */
    public long deletes() {
        return deletes;
    }

    /** Returns the number of sub-filters. */
    public int filters() {
        return filters.size();
    }

    /** Returns the number of buckets of the first sub-filter. */
    public long buckets() {
        return buckets;
    }

    /** Returns the slots per bucket. */
    public int bucketSize() {
        return bucketSize;
    }

    /** Returns the most pushes of an addition. */
    public int maxIterations() {
        return maxIterations;
    }

    /** Returns the factor by which a further sub-filter is larger; 0: it does not grow. */
    public int expansion() {
        return expansion;
    }

    /** Returns the number of slots of all sub-filters, which is their memory in bytes. */
    public long slots() {
        return filters.stream().mapToLong(filter -> filter.length).sum();
    }

    /** Returns a filter with the same content that does not change with this one. */
    public RedisCuckoo copy() {
        RedisCuckoo copy = new RedisCuckoo(buckets, bucketSize, maxIterations, expansion);
        filters.forEach(filter -> copy.filters.add(filter.clone()));
        copy.items = items;
        copy.deletes = deletes;
        return copy;
    }

    // The bytes

    /** Returns the header, which {@code CF.SCANDUMP} sends first. */
    public byte[] header() {
        ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(items).putLong(buckets).putLong(deletes).putLong(filters.size());
        out.putShort((short) bucketSize).putShort((short) maxIterations).putShort((short) expansion);
        return out.array();
    }

    /**
     * Returns the bytes from this position of the concatenated sub-filters, at most as many as given and never from two;
     * none at the end.
     */
    public byte[] chunk(long position, int maxBytes) {
        long start = 0;
        for (byte[] filter : filters) {
            if (position >= start && position < start + filter.length) {
                int from = (int) (position - start);
                int length = Math.min(maxBytes, filter.length - from);
                byte[] bytes = new byte[length];
                System.arraycopy(filter, from, bytes, 0, length);
                return bytes;
            }
            start += filter.length;
        }
        return new byte[0];
    }

    /** Writes bytes to this position of the concatenated sub-filters; they must be those of one. */
    public Load load(long position, byte[] bytes) {
        long start = 0;
        for (byte[] filter : filters) {
            if (position >= start && position < start + filter.length) {
                if (bytes.length > start + filter.length - position) {
                    return Load.REFUSED;
                }
                System.arraycopy(bytes, 0, filter, (int) (position - start), bytes.length);
                return Load.LOADED;
            }
            start += filter.length;
        }
        return Load.REFUSED;
    }

    /**
     * Returns a filter with empty slots for a {@link #header}; {@link #load} fills it.
     *
     * @param maxBytes the most memory that it may take
     */
    public static RedisCuckoo ofHeader(byte[] header, long maxBytes) throws FormatException {
        if (header.length != HEADER_BYTES) {
            throw new FormatException(
                    "a header of a Redis cuckoo filter has " + HEADER_BYTES + " bytes, got " + header.length);
        }
        ByteBuffer in = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        long items = in.getLong();
        long buckets = in.getLong();
        long deletes = in.getLong();
        long count = in.getLong();
        int bucketSize = Short.toUnsignedInt(in.getShort());
        int maxIterations = Short.toUnsignedInt(in.getShort());
        int expansion = Short.toUnsignedInt(in.getShort());
        boolean isRight = items >= 0
                && deletes >= 0
                && buckets > 0
                && Long.bitCount(buckets) == 1
                && count >= 1
                && count <= MAX_FILTERS
                && bucketSize >= 1
                && bucketSize <= MAX_BUCKET_SIZE
                && maxIterations >= 1
                && expansion <= MAX_EXPANSION
                && (expansion == 0 ? count == 1 : Integer.bitCount(expansion) == 1);
        if (!isRight) {
            throw new FormatException("not a header of a Redis cuckoo filter: " + buckets + " buckets of " + bucketSize
                    + ", " + count + " sub-filters, " + maxIterations + " iterations, expansion " + expansion);
        }
        double bytes = 0;
        for (int f = 0; f < count; f++) {
            double size = (double) buckets * bucketSize * Math.pow(expansion, f);
            bytes += size;
            if (size > MAX_SLOTS || bytes > maxBytes) {
                throw new FormatException(
                        "its sub-filters take more than the " + Figures.bytes(maxBytes) + " that are allowed");
            }
        }
        if (items > bytes) {
            throw new FormatException(items + " items in " + (long) bytes + " slots");
        }
        RedisCuckoo filter = new RedisCuckoo(buckets, bucketSize, maxIterations, expansion);
        for (int f = 0; f < count; f++) {
            filter.filters.add(new byte[(int) (buckets * bucketSize * Math.pow(expansion, f))]);
        }
        filter.items = items;
        filter.deletes = deletes;
        return filter;
    }

    /** Returns the length of what {@link #writeTo} writes, in bytes. */
    public long fileBytes() {
        return HEADER_BYTES + slots();
    }

    /** Writes the header and the slots of all sub-filters. */
    public void writeTo(OutputStream out) throws IOException {
        out.write(header());
        for (byte[] filter : filters) {
            out.write(filter);
        }
    }

    /** Reads what {@link #writeTo} wrote and no byte after it; more than {@code maxBytes} bytes of slots are refused. */
    public static RedisCuckoo readFrom(InputStream in, long maxBytes) throws IOException {
        RedisCuckoo filter = ofHeader(LittleEndian.readExactly(in, HEADER_BYTES), maxBytes);
        for (byte[] slots : filter.filters) {
            if (in.readNBytes(slots, 0, slots.length) < slots.length) {
                throw new FormatException("the slots end early");
            }
        }
        return filter;
    }
}
