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
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cuckoo filter of Redis ({@code CF.*}), in its byte layout: it never says "no" to an item that was added and not
 * removed, and says "perhaps" to another one with a probability of at most 2 · bucket size / 255 per table, 1.6 % for
 * one full table by default. Every copy of an item is kept. 8 bits per slot. Lookups, additions and removals read two
 * buckets per table. Any number of threads may read it while none changes it.
 *
 * <pre>{@code
 * RedisCuckoo seen = RedisCuckoo.expecting(1_000_000).build();
 * Added added = seen.add("apple".getBytes(UTF_8), 32, 1 << 30);
 * }</pre>
 *
 * For filters that Redis wrote or will read; with {@link dev.perhaps.membership.CuckooFilter} you choose the error.
 */
public final class RedisCuckoo implements Filter<byte[]> {
    /*
     * The filter is a list of tables (Redis calls them sub-filters), oldest first. A table is buckets of `bucketSize`
     * slots of one byte; 0 is an empty slot. Table i has buckets · expansion^i buckets. Both are powers of two.
     *
     *     table 0   | 17 .. | .. .. | a3 09 | .. .. |
     *     table 1   | .. .. | 5c .. | .. .. | .. .. | .. .. | .. .. | 5c 5c | .. .. |      expansion 2, bucketSize 2
     *
     * An item with h = MurmurHash64A(item, seed 0) has the fingerprint f = h mod 255 + 1 and in a table of n buckets
     * the two buckets h mod n and (h ^ f · 0x5bd1e995) mod n. Because n is a power of two, each bucket follows from the
     * other one and f, and the buckets in a smaller table follow from those in a larger one: the low bits are the same.
     * The first property lets a fingerprint be relocated without its item, the second lets it descend to an older
     * table.
     *
     * Orders that the format of Redis leaves open, and what is chosen here:
     *
     *  - An addition takes the first empty slot: tables newest first, in each the bucket of h before the other one,
     *    slots ascending. If there is none, it relocates within the newest table: f takes slot 0 of the bucket of h,
     *    the fingerprint that was there goes to its other bucket, into the first empty slot, or else into slot 1 in
     *    place of another one, then slot 2, and so on modulo bucketSize. At most maxIterations fingerprints are
     *    displaced. The relocation is worked out beside the table and written when it ends at an empty slot, so that a
     *    failed one changes nothing.
     *  - A removal takes the first slot with f: tables newest first, the bucket of h first, slots ascending. An older
     *    table may hold the same f for another item that shares its buckets there but not here, so this order removes
     *    no other item.
     *  - When the removals since the last shrinking exceed a tenth of the items that are left, and there are several
     *    tables, the filter shrinks: the fingerprints of the newest table descend, slots ascending, each to the oldest
     *    table with an empty slot for it. If all did, the table is dropped and the next newest one follows. It ends
     *    with the first table that keeps a fingerprint.
     *
     * Limits are checked per item and before a table is allocated: the number of tables, the bytes of all tables, the
     * length of an array.
     *
     * The header, little-endian and packed; the slots of all tables follow it in the order of the tables:
     *
     *     u64 items, u64 buckets, u64 removals, u64 tables, u16 bucketSize, u16 maxIterations, u16 expansion
     *
     * Refused in a header beside values out of range: a number of buckets or an expansion that is not a power of two,
     * which would break the arithmetic above.
     *
     *  [1] B. Fan, D. Andersen, M. Kaminsky, M. Mitzenmacher. Cuckoo Filter: Practically Better Than Bloom. CoNEXT
     *      2014. https://doi.org/10.1145/2674005.2674994
     */

    /** The length of the header in bytes. */
    public static final int HEADER_BYTES = 38;

    /** The largest capacity that can be planned. */
    public static final long MAX_CAPACITY = 1L << 30;

    /** The most slots of a bucket. */
    public static final int MAX_BUCKET_SIZE = 255;

