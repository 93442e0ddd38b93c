package dev.perhaps.foreign;

import dev.perhaps.io.Figures;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The t-digest of Redis ({@code TDIGEST.*}): estimates of quantiles and ranks of numbers, most accurate at both ends;
 * the smallest and the largest number are exact, and so is everything while there are at most {@code compression}
 * numbers. An estimate may be too high or too low. 16 bytes per node, 6 × compression + 10 nodes. An addition is kept
 * in a buffer that is merged when it is full. Not thread-safe; any number of threads may query at once while none
 * changes it.
 *
 * <pre>{@code
 * RedisTDigest millis = RedisTDigest.of(100);
 * millis.add(12.5, 1);
 * double median = millis.quantile(0.5);
 * }</pre>
 *
 * For compatibility with Redis; {@link dev.perhaps.frequency.RangeCounts} states its error.
 */
public final class RedisTDigest {
    /*
     * A merging t-digest [1]. A node is the mean and the weight of numbers that are neighbours when sorted.
     *
     *     means, weights   | merged nodes, sorted | unmerged numbers, as they came | free |
     *                      0                   merged                  merged + unmerged
     *
     * When no node is free, all are sorted and merged from left to right: a node takes its neighbour as long as it
     * spans at most one unit of the scale
     *
     *     k(q) = δ / 2π · asin(2q − 1),        δ = 2 · compression
     *
     * in which the ends are long and the middle is short, so that nodes at the ends are small. The scale is δ/2 long,
     * and any two neighbours together span more than one unit: there are at most δ + 1 merged nodes. The paper's δ is
     * the compression itself; twice that has half of the error and still leaves two thirds of the memory that Redis
     * takes for the buffer.
     *
     * A node at the quantile q has at most a share of π / compression · √(q (1 − q)) of all numbers: 1.6 % in the
     * middle at 100, 0.3 % at q = 0.01. Ranks that were measured err by less than three nodes (RedisTDigestTest); no
     * bound holds for all inputs, because numbers that come later may belong between those of a node.
     *
     * Between the centres of two nodes ranks are interpolated. A node of weight 1 is a number itself: all of it is at
     * its mean. The ends are the least and the largest number, of weight 1 each.
     *
     * Queries do not merge, so that they may run at once and the content depends on additions only: they read a merged
     * view, which is kept until the next addition.
     *
     * [1] Dunning, Ertl, "Computing extremely accurate quantiles using t-digests" (2019),
     *     https://arxiv.org/abs/1902.04023.
     */

    /** The compression that Redis uses by default. */
    public static final int DEFAULT_COMPRESSION = 100;

    /** The largest compression. */
    public static final int MAX_COMPRESSION = 1 << 20;

    private static final int NODE_BYTES = 16;
    private static final int VIEW_BYTES = 24;
    private static final int OBJECT_BYTES = 80;
    private static final int HEADER_BYTES = 40;
    private static final int CHUNK_NODES = 4_096;

    /** Merged nodes, with the weight before each; {@code before[count]} is that of all. Immutable. */
    private static final class View {
        final double[] means;
        final long[] weights;
        final long[] before;
        final int count;

        View(double[] means, long[] weights, long[] before, int count) {
            this.means = means;
            this.weights = weights;
            this.before = before;
            this.count = count;
        }

        long total() {
            return before[count];
        }

        /** The rank at the centre of a node. */
        double centre(int i) {
            return before[i] + weights[i] / 2.0;
        }

        /** The rank that a node reaches for what is larger than its mean. */
        double above(int i) {
            return weights[i] == 1 ? before[i + 1] : centre(i);
        }

        /** The rank that a node begins with for what is smaller than its mean. */
        double below(int i) {
            return weights[i] == 1 ? before[i] : centre(i);
        }
    }

    private final int compression;
    private final double[] means;
    private final long[] weights;
    private int merged;
    private int unmerged;
    private long mergedWeight;
    private long unmergedWeight;
    private long compressions;
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;
    private volatile @Nullable View view;

    private RedisTDigest(int compression) {
        this.compression = compression;
        means = new double[capacity(compression)];
        weights = new long[capacity(compression)];
    }

