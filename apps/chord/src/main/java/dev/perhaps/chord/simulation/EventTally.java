package dev.perhaps.chord.simulation;

/** Counts the events of a simulation. */
final class EventTally {
    int joins;
    int leaves;
    int crashes;
    int spared;
    int pauses;
    int cuts;
    int lookups;
    int wrong;
    int presumed;
    int unanswered;
    int lost;

    Outcome.Counts counts() {
        return new Outcome.Counts(
                joins, leaves, crashes, spared, pauses, cuts, lookups, wrong, presumed, unanswered, lost);
    }
}
