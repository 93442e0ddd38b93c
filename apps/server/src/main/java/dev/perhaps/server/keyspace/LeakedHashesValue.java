package dev.perhaps.server.keyspace;

import dev.perhaps.sketch.FormatException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** SHA-1 hashes of leaked passwords, exact, each with the number of its leaks; they are returned by ranges of their first 20 bits. */
public final class LeakedHashesValue implements Value {
    /*
     *     ranges   20 bits → | hash, 20 bytes | count, 4 bytes | hash | count | …     ascending
     *
     * A range is one array that is copied when a hash is added to it. Ranges are limited, so that a copy and a reply are, too.
     *
     * A view has the arrays of all ranges. Until it has written a range, nothing in that array changes: a count that grows is
     * changed in a copy, too. The arrays that only the view has left have a limit, beyond which additions wait for it.
     */

    /** The bytes of a hash. */
    public static final int HASH_BYTES = 20;

    /** The most hashes of one range, and so of one reply. */
    public static final int MAX_IN_RANGE = 10_000;

    /** The most leaks of one hash that are counted. */
    public static final int MAX_COUNT = Integer.MAX_VALUE;

    private static final int ENTRY_BYTES = HASH_BYTES + Integer.BYTES;
    private static final int RANGE_BYTES = 88;
    private static final int OBJECT_BYTES = 128;
    private static final int RANGES = 1 << 20;
    private static final byte[] NONE = new byte[0];

    private final TreeMap<Integer, byte[]> ranges = new TreeMap<>();
    private long count;
    private @Nullable RangesView watched;

    /** All ranges as they were when it was made. */
    private final class RangesView implements ValueView {
        private static final int RANGE_BYTES = Integer.BYTES + Long.BYTES;

        private final long hashes = count;
        private int[] numbers = new int[ranges.size()];
        private byte[][] arrays = new byte[numbers.length][];
        private final BitSet replaced = new BitSet();
        private final long maxBytes;
        private long replacedBytes;
        private int written = -1;
        private boolean isClosed;

        RangesView(long maxBytes) {
            this.maxBytes = Math.max(0, maxBytes - (long) RANGE_BYTES * numbers.length);
            int i = 0;
            for (Map.Entry<Integer, byte[]> range : ranges.entrySet()) {
                numbers[i] = range.getKey();
                arrays[i++] = range.getValue();
            }
        }

        /** True if the view still has to write this range, and its array is the one that the value has. */
        private boolean needs(int range) {
            return range > written && !isClosed && !replaced.get(range) && Arrays.binarySearch(numbers, range) >= 0;
        }

        synchronized boolean isOver() {
            return isClosed;
        }

        /** Returns true if the array of this range must not change; waits where too many were replaced. */
        synchronized boolean keeps(int range) {
            boolean isInterrupted = false;
            while (replacedBytes > maxBytes && needs(range)) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            return needs(range);
        }

        /** The array of a range is kept for this view only. */
        synchronized void replaces(int range, byte[] array) {
            if (needs(range)) {
                replaced.set(range);
                replacedBytes += array.length;
            }
        }

        @Override
        public long fileBytes() {
            return Long.BYTES + ENTRY_BYTES * hashes;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            new DataOutputStream(out).writeLong(hashes);
            for (int i = 0; i < numbers.length; i++) {
                byte[] array = arrays[i];
                out.write(array);
                arrays[i] = NONE;
                written(numbers[i], array.length);
            }
        }

        private synchronized void written(int range, int bytes) {
            written = range;
            if (replaced.get(range)) {
                replacedBytes -= bytes;
            }
            notifyAll();
        }

        @Override
        public synchronized void close() {
            isClosed = true;
            numbers = new int[0];
            arrays = new byte[0][];
            notifyAll();
        }
    }

    /** No hashes yet. */
    public LeakedHashesValue() {}

    /** Returns the number of hashes. */
    public long count() {
        return count;
    }

    /** Returns the range that a hash belongs to: its first 20 bits. */
    public static int rangeOf(byte[] hash) {
        return (hash[0] & 0xff) << 12 | (hash[1] & 0xff) << 4 | (hash[2] & 0xff) >>> 4;
    }

    /** Returns the number of leaks of a hash, 0 if it is not there. */
    public int leaks(byte[] hash) {
        byte[] entries = ranges.get(rangeOf(hash));
        int at = entries == null ? -1 : find(entries, hash);
        return at < 0 || entries == null ? 0 : countAt(entries, at);
    }

    /** Returns true if no more hashes fit into the range of this one. */
    public boolean isFull(byte[] hash) {
        byte[] entries = ranges.get(rangeOf(hash));
        return entries != null && entries.length >= MAX_IN_RANGE * ENTRY_BYTES;
    }

    /** Returns the memory in bytes that adding a hash allocates at most: its range is copied. */
    public long growthBytes(byte[] hash) {
        byte[] entries = ranges.get(rangeOf(hash));
        return (long) RANGE_BYTES + ENTRY_BYTES + (entries == null ? 0 : entries.length);
    }