    private static int capacity(int compression) {
        return 6 * compression + 10;
    }

    private static int maxMerged(int compression) {
        return 2 * compression + 2;
    }

    /** Returns the memory of a digest in bytes, {@link Long#MAX_VALUE} if the compression is not valid. */
    public static long sizeBytes(long compression) {
        return compression < 1 || compression > MAX_COMPRESSION
                ? Long.MAX_VALUE
                : OBJECT_BYTES
                        + (long) NODE_BYTES * capacity((int) compression)
                        + (long) VIEW_BYTES * maxMerged((int) compression);
    }

    /** Returns an empty digest; a larger compression takes more memory and has a lower error. */
    public static RedisTDigest of(long compression) {
        if (compression < 1 || compression > MAX_COMPRESSION) {
            throw new IllegalArgumentException(
                    "compression must be in [1, " + MAX_COMPRESSION + "], got " + compression);
        }
        return new RedisTDigest((int) compression);
    }

    // Additions

    /**
     * Adds a finite number this many times.
     *
     * @throws ArithmeticException if there would be more than 2^63 − 1 numbers
     */
    public void add(double value, long times) {
        if (!Double.isFinite(value) || times < 1) {
            throw new IllegalArgumentException(
                    "value must be finite and times at least 1, got " + value + " and " + times);
        }
        Math.addExact(count(), times);
        if (merged + unmerged == means.length) {
            compress();
        }
        means[merged + unmerged] = value;
        weights[merged + unmerged] = times;
        unmerged++;
        unmergedWeight += times;
        min = Math.min(min, value);
        max = Math.max(max, value);
        view = null;
    }

    /**
     * Adds all numbers of another digest; it may be this one.
     *
     * @throws ArithmeticException if there would be more than 2^63 − 1 numbers; then nothing has changed
     */
    public void merge(RedisTDigest other) {
        Math.addExact(count(), other.count());
        RedisTDigest from = other == this ? copy() : other;
        for (int i = 0; i < from.merged + from.unmerged; i++) {
            add(from.means[i], from.weights[i]);
        }
        min = Math.min(min, from.min);
        max = Math.max(max, from.max);
    }

    /** Forgets all numbers. */
    public void reset() {
        merged = 0;
        unmerged = 0;
        mergedWeight = 0;
        unmergedWeight = 0;
        compressions = 0;
        min = Double.POSITIVE_INFINITY;
        max = Double.NEGATIVE_INFINITY;
        view = null;
    }

    private void compress() {
        View now = merge();
        System.arraycopy(now.means, 0, means, 0, now.count);
        System.arraycopy(now.weights, 0, weights, 0, now.count);
        merged = now.count;
        mergedWeight = now.total();
        unmerged = 0;
        unmergedWeight = 0;
        compressions++;
    }

    private View view() {
        View now = view;
        if (now == null) {
            now = unmerged == 0 ? viewOf(means, weights, merged) : merge();
            view = now;
        }
        return now;
    }

    private static View viewOf(double[] means, long[] weights, int count) {
        long[] before = new long[count + 1];
        for (int i = 0; i < count; i++) {
            before[i + 1] = before[i] + weights[i];
        }
        return new View(Arrays.copyOf(means, count), Arrays.copyOf(weights, count), before, count);
    }

    /** All nodes, merged; changes nothing. */
    private View merge() {
        double[] newMeans = Arrays.copyOfRange(means, merged, merged + unmerged);
        long[] newWeights = Arrays.copyOfRange(weights, merged, merged + unmerged);
        sort(newMeans, newWeights);
        double[] toMeans = new double[Math.min(merged + unmerged, maxMerged(compression))];
        long[] toWeights = new long[toMeans.length];
        double total = count();
        int last = -1;
        long done = 0;
        double limit = 0;
        int left = 0;
        int right = 0;
        while (left < merged || right < unmerged) {
            boolean isNew = left == merged || right < unmerged && newMeans[right] < means[left];
            double mean = isNew ? newMeans[right] : means[left];
            long weight = isNew ? newWeights[right++] : weights[left++];
            if (last >= 0 && (done + weight <= limit || last + 1 == toMeans.length)) {
                double old = toMeans[last];
                long sum = toWeights[last] + weight;
                double share = (double) weight / sum;
                // Two products, as the difference of two numbers may be infinite; rounding stays between the two.
                toMeans[last] = old == mean ? mean : Math.max(old, Math.min(mean, old * (1 - share) + mean * share));
                toWeights[last] = sum;
            } else {
                last++;
                toMeans[last] = mean;
                toWeights[last] = weight;
                limit = total * unitAfter(done / total);
            }
            done += weight;
        }
        return viewOf(toMeans, toWeights, last + 1);
    }

