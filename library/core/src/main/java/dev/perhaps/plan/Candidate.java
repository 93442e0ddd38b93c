package dev.perhaps.plan;

import dev.perhaps.key.Hashes;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sizing;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One kind of filter, sized for a need.
 *
 * @param sizing its size, or null if this kind does not meet the need
 * @param obstacle why it does not meet the need, or an empty string
 */
public record Candidate(
        Kind kind,
        @Nullable Sizing sizing,
        String obstacle,
        boolean adds,
        boolean removes,
        boolean counts,
        boolean merges,
        boolean grows) {
    /** Returns the size of this kind of filter for a need, or why it does not meet it. */
    public static Candidate of(Kind kind, LongFunction<FilterPlan<String>> planner, Need need) {
        // The capabilities of a kind are the interfaces of its filters: build a tiny one and look.
        HashFilter<?> sample = planner.apply(1).buildFrom(Hashes.of(1L));
        boolean adds = sample instanceof HashFilter.Adds<?>;
        boolean removes = sample instanceof HashFilter.Removes<?>;
        Sizing sizing = null;
        String obstacle = "";
        if (need.removing() && !removes) {
            obstacle = "cannot remove";
        } else if (!adds && !need.fixed()) {
            obstacle = "cannot be added to";
        } else {
            try {
                sizing = plan(planner, need).sizing();
            } catch (IllegalArgumentException e) {
                obstacle = String.valueOf(e.getMessage());
            }
        }
        return new Candidate(
                kind,
                sizing,
                obstacle,
                adds,
                removes,
                sample instanceof HashFilter.Counts<?>,
                sample instanceof Mergeable<?>,
                sample instanceof HashFilter.Grows<?> || kind == Kind.SCALABLE);
    }

    private static FilterPlan<String> plan(LongFunction<FilterPlan<String>> planner, Need need) {
        FilterPlan<String> plan = planner.apply(need.items());
        if (need.error() > 0) {
            plan = plan.falsePositives(need.error());
        }
        return need.memoryBytes() > 0 ? plan.memoryBytes(need.memoryBytes()) : plan;
    }
}
