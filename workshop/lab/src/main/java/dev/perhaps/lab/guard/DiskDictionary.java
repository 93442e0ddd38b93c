package dev.perhaps.lab.guard;

import dev.perhaps.guard.Guard;
import dev.perhaps.guard.GuardReport;
import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Plot;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.membership.BloomFilter;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * Lookups in a dictionary on disk, a SQLite file, with and without a guard, for 0 to 100 % hits; and in 50 tables with
 * a filter each ({@link TableStack}).
 */
public final class DiskDictionary implements Experiment {
    /*
     * The same lookups are made twice: in the table, and through a guard with a Bloom filter of 1 % in front of it. The
     * guard measures its costs. The lookups that it reports as avoided are compared with the queries and page reads
     * that were really saved; times are only printed.
     */
    private static final double[] HITS = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 1};
    private static final double TOLERANCE = 0.1;
    private static final double WORTH_JUDGING = 0.05;

    /** Below this share the few pages that happen to be kept in memory count for too much. */
    private static final double PAGES_WORTH_JUDGING = 0.2;

    /** What asking all questions took. */
    private record Effort(long queries, double pages, double nanos) {}

    private record Point(double hits, int questions, Effort off, Effort on, GuardReport report) {
        double avoided() {
            return off.queries - on.queries;
        }

        double pagesSaved() {
            return off.pages - on.pages;
        }

        /**
         * What the report says of pages: each query that was avoided would have read as many as those that were not.
         */
        double pagesReported() {
            return report.avoided() * off.pages / off.queries;
        }
    }

    @Override
    public String name() {
        return "disk-dictionary";
    }

    @Override
    public String shows() {
        return "Lookups in a SQLite file, guard on and off, for 0 to 100 % hits; and 50 tables with a filter each.";
    }

    @Override
    public Findings run(Conditions conditions) {
        int items = conditions.quick() ? 20_000 : 300_000;
        int questions = conditions.quick() ? 3_000 : 40_000;
        Findings findings = new Findings(this);
        SplittableRandom random = new SplittableRandom(5);
        long[] there = random.longs(items).distinct().toArray();
        try (DiskTables table = DiskTables.of(List.of(there))) {
            BloomFilter<Long> filter = BloomFilter.expecting(items)
                    .of(Key.longs())
                    .falsePositives(0.01)
                    .buildFrom(table.keys(0));
            ResultTable results = table(items);
            for (int i = 0; i < HITS.length; i++) {
                conditions.watch().at("one table", (double) i / HITS.length);
                report(findings, results, measure(table, filter, there, HITS[i], questions));
            }
            findings.add(results);
            plot(findings, results);
        }
        new TableStack(conditions).report(findings);
        findings.remark(
                "Times are those of the clock on the wall, whatever else the machine does: printed, not judged.");
        return findings;
    }

    @SuppressWarnings("CheckReturnValue") // what requests cost is counted, not what they return
    private static Point measure(DiskTables table, BloomFilter<Long> filter, long[] there, double hits, int questions) {
        Guard<Long, String> guard = Guard.plan().seed(1).store(filter, key -> table.find(0, key), key -> "all");
        Effort off = ask(table, there, hits, questions, key -> table.find(0, key));
        Effort on = ask(table, there, hits, questions, guard::get);
        return new Point(hits, questions, off, on, guard.report());
    }

    private static Effort ask(DiskTables table, long[] there, double hits, int questions, LongConsumer asked) {
        SplittableRandom random = new SplittableRandom(17);
        long queries = table.queries();
        double pages = DiskTables.pagesRead();
        long start = System.nanoTime();
        for (int i = 0; i < questions; i++) {
            boolean hit = random.nextDouble() < hits;
            asked.accept(hit ? there[random.nextInt(there.length)] : random.nextLong());
        }
        double nanos = System.nanoTime() - start;
        return new Effort(table.queries() - queries, DiskTables.pagesRead() - pages, nanos);
    }

    private static ResultTable table(int items) {
        ResultTable table = new ResultTable(
                "guard",
                String.format(Locale.ROOT, "A table of %,d keys in a SQLite file, a guard before it or not", items));
        table.number("hits, %", "%.0f")
                .number("queries off", "%,d")
                .number("on", "%,d")
                .number("avoided, %", "%.1f");
        table.number("reported, %", "%.1f").number("pages off", "%,.0f").number("on ", "%,.0f");
        table.number("µs off", "%.1f").number("on  ", "%.1f").number("saved", "%.1f");
        table.number("reported", "%.1f").text("the guard ends with");
        return table;
    }

    private static void report(Findings findings, ResultTable results, Point point) {
        double share = 100.0 / point.questions;
        results.row(
                100 * point.hits,
                point.off.queries,
                point.on.queries,
                share * point.avoided(),
                share * point.report.avoided(),
                point.off.pages,
                point.on.pages,
                point.off.nanos / point.questions / 1_000,
                point.on.nanos / point.questions / 1_000,
                (point.off.nanos - point.on.nanos) / point.questions / 1_000,
                point.report.saving() / point.questions / 1_000,
                point.report.groups().get(0).action().toString());
        String what = String.format(Locale.ROOT, "%.0f %% hits: ", 100 * point.hits);
        if (point.avoided() < WORTH_JUDGING * point.questions) {
            findings.expect(Expectation.near(
                    what + "avoided as reported less avoided, share of all questions",
                    (point.report.avoided() - point.avoided()) / point.questions,
                    0,
                    TOLERANCE * WORTH_JUDGING,
                    "%.4f"));
            return;
        }
        findings.expect(Expectation.near(
                what + "queries avoided, reported over measured",
                point.report.avoided() / point.avoided(),
                1,
                TOLERANCE,
                "%.4f"));
        if (!Double.isNaN(point.off.pages) && point.avoided() >= PAGES_WORTH_JUDGING * point.questions) {
            findings.expect(Expectation.near(
                    what + "pages not read, reported over measured",
                    point.pagesReported() / point.pagesSaved(),
                    1,
                    TOLERANCE,
                    "%.4f"));
        }
    }

    private static void plot(Findings findings, ResultTable results) {
        double[] hits = column(results, 0);
        findings.add(new Plot("queries", "Queries that reach the table")
                .x("hits, % of questions")
                .y("queries")
                .line("guard off", hits, column(results, 1), 0)
                .line("guard on", hits, column(results, 2), 1)
                .dots("guard on, measured", hits, column(results, 2), 1));
        findings.add(new Plot("times", "Time of a question")
                .x("hits, % of questions")
                .y("microseconds")
                .line("guard off", hits, column(results, 7), 0)
                .line("guard on", hits, column(results, 8), 1)
                .dots("guard on, measured", hits, column(results, 8), 1));
    }

    private static double[] column(ResultTable table, int at) {
        return table.rows().stream()
                .mapToDouble(row -> row.get(at) instanceof Number number ? number.doubleValue() : Double.NaN)
                .toArray();
    }
}