    /** Sorts both by the first: a heap sort, which needs no memory. */
    private static void sort(double[] by, long[] with) {
        for (int i = by.length / 2 - 1; i >= 0; i--) {
            sink(by, with, i, by.length);
        }
        for (int end = by.length - 1; end > 0; end--) {
            swap(by, with, 0, end);
            sink(by, with, 0, end);
        }
    }

    private static void sink(double[] by, long[] with, int from, int end) {
        int at = from;
        while (2 * at + 1 < end) {
            int child = 2 * at + 1;
            if (child + 1 < end && by[child] < by[child + 1]) {
                child++;
            }
            if (by[at] >= by[child]) {
                return;
            }
            swap(by, with, at, child);
            at = child;
        }
    }

    private static void swap(double[] by, long[] with, int i, int j) {
        double mean = by[i];
        by[i] = by[j];
        by[j] = mean;
        long weight = with[i];
        with[i] = with[j];
        with[j] = weight;
    }

    /** The q that is one unit of the scale further. */
    private double unitAfter(double q) {
        double perUnit = Math.PI / compression;
        double angle = Math.asin(2 * q - 1) + perUnit;
        return angle >= Math.PI / 2 ? 1 : (Math.sin(angle) + 1) / 2;
    }

    // Queries

    /** Returns the number that a share q of all numbers is below; NaN if there are none. */
    public double quantile(double q) {
        if (!(q >= 0 && q <= 1)) {
            throw new IllegalArgumentException("q must be in [0, 1], got " + q);
        }
        return q == 1 ? max() : valueAt(q * count());
    }

    /**
     * Returns the number with this rank, 0 for the least; infinite if there are not that many, NaN if there are none.
     */
    public double byRank(long rank) {
        if (rank < 0) {
            throw new IllegalArgumentException("rank must not be negative, got " + rank);
        }
        long total = count();
        return total > 0 && rank >= total ? Double.POSITIVE_INFINITY : rank == total - 1 ? max() : valueAt(rank + 0.5);
    }

    /**
     * Returns the number with this rank from the end, 0 for the largest; minus infinity if there are not that many, NaN
     * if there are none.
     */
    public double byReverseRank(long rank) {
        long total = count();
        return total > 0 && rank >= total
                ? Double.NEGATIVE_INFINITY
                : total == 0 ? Double.NaN : byRank(total - 1 - rank);
    }

    /** The value at a place between 0 and the number of all numbers. */
    private double valueAt(double at) {
        View now = view();
        long total = now.total();
        if (total == 0) {
            return Double.NaN;
        }
        if (at < 1) {
            return min;
        }
        if (at >= total - 1) {
            return max;
        }
        int i = Arrays.binarySearch(now.before, 0, now.count, (long) at);
        i = i < 0 ? -i - 2 : i;
        if (now.weights[i] == 1) {
            return now.means[i];
        }
        if (at < now.centre(i)) {
            return i == 0
                    ? between(at, 1, min, now.centre(i), now.means[i])
                    : between(at, now.above(i - 1), now.means[i - 1], now.centre(i), now.means[i]);
        }
        return i == now.count - 1
                ? between(at, now.centre(i), now.means[i], total - 1, max)
                : between(at, now.centre(i), now.means[i], now.below(i + 1), now.means[i + 1]);
    }

    private static double between(double at, double from, double fromValue, double to, double toValue) {
        if (!(to > from) || fromValue == toValue) {
            return toValue;
        }
        double share = (at - from) / (to - from);
        return Math.max(fromValue, Math.min(toValue, fromValue * (1 - share) + toValue * share));
    }

