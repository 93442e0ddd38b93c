package dev.perhaps.bench;

import dev.perhaps.io.Figures;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a benchmark prints, as plain text and as Markdown. Each question makes its own tables; their cells are written
 * here, so that a time, a ratio or a fact looks the same in all of them.
 */
public final class Report {
    /** The cell of what was not measured. */
    public static final String NOTHING = "–";

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

    public String text() {
        return text.toString();
    }

    String markdown() {
        return markdown.toString();
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

    /** True if this was measured, and the clock of this run could see it. */
    public boolean timed(String row, Measure measure) {
        return results.time(row, measure).isPresent();
    }

    /** The median time. */
    public String nanos(String row, Measure measure) {
        return results.time(row, measure)
                .map(time -> String.format(Locale.ROOT, "%.1f", time.median()))
                .orElse(NOTHING);
    }

    /** The median speed of what was timed by bytes. */
    public String megabytesPerSecond(String row, Measure measure) {
        return results.time(row, measure)
                .map(time -> Figures.significant(1_000 / time.median()))
                .orElse(NOTHING);
    }

    /** How many times faster a row is than another, with quartiles. */
    public String ratio(String row, Measure measure, String peer) {
        return results.speed(row, measure, peer).map(Report::ratio).orElse(NOTHING);
    }

    /** The median of a fact. */
    public String fact(String row, Fact fact) {
        OptionalDouble value = results.fact(row, fact);
        return value.isPresent() ? fact(fact, value.getAsDouble()) : NOTHING;
    }

    /** Formats the median with its quartiles, and marks ratios without a clear difference. */
    public static String ratio(Quartiles ratio) {
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
