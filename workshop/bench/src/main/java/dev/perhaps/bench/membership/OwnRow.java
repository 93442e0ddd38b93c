package dev.perhaps.bench.membership;

import dev.perhaps.Perhaps;
import dev.perhaps.bench.Contender;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Entrant.Building;
import dev.perhaps.bench.FreshClass;
import dev.perhaps.bench.Measure;
import dev.perhaps.key.Key;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.sketch.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * One of our filters, from which several rows can be made.
 *
 * @param name its name in the tables
 * @param plan how it is planned for a number of items
 * @param mostItems the largest number of items with which it is measured
 */
public record OwnRow(String name, Kind kind, LongFunction<FilterPlan<Long>> plan, int mostItems) {
    /** What is asked of a plan for this number of items. */
    @FunctionalInterface
    interface Asking {
        FilterPlan<Long> ask(FilterPlan<Long> plan, long items);
    }

    static OwnRow of(String name, Kind kind, Asking asking) {
        return new OwnRow(
                name,
                kind,
                items -> asking.ask(Perhaps.planFilter(kind, items).of(Key.longs()), items),
                Integer.MAX_VALUE);
    }

    OwnRow upTo(int items) {
        return new OwnRow(name, kind, plan, items);
    }

    /** True if the library under measurement has this kind: an older one is measured with what it has. */
    boolean exists() {
        return Perhaps.filterKinds().contains(kind);
    }

    Entrant<long[]> oneByOne() {
        return row(name, OurLoops.OneByOne.class);
    }

    /** One by one, each at its time in a window. */
    Entrant<long[]> overAWindow() {
        return row(name, OurLoops.OverAWindow.class);
    }

    /** Asked in batches of hashes. */
    Entrant<long[]> inBatches() {
        return row(batches(name), OurLoops.InBatches.class).only(Measure.HIT, Measure.MISS);
    }

    /** Built from all keys at once, though it need not be. */
    Entrant<long[]> inBulk() {
        return row(bulk(name), OurLoops.AtOnce.class, false)
                .built(Building.AT_ONCE_BY_OTHER_THREADS)
                .only(Measure.ADD);
    }

    /** Built from all keys at once, as a kind is that does not change. */
    Entrant<long[]> atOnce() {
        return row(name, OurLoops.AtOnce.class, false).built(Building.AT_ONCE_BY_OTHER_THREADS);
    }

    /** The same on one thread. */
    Entrant<long[]> onOneThread() {
        return row(oneThread(name), OurLoops.AtOnce.class, true)
                .built(Building.AT_ONCE_BY_OTHER_THREADS)
                .only(Measure.ADD);
    }

    private Entrant<long[]> row(String row, Class<? extends Contender<long[]>> loops, Object... more) {
        List<Object> arguments = new ArrayList<>(List.of(plan));
        arguments.addAll(List.of(more));
        return Entrant.of(row, FreshClass.of(loops, arguments.toArray())).upTo(mostItems);
    }

    static String batches(String kind) {
        return kind + ", batches";
    }

    static String bulk(String kind) {
        return kind + ", bulk";
    }

    static String oneThread(String kind) {
        return kind + ", one thread";
    }

    public static String merged(String kind) {
        return kind + ", merged";
    }

    public static String addedAgain(String kind) {
        return kind + ", added again";
    }
}
