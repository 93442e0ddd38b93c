package dev.perhaps.bench.membership;

import dev.perhaps.bench.BenchTable;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import java.util.List;
import java.util.Optional;

/** The tables of filters. */
final class MembershipTables {
    private final Results results;
    private final Report report;

    MembershipTables(Results results, Report report) {
        this.results = results;
        this.report = report;
    }

    /** Prints size, error and times of each row. */
    void figures(List<? extends Entrant<?>> entrants) {
        BenchTable table = new BenchTable("", "bits/key", "error", "hit ns", "miss ns", "add ns", "lookup B", "add B");
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            Optional<String> failure = results.failure(row);
            if (failure.isPresent()) {
                String nothing = Report.NOTHING;
                table.row(row, failure.get(), nothing, nothing, nothing, nothing, nothing, nothing);
                continue;
            }
            if (!timed(entrant)) {
                continue;
            }
            table.row(
                    row,
                    report.fact(row, Fact.BITS),
                    report.fact(row, Fact.ERROR),
                    report.nanos(row, Measure.HIT),
                    report.nanos(row, Measure.MISS),
                    report.nanos(row, Measure.ADD) + (entrant.atOnce() && report.timed(row, Measure.ADD) ? "*" : " "),
                    report.fact(row, Fact.LOOKUP_BYTES),
                    report.fact(row, Fact.ADD_BYTES));
        }
        report.table(table);
        report.line("Medians; * built of all keys at once; B: bytes allocated per operation.");
    }

    /** Prints how many times faster each row is than a given row. */
    void ratios(List<? extends Entrant<?>> entrants, String peer) {
        if (!results.rows().contains(peer)) {
            return;
        }
        BenchTable table = new BenchTable("times as fast as " + peer, "hit", "miss", "add");
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            if (!row.equals(peer) && timed(entrant)) {
                table.row(
                        row,
                        report.ratio(row, Measure.HIT, peer),
                        report.ratio(row, Measure.MISS, peer),
                        report.ratio(row, Measure.ADD, peer));
            }
        }
        report.table(table);
    }

    /** How many times longer each row takes for a lookup than one random access does. */
    void distance(List<? extends Entrant<?>> entrants, String reference) {
        if (!results.rows().contains(reference)) {
            return;
        }
        BenchTable table = new BenchTable("times as long as the " + reference, "hit", "miss");
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            if (!row.equals(reference) && entrant.measures().contains(Measure.HIT)) {
                table.row(row, report.ratio(reference, Measure.HIT, row), report.ratio(reference, Measure.MISS, row));
            }
        }
        report.table(table);
    }

    /** What merging costs for each key of the second filter, and what adding that key would. */
    void merging(List<OwnRow> ours) {
        BenchTable table = new BenchTable("", "merge ns/key", "add ns/key", "times as fast");
        for (OwnRow own : ours) {
            String merged = OwnRow.merged(own.name());
            String added = OwnRow.addedAgain(own.name());
            table.row(
                    own.name(),
                    report.nanos(merged, Measure.MERGE),
                    report.nanos(added, Measure.MERGE),
                    report.ratio(merged, Measure.MERGE, added));
        }
        report.table(table);
    }

    void memory(List<OwnRow> ours) {
        BenchTable table = new BenchTable("", Fact.SIZE_OFF_PLAN.toString(), Fact.HEAP_TO_SIZE.toString());
        for (OwnRow own : ours) {
            table.row(
                    own.name(),
                    report.fact(own.name(), Fact.SIZE_OFF_PLAN),
                    report.fact(own.name(), Fact.HEAP_TO_SIZE));
        }
        report.table(table);
    }

    /** False for a row that the clock of this run cannot see. */
    private boolean timed(Entrant<?> entrant) {
        return entrant.measures().stream().anyMatch(measure -> report.timed(entrant.name(), measure));
    }
}
