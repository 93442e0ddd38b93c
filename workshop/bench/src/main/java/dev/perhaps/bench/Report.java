package dev.perhaps.bench;

import dev.perhaps.bench.frequency.CountContest;
import dev.perhaps.bench.frequency.TopContest;
import dev.perhaps.bench.frequency.TopRows;
import dev.perhaps.bench.membership.OwnRow;
import dev.perhaps.bench.placement.PlaceRow;
import dev.perhaps.bench.similarity.SignContest;
import dev.perhaps.bench.similarity.SignRow;
import dev.perhaps.bench.similarity.TextPairs;
import dev.perhaps.io.Figures;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** Puts the results into tables, as plain text and as Markdown. */
public final class Report {
    private static final String NOTHING = "–";

    private final Results results;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder markdown = new StringBuilder();

    public Report(Results results) {
        this.results = results;
    }

    public void line(String words) {
        text.append(words).append('\n');
        markdown.append(words).append("\n\n");
    }

    public void command(String typed) {
        text.append(typed).append('\n');
        markdown.append("    ").append(typed).append("\n\n");
    }

    public void heading(String words) {
        text.append('\n').append(words).append('\n');
        markdown.append("**").append(words).append("**\n\n");
    }

    public void table(BenchTable table) {
        text.append('\n').append(table.text());
        markdown.append(table.markdown()).append('\n');
    }

    String text() {
        return text.toString();
    }

    String markdown() {
        return markdown.toString();
    }

