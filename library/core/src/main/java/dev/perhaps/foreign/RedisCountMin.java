package dev.perhaps.foreign;

import dev.perhaps.hash.Murmur2;
import dev.perhaps.io.Figures;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The count-min sketch of Redis ({@code CMS.*}): a count is never too low as long as nothing is subtracted that was not
 * added, and too high by at most 2 / width of the sum of all counts, with probability 1 − 2^−depth. Cells of 1, 2, 4 or
 * 8 bytes; an update or query touches one cell per row. Any number of threads may read it while none changes it.
 *
 * <pre>{@code
 * RedisCountMin counts = RedisCountMin.of(2_000, 7, 4);
 * long now = counts.add("apple".getBytes(UTF_8), 5);
 * }</pre>
 *
 * For sketches that follow Redis; {@link dev.perhaps.frequency.CountMin} needs less memory for the same error.
 */
public final class RedisCountMin {
    /*
     * The cell of an item in row r is MurmurHash2(item, seed r) mod width + r · width. Plain updates. A cell holds 0 to
     * 2^(8 · cell size) − 1, one of 8 bytes at most 2^63 − 1, the largest integer of the protocol.
     */
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int HEADER_BYTES = 28;

    /** The most memory of a sketch in bytes. */
    public static final long MAX_BYTES = Integer.MAX_VALUE - 8L;

    /** The result of {@link #add} if a cell would exceed its largest value; nothing is changed. */
    public static final long OVERFLOW = -1;

    /** The result of {@link #add} if a cell would become negative; nothing is changed. */
    public static final long UNDERFLOW = -2;

    private final long width;
    private final long depth;
    private final int cellBytes;
    private final byte[] cells;
    private long total;
    private StableView.@Nullable Watched watched;

    private RedisCountMin(long width, long depth, int cellBytes) {
        this.width = width;
        this.depth = depth;
        this.cellBytes = cellBytes;
        this.cells = new byte[(int) (width * depth * cellBytes)];
    }

    /** Returns an empty sketch of this width and depth, with cells of 1, 2, 4 or 8 bytes. */
    public static RedisCountMin of(long width, long depth, int cellBytes) {
        if (cellBytes != 1 && cellBytes != 2 && cellBytes != 4 && cellBytes != 8) {
            throw new IllegalArgumentException("cells have 1, 2, 4 or 8 bytes, got " + cellBytes);
        }
        if (width < 1 || depth < 1 || sizeBytes(width, depth, cellBytes) > MAX_BYTES) {
            throw new IllegalArgumentException("a sketch of " + width + " × " + depth + " cells of " + cellBytes
                    + " bytes: at least 1 × 1, at most " + MAX_BYTES + " bytes");
        }
        return new RedisCountMin(width, depth, cellBytes);
    }

    /** Returns the memory of a sketch in bytes, {@link Long#MAX_VALUE} if it is more than that. */
    public static long sizeBytes(long width, long depth, int cellBytes) {
        double bytes = (double) width * depth * cellBytes;
        return bytes > 1e18 ? Long.MAX_VALUE : (long) bytes;
    }

    private int place(byte[] item, int row) {
        long column = Integer.toUnsignedLong(Murmur2.hash32(item, row)) % width;
        return (int) ((row * width + column) * cellBytes);
    }

    private long cell(int at) {
        return switch (cellBytes) {
            case 1 -> cells[at] & 0xffL;
            case 2 -> (short) SHORTS.get(cells, at) & 0xffffL;
            case 4 -> (int) INTS.get(cells, at) & 0xffffffffL;
            default -> (long) LONGS.get(cells, at);
        };
    }

    private void cell(int at, long value) {
        if (watched != null) {
            watched.before(at >>> 3);
        }
        switch (cellBytes) {
            case 1 -> cells[at] = (byte) value;
            case 2 -> SHORTS.set(cells, at, (short) value);
            case 4 -> INTS.set(cells, at, (int) value);
            default -> LONGS.set(cells, at, value);
        }
    }

    private long most() {
        return cellBytes == 8 ? Long.MAX_VALUE : (1L << 8 * cellBytes) - 1;
    }

    /**
     * Adds to the count of an item, or subtracts, and returns its estimate, {@link #OVERFLOW} or {@link #UNDERFLOW}.
     */
    public long add(byte[] item, long increment) {
        long least = Long.MAX_VALUE;
        for (int row = 0; row < depth; row++) {
            long value = cell(place(item, row));
            if (increment > 0 && value > most() - increment) {
                return OVERFLOW;
            }
            if (increment < 0 && value + increment < 0) {
                return UNDERFLOW;
            }
            least = Math.min(least, value);
        }
        for (int row = 0; row < depth; row++) {
            int at = place(item, row);
            cell(at, cell(at) + increment);
        }
        // A total that reached its limit is too low from then on: it ends at 0, not below.
        total = increment > 0 && total > Long.MAX_VALUE - increment ? Long.MAX_VALUE : Math.max(0, total + increment);
        return least + increment;
    }

