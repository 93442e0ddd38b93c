package dev.perhaps.chord.simulation;

import java.util.List;
import java.util.Optional;

/**
 * How a simulation ended.
 *
 * @param events how many events the peers and the script had
 * @param historyHash of everything that happened, in order: equal for equal histories
 * @param violation what was wrong, and when; empty if nothing was
 * @param done the scenario without the commands that did nothing
 * @param counts how often what was done
 * @param calmMillis how long after the last fault the ring was ideal
 * @param trace the last things that happened, if they were kept
 */
public record Outcome(
        Scenario scenario,
        long events,
        long historyHash,
        Optional<String> violation,
        Scenario done,
        Counts counts,
        long calmMillis,
        List<String> trace) {
    /**
     * How often what was done.
     *
     * @param spared crashes and departures that would have broken the assumptions, and so did not happen, as often as
     *     they were tried
     * @param wrong answers that named another owner than the one there was at that moment, and did not say that they
     *     only presumed it; while members come and go some are, for a moment
     * @param presumed answers of an owner whose predecessor did not answer
     * @param unanswered lookups that ended without a result
     * @param lost members that, after all, neither knew a living one of the ring nor were known by any
     */
    public record Counts(
            int joins,
            int leaves,
            int crashes,
            int spared,
            int pauses,
            int cuts,
            int lookups,
            int wrong,
            int presumed,
            int unanswered,
            int lost) {}
}