    /** Adds leaks of a hash whose range is not full, and returns their number now, at most {@link #MAX_COUNT}. */
    public int add(byte[] hash, int leaks) {
        int range = rangeOf(hash);
        byte[] entries = ranges.getOrDefault(range, new byte[0]);
        int at = find(entries, hash);
        if (watched != null && watched.isOver()) {
            watched = null;
        }
        RangesView view = watched;
        boolean isKept = view != null && entries.length > 0 && view.keeps(range);
        if (view != null && isKept) {
            view.replaces(range, entries);
        }
        if (at >= 0) {
            int sum = (int) Math.min(MAX_COUNT, (long) countAt(entries, at) + leaks);
            byte[] changed = isKept ? entries.clone() : entries;
            countAt(changed, at, sum);
            if (isKept) {
                ranges.put(range, changed);
            }
            return sum;
        }
        int place = (-at - 1) * ENTRY_BYTES;
        byte[] more = new byte[entries.length + ENTRY_BYTES];
        System.arraycopy(entries, 0, more, 0, place);
        System.arraycopy(hash, 0, more, place, HASH_BYTES);
        System.arraycopy(entries, place, more, place + ENTRY_BYTES, entries.length - place);
        countAt(more, -at - 1, leaks);
        ranges.put(range, more);
        count++;
        return leaks;
    }

    /** Returns the number of hashes of a range. */
    public int size(int range) {
        byte[] entries = ranges.get(range);
        return entries == null ? 0 : entries.length / ENTRY_BYTES;
    }

    /** Visits the hashes of a range in ascending order, with their leaks. */
    public void forEach(int range, ObjLongConsumer<byte[]> visitor) {
        byte[] entries = ranges.get(range);
        for (int i = 0; i < size(range) && entries != null; i++) {
            visitor.accept(
                    Arrays.copyOfRange(entries, i * ENTRY_BYTES, i * ENTRY_BYTES + HASH_BYTES), countAt(entries, i));
        }
    }

    /** The place of a hash, or the place where it belongs, negative and less one. */
    private static int find(byte[] entries, byte[] hash) {
        int low = 0;
        int high = entries.length / ENTRY_BYTES - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int at = middle * ENTRY_BYTES;
            int order = Arrays.compareUnsigned(entries, at, at + HASH_BYTES, hash, 0, HASH_BYTES);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -low - 1;
    }

    private static int countAt(byte[] entries, int i) {
        int at = i * ENTRY_BYTES + HASH_BYTES;
        return (entries[at] & 0xff) << 24
                | (entries[at + 1] & 0xff) << 16
                | (entries[at + 2] & 0xff) << 8
                | entries[at + 3] & 0xff;
    }

    private static void countAt(byte[] entries, int i, int leaks) {
        int at = i * ENTRY_BYTES + HASH_BYTES;
        entries[at] = (byte) (leaks >>> 24);
        entries[at + 1] = (byte) (leaks >>> 16);
        entries[at + 2] = (byte) (leaks >>> 8);
        entries[at + 3] = (byte) leaks;
    }

    @Override
    public ValueType type() {
        return ValueType.LEAKED_HASHES;
    }

    @Override
    public long sizeBytes() {
        return OBJECT_BYTES + (long) RANGE_BYTES * ranges.size() + ENTRY_BYTES * count;
    }

    @Override
    public Value copy() {
        LeakedHashesValue copy = new LeakedHashesValue();
        ranges.forEach((range, entries) -> copy.ranges.put(range, entries.clone()));
        copy.count = count;
        return copy;
    }

    @Override
    public ValueView view(long maxBytes) {
        watched = new RangesView(maxBytes);
        return watched;
    }

    @Override
    public String encoding() {
        return "raw";
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        DataOutputStream data = new DataOutputStream(out);
        data.writeLong(count);
        for (byte[] entries : ranges.values()) {
            data.write(entries);
        }
        data.flush();
    }

    @Override
    public long fileBytes() {
        return Long.BYTES + ENTRY_BYTES * count;
    }

    static LeakedHashesValue readFrom(InputStream in, long maxBytes) throws IOException {
        DataInputStream data = new DataInputStream(in);
        try {
            long count = data.readLong();
            if (count < 0 || count > maxBytes / ENTRY_BYTES || count > (long) MAX_IN_RANGE * RANGES) {
                throw new FormatException(count + " hashes do not fit");
            }
            LeakedHashesValue value = new LeakedHashesValue();
            byte[] range = new byte[ENTRY_BYTES];
            int used = 0;
            byte @Nullable [] last = null;
            for (long i = 0; i < count; i++) {
                byte[] entry = new byte[ENTRY_BYTES];
                data.readFully(entry);
                if (countAt(entry, 0) < 1
                        || last != null && Arrays.compareUnsigned(last, 0, HASH_BYTES, entry, 0, HASH_BYTES) >= 0) {
                    throw new FormatException("hashes that are not in order, or have no leaks");
                }
                if (last != null && rangeOf(last) != rangeOf(entry)) {
                    value.ranges.put(rangeOf(last), Arrays.copyOf(range, used));
                    used = 0;
                    // Each range takes more than its hashes do in the file.
                    if (OBJECT_BYTES + RANGE_BYTES * (value.ranges.size() + 1L) + ENTRY_BYTES * count > maxBytes) {
                        throw new FormatException(count + " hashes do not fit");
                    }
                }
                if (used == MAX_IN_RANGE * ENTRY_BYTES) {
                    throw new FormatException("more than " + MAX_IN_RANGE + " hashes in a range");
                }
                range = used == range.length ? Arrays.copyOf(range, 2 * used) : range;
                System.arraycopy(entry, 0, range, used, ENTRY_BYTES);
                used += ENTRY_BYTES;
                last = entry;
            }
            if (last != null) {
                value.ranges.put(rangeOf(last), Arrays.copyOf(range, used));
            }
            value.count = count;
            if (value.sizeBytes() > maxBytes) {
                throw new FormatException(count + " hashes do not fit");
            }
            return value;
        } catch (EOFException e) {
            throw new FormatException("the bytes end before all hashes");
        }
    }
}