    /** Returns the number of numbers below a value and half of those that equal it; NaN if there are none. */
    public double rank(double value) {
        View now = view();
        long total = now.total();
        if (total == 0) {
            return Double.NaN;
        }
        if (value < min) {
            return 0;
        }
        if (value > max) {
            return total;
        }
        int first = 0;
        for (int size = now.count; size > 0; ) {
            int half = size >>> 1;
            if (now.means[first + half] < value) {
                first += half + 1;
                size -= half + 1;
            } else {
                size = half;
            }
        }
        int end = first;
        while (end < now.count && now.means[end] == value) {
            end++;
        }
        if (end > first) {
            return (now.before[first] + (double) now.before[end]) / 2;
        }
        if (first == 0) {
            return value == min ? 0.5 : rankBetween(value, min, 1, now.means[0], now.below(0));
        }
        if (first == now.count) {
            return value == max
                    ? total - 0.5
                    : rankBetween(value, now.means[first - 1], now.above(first - 1), max, total - 1);
        }
        return rankBetween(value, now.means[first - 1], now.above(first - 1), now.means[first], now.below(first));
    }

    private static double rankBetween(double value, double from, double fromRank, double to, double toRank) {
        // Halves, as the difference of two finite numbers may be infinite.
        double share = (value / 2 - from / 2) / (to / 2 - from / 2);
        return fromRank + (toRank - fromRank) * share;
    }

    /** Returns the share of numbers below a value, with half of those that equal it; NaN if there are none. */
    public double share(double value) {
        return rank(value) / count();
    }

    /** Returns the mean of the numbers between two quantiles; NaN if there are none. */
    public double trimmedMean(double low, double high) {
        if (!(low >= 0 && low < high && high <= 1)) {
            throw new IllegalArgumentException("0 ≤ low < high ≤ 1, got " + low + " and " + high);
        }
        View now = view();
        double from = Math.floor(low * now.total());
        double to = Math.ceil(high * now.total());
        double mean = Double.NaN;
        double weight = 0;
        for (int i = 0; i < now.count; i++) {
            double part = Math.min(to, now.before[i + 1]) - Math.max(from, now.before[i]);
            if (part > 0) {
                weight += part;
                mean = weight == part
                        ? now.means[i]
                        : mean * ((weight - part) / weight) + now.means[i] * (part / weight);
            }
        }
        return mean;
    }

    /** Returns the least number; NaN if there are none. */
    public double min() {
        return count() == 0 ? Double.NaN : min;
    }

    /** Returns the largest number; NaN if there are none. */
    public double max() {
        return count() == 0 ? Double.NaN : max;
    }

    /** Returns the number of numbers that were added. */
    public long count() {
        return mergedWeight + unmergedWeight;
    }

    /** Returns the compression. */
    public int compression() {
        return compression;
    }

    /** Returns the number of nodes that there is memory for. */
    public int capacity() {
        return means.length;
    }

    /** Returns the number of merged nodes. */
    public int mergedNodes() {
        return merged;
    }

    /** Returns the number of nodes that are not merged yet. */
    public int unmergedNodes() {
        return unmerged;
    }

    /** Returns the number of numbers in merged nodes. */
    public long mergedWeight() {
        return mergedWeight;
    }

    /** Returns the number of numbers in nodes that are not merged yet. */
    public long unmergedWeight() {
        return unmergedWeight;
    }

    /** Returns how often nodes were merged. */
    public long compressions() {
        return compressions;
    }

    /** Returns the memory in bytes, that of a query included. */
    public long sizeBytes() {
        return sizeBytes(compression);
    }

    /** Returns a digest with the same content that does not change with this one. */
    public RedisTDigest copy() {
        RedisTDigest copy = new RedisTDigest(compression);
        System.arraycopy(means, 0, copy.means, 0, merged + unmerged);
        System.arraycopy(weights, 0, copy.weights, 0, merged + unmerged);
        copy.merged = merged;
        copy.unmerged = unmerged;
        copy.mergedWeight = mergedWeight;
        copy.unmergedWeight = unmergedWeight;
        copy.compressions = compressions;
        copy.min = min;
        copy.max = max;
        return copy;
    }

