package dev.perhaps.lab.filters;

import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.NumberFormats;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.QuotientFilter;
import dev.perhaps.membership.QuotientSet;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Measures insertions, failed and successful lookups as the load grows, for Bloom, quotient, cuckoo, blocked Bloom and
 * fuse filters; the lengths of runs and clusters of a quotient filter; and its size compared with a Bloom filter.
 */
public final class BloomAgainstQuotient implements Experiment {
    /*
     * Every filter has room for the same number of keys at 1 %: slots of the quotient and the cuckoo filter, planned
     * items of the others. In steps of 5 % of that capacity, the keys of the step are added, then absent and present
     * keys are looked up, each in random order. The fuse filter cannot be added to: it is rebuilt, and the time is that
     * of building per key.
     *
     * Times are of the thread that works (of building a fuse filter, that of the clock on the wall: it takes all
     * cores). Contenders take turns in shuffled order at every step of every round; the median over rounds is reported.
     * Times depend on the machine, so what is expected of them is little: that a quotient filter's insertion gets
     * slower as it fills.
     *
     * Bender et al., "Don't thrash: how to cache your hash on flash" (2012) compare like this.
     */
    private static final int STEPS = 19;
    private static final double STEP = 0.05;
    private static final int LOOKUPS_PER_STEP = 100_000;

    private enum Work {
        INSERT("insert"),
        FAIL("failed lookup"),
        SUCCEED("successful lookup");

        final String title;

        Work(String title) {
            this.title = title;
        }
    }

    @Override
    public String name() {
        return "bloom-vs-quotient";
    }

    @Override
    public String shows() {
        return "Insertion, failed and successful lookup of five kinds of filter as their load grows from 0 to 95 %.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int rounds = conditions.seedsOr(7, 2);
        int room = conditions.quick() ? 50_000 : 1_000_000;
        int lookups = Math.min(LOOKUPS_PER_STEP, room);
        Times times = new Times(rounds);
        for (int round = -1; round < rounds; round++) {
            conditions.watch().at("rounds", (round + 1.0) / (rounds + 1));
            play(times, round, room, lookups);
        }
        Findings findings = new Findings(this);
        report(findings, times);
        expectErrors(findings, times, lookups);
        runs(findings, room);
        sizes(findings);
        return findings;
    }

    /** All that was measured; the round before the first is for warming up and leaves no times. */
    private static final class Times {
        private final Map<LoadedFilter.Kind, Map<Work, double[][]>> nanos = new EnumMap<>(LoadedFilter.Kind.class);
        private final Map<LoadedFilter.Kind, Double> errors = new EnumMap<>(LoadedFilter.Kind.class);
        private final Map<LoadedFilter.Kind, Double> stated = new EnumMap<>(LoadedFilter.Kind.class);
        private long missed;

        Times(int rounds) {
            for (LoadedFilter.Kind kind : LoadedFilter.Kind.values()) {
                Map<Work, double[][]> works = new EnumMap<>(Work.class);
                for (Work work : Work.values()) {
                    works.put(work, new double[STEPS][rounds]);
                }
                nanos.put(kind, works);
            }
        }

        double[] of(LoadedFilter.Kind kind, Work work, int step) {
            return nanos.getOrDefault(kind, Map.of()).getOrDefault(work, new double[STEPS][0])[step];
        }

        double median(LoadedFilter.Kind kind, Work work, int step) {
            return reaches(kind, step) ? NumberFormats.median(of(kind, work, step)) : Double.NaN;
        }

        double[] medians(LoadedFilter.Kind kind, Work work) {
            double[] medians = new double[STEPS];
            for (int step = 0; step < STEPS; step++) {
                medians[step] = median(kind, work, step);
            }
            return medians;
        }
    }

    private static boolean reaches(LoadedFilter.Kind kind, int step) {
        return load(step) <= kind.mostLoad + 1e-9;
    }

    private static double load(int step) {
        return (step + 1) * STEP;
    }