    /** Prints size, error and times of each row. */
    public void figures(List<? extends Entrant<?>> entrants) {
        BenchTable table = new BenchTable("", "bits/key", "error", "hit ns", "miss ns", "add ns", "lookup B", "add B");
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            if (!timed(entrant)) {
                continue;
            }
            table.row(
                    row,
                    fact(row, Fact.BITS),
                    fact(row, Fact.ERROR),
                    nanos(row, Measure.HIT),
                    nanos(row, Measure.MISS),
                    nanos(row, Measure.ADD) + (entrant.atOnce() && timed(row, Measure.ADD) ? "*" : " "),
                    fact(row, Fact.LOOKUP_BYTES),
                    fact(row, Fact.ADD_BYTES));
        }
        table(table);
        line("Medians; * built of all keys at once; B: bytes allocated per operation.");
    }

    /** Prints how many times faster each row is than a given row. */
    public void ratios(List<? extends Entrant<?>> entrants, String peer) {
        if (!results.rows().contains(peer)) {
            return;
        }
        BenchTable table = new BenchTable("times as fast as " + peer, "hit", "miss", "add");
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            if (!row.equals(peer) && timed(entrant)) {
                table.row(
                        row,
                        ratio(row, Measure.HIT, peer),
                        ratio(row, Measure.MISS, peer),
                        ratio(row, Measure.ADD, peer));
            }
        }
        table(table);
    }

    /** Prints size, times and over-counts of each sketch of counts. */
    public void counts(List<? extends Entrant<?>> entrants) {
        BenchTable table = new BenchTable("", "size", "mean over", "max over", "add ns", "estimate ns");
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            table.row(
                    row,
                    fact(row, Fact.BYTES),
                    fact(row, Fact.MEAN_OVER),
                    fact(row, Fact.MAX_OVER),
                    nanos(row, Measure.ADD),
                    nanos(row, Measure.ESTIMATE));
        }
        table(table);
        line("Times are medians; over: estimate less truth, of all keys that came, median of " + CountContest.SEEDS
                + " seeds.");
    }

    /** How many times faster each sketch of counts is than one of them. */
    public void speeds(List<? extends Entrant<?>> entrants, String peer) {
        if (!results.rows().contains(peer)) {
            return;
        }
        BenchTable table = new BenchTable("times as fast as " + peer, "add", "estimate");
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            if (!row.equals(peer)) {
                table.row(row, ratio(row, Measure.ADD, peer), ratio(row, Measure.ESTIMATE, peer));
            }
        }
        table(table);
    }

    /** Prints size, times and recall of each top list. */
    public void tops(List<? extends Entrant<?>> entrants, String peer) {
        BenchTable table = new BenchTable("", "size", "recall", "add ns", "times as fast as " + peer);
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            table.row(
                    row,
                    fact(row, Fact.BYTES),
                    fact(row, Fact.RECALL),
                    nanos(row, Measure.ADD),
                    row.equals(peer) ? NOTHING : ratio(row, Measure.ADD, peer));
        }
        table(table);
        line("Times are medians; recall: the share of the true top " + TopRows.K + " that is found, median of "
                + TopContest.SEEDS + " streams.");
    }

    /** Prints how fast each family signs texts, and the error of its estimates. */
    public void signatures(List<SignRow> rows, String peer) {
        BenchTable table = new BenchTable("", "MB/s", "error", "times as fast as " + peer);
        for (SignRow row : rows) {
            String name = row.name();
            table.row(
                    name,
                    results.time(name, Measure.SIGN)
                            .map(time -> Figures.significant(1_000 / time.median()))
                            .orElse(NOTHING),
                    fact(name, Fact.RMSE),
                    name.equals(peer) ? NOTHING : ratio(name, Measure.SIGN, peer));
        }
        table(table);
        line("Speeds are medians; error: root mean square over " + TextPairs.COUNT + " pairs of texts, median of "
                + SignContest.SEEDS + " seeds.");
    }

    public void placements(List<PlaceRow> rows, String peer) {
        BenchTable table = new BenchTable("", "ns", "fullest/mean", "times as fast as " + peer);
        for (PlaceRow row : rows) {
            String name = row.name();
            table.row(
                    name,
                    nanos(name, Measure.OWNER),
                    fact(name, Fact.FULLEST),
                    name.equals(peer) ? NOTHING : ratio(name, Measure.OWNER, peer));
        }
        table(table);
        line("fullest/mean: keys of the node that has most, over the mean of all nodes.");
    }

    /**
     * Prints the times of threads that share the concurrent form of a structure, and of threads that lock the plain
     * one.
     */
    void sharing(List<String> structures, int threads) {
        BenchTable table = new BenchTable("", "concurrent ns", "synchronized ns", "times as fast");
        for (String structure : structures) {
            String shared = ThreadsBench.shared(structure, threads);
            String locked = ThreadsBench.locked(structure, threads);
            table.row(
                    structure,
                    nanos(shared, Measure.ADD),
                    nanos(locked, Measure.ADD),
                    ratio(shared, Measure.ADD, locked));
        }
        table(table);
    }

    /** How many times longer each row takes for a lookup than one random access does. */
    public void distance(List<? extends Entrant<?>> entrants, String reference) {
        if (!results.rows().contains(reference)) {
            return;
        }
        BenchTable table = new BenchTable("times as long as the " + reference, "hit", "miss");
        for (Entrant<?> entrant : entrants) {
            String row = entrant.name();
            if (!row.equals(reference) && entrant.measures().contains(Measure.HIT)) {
                table.row(row, ratio(reference, Measure.HIT, row), ratio(reference, Measure.MISS, row));
            }
        }
        table(table);
    }

    /** What merging costs for each key of the second filter, and what adding that key would. */
    public void merging(List<OwnRow> ours) {
        BenchTable table = new BenchTable("", "merge ns/key", "add ns/key", "times as fast");
        for (OwnRow own : ours) {
            String merged = OwnRow.merged(own.name());
            String added = OwnRow.addedAgain(own.name());
            table.row(
                    own.name(),
                    nanos(merged, Measure.MERGE),
                    nanos(added, Measure.MERGE),
                    ratio(merged, Measure.MERGE, added));
        }
        table(table);
    }

    public void memory(List<OwnRow> ours) {
        BenchTable table = new BenchTable("", Fact.SIZE_OFF_PLAN.toString(), Fact.HEAP_TO_SIZE.toString());
        for (OwnRow own : ours) {
            table.row(own.name(), fact(own.name(), Fact.SIZE_OFF_PLAN), fact(own.name(), Fact.HEAP_TO_SIZE));
        }
        table(table);
    }

    public void goals(List<? extends Goal> goals) {
        BenchTable table = new BenchTable("goal", "wanted", "measured", "");
        int met = 0;
        int judged = 0;
        for (Goal goal : goals) {
            Optional<Goal.Verdict> judgement = goal.judge(results);
            if (judgement.isPresent()) {
                Goal.Verdict verdict = judgement.get();
                table.row(verdict.goal(), verdict.wanted(), verdict.measured(), verdict.met() ? "met" : "NOT MET");
                judged++;
                met += verdict.met() ? 1 : 0;
            }
        }
        if (judged > 0) {
            heading("Goals: " + met + " of " + judged + " met");
            table(table);
        }
    }

    /** False for a row that the clock of this run cannot see. */
    private boolean timed(Entrant<?> entrant) {
        return entrant.measures().stream().anyMatch(measure -> timed(entrant.name(), measure));
    }

    private boolean timed(String row, Measure measure) {
        return results.time(row, measure).isPresent();
    }

    private String nanos(String row, Measure measure) {
        return results.time(row, measure)
                .map(time -> String.format(Locale.ROOT, "%.1f", time.median()))
                .orElse(NOTHING);
    }

    private String ratio(String row, Measure measure, String peer) {
        return results.speed(row, measure, peer).map(Report::ratio).orElse(NOTHING);
    }

    private String fact(String row, Fact fact) {
        OptionalDouble value = results.fact(row, fact);
        return value.isPresent() ? fact(fact, value.getAsDouble()) : NOTHING;
    }

    /** Formats the median with its quartiles, and marks ratios without a clear difference. */
    static String ratio(Quartiles ratio) {
        return String.format(
                Locale.ROOT,
                "%.2f [%.2f, %.2f]%s",
                ratio.median(),
                ratio.low(),
                ratio.high(),
                ratio.level() ? " level" : "");
    }

    static String fact(Fact fact, double value) {
        return switch (fact) {
            case BITS -> String.format(Locale.ROOT, "%.2f", value);
            case ERROR -> Figures.percent(value);
            case LOOKUP_BYTES, ADD_BYTES -> String.format(Locale.ROOT, "%.0f", value);
            case BYTES -> Figures.bytes((long) value);
            case MEAN_OVER -> String.format(Locale.ROOT, "%.5g", value);
            case MAX_OVER -> Figures.significant(value);
            case RECALL, FULLEST -> String.format(Locale.ROOT, "%.2f", value);
            case SIZE_OFF_PLAN, HEAP_TO_SIZE, RMSE -> String.format(Locale.ROOT, "%.4f", value);
        };
    }
}