    /** The most fingerprints that an addition displaces. */
    public static final int MAX_ITERATIONS = 65_535;

    /** The largest factor by which a further table may be larger. */
    public static final int MAX_EXPANSION = 32_768;

    /** The most tables of a filter. */
    public static final int MAX_TABLES = 65_536;

    private static final int MAX_TABLE_BYTES = Integer.MAX_VALUE - 8;

    /** A removal compacts by itself only what takes about a second. */
    private static final long MAX_COMPACTION_STEPS = 1L << 28;

    private static final int FINGERPRINTS = 255;
    private static final long SPREAD = 0x5bd1e995L;
    private static final byte EMPTY = 0;
    private static final int NONE = -1;

    /** The result of {@link #load}. */
    public enum Load {
        /** The bytes are in the filter. */
        LOADED,
        /** They are not bytes of one table; nothing was changed. */
        REFUSED
    }

    /** The settings of a filter; each method returns a new plan. */
    public static final class Plan {
        private final long items;
        private final int bucketSize;
        private final int maxIterations;
        private final int expansion;

        private Plan(long items, int bucketSize, int maxIterations, int expansion) {
            this.items = items;
            this.bucketSize = bucketSize;
            this.maxIterations = maxIterations;
            this.expansion = expansion;
        }

        /** Returns this plan with this many slots per bucket. */
        public Plan bucketSize(int slots) {
            return new Plan(items, checked("bucket size", slots, 1, MAX_BUCKET_SIZE), maxIterations, expansion);
        }

        /** Returns this plan with at most this many fingerprints displaced per addition. */
        public Plan maxIterations(int displaced) {
            int most = checked("number of iterations", displaced, 1, MAX_ITERATIONS);
            return new Plan(items, bucketSize, most, expansion);
        }

        /**
         * Returns this plan with further tables that are larger by this factor, rounded up to a power of two; 0: none.
         */
        public Plan expansion(int factor) {
            return new Plan(items, bucketSize, maxIterations, checked("expansion", factor, 0, MAX_EXPANSION));
        }

        private static int checked(String name, int value, int least, int most) {
            if (value < least || value > most) {
                throw new IllegalArgumentException(
                        "the " + name + " must be in [" + least + ", " + most + "], got " + value);
            }
            return value;
        }

        private long buckets() {
            return powerOfTwo(items / bucketSize);
        }

        /** Returns the memory of its first table in bytes. */
        public long sizeBytes() {
            return buckets() * bucketSize;
        }

        /**
         * Returns an empty filter.
         *
         * @throws IllegalStateException if its table does not fit into an array
         */
        public RedisCuckoo build() {
            if (sizeBytes() > MAX_TABLE_BYTES) {
                throw new IllegalStateException(
                        "a table has at most " + MAX_TABLE_BYTES + " bytes, got " + sizeBytes());
            }
            int factor = expansion == 0 ? 0 : (int) powerOfTwo(expansion);
            RedisCuckoo built = new RedisCuckoo(buckets(), bucketSize, maxIterations, factor);
            built.tables.add(new byte[(int) sizeBytes()]);
            return built;
        }
    }

    private final long buckets;
    private final int bucketSize;
    private final int maxIterations;
    private final int expansion;
    private final List<byte[]> tables = new ArrayList<>(1);
    private long items;
    private long removals;
    private @Nullable IdentityHashMap<byte[], StableView.Watched> watched;

    private RedisCuckoo(long buckets, int bucketSize, int maxIterations, int expansion) {
        this.buckets = buckets;
        this.bucketSize = bucketSize;
        this.maxIterations = maxIterations;
        this.expansion = expansion;
    }

    /** Starts a plan for this many items: buckets of 2 slots, 20 iterations, further tables of the same size. */
    public static Plan expecting(long items) {
        if (items < 1 || items > MAX_CAPACITY) {
            throw new IllegalArgumentException("the capacity must be in [1, " + MAX_CAPACITY + "], got " + items);
        }
        return new Plan(items, 2, 20, 1);
    }

