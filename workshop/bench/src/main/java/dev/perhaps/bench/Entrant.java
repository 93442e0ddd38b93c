package dev.perhaps.bench;

import java.util.EnumSet;
import java.util.Set;

/**
 * One row of a benchmark.
 *
 * @param name its name in the tables
 * @param building how it is given its keys
 * @param mostItems the largest number of items with which it is measured
 */
public record Entrant<K>(
        String name, FreshClass.Maker<K> maker, Set<Measure> measures, Building building, int mostItems) {
    public enum Building {
        /** One key after the other. */
        ONE_BY_ONE,
        /** All in one call. */
        AT_ONCE,
        /** All in one call, and on threads that a clock of the measuring thread does not see. */
        AT_ONCE_BY_OTHER_THREADS
    }

    /** Batches are so small that a loop is called often, and therefore compiled as a whole, early in a run. */
    private static final int BATCH = 1 << 14;

    public static <K> Entrant<K> of(String name, FreshClass.Maker<K> maker) {
        return new Entrant<>(
                name,
                maker,
                EnumSet.of(Measure.HIT, Measure.MISS, Measure.ADD),
                Building.ONE_BY_ONE,
                Integer.MAX_VALUE);
    }

    public Entrant<K> built(Building how) {
        return new Entrant<>(name, maker, measures, how, mostItems);
    }

    public Entrant<K> only(Measure first, Measure... more) {
        return new Entrant<>(name, maker, EnumSet.of(first, more), building, mostItems);
    }

    public Entrant<K> upTo(int items) {
        return new Entrant<>(name, maker, measures, building, items);
    }

    public boolean atOnce() {
        return building != Building.ONE_BY_ONE;
    }

    public void addAll(Contender<K> contender, K keys, int count) {
        if (atOnce()) {
            contender.add(keys, 0, count);
            return;
        }
        for (int from = 0; from < count; from += BATCH) {
            contender.add(keys, from, Math.min(count, from + BATCH));
        }
    }

    public int foundAll(Contender<K> contender, K keys, int count) {
        int found = 0;
        for (int from = 0; from < count; from += BATCH) {
            found += contender.found(keys, from, Math.min(count, from + BATCH));
        }
        return found;
    }
}
