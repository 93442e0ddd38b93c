package dev.perhaps.bench.placement;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.BenchTable;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.HostMachine;
import dev.perhaps.bench.Keys;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Options;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import dev.perhaps.io.Figures;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Who has it? From a key to the name of its node, ours and other libraries, on 1,000 nodes. */
public final class PlacementBench {
    static final int NODES = 1_000;

    private static final long SEED = 1;
    private static final long WARM_UP_NANOS = 1_000_000_000;
    private static final int WARM_UP_KEYS = 10_000;

    private final Options options;
    private final BenchProgress progress;
    private final Results results = new Results();
    private final Report report = new Report(results);
    private long sum;

    private PlacementBench(Options options, BenchProgress progress) {
        this.options = options;
        this.progress = progress;
    }

    public static Report run(Options options, BenchProgress progress) {
        return new PlacementBench(options, progress).run();
    }

    static List<String> nodes() {
        List<String> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            nodes.add("node-" + i);
        }
        return nodes;
    }

    private Report run() {
        report.command(options.command());
        report.line(LocalDate.now(ZoneOffset.UTC) + "; " + HostMachine.describe() + "; " + options.rounds()
                + " rounds, " + options.clock());
        report.line(Figures.count(NODES) + " nodes; rings of " + Figures.count((long) NODES * PlaceLoops.POINTS)
                + " points; " + Figures.count(options.keys()) + " longs, one thread");
        Keys<long[]> keys = Keys.longs(options.keys(), 0);
        List<PlaceRow> rows = PlaceRows.all().stream()
                .filter(row -> options.wants(row.name()))
                .toList();
        List<Rounds.Turn> turns = new ArrayList<>();
        for (PlaceRow row : rows) {
            progress.say("warming up: " + row.name());
            PlaceRow.Placer placer = row.maker().apply(nodes());
            long start = System.nanoTime();
            int few = Math.min(WARM_UP_KEYS, keys.asks());
            while (System.nanoTime() - start < WARM_UP_NANOS) {
                sum += placer.place(keys.asked(), 0, few);
            }
            int count = (int) Math.max(1, keys.asks() * row.share());
            turns.add(new Rounds.Turn(
                    row.name(), Measure.OWNER, count, () -> {}, () -> sum += placer.place(keys.asked(), 0, count)));
            results.fact(row.name(), Fact.FULLEST, fullest(placer, keys.asked(), count));
        }
        new Rounds(options.rounds(), SEED, options.clock(), progress).play("placing", turns, results);
        if (sum == 0) {
            throw new IllegalStateException("the names were left out");
        }
        report.heading("From a key to its node");
        placements(rows, PlaceRows.TREE);
        report.goals(PlaceRows.goals());
        progress.say("done");
        return report;
    }

    private void placements(List<PlaceRow> rows, String peer) {
        BenchTable table = new BenchTable("", "ns", "fullest/mean", "times as fast as " + peer);
        for (PlaceRow row : rows) {
            String name = row.name();
            table.row(
                    name,
                    report.nanos(name, Measure.OWNER),
                    report.fact(name, Fact.FULLEST),
                    name.equals(peer) ? Report.NOTHING : report.ratio(name, Measure.OWNER, peer));
        }
        report.table(table);
        report.line("fullest/mean: keys of the node that has most, over the mean of all nodes.");
    }

    /** Keys of the node that has most, over the mean of all nodes. */
    static double fullest(PlaceRow.Placer placer, long[] keys, int count) {
        Map<String, Integer> loads = new HashMap<>();
        int most = 0;
        for (int i = 0; i < count; i++) {
            most = Math.max(most, loads.merge(placer.owner(keys[i]), 1, Integer::sum));
        }
        return (double) most * NODES / count;
    }
}