    private static void play(Times times, int round, int room, int lookups) {
        Key.Longs key = Key.longs().seeded(round);
        SplittableRandom random = new SplittableRandom(round);
        long[] present = new long[room];
        for (int i = 0; i < room; i++) {
            present[i] = key.hash(i);
        }
        List<LoadedFilter.Kind> order = new ArrayList<>(List.of(LoadedFilter.Kind.values()));
        Map<LoadedFilter.Kind, LoadedFilter> filters = new EnumMap<>(LoadedFilter.Kind.class);
        for (LoadedFilter.Kind kind : LoadedFilter.Kind.values()) {
            filters.put(kind, kind.of(room));
        }
        for (int step = 0; step < STEPS; step++) {
            int from = (int) Math.round(room * STEP * step);
            int to = (int) Math.round(room * STEP * (step + 1));
            long[] there = new long[lookups];
            long[] absent = new long[lookups];
            for (int i = 0; i < lookups; i++) {
                there[i] = present[random.nextInt(to)];
                absent[i] = key.hash(room + (long) step * lookups + i);
            }
            Collections.shuffle(order, new Random(round * 31L + step));
            for (LoadedFilter.Kind kind : order) {
                LoadedFilter filter = filters.get(kind);
                if (filter != null && reaches(kind, step)) {
                    double[] nanos = step(times, kind, filter, present, from, to, there, absent);
                    for (int work = 0; work < nanos.length && round >= 0; work++) {
                        times.of(kind, Work.values()[work], step)[round] = nanos[work];
                    }
                }
            }
        }
    }

