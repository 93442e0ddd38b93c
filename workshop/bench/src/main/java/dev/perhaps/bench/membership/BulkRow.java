package dev.perhaps.bench.membership;

import dev.perhaps.bench.Entrant;
import dev.perhaps.sketch.Sizing;
import java.util.function.LongUnaryOperator;

/**
 * A row of the benchmark of bulk builds.
 *
 * @param oneByOne the row that it is compared with: the same filter, filled one by one; itself, if there is none
 * @param bytes the memory of filter and build for a number of items
 * @param share of the keys that it is given
 */
record BulkRow(Entrant<long[]> entrant, String oneByOne, LongUnaryOperator bytes, double share) {
    static BulkRow oneByOne(OwnRow own) {
        return new BulkRow(
                own.oneByOne(),
                own.name(),
                items -> own.plan().apply(items).sizing().bytes(),
                1);
    }

    /** {@code entrant} is a form of {@code own} that is built at once. */
    static BulkRow atOnce(OwnRow own, Entrant<long[]> entrant, String oneByOne) {
        return new BulkRow(
                entrant, oneByOne, items -> withBuild(own.plan().apply(items).sizing()), 1);
    }

    private static long withBuild(Sizing sizing) {
        return sizing.bytes() + sizing.buildBytes();
    }
}
