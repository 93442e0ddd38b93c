package dev.perhaps.bench.spark;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.Quartiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Runs contenders in alternating rounds: each round runs every contender once, in a newly shuffled order, and a ratio
 * is taken within a round. Results of contenders that do the same work must be equal.
 */
final class Contest {
    private static final long SEED = 42;

    private final JobMeter meter;
    private final BenchProgress progress;
    private final Map<String, Supplier<Object>> contenders = new LinkedHashMap<>();
    private final Map<String, List<JobCost>> costs = new LinkedHashMap<>();
    private long largeRows = Long.MAX_VALUE;

    Contest(JobMeter meter, BenchProgress progress) {
        this.meter = meter;
        this.progress = progress;
    }

    /** @param run what is measured; returns the result, or {@link #NO_RESULT} if it cannot be compared with others */
    void enter(String name, Supplier<Object> run) {
        contenders.put(name, run);
        costs.put(name, new ArrayList<>());
    }

    static final Object NO_RESULT = "none";

    /** Stages that read this number of rows at least are those of the large side. */
    void largeRows(long rows) {
        largeRows = rows;
    }

    void play(String title, int rounds, int warmUps) {
        List<String> order = new ArrayList<>(contenders.keySet());
        Random random = new Random(SEED);
        for (int round = -warmUps; round < rounds; round++) {
            progress.say(title + (round < 0 ? ", to warm up" : ", round " + (round + 1) + " of " + rounds));
            Collections.shuffle(order, random);
            System.gc();
            Object agreed = NO_RESULT;
            for (String name : order) {
                Object[] result = new Object[1];
                Supplier<Object> contender = Objects.requireNonNull(contenders.get(name));
                JobCost cost = meter.measure(largeRows, () -> result[0] = contender.get());
                if (result[0] != NO_RESULT && agreed != NO_RESULT && !result[0].equals(agreed)) {
                    throw new IllegalStateException(
                            title + ": " + name + " returned " + result[0] + " where another returned " + agreed);
                }
                agreed = result[0] == NO_RESULT ? agreed : result[0];
                if (round >= 0) {
                    costs(name).add(cost);
                }
            }
        }
    }

    private List<JobCost> costs(String name) {
        return Objects.requireNonNull(costs.get(name));
    }

    double median(String name, JobCost.By by) {
        return Quartiles.of(figures(name, by)).median();
    }

    Quartiles quartiles(String name, JobCost.By by) {
        return Quartiles.of(figures(name, by));
    }

    private double[] figures(String name, JobCost.By by) {
        return costs(name).stream().mapToDouble(by::of).toArray();
    }

    /** How many times the peer's figure is this one's. */
    Quartiles timesLess(String name, String peer, JobCost.By by) {
        return Quartiles.ofRatio(figures(name, by), figures(peer, by));
    }

    /** The share of the peer's figure that this one's is. */
    Quartiles share(String name, String peer, JobCost.By by) {
        return Quartiles.ofRatio(figures(peer, by), figures(name, by));
    }

    /** The same, where the peer's figure is another one. */
    Quartiles share(String name, JobCost.By by, String peer, JobCost.By peerBy) {
        return Quartiles.ofRatio(figures(peer, peerBy), figures(name, by));
    }

    static String cell(Quartiles ratio) {
        String digits = ratio.median() >= 20 ? "%.0f [%.0f, %.0f]" : "%.2f [%.2f, %.2f]";
        return String.format(Locale.ROOT, digits, ratio.low(), ratio.median(), ratio.high())
                .replaceFirst("^(\\S+) \\[(\\S+), ", "$2 [$1, ");
    }

    static String cell(double figure, int digits) {
        return String.format(Locale.ROOT, "%,." + digits + "f", figure);
    }

    /** Equal for rows with the same values. */
    static Object values(org.apache.spark.sql.Row row) {
        Object[] values = new Object[row.size()];
        Arrays.setAll(values, row::get);
        return Arrays.asList(values);
    }
}
