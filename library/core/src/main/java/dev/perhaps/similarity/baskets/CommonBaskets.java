package dev.perhaps.similarity.baskets;

import dev.perhaps.similarity.search.PairIds;
import java.util.Arrays;

/**
 * Counts exactly, in the second pass, the baskets that contain both groups of each candidate pair. Not thread-safe.
 */
final class CommonBaskets implements Baskets.Sink {
    /*
     * Each pair is listed at the end that is in fewer baskets. Of a basket the groups in it are marked; then each looks
     * whether the other ends of its pairs are. A pair thus costs a step for every basket of its rarer end.
     *
     * All items of a group must be in a basket, or none, and every group in as many baskets as in the first pass. Else
     * the baskets have changed, or two fingerprints were equal against all odds: no result is better than a wrong one.
     */
    private final ItemGroups groups;
    private final long[] pairs;
    private final int[] common;
    /** Pairs listed at group g are listed[from[g]] … listed[from[g + 1] − 1]. */
    private final int[] from;

    private final int[] listed;
    private final int[] lastItemBaskets;
    private final int[] lastBaskets;
    private final int[] members;
    private final int[] seen;
    private int[] present = new int[1 << 6];
    private int basket;

    CommonBaskets(ItemGroups groups, long[] pairs) {
        this.groups = groups;
        this.pairs = pairs;
        this.common = new int[pairs.length];
        this.from = new int[groups.count() + 2];
        this.listed = new int[pairs.length];
        this.lastItemBaskets = new int[groups.ofItem.length];
        this.lastBaskets = new int[groups.count()];
        this.members = new int[groups.count()];
        this.seen = new int[groups.count()];
        for (long pair : pairs) {
            from[rarer(pair) + 2]++;
        }
        for (int group = 2; group < from.length; group++) {
            from[group] += from[group - 1];
        }
        for (int i = 0; i < pairs.length; i++) {
            listed[from[rarer(pairs[i]) + 1]++] = i;
        }
    }

    private int rarer(long pair) {
        int a = PairIds.first(pair);
        int b = PairIds.second(pair);
        return groups.supports[a] <= groups.supports[b] ? a : b;
    }

    @Override
    public void take(int[] items, int start, int end) {
        if (start == end) {
            return;
        }
        basket++;
        int count = 0;
        for (int i = start; i < end; i++) {
            int item = items[i];
            int group = item < groups.ofItem.length ? groups.ofItem[item] : -1;
            if (group < 0) {
                throw changed();
            }
            if (lastItemBaskets[item] == basket) {
                continue;
            }
            lastItemBaskets[item] = basket;
            if (lastBaskets[group] != basket) {
                lastBaskets[group] = basket;
                members[group] = 0;
                present = count == present.length ? Arrays.copyOf(present, 2 * count) : present;
                present[count++] = group;
            }
            members[group]++;
        }
        for (int i = 0; i < count; i++) {
            int group = present[i];
            if (members[group] != groups.size(group)) {
                throw changed();
            }
            seen[group]++;
            count(group);
        }
    }

    private void count(int group) {
        for (int at = from[group]; at < from[group + 1]; at++) {
            long pair = pairs[listed[at]];
            int first = PairIds.first(pair);
            int other = first == group ? PairIds.second(pair) : first;
            common[listed[at]] += lastBaskets[other] == basket ? 1 : 0;
        }
    }

    /** For each pair the number of baskets with both, once all have been taken. */
    int[] counts() {
        if (!Arrays.equals(seen, groups.supports)) {
            throw changed();
        }
        return common;
    }

    private static IllegalStateException changed() {
        return new IllegalStateException(
                "the baskets were not the same when read a second time: try again when nothing changes them");
    }
}
