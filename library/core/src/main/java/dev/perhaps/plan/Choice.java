package dev.perhaps.plan;

import dev.perhaps.io.Figures;
import dev.perhaps.key.Hashes;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sizing;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * All kinds of filter compared with a need, the recommended one, and why; or that none is worth it.
 *
 * @param candidates all kinds: first those that meet the need, ordered by size or, if memory is given, by error
 * @param recommended the recommended kind; empty if no kind meets the need or is worth it
 * @param reason why, in a sentence
 * @param paradox whether the filter costs more than it saves, in a sentence; null if no prior was given
 */
public record Choice(
        Need need,
        List<Candidate> candidates,
        Optional<Candidate> recommended,
        String reason,
        @Nullable String paradox) {
    /** A blocked filter, which touches one cache line per lookup, may be this much larger than a Bloom filter. */
    private static final double WORTH_ONE_LINE = 1.5;

    /** The error from which a filter is useless: it says "perhaps" for half of all absent items. */
    public static final double USELESS_ERROR = 0.5;

    public Choice {
        candidates = List.copyOf(candidates);
    }

    /** Sorts the candidates and recommends one of them for this need, or none. */
    public static Choice among(List<Candidate> candidates, Need need) {
        boolean byMemory = need.memoryBytes() > 0 && need.error() == 0;
        List<Candidate> sorted = candidates.stream().sorted(order(byMemory)).toList();
        List<Candidate> able =
                sorted.stream().filter(candidate -> candidate.sizing() != null).toList();
        if (able.isEmpty()) {
            return new Choice(
                    need, sorted, Optional.empty(), "No kind of filter can do that: allow more memory.", null);
        }
        if (need.error() >= USELESS_ERROR) {
            return new Choice(
                    need,
                    sorted,
                    Optional.empty(),
                    "A filter with an error of " + Figures.percent(need.error())
                            + " is of no use: it would say 'perhaps' for "
                            + (need.error() == USELESS_ERROR ? "" : "at least ")
                            + "half of all absent items. Use a lower error.",
                    null);
        }
        if (error(able.get(0)) >= USELESS_ERROR && byMemory) {
            return new Choice(
                    need,
                    sorted,
                    Optional.empty(),
                    "No kind of filter is of use in that memory: the best would say 'perhaps' for "
                            + Figures.percent(error(able.get(0)))
                            + " of all absent items. Allow more memory.",
                    null);
        }
        Candidate best = able.get(0);
        String reason = (byMemory ? "The lowest error in that memory" : "The least memory") + and(need) + ".";
        Optional<Candidate> blocked = able.stream()
                .filter(candidate -> candidate.kind() == Kind.BLOCKED)
                .findFirst();
        if (!need.fixed() && !need.removing() && need.memoryBytes() == 0 && blocked.isPresent()) {
            double price = (double) bytes(blocked.get()) / bytes(best);
            if (price <= WORTH_ONE_LINE) {
                reason = "The fastest: a lookup touches one cache line. It takes " + Figures.significant(price)
                        + " × the memory of the smallest (" + best.kind() + ").";
                best = blocked.get();
            }
        }
        Sizing sizing = best.sizing();
        Paradox odds = need.paradox();
        String verdict = odds == null || sizing == null ? null : odds.verdict(sizing.error());
        if (odds != null && sizing != null && odds.holds(sizing.error())) {
            return new Choice(
                    need, sorted, Optional.empty(), "None: asking a filter would cost more than it saves.", verdict);
        }
        return new Choice(need, sorted, Optional.of(best), reason, verdict);
    }

    private static String and(Need need) {
        String of = need.removing() ? " of those that can remove" : "";
        return need.fixed() ? of + ", for a set that does not change" : of;
    }

    private static long bytes(Candidate candidate) {
        Sizing sizing = candidate.sizing();
        return sizing == null ? Long.MAX_VALUE : sizing.bytes();
    }

    private static double error(Candidate candidate) {
        Sizing sizing = candidate.sizing();
        return sizing == null ? 1 : sizing.error();
    }

    private static Comparator<Candidate> order(boolean byMemory) {
        Comparator<Candidate> able = Comparator.comparing(candidate -> candidate.sizing() == null);
        Comparator<Candidate> size = Comparator.comparingLong(Choice::bytes);
        Comparator<Candidate> exact = Comparator.comparingDouble(Choice::error);
        return able.thenComparing(byMemory ? exact : size).thenComparing(Candidate::kind);
    }

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
            // What a kind can do is what the filter it builds implements: one tiny filter tells.
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
}
