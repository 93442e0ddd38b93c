package dev.perhaps.lab.ring;

import dev.perhaps.chord.simulation.Outcome;
import dev.perhaps.lab.Conditions;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.ToIntFunction;

/**
 * Many simulated histories of a ring, one per seed from 0 on.
 *
 * @param name a word for them
 * @param title what they are, for a table
 * @param nanos the time of one core they took
 */
record Histories(String name, String title, List<Outcome> outcomes, long nanos) {
    private static final int BLOCK = 50;

    /** What can be wrong, as a violation says it and as a table does. */
    enum Wrong {
        CUT_OFF("no live successor", "a member has no live successor: it is cut off"),
        TOO_FEW("principals", "too few principals: the ring can fall apart"),
        NOT_IDEAL("not ideal", "the ring never becomes ideal again"),
        LOOKUPS("at the end", "lookups at the end are wrong");

        private final String sign;
        private final String words;

        Wrong(String sign, String words) {
            this.sign = sign;
            this.words = words;
        }

        String words() {
            return words;
        }

        boolean isIn(Outcome outcome) {
            return outcome.violation().filter(what -> what.contains(sign)).isPresent();
        }
    }

    static Histories play(Conditions conditions, String name, String title, int seeds, LongFunction<Outcome> history) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        List<Histories> blocks = conditions.each(name, (seeds + BLOCK - 1) / BLOCK, block -> {
            long start = threads.getCurrentThreadCpuTime();
            List<Outcome> outcomes = new ArrayList<>();
            for (int seed = block * BLOCK; seed < Math.min(seeds, (block + 1) * BLOCK); seed++) {
                outcomes.add(history.apply(seed));
            }
            return new Histories(name, title, outcomes, threads.getCurrentThreadCpuTime() - start);
        });
        return new Histories(
                name,
                title,
                blocks.stream().flatMap(block -> block.outcomes.stream()).toList(),
                blocks.stream().mapToLong(Histories::nanos).sum());
    }

    long events() {
        return outcomes.stream().mapToLong(Outcome::events).sum();
    }

    List<Outcome> broken() {
        return outcomes.stream()
                .filter(outcome -> outcome.violation().isPresent())
                .toList();
    }

    double brokenShare() {
        return (double) broken().size() / outcomes.size();
    }

    int number(Wrong wrong) {
        return (int) outcomes.stream().filter(wrong::isIn).count();
    }

    Optional<Outcome> first(Wrong wrong) {
        return outcomes.stream().filter(wrong::isIn).findFirst();
    }

    int total(ToIntFunction<Outcome.Counts> kind) {
        return outcomes.stream()
                .mapToInt(outcome -> kind.applyAsInt(outcome.counts()))
                .sum();
    }

    /** How long after the last fault the rings were ideal, in seconds, the shortest first. */
    double[] calmSeconds() {
        return outcomes.stream()
                .filter(outcome -> outcome.violation().isEmpty())
                .mapToDouble(outcome -> outcome.calmMillis() / 1e3)
                .sorted()
                .toArray();
    }

    /** Of all of them, in order. */
    long hash() {
        long hash = 0;
        for (Outcome outcome : outcomes) {
            hash = hash * 0x9E3779B97F4A7C15L + outcome.historyHash();
        }
        return hash;
    }
}
