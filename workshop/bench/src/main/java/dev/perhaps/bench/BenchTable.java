package dev.perhaps.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows of words in aligned columns, the first to the left and all others to the right; or the same as Markdown. */
public final class BenchTable {
    private final List<String[]> rows = new ArrayList<>();

    public BenchTable(String... heading) {
        rows.add(heading);
    }

    public void row(String... cells) {
        if (cells.length != rows.get(0).length) {
            throw new IllegalArgumentException("a row of " + rows.get(0).length + " cells, got " + cells.length);
        }
        rows.add(cells);
    }

    boolean isEmpty() {
        return rows.size() == 1;
    }

    String text() {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row[column].length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                String space = " ".repeat(widths[column] - row[column].length());
                line.append(column == 0 ? row[0] + space : "  " + space + row[column]);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    public String markdown() {
        String[] rule = new String[rows.get(0).length];
        Arrays.fill(rule, "---:");
        rule[0] = "---";
        StringBuilder text = new StringBuilder();
        for (int row = 0; row < rows.size(); row++) {
            List<String> cells = Arrays.stream(rows.get(row)).map(String::strip).toList();
            text.append("| ").append(String.join(" | ", cells)).append(" |\n");
            if (row == 0) {
                text.append('|').append(String.join("|", rule)).append("|\n");
            }
        }
        return text.toString();
    }
}
