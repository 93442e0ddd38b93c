package dev.perhaps.bench;

import dev.perhaps.io.Figures;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Something to be reached; judged by what was measured, and not at all if its rows took no part. */
sealed interface Goal {
    Optional<Verdict> judge(Results results);

    /** The rows it speaks of. */
    List<String> rows();

    record Verdict(String goal, String wanted, String measured, boolean met) {}

    /** So many times faster than a peer, by the median over the rounds. */
    record Faster(String row, Measure measure, String peer, double times) implements Goal {
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
    record Level(String row, Measure measure, String peer) implements Goal {
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

    /** No more than this, as far as it can be measured: see {@link Fact#swing}. */
    record AtMost(String row, Fact fact, double most) implements Goal {
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

    /** No more than so many times what a peer has, to within one in a hundred. */
    record NoMore(String row, Fact fact, String peer, double times) implements Goal {
        private static final double SWING = 1.01;

        @Override
        public List<String> rows() {
            return List.of(row, peer);
        }

        @Override
        public Optional<Verdict> judge(Results results) {
            OptionalDouble ours = results.fact(row, fact);
            OptionalDouble theirs = results.fact(peer, fact);
            if (ours.isEmpty() || theirs.isEmpty()) {
                return Optional.empty();
            }
            double ratio = ours.getAsDouble() / theirs.getAsDouble();
            return Optional.of(new Verdict(
                    row + ", " + fact + ", against " + peer,
                    "≤ " + Figures.significant(times) + " ×",
                    Figures.significant(ratio) + " (" + Report.fact(fact, ours.getAsDouble()) + " against "
                            + Report.fact(fact, theirs.getAsDouble()) + ")",
                    ratio <= times * SWING));
        }
    }
}
