package dev.perhaps.chord.simulation;

/** The assumptions of the protocol's proof about failures: which of them may happen. */
final class Assumptions {
    /*
     * The proof in [1] asks that no failure leaves a member without a live entry in its list, nor the ring with fewer
     * than r + 1 principals, and that only the dead are taken for dead. So a member crashes or departs only if the
     * first two hold without it, also with the lists that are OnTheWay. The third is the simulation's, which keeps the
     * deadlines.
     *
     * A small ring has fewer principals than that; how many are asked for is raised as it grows, when they will last.
     *
     * [1] Zave, "Reasoning about identifier spaces: how to make Chord correct" (2017).
     */
    private final Scenario scenario;
    private final Agenda agenda;
    private final SimulatedNodes nodes;
    private final Oracle oracle;

    Assumptions(Scenario scenario, Agenda agenda, SimulatedNodes nodes, Oracle oracle) {
        this.scenario = scenario;
        this.agenda = agenda;
        this.nodes = nodes;
        this.oracle = oracle;
    }

    /** Returns true if they still hold without these nodes or, outside the assumptions, if any node remains. */
    boolean allow(long gone) {
        long left = oracle.members() & ~gone;
        if (left == oracle.members()) {
            return true;
        }
        if (!scenario.inside() || scenario.forced() || left == 0) {
            return left != 0;
        }
        ListsInFlight onTheWay = new ListsInFlight(agenda, nodes, oracle, left);
        return onTheWay.allHaveLiveEntries()
                && oracle.allHaveLiveEntries(left)
                && Long.bitCount(oracle.principals(left, onTheWay.skipped())) >= oracle.required();
    }

    /** Requires more principals from now on, if that many are there which the lists in flight leave in place. */
    void raiseIfLasting() {
        if (!scenario.forced() && oracle.mayRaise()) {
            ListsInFlight onTheWay = new ListsInFlight(agenda, nodes, oracle, oracle.members());
            oracle.raise(oracle.principals(oracle.members(), onTheWay.skipped()));
        }
    }
}