    /** The times of the three operations, per key. */
    private static double[] step(
            Times times,
            LoadedFilter.Kind kind,
            LoadedFilter filter,
            long[] present,
            int from,
            int to,
            long[] there,
            long[] absent) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        boolean fuse = kind == LoadedFilter.Kind.FUSE;
        long start = fuse ? System.nanoTime() : threads.getCurrentThreadCpuTime();
        filter.add(present, from, to);
        long added = fuse ? System.nanoTime() : threads.getCurrentThreadCpuTime();
        long asking = threads.getCurrentThreadCpuTime();
        int wrong = filter.found(absent);
        long failed = threads.getCurrentThreadCpuTime();
        int found = filter.found(there);
        long succeeded = threads.getCurrentThreadCpuTime();
        times.missed += there.length - found;
        // The last step that a kind reaches is the one that stays.
        times.errors.put(kind, (double) wrong / absent.length);
        times.stated.put(kind, filter.filter().errorNow());
        return new double[] {
            (double) (added - start) / (fuse ? to : to - from),
            (double) (failed - asking) / absent.length,
            (double) (succeeded - failed) / there.length
        };
    }

    private static void report(Findings findings, Times times) {
        double[] x = new double[STEPS];
        for (int step = 0; step < STEPS; step++) {
            x[step] = 100 * load(step);
        }
        int colour;
        for (Work work : Work.values()) {
            ResultTable table =
                    new ResultTable(work.title.replace(' ', '-'), "Nanoseconds: " + work.title + ", by load");
            Plot plot = new Plot(
                            work.title.replace(' ', '-'), "Time of " + article(work) + " as the load grows, 1 % error")
                    .x("load, % of the room")
                    .y("nanoseconds per key");
            table.number("load, %", "%.0f");
            colour = 0;
            for (LoadedFilter.Kind kind : LoadedFilter.Kind.values()) {
                table.number(name(kind, work), "%.1f");
                double[] medians = times.medians(kind, work);
                plot.line(name(kind, work), x, medians, colour).dots(kind.title + ", measured", x, medians, colour++);
            }
            for (int step = 0; step < STEPS; step++) {
                List<Object> row = new ArrayList<>(List.of(x[step]));
                for (LoadedFilter.Kind kind : LoadedFilter.Kind.values()) {
                    row.add(times.median(kind, work, step));
                }
                table.row(row.toArray());
            }
            findings.add(table).add(plot);
        }
        findings.remark("A quotient filter is full at 90 % of its slots and says so; a cuckoo filter at 95 %.");
        double failed = ratio(times, Work.FAIL);
        double succeeded = ratio(times, Work.SUCCEED);
        findings.remark(String.format(
                Locale.ROOT,
                "At 75 %% load a quotient filter takes %.2f times as long as a Bloom filter for a failed lookup (the textbook:"
                        + " longer), and %.2f times for a successful one (the textbook: less).",
                failed,
                succeeded));
        int half = 9;
        int last = 17;
        findings.expect(Expectation.atLeast(
                "quotient: insertion at 90 % load over that at 50 %",
                times.median(LoadedFilter.Kind.QUOTIENT, Work.INSERT, last)
                        / times.median(LoadedFilter.Kind.QUOTIENT, Work.INSERT, half),
                1.1,
                "%.2f"));
    }

    private static String article(Work work) {
        return work == Work.INSERT ? "an insertion" : "a " + work.title;
    }

    private static String name(LoadedFilter.Kind kind, Work work) {
        return kind == LoadedFilter.Kind.FUSE && work == Work.INSERT ? "fuse (building)" : kind.title;
    }

    private static double ratio(Times times, Work work) {
        int step = 14;
        return times.median(LoadedFilter.Kind.QUOTIENT, work, step) / times.median(LoadedFilter.Kind.BLOOM, work, step);
    }

    private static void expectErrors(Findings findings, Times times, int lookups) {
        findings.expect(Expectation.atMost("keys that were added and not found, all kinds", times.missed, 0, "%.0f"));
        for (LoadedFilter.Kind kind : LoadedFilter.Kind.values()) {
            double stated = times.stated.getOrDefault(kind, Double.NaN);
            findings.expect(Expectation.near(
                    kind.title + ": share of false positives at the highest load, as it states",
                    times.errors.getOrDefault(kind, Double.NaN),
                    stated,
                    5 * Math.sqrt(stated / lookups) + 0.02 * stated,
                    "%.5f"));
        }
    }

    /** How long the longest run and the longest cluster are, and their means, as a quotient filter fills. */
    private static void runs(Findings findings, int room) {
        ResultTable table = new ResultTable(
                "runs", String.format(Locale.ROOT, "Runs and clusters of a quotient filter, %,d slots", room));
        table.number("load, %", "%.0f").number("mean run", "%.2f").number("longest run", "%d");
        table.number("mean cluster", "%.1f").number("longest cluster", "%d").number("log2 of slots", "%.1f");
        QuotientSet<String> filter = QuotientSet.expecting(Math.round(room * 0.9))
                .load(0.9)
                .falsePositives(LoadedFilter.ERROR)
                .build();
        Key.Longs key = Key.longs().seeded(99);
        int added = 0;
        double longestAtHalf = 0;
        double log = Math.log(filter.slots()) / Math.log(2);
        for (int percent : new int[] {25, 50, 75, 90}) {
            int most = (int) Math.round(room * (percent / 100.0));
            while (added < most) {
                filter.addHash(key.hash(added++));
            }
            Lengths lengths = Lengths.of(filter);
            table.row(
                    (double) percent,
                    lengths.meanRun,
                    lengths.longestRun,
                    lengths.meanCluster,
                    lengths.longestCluster,
                    log);
            longestAtHalf = percent == 50 ? lengths.longestCluster : longestAtHalf;
        }
        findings.add(table);
        findings.expect(Expectation.atMost(
                "quotient: longest cluster at 50 % load over log2 of the slots, O(log m)",
                longestAtHalf / log, 5, "%.2f"));
    }

    /** Lengths of runs (fingerprints of one quotient) and clusters (runs without a free slot between them). */
    record Lengths(double meanRun, long longestRun, double meanCluster, long longestCluster) {
        static Lengths of(QuotientSet<String> filter) {
            long runs = 0;
            long longestRun = 0;
            long clusters = 0;
            long longestCluster = 0;
            long entries = 0;
            long quotient = -1;
            long run = 0;
            long clusterFrom = 0;
            long place = -1;
            PrimitiveIterator.OfLong fingerprints = filter.fingerprints();
            while (fingerprints.hasNext()) {
                long next = fingerprints.nextLong() >>> filter.remainderBits();
                entries++;
                if (next != quotient) {
                    quotient = next;
                    run = 0;
                    runs++;
                }
                longestRun = Math.max(longestRun, ++run);
                if (next > place) {
                    // Its own slot is free: a cluster begins.
                    clusters++;
                    clusterFrom = next;
                    place = next;
                } else {
                    place++;
                }
                longestCluster = Math.max(longestCluster, place - clusterFrom + 1);
            }
            return new Lengths((double) entries / runs, longestRun, (double) entries / clusters, longestCluster);
        }
    }

    private static void sizes(Findings findings) {
        ResultTable table =
                new ResultTable("sizes", "Bits an item: a quotient filter at 90 % load against a Bloom filter");
        table.number("error", "%.0e")
                .number("Bloom", "%.2f")
                .number("quotient", "%.2f")
                .number("ratio", "%.2f");
        for (double error : new double[] {0.02, 0.01, 0.001, 1e-4, 1e-5, 1e-6}) {
            double bloom = BloomFilter.expecting(1_000_000)
                    .falsePositives(error)
                    .sizing()
                    .bitsPerItem();
            double quotient = QuotientFilter.expecting(1_000_000)
                    .load(0.9)
                    .falsePositives(error)
                    .sizing()
                    .bitsPerItem();
            table.row(error, bloom, quotient, quotient / bloom);
            if (error == 0.01) {
                findings.expect(Expectation.near(
                        "quotient: size over a Bloom filter's at 1 %", quotient / bloom, 1.2, 0.15, "%.2f"));
            } else if (error == 1e-6) {
                findings.expect(Expectation.atMost(
                        "quotient: size over a Bloom filter's at 0.0001 %", quotient / bloom, 1, "%.2f"));
            }
        }
        findings.add(table);
    }
}
