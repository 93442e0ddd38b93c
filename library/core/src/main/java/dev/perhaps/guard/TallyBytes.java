package dev.perhaps.guard;

import dev.perhaps.guard.cost.MeanCost;
import dev.perhaps.sketch.FormatException;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * The bytes of a {@link CacheTally}: a layout, hits and misses, the numbers of the evidence, and samples and mean of
 * each cost.
 */
final class TallyBytes {
    static final int LENGTH = 1 + 2 * Long.BYTES + 4 * Double.BYTES + 3 * (Long.BYTES + Double.BYTES);

    private static final int LAYOUT = 1;

    private TallyBytes() {}

    record Content(long hits, long misses, Evidence evidence, MeanCost filter, MeanCost lookup, MeanCost origin) {}

    static void write(Content content, DataOutput out) throws IOException {
        out.writeByte(LAYOUT);
        out.writeLong(content.hits);
        out.writeLong(content.misses);
        for (double number : content.evidence.numbers()) {
            out.writeDouble(number);
        }
        for (MeanCost cost : new MeanCost[] {content.filter, content.lookup, content.origin}) {
            out.writeLong(cost.samples());
            out.writeDouble(cost.late());
        }
    }

    static Content read(DataInput in) throws IOException {
        int layout = in.readUnsignedByte();
        if (layout != LAYOUT) {
            throw new FormatException("a tally of layout " + layout + ", not " + LAYOUT);
        }
        long hits = in.readLong();
        long misses = in.readLong();
        double[] numbers = new double[4];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = in.readDouble();
        }
        boolean isPossible = hits >= 0
                && misses >= 0
                && isShare(numbers[1], numbers[0])
                && isShare(numbers[3], numbers[2])
                && numbers[0] < Double.POSITIVE_INFINITY
                && numbers[2] <= numbers[0];
        MeanCost[] costs = new MeanCost[3];
        for (int i = 0; i < costs.length; i++) {
            long samples = in.readLong();
            double late = in.readDouble();
            isPossible &= samples >= 0 && late >= 0 && late < Double.POSITIVE_INFINITY;
            costs[i] = MeanCost.of(samples, late);
        }
        if (!isPossible) {
            throw new FormatException("damaged tally: a count is out of range");
        }
        return new Content(hits, misses, Evidence.of(numbers), costs[0], costs[1], costs[2]);
    }

    private static boolean isShare(double part, double whole) {
        return part >= 0 && part <= whole * (1 + 1e-9);
    }
}
