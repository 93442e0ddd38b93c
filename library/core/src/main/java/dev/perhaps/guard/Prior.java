package dev.perhaps.guard;

import dev.perhaps.membership.counting.CountingFormulas;
import java.util.Map;
import java.util.function.Function;

/** The chance that a value is there, before anything was asked: what a {@link SelectiveCounting} weighs its counters with. */
@FunctionalInterface
public interface Prior<T> {
    /** Returns the probability, in [0, 1], that the value is there. */
    double of(T value);

    /** The same for every value. */
    static <T> Prior<T> constant(double prior) {
        CountingFormulas.checkPrior(prior);
        return value -> prior;
    }

    /**
     * The same for every value of a group, for example of an address prefix or a tenant.
     *
     * @param otherwise for values of a group that the table does not have
     */
    static <T, G> Prior<T> byGroup(Function<? super T, ? extends G> group, Map<G, Double> table, double otherwise) {
        CountingFormulas.checkPrior(otherwise);
        table.values().forEach(CountingFormulas::checkPrior);
        Map<G, Double> fixed = Map.copyOf(table);
        return value -> fixed.getOrDefault(group.apply(value), otherwise);
    }
}
