package dev.perhaps.bench.placement;

import java.util.List;
import java.util.function.Function;

/**
 * Something that places keys on nodes.
 *
 * @param maker makes one for these nodes
 * @param share the share of the keys on which it is timed; slow ones get fewer
 */
public record PlaceRow(String name, Function<List<String>, Placer> maker, double share) {
    /** From key to the name of its node, ours or a peer's. Each has its own loop. */
    interface Placer {
        /**
         * Places all keys in {@code [from, to)}. Returns a value computed from the names, so that the compiler cannot
         * drop the work.
         */
        long place(long[] keys, int from, int to);

        /** Where one key belongs. */
        String owner(long key);
    }
}
