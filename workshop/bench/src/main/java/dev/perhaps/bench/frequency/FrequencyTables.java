package dev.perhaps.bench.frequency;

import dev.perhaps.bench.BenchTable;
import dev.perhaps.bench.Entrant;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import java.util.List;

/** The tables of counts and of top lists. */
final class FrequencyTables {
    private final Results results;
    private final Report report;

    FrequencyTables(Results results, Report report) {
        this.results = results;
        this.report = report;
    }

    /** Prints size, times and over-counts of each sketch of counts. */
    void counts(List<? extends Entrant<?>> entrants) {
        BenchTable table = new BenchTable("", "size", "mean over", "max over", "add ns", "estimate ns");
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            table.row(
                    row,
                    report.fact(row, Fact.BYTES),
                    report.fact(row, Fact.MEAN_OVER),
                    report.fact(row, Fact.MAX_OVER),
                    report.nanos(row, Measure.ADD),
                    report.nanos(row, Measure.ESTIMATE));
        }
        report.table(table);
        report.line("Times are medians; over: estimate less truth, of all keys that came, median of "
                + CountContest.SEEDS + " seeds.");
    }

    /** How many times faster each sketch of counts is than one of them. */
    void speeds(List<? extends Entrant<?>> entrants, String peer) {
        if (!results.rows().contains(peer)) {
            return;
        }
        BenchTable table = new BenchTable("times as fast as " + peer, "add", "estimate");
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            if (!row.equals(peer)) {
                table.row(row, report.ratio(row, Measure.ADD, peer), report.ratio(row, Measure.ESTIMATE, peer));
            }
        }
        report.table(table);
    }

    /** Prints size, times and recall of each top list. */
    void tops(List<? extends Entrant<?>> entrants, String peer) {
        BenchTable table = new BenchTable("", "size", "recall", "add ns", "times as fast as " + peer);
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            table.row(
                    row,
                    report.fact(row, Fact.BYTES),
                    report.fact(row, Fact.RECALL),
                    report.nanos(row, Measure.ADD),
                    row.equals(peer) ? Report.NOTHING : report.ratio(row, Measure.ADD, peer));
        }
        report.table(table);
        report.line("Times are medians; recall: the share of the true top " + TopRows.K + " that is found, median of "
                + TopContest.SEEDS + " streams.");
    }
}