    /** The least power of two that is not less. */
    private static long powerOfTwo(long number) {
        return number <= 1 ? 1 : Long.highestOneBit(number - 1) << 1;
    }

    // Buckets and slots

    private static int fingerprint(long hash) {
        return (int) Long.remainderUnsigned(hash, FINGERPRINTS) + 1;
    }

    private static long other(long bucket, int fingerprint) {
        return bucket ^ fingerprint * SPREAD;
    }

    /** The first slot of the bucket that these bits choose in a table. */
    private int start(byte[] table, long bits) {
        return (int) (bits & (table.length / bucketSize - 1)) * bucketSize;
    }

    /** The first slot of the bucket with this content, or {@link #NONE}. */
    private int slot(byte[] table, long bits, byte content) {
        int start = start(table, bits);
        for (int slot = start; slot < start + bucketSize; slot++) {
            if (table[slot] == content) {
                return slot;
            }
        }
        return NONE;
    }

    /**
     * The first slot with this content in the two buckets that belong to these bits and the fingerprint, or
     * {@link #NONE}.
     */
    private int slotOfTwo(byte[] table, long bits, int fingerprint, byte content) {
        int slot = slot(table, bits, content);
        return slot != NONE ? slot : slot(table, other(bits, fingerprint), content);
    }

    private void put(byte[] table, int slot, byte content) {
        if (watched != null) {
            StableView.Watched view = watched.get(table);
            if (view != null) {
                view.before(slot >>> 3);
            }
        }
        table[slot] = content;
    }

    private byte[] newest() {
        return tables.get(tables.size() - 1);
    }

    // Questions

