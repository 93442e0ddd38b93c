package dev.perhaps.similarity.baskets;

import dev.perhaps.similarity.search.Workers;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Items that are in exactly the same baskets, as one: numbered by the fingerprints of those baskets, so neither the
 * order of items nor of baskets changes a number. Read-only.
 */
final class ItemGroups {
    private static final int CHUNK = 64;

    /** Group of each item, or −1 of one that is in no basket. */
    final int[] ofItem;
    /** Items of group g, by name, are at starts[g] … starts[g + 1] − 1. */
    final int[] items;

    final int[] starts;
    /** Baskets that the items of a group are in. */
    final int[] supports;

    final int[][] signatures;

    private ItemGroups(int[] ofItem, int[] items, int[] starts, int[] supports, int[][] signatures) {
        this.ofItem = ofItem;
        this.items = items;
        this.starts = starts;
        this.supports = supports;
        this.signatures = signatures;
    }

    int count() {
        return supports.length;
    }

    int size(int group) {
        return starts[group + 1] - starts[group];
    }

    static ItemGroups of(Baskets baskets, ItemSketches sketches, int components, int threads) throws IOException {
        Comparator<Integer> byBaskets = sketches::compareContents;
        Integer[] order = IntStream.range(0, sketches.items())
                .filter(item -> sketches.support(item) > 0)
                .boxed()
                .sorted(byBaskets.thenComparing(baskets::compare))
                .toArray(Integer[]::new);
        int[] items = new int[order.length];
        int[] starts = new int[order.length + 1];
        int[] ofItem = new int[sketches.items()];
        Arrays.fill(ofItem, -1);
        int groups = 0;
        for (int i = 0; i < order.length; i++) {
            if (i == 0 || byBaskets.compare(order[i - 1], order[i]) != 0) {
                starts[groups++] = i;
            }
            items[i] = order[i];
            ofItem[items[i]] = groups - 1;
        }
        starts[groups] = order.length;
        int[] supports = new int[groups];
        int[][] signatures = new int[groups][];
        Workers.run(threads, groups, CHUNK, () -> {
            long[] scratch = new long[components];
            return group -> {
                supports[group] = sketches.support(items[starts[group]]);
                signatures[group] = sketches.signature(items[starts[group]], scratch);
            };
        });
        return new ItemGroups(ofItem, items, Arrays.copyOf(starts, groups + 1), supports, signatures);
    }
}