    /**
     * Undoes an addition, which must be the last one of this item; {@code totalBefore} is what {@link #total} was
     * before it.
     */
    public void undo(byte[] item, long increment, long totalBefore) {
        for (int row = 0; row < depth; row++) {
            int at = place(item, row);
            cell(at, cell(at) - increment);
        }
        total = totalBefore;
    }

    /** Returns the estimate of an item's count. */
    public long estimate(byte[] item) {
        long least = Long.MAX_VALUE;
        for (int row = 0; row < depth; row++) {
            least = Math.min(least, cell(place(item, row)));
        }
        return least;
    }

    /**
     * Replaces the content by the weighted sum of sketches of the same shape, which may include this one; returns
     * false, with nothing changed, if a cell would be negative or exceed its largest value.
     */
    public boolean merge(RedisCountMin[] sources, long[] weights) {
        byte[] sums = new byte[cells.length];
        RedisCountMin merged = new RedisCountMin(this, sums);
        for (int at = 0; at < cells.length; at += cellBytes) {
            long sum = 0;
            for (int s = 0; s < sources.length; s++) {
                long value = sources[s].cell(at);
                long product = value * weights[s];
                if (Math.multiplyHigh(value, weights[s]) != product >> 63) {
                    return false;
                }
                long next = sum + product;
                if (((sum ^ next) & (product ^ next)) < 0) {
                    return false;
                }
                sum = next;
            }
            if (sum < 0 || sum > most()) {
                return false;
            }
            merged.cell(at, sum);
        }
        BigInteger totals = BigInteger.ZERO;
        for (int s = 0; s < sources.length; s++) {
            totals = totals.add(BigInteger.valueOf(sources[s].total).multiply(BigInteger.valueOf(weights[s])));
        }
        if (watched != null) {
            watched.before(0, (cells.length + 7) >>> 3);
        }
        System.arraycopy(sums, 0, cells, 0, cells.length);
        total = totals.max(BigInteger.ZERO)
                .min(BigInteger.valueOf(Long.MAX_VALUE))
                .longValueExact();
        return true;
    }

    private RedisCountMin(RedisCountMin like, byte[] cells) {
        this.width = like.width;
        this.depth = like.depth;
        this.cellBytes = like.cellBytes;
        this.cells = cells;
        this.total = like.total;
    }

    /** Returns the number of cells per row. */
    public long width() {
        return width;
    }

    /** Returns the number of rows. */
    public long depth() {
        return depth;
    }

    /** Returns the bytes per cell. */
    public int cellBytes() {
        return cellBytes;
    }

    /** Returns the sum of all increments, at most 2^63 − 1. */
    public long total() {
        return total;
    }

    /** Returns the memory of the cells in bytes. */
    public long sizeBytes() {
        return cells.length;
    }

    /** Returns a sketch with the same content that does not change with this one. */
    public RedisCountMin copy() {
        return new RedisCountMin(this, cells.clone());
    }

    /** Returns the length of what {@link #writeTo} writes, in bytes. */
    public long fileBytes() {
        return HEADER_BYTES + (long) cells.length;
    }

    /** Writes width, depth and sum of all increments (u64), bytes per cell (u32) and the cells, little-endian. */
    public void writeTo(OutputStream out) throws IOException {
        out.write(header());
        out.write(cells);
    }

    private byte[] header() {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        return header.putLong(width)
                .putLong(depth)
                .putLong(total)
                .putInt(cellBytes)
                .array();
    }

    /**
     * Returns a view of the content as it is now, which can be written while the sketch changes; the call itself must
     * not run while it does.
     *
     * @param maxBytes the memory that the view may take for what changes
     */
    public StableView view(long maxBytes) {
        StableView view = new StableView(header(), maxBytes);
        watched = view.add(cells);
        return view;
    }

    /**
     * Reads what {@link #writeTo} wrote and no byte after it; more than {@code maxBytes} bytes of cells are refused.
     */
    public static RedisCountMin readFrom(InputStream in, long maxBytes) throws IOException {
        ByteBuffer header =
                ByteBuffer.wrap(LittleEndian.readExactly(in, HEADER_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        long width = header.getLong();
        long depth = header.getLong();
        long total = header.getLong();
        int cellBytes = header.getInt();
        if (width < 1 || depth < 1 || total < 0 || Integer.bitCount(cellBytes) != 1 || cellBytes < 1 || cellBytes > 8) {
            throw new FormatException("not a count-min sketch: " + width + " × " + depth + " cells of " + cellBytes);
        }
        if (sizeBytes(width, depth, cellBytes) > Math.min(maxBytes, MAX_BYTES)) {
            throw new FormatException("its cells take more than the " + Figures.bytes(maxBytes) + " that are allowed");
        }
        RedisCountMin sketch = of(width, depth, cellBytes);
        if (in.readNBytes(sketch.cells, 0, sketch.cells.length) < sketch.cells.length) {
            throw new FormatException("the cells end early");
        }
        sketch.total = total;
        return sketch;
    }
}
