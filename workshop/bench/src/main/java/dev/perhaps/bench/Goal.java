package dev.perhaps.bench;

import dev.perhaps.io.Figures;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** A goal that is compared with what was measured; it is skipped if its rows were not measured. */
public sealed interface Goal {
    Optional<Verdict> judge(Results results);

    /** Returns the rows that it compares. */
    List<String> rows();

    record Verdict(String goal, String wanted, String measured, boolean met) {}

    /** A goal that was already compared where it was measured. */
    public record Reached(String goal, String wanted, String measured, boolean met) implements Goal {
        @Override
        public List<String> rows() {
            return List.of();
        }

        @Override
        public Optional<Verdict> judge(Results results) {
            return Optional.of(new Verdict(goal, wanted, measured, met));
        }
    }

    /** Faster than a peer by this factor, by the median over the rounds. */
    public record Faster(String row, Measure measure, String peer, double times) implements Goal {
        @Override
        public List<String> rows() {
            return List.of(row, peer);
        }

        @Override
        public Optional<Verdict> judge(Results results) {
            return results.speed(row, measure, peer)
                    .map(speed -> new Verdict(
                            row + ", " + measure + ", against " + peer,
                            "≥ " + Figures.significant(times) + " ×",
                            Report.ratio(speed),
                            speed.median() >= times));
        }
    }

    /** As fast as a peer, or faster: the upper quartile reaches 1. */
    public record Level(String row, Measure measure, String peer) implements Goal {
        @Override
        public List<String> rows() {
            return List.of(row, peer);
        }

        @Override
        public Optional<Verdict> judge(Results results) {
            return results.speed(row, measure, peer)
                    .map(speed -> new Verdict(
                            row + ", " + measure + ", against " + peer,
                            "level",
                            Report.ratio(speed),
                            speed.high() >= 1));
        }
    }

    /** At most this value, within the measurement error; see {@link Fact#swing}. */
    public record AtMost(String row, Fact fact, double most) implements Goal {
        @Override
        public List<String> rows() {
            return List.of(row);
        }

        @Override
        public Optional<Verdict> judge(Results results) {
            OptionalDouble value = results.fact(row, fact);
            return value.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Verdict(
                            row + ", " + fact,
                            "≤ " + Report.fact(fact, most),
                            Report.fact(fact, value.getAsDouble()),
                            value.getAsDouble() <= most + fact.swing(most)));
        }
    }

    /** At least this, by the median over the seeds. */
    public record AtLeast(String row, Fact fact, double least) implements Goal {
        @Override
        public List<String> rows() {
            return List.of(row);
        }

        @Override
        public Optional<Verdict> judge(Results results) {
            return results.spread(row, fact)
                    .map(spread -> new Verdict(
                            row + ", " + fact,
                            "≥ " + Report.fact(fact, least),
                            Report.fact(fact, spread.median()),
                            spread.median() >= least));
        }
    }

    /** As much as a peer: the median over the seeds is not below the lower quartile of the peer's. */
    public record NoLess(String row, Fact fact, String peer) implements Goal {
        @Override
        public List<String> rows() {
            return List.of(row, peer);
        }

        @Override
        public Optional<Verdict> judge(Results results) {
            return against(results, row, fact, peer)
                    .map(pair -> new Verdict(
                            row + ", " + fact + ", against " + peer,
                            "no less",
                            pair.words(fact),
                            pair.ours.median() >= pair.theirs.low()));
        }
    }

    /** Less than this number of times what a peer has, by the median over the seeds. */
    public record Less(String row, Fact fact, String peer, double times) implements Goal {
        @Override
        public List<String> rows() {
            return List.of(row, peer);
        }

        @Override
        public Optional<Verdict> judge(Results results) {
            return against(results, row, fact, peer)
                    .map(pair -> new Verdict(
                            row + ", " + fact + ", against " + peer,
                            "≤ " + Figures.significant(times) + " ×",
                            pair.words(fact),
                            pair.ours.median() <= times * pair.theirs.median()));
        }
    }

    /** No worse than a peer: the median over the seeds is not above the upper quartile of the peer's. */
    public record NoWorse(String row, Fact fact, String peer) implements Goal {
        @Override
        public List<String> rows() {
            return List.of(row, peer);
        }

        @Override
        public Optional<Verdict> judge(Results results) {
            return against(results, row, fact, peer)
                    .map(pair -> new Verdict(
                            row + ", " + fact + ", against " + peer,
                            "no worse",
                            pair.words(fact),
                            pair.ours.median() <= pair.theirs.high()));
        }
    }

    /** A fact of two rows, over the seeds. */
    record Pair(Quartiles ours, Quartiles theirs) {
        String words(Fact fact) {
            return Report.fact(fact, ours.median()) + " against " + Report.fact(fact, theirs.median()) + " ["
                    + Report.fact(fact, theirs.low()) + ", " + Report.fact(fact, theirs.high()) + "]";
        }
    }

    private static Optional<Pair> against(Results results, String row, Fact fact, String peer) {
        return results.spread(row, fact)
                .flatMap(ours -> results.spread(peer, fact).map(theirs -> new Pair(ours, theirs)));
    }
}