    // Bytes

    /** Returns the length of what {@link #writeTo} writes, in bytes. */
    public long fileBytes() {
        return HEADER_BYTES + (long) NODE_BYTES * (merged + unmerged);
    }

    /**
     * Writes, little-endian, compression, merged and unmerged nodes (u32), 4 bytes of zero, the number of compressions
     * (u64), least and largest number (f64), and per node its mean (f64) and weight (u64).
     */
    public void writeTo(OutputStream out) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(compression).putInt(merged).putInt(unmerged).putInt(0);
        header.putLong(compressions).putDouble(min).putDouble(max);
        out.write(header.array());
        for (int from = 0; from < merged + unmerged; from += CHUNK_NODES) {
            int to = Math.min(merged + unmerged, from + CHUNK_NODES);
            ByteBuffer nodes = ByteBuffer.allocate(NODE_BYTES * (to - from)).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = from; i < to; i++) {
                nodes.putDouble(means[i]).putLong(weights[i]);
            }
            out.write(nodes.array());
        }
    }

    /** Reads what {@link #writeTo} wrote and no byte after it; one that takes more than {@code maxBytes} is refused. */
    public static RedisTDigest readFrom(InputStream in, long maxBytes) throws IOException {
        ByteBuffer header =
                ByteBuffer.wrap(LittleEndian.readExactly(in, HEADER_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        int compression = header.getInt();
        int merged = header.getInt();
        int unmerged = header.getInt();
        int zero = header.getInt();
        long compressions = header.getLong();
        double min = header.getDouble();
        double max = header.getDouble();
        if (sizeBytes(compression) == Long.MAX_VALUE
                || merged < 0
                || unmerged < 0
                || merged > maxMerged(compression)
                || (long) merged + unmerged > capacity(compression)
                || zero != 0
                || compressions < 0) {
            throw new FormatException("not a t-digest: compression " + compression + ", " + merged + " merged and "
                    + unmerged + " unmerged nodes, " + compressions + " compressions");
        }
        if (sizeBytes(compression) > maxBytes) {
            throw new FormatException("a t-digest of " + Figures.bytes(sizeBytes(compression)) + ", more than the "
                    + Figures.bytes(maxBytes) + " that are allowed");
        }
        boolean isEmpty = merged + unmerged == 0;
        if (isEmpty
                ? min != Double.POSITIVE_INFINITY || max != Double.NEGATIVE_INFINITY
                : !Double.isFinite(min) || !Double.isFinite(max)) {
            throw new FormatException("a t-digest from " + min + " to " + max);
        }
        RedisTDigest digest = new RedisTDigest(compression);
        digest.merged = merged;
        digest.unmerged = unmerged;
        digest.compressions = compressions;
        digest.min = min;
        digest.max = max;
        digest.readNodes(in);
        return digest;
    }

    private void readNodes(InputStream in) throws IOException {
        for (int from = 0; from < merged + unmerged; from += CHUNK_NODES) {
            int to = Math.min(merged + unmerged, from + CHUNK_NODES);
            ByteBuffer nodes = ByteBuffer.wrap(LittleEndian.readExactly(in, NODE_BYTES * (to - from)))
                    .order(ByteOrder.LITTLE_ENDIAN);
            for (int i = from; i < to; i++) {
                means[i] = nodes.getDouble();
                weights[i] = nodes.getLong();
                boolean isSorted = i == 0 || i >= merged || means[i - 1] <= means[i];
                if (!(means[i] >= min && means[i] <= max)
                        || !isSorted
                        || weights[i] < 1
                        || weights[i] > Long.MAX_VALUE - count()) {
                    throw new FormatException(
                            "node " + i + " of a t-digest has the mean " + means[i] + " and the weight " + weights[i]);
                }
                mergedWeight += i < merged ? weights[i] : 0;
                unmergedWeight += i < merged ? 0 : weights[i];
            }
        }
    }
}
