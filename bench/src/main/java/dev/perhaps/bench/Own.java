package dev.perhaps.bench;

import dev.perhaps.Perhaps;
import dev.perhaps.bench.Entrant.Building;
import dev.perhaps.io.Kind;
import dev.perhaps.key.Key;
import dev.perhaps.membership.FilterPlan;
import java.util.function.LongFunction;

/**
 * One of our filters, and the rows that can be made of it.
 *
 * @param name what the tables call it
 * @param plan how it is planned for a number of items
 */
record Own(String name, LongFunction<FilterPlan<Long>> plan) {
    /** What is asked of a plan for so many items. */
    @FunctionalInterface
    interface Asking {
        FilterPlan<Long> ask(FilterPlan<Long> plan, long items);
    }

    static Own of(String name, Kind kind, Asking asking) {
        return new Own(name, items -> asking.ask(Perhaps.planFilter(kind, items).of(Key.longs()), items));
    }

    Entrant<long[]> oneByOne() {
        return Entrant.of(name, FreshClass.of(OurLoops.OneByOne.class, plan));
    }

    /** For a kind that is built once and does not change. */
    Entrant<long[]> atOnce() {
        return Entrant.of(name, FreshClass.of(OurLoops.AtOnce.class, plan)).built(Building.AT_ONCE_ON_ALL_CORES);
    }

    Entrant<long[]> inBatches() {
        return Entrant.of(batches(name), FreshClass.of(OurLoops.InBatches.class, plan))
                .only(Measure.HIT, Measure.MISS);
    }

    Entrant<long[]> inBulk() {
        return Entrant.of(bulk(name), FreshClass.of(OurLoops.AtOnce.class, plan))
                .built(Building.AT_ONCE_ON_ALL_CORES)
                .only(Measure.ADD);
    }

    static String batches(String kind) {
        return kind + ", batches";
    }

    static String bulk(String kind) {
        return kind + ", bulk";
    }

    static String merged(String kind) {
        return kind + ", merged";
    }

    static String addedAgain(String kind) {
        return kind + ", added again";
    }
}
