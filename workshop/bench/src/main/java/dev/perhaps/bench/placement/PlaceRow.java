package dev.perhaps.bench.placement;

import java.util.List;
import java.util.function.Function;

/**
 * Something that places keys on nodes.
 *
 * @param maker makes one for these nodes
 * @param share of the keys that it is timed on: a slow one is given fewer
 */
public record PlaceRow(String name, Function<List<String>, Placer> maker, double share) {
    /** From key to the name of its node, ours or a peer's. Each has its own loop. */
    interface Placer {
        /** Places all keys of {@code [from, to)}. Answers something of the names, lest they be left out. */
        long place(long[] keys, int from, int to);

        /** Where one key belongs. */
        String owner(long key);
    }
}
