package dev.perhaps.bench.spark;

import dev.perhaps.bench.BenchTable;
import dev.perhaps.bench.Quartiles;
import java.util.Locale;

/** A table of ratios and the goals that they have to meet. */
final class GoalTable {
    private final BenchTable table = new BenchTable("", "measured", "goal", "");
    private boolean isEmpty = true;

    /** The contender's figure divided by ours, which must be at least the goal. */
    void atLeast(String what, Quartiles times, double goal) {
        judge(what + ", times less", times, "≥ " + number(goal), times.median() >= goal);
    }

    /** Our figure divided by the contender's, which must be at most the goal. */
    void atMost(String what, Quartiles share, double goal) {
        judge(what + ", share", share, "≤ " + number(goal), share.median() <= goal);
    }

    /** A figure that must be at most the goal. */
    void atMost(String what, double figure, double goal) {
        judge(what, Quartiles.of(figure), "≤ " + number(goal), figure <= goal);
    }

    private void judge(String what, Quartiles measured, String goal, boolean isMet) {
        table.row(what, Contest.cell(measured), goal, isMet ? "met" : "NOT MET");
        isEmpty = false;
    }

    private static String number(double goal) {
        return goal == Math.rint(goal) ? String.format(Locale.ROOT, "%.0f", goal) : Double.toString(goal);
    }

    String markdown() {
        return isEmpty ? "" : table.markdown() + "\n";
    }
}