    @Override
    public boolean mightContain(byte[] item) {
        long hash = Murmur2.hash64(item, 0);
        int fingerprint = fingerprint(hash);
        for (int t = tables.size() - 1; t >= 0; t--) {
            if (slotOfTwo(tables.get(t), hash, fingerprint, (byte) fingerprint) != NONE) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of slots in which the item may be: at least as often as it was added and not removed. */
    public long count(byte[] item) {
        long hash = Murmur2.hash64(item, 0);
        int fingerprint = fingerprint(hash);
        long count = 0;
        for (byte[] table : tables) {
            int first = start(table, hash);
            int second = start(table, other(hash, fingerprint));
            count += occurrences(table, first, (byte) fingerprint);
            if (second != first) {
                count += occurrences(table, second, (byte) fingerprint);
            }
        }
        return count;
    }

    private int occurrences(byte[] table, int start, byte content) {
        int count = 0;
        for (int slot = start; slot < start + bucketSize; slot++) {
            if (table[slot] == content) {
                count++;
            }
        }
        return count;
    }

    /** Returns the false positive rate of one full table; a filter that has not grown stays below it. */
    public double errorPlanned() {
        return error(1);
    }

    private double error(double load) {
        return 1 - Math.pow(1 - 1.0 / FINGERPRINTS, 2 * bucketSize * load);
    }

    /** Returns the current false positive rate, computed from all slots in use. */
    public double errorNow() {
        double none = 1;
        for (byte[] table : tables) {
            long used = 0;
            for (byte slot : table) {
                used += slot == EMPTY ? 0 : 1;
            }
            none *= 1 - error((double) used / table.length);
        }
        return 1 - none;
    }

    // Additions

    /**
     * Adds an item, even if it is already there; {@link Added#FULL}, and nothing is changed, if it needs a further
     * table and the filter has none, or may not have one.
     *
     * @param maxTables the most tables that the filter may have
     * @param maxBytes the most memory that its tables may take
     */
    public Added add(byte[] item, int maxTables, long maxBytes) {
        long hash = Murmur2.hash64(item, 0);
        int fingerprint = fingerprint(hash);
        if (!place(hash, fingerprint) && !relocate(hash, fingerprint)) {
            long bytes = nextTableBytes();
            if (bytes > maxBytes - slots() || tables.size() >= Math.min(maxTables, MAX_TABLES)) {
                return Added.FULL;
            }
            byte[] table = new byte[(int) bytes];
            table[start(table, hash)] = (byte) fingerprint;
            tables.add(table);
        }
        items++;
        return Added.ADDED;
    }

    /** Adds an item unless it is perhaps already there; limits as in {@link #add}. */
    public Added addNew(byte[] item, int maxTables, long maxBytes) {
        return mightContain(item) ? Added.PRESENT : add(item, maxTables, maxBytes);
    }

    private boolean place(long hash, int fingerprint) {
        for (int t = tables.size() - 1; t >= 0; t--) {
            byte[] table = tables.get(t);
            int slot = slotOfTwo(table, hash, fingerprint, EMPTY);
            if (slot != NONE) {
                put(table, slot, (byte) fingerprint);
                return true;
            }
        }
        return false;
    }

    /** Makes room in the newest table, all of whose slots for this fingerprint are taken; false changes nothing. */
    private boolean relocate(long hash, int fingerprint) {
        byte[] table = newest();
        // What the slots will hold: a walk may come to a slot twice. Only a table that is nearly full pays for the
        // objects.
        Map<Integer, Byte> planned = new HashMap<>();
        long bucket = hash;
        int moving = fingerprint;
        for (int i = 0; i < maxIterations; i++) {
            int slot = start(table, bucket) + i % bucketSize;
            int displaced = planned.getOrDefault(slot, table[slot]) & 0xff;
            planned.put(slot, (byte) moving);
            moving = displaced;
            bucket = other(bucket, moving);
            // No plan empties a slot or fills an empty one before its end, so the table itself says what is empty.
            int end = slot(table, bucket, EMPTY);
            if (end != NONE) {
                planned.forEach((at, content) -> put(table, at, content));
                put(table, end, (byte) moving);
                return true;
            }
        }
        return false;
    }

    /** The bytes of one more table, {@link Long#MAX_VALUE} if there can be none. */
    private long nextTableBytes() {
        long bytes = (long) newest().length * expansion;
        return bytes == 0 || bytes > MAX_TABLE_BYTES ? Long.MAX_VALUE : bytes;
    }

    // Removals

    /** Removes one occurrence of an item; returns false if it was certainly not added. Remove only what was added. */
    public boolean remove(byte[] item) {
        long hash = Murmur2.hash64(item, 0);
        int fingerprint = fingerprint(hash);
        for (int t = tables.size() - 1; t >= 0; t--) {
            byte[] table = tables.get(t);
            int slot = slotOfTwo(table, hash, fingerprint, (byte) fingerprint);
            if (slot != NONE) {
                put(table, slot, EMPTY);
                boolean isCompacting = removalSteps() > 0;
                items = Math.max(0, items - 1);
                removals++;
                if (isCompacting) {
                    compact();
                }
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the most steps that {@link #remove} takes beside looking the item up: 0, or those of {@link #compact}.
     */
    public long removalSteps() {
        boolean isDue = tables.size() > 1 && removals + 1 > Math.max(0, items - 1) / 10;
        long steps = isDue ? compactionSteps() : 0;
        return steps <= MAX_COMPACTION_STEPS ? steps : 0;
    }

    /**
     * Returns the most steps that {@link #compact} takes until a table is empty: for each slot of the newest table, two
     * buckets of every older one, each two steps, as it is anywhere in memory, and one more per eight slots.
     */
    public long compactionSteps() {
        double perBucket = 2 + bucketSize / 8.0;
        return (long) Math.ceil((double) newest().length * (tables.size() - 1) * 2 * perBucket);
    }

    /** Moves fingerprints to older tables and drops the newest tables that become empty. */
    public void compact() {
        while (tables.size() > 1 && descend()) {
            byte[] dropped = tables.remove(tables.size() - 1);
            if (watched != null) {
                watched.remove(dropped);
            }
        }
        removals = 0;
    }

    /** Moves the fingerprints of the newest table to older ones; returns true if it is then empty. */
    private boolean descend() {
        byte[] table = newest();
        boolean isEmpty = true;
        for (int slot = 0; slot < table.length; slot++) {
            if (table[slot] != EMPTY) {
                if (descend(slot / bucketSize, table[slot])) {
                    put(table, slot, EMPTY);
                } else {
                    isEmpty = false;
                }
            }
        }
        return isEmpty;
    }

    private boolean descend(long bucket, byte content) {
        for (byte[] older : tables.subList(0, tables.size() - 1)) {
            int slot = slotOfTwo(older, bucket, content & 0xff, EMPTY);
            if (slot != NONE) {
                put(older, slot, content);
                return true;
            }
        }
        return false;
    }

    // Facts

    /** Returns the number of items. */
    public long count() {
        return items;
    }

    /** Returns the number of removals since the filter was compacted. */
    public long removals() {
        return removals;
    }

    /** Returns the number of tables. */
    public int tables() {
        return tables.size();
    }

    /** Returns the number of buckets of the first table. */
    public long buckets() {
        return buckets;
    }

    /** Returns the slots per bucket. */
    public int bucketSize() {
        return bucketSize;
    }

    /** Returns the most fingerprints that an addition displaces. */
    public int maxIterations() {
        return maxIterations;
    }

    /** Returns the factor by which a further table is larger; 0: there is none. */
    public int expansion() {
        return expansion;
    }

    /** Returns the number of slots of all tables, which is their memory in bytes. */
    public long slots() {
        long slots = 0;
        for (byte[] table : tables) {
            slots += table.length;
        }
        return slots;
    }

    /** Returns a filter with the same content that does not change with this one. */
    public RedisCuckoo copy() {
        RedisCuckoo copy = new RedisCuckoo(buckets, bucketSize, maxIterations, expansion);
        tables.forEach(table -> copy.tables.add(table.clone()));
        copy.items = items;
        copy.removals = removals;
        return copy;
    }

    // The bytes

    /** Returns the header, which {@code CF.SCANDUMP} sends first. */
    public byte[] header() {
        return ByteBuffer.allocate(HEADER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(items)
                .putLong(buckets)
                .putLong(removals)
                .putLong(tables.size())
                .putShort((short) bucketSize)
                .putShort((short) maxIterations)
                .putShort((short) expansion)
                .array();
    }

    /**
     * Returns the bytes from this position of the concatenated tables, at most as many as given and never from two
     * tables; none at the end.
     */
    public byte[] chunk(long position, int maxBytes) {
        long offset = position;
        for (byte[] table : tables) {
            if (offset >= 0 && offset < table.length) {
                byte[] bytes = new byte[Math.min(maxBytes, table.length - (int) offset)];
                System.arraycopy(table, (int) offset, bytes, 0, bytes.length);
                return bytes;
            }
            offset -= table.length;
        }
        return new byte[0];
    }

    /** Returns the number of bytes that {@link #chunk} returns, without copying them. */
    public int chunkBytes(long position, int maxBytes) {
        long offset = position;
        for (byte[] table : tables) {
            if (offset >= 0 && offset < table.length) {
                return Math.min(maxBytes, table.length - (int) offset);
            }
            offset -= table.length;
        }
        return 0;
    }

    /** Writes bytes to this position of the concatenated tables; they must be those of one table. */
    public Load load(long position, byte[] bytes) {
        long offset = position;
        for (byte[] table : tables) {
            if (offset < 0) {
                return Load.REFUSED;
            }
            if (offset < table.length) {
                if (bytes.length > table.length - offset) {
                    return Load.REFUSED;
                }
                StableView.Watched view = watched == null ? null : watched.get(table);
                if (view != null) {
                    view.before((int) offset >>> 3, (int) (offset + bytes.length + 7 >>> 3));
                }
                System.arraycopy(bytes, 0, table, (int) offset, bytes.length);
                return Load.LOADED;
            }
            offset -= table.length;
        }
        return Load.REFUSED;
    }

    /**
     * Returns a filter with empty slots for a {@link #header}; {@link #load} fills it.
     *
     * @param maxBytes the most memory that its tables may take
     */
    public static RedisCuckoo ofHeader(byte[] header, long maxBytes) throws FormatException {
        check(header.length == HEADER_BYTES, "length of a header of a Redis cuckoo filter", header.length);
        ByteBuffer in = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        long items = in.getLong();
        long buckets = in.getLong();
        long removals = in.getLong();
        long count = in.getLong();
        int bucketSize = Short.toUnsignedInt(in.getShort());
        int maxIterations = Short.toUnsignedInt(in.getShort());
        int expansion = Short.toUnsignedInt(in.getShort());
        check(items >= 0, "number of items", items);
        check(removals >= 0, "number of removals", removals);
        check(bucketSize >= 1 && bucketSize <= MAX_BUCKET_SIZE, "bucket size", bucketSize);
        check(maxIterations >= 1, "number of iterations", maxIterations);
        check(expansion <= MAX_EXPANSION && Integer.bitCount(expansion) <= 1, "expansion", expansion);
        check(count >= 1 && count <= (expansion == 0 ? 1 : MAX_TABLES), "number of tables", count);
        check(
                buckets >= 1 && Long.bitCount(buckets) == 1 && buckets <= MAX_TABLE_BYTES / bucketSize,
                "number of buckets",
                buckets);
        // All sizes are checked before the first table is allocated.
        long total = 0;
        long bytes = buckets * bucketSize;
        for (long t = 0; t < count; t++) {
            check(bytes <= MAX_TABLE_BYTES, "number of bytes of table " + t, bytes);
            total += bytes;
            if (total > maxBytes) {
                throw new FormatException(
                        "its tables take more than the " + Figures.bytes(maxBytes) + " that are allowed");
            }
            bytes *= expansion;
        }
        RedisCuckoo filter = new RedisCuckoo(buckets, bucketSize, maxIterations, expansion);
        filter.tables.add(new byte[(int) (buckets * bucketSize)]);
        while (filter.tables.size() < count) {
            filter.tables.add(new byte[(int) filter.nextTableBytes()]);
        }
        filter.items = items;
        filter.removals = removals;
        return filter;
    }

    private static void check(boolean isPossible, String name, long value) throws FormatException {
        if (!isPossible) {
            throw new FormatException("impossible " + name + ": " + value);
        }
    }

    /** Returns the length of what {@link #writeTo} writes, in bytes. */
    public long fileBytes() {
        return HEADER_BYTES + slots();
    }

    /**
     * Returns a view of the content as it is now, which can be written while the filter changes; the call itself must
     * not run while it does.
     *
     * @param maxBytes the memory that the view may take for what changes
     */
    public StableView view(long maxBytes) {
        StableView view = new StableView(header(), maxBytes);
        IdentityHashMap<byte[], StableView.Watched> arrays = new IdentityHashMap<>();
        tables.forEach(table -> arrays.put(table, view.add(table)));
        watched = arrays;
        return view;
    }

    /** Writes the header and the slots of all tables. */
    public void writeTo(OutputStream out) throws IOException {
        out.write(header());
        for (byte[] table : tables) {
            out.write(table);
        }
    }

    /**
     * Reads what {@link #writeTo} wrote and no byte after it; tables of more than {@code maxBytes} bytes are refused.
     */
    public static RedisCuckoo readFrom(InputStream in, long maxBytes) throws IOException {
        RedisCuckoo filter = ofHeader(LittleEndian.readExactly(in, HEADER_BYTES), maxBytes);
        for (byte[] table : filter.tables) {
            int length = in.readNBytes(table, 0, table.length);
            if (length < table.length) {
                throw new FormatException("the bytes end early: " + length + " of " + table.length);
            }
        }
        return filter;
    }
}
