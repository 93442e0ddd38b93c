package dev.perhaps.guard;

import dev.perhaps.membership.counting.CountingFormulas;
import java.util.Map;
import java.util.function.Function;

/** The prior probability that a value is there, which a {@link SelectiveCounting} combines with its counters. */
@FunctionalInterface
public interface Prior<T> {
    /** Returns the probability, in [0, 1], that the value is there. */
    double of(T value);

    /** Returns a prior that is the same for all values. */
    static <T> Prior<T> constant(double prior) {
        CountingFormulas.checkPrior(prior);
        return value -> prior;
    }

    /**
     * Returns a prior that is the same for all values of a group, for example of an address prefix or a tenant.
     *
     * @param otherwise the prior of groups that are not in the table
     */
    static <T, G> Prior<T> byGroup(Function<? super T, ? extends G> group, Map<G, Double> table, double otherwise) {
        CountingFormulas.checkPrior(otherwise);
        table.values().forEach(CountingFormulas::checkPrior);
        Map<G, Double> fixed = Map.copyOf(table);
        return value -> fixed.getOrDefault(group.apply(value), otherwise);
    }
}
