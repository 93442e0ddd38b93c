package dev.perhaps.lab;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Rows under named columns; as Markdown that is also legible as it stands, or as CSV with all digits. */
public final class ResultTable {
    /**
     * One column.
     *
     * @param format how its numbers are written for people, as {@code String.format} has it
     */
    public record Column(String name, String format) {
        boolean isText() {
            return format.equals("%s");
        }
    }

    private final String name;
    private final String title;
    private final List<Column> columns = new ArrayList<>();
    private final List<List<Object>> rows = new ArrayList<>();

    /**
     * @param name for a file's name
     * @param title what it shows, in a line
     */
    public ResultTable(String name, String title) {
        this.name = name;
        this.title = title;
    }

    public ResultTable text(String column) {
        columns.add(new Column(column, "%s"));
        return this;
    }

    public ResultTable number(String column, String format) {
        columns.add(new Column(column, format));
        return this;
    }

    /** Adds a row: for each column a text, a Long, an Integer, or a Double, of which NaN shows as nothing. */
    public void row(Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException("a row of " + columns.size() + " cells, got " + cells.length);
        }
        rows.add(List.of(cells));
    }

    public String name() {
        return name;
    }

    public String title() {
        return title;
    }

    public List<Column> columns() {
        return Collections.unmodifiableList(columns);
    }

    public List<List<Object>> rows() {
        return Collections.unmodifiableList(rows);
    }

    public String markdown() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns.stream().map(Column::name).toList());
        for (List<Object> row : rows) {
            List<String> line = new ArrayList<>();
            for (int i = 0; i < row.size(); i++) {
                line.add(shown(row.get(i), columns.get(i)));
            }
            lines.add(line);
        }
        int[] widths = new int[columns.size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                String space = " ".repeat(widths[i] - line.get(i).length());
                boolean left = columns.get(i).isText();
                text.append(left ? "| " + line.get(i) + space + " " : "| " + space + line.get(i) + " ");
            }
            text.append("|\n");
            if (line == lines.get(0)) {
                text.append(rule(widths));
            }
        }
        return text.toString();
    }

    private String rule(int[] widths) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String dashes = "-".repeat(widths[i] + 1);
            text.append(columns.get(i).isText() ? "|" + dashes + "-" : "|" + dashes + ":");
        }
        return text.append("|\n").toString();
    }

    private static String shown(Object cell, Column column) {
        if (cell instanceof Double number) {
            return number.isNaN() ? "" : NumberFormats.format(column.format(), number);
        }
        return cell instanceof Number number
                ? String.format(java.util.Locale.ROOT, column.format(), number)
                : cell.toString();
    }

    /** As RFC 4180 has it; numbers with all their digits. */
    public String csv() {
        StringBuilder text = new StringBuilder();
        text.append(String.join(
                ",", columns.stream().map(column -> quoted(column.name())).toList()));
        text.append("\n");
        for (List<Object> row : rows) {
            List<String> cells = new ArrayList<>();
            for (Object cell : row) {
                cells.add(cell instanceof Double number && number.isNaN() ? "" : quoted(cell.toString()));
            }
            text.append(String.join(",", cells)).append("\n");
        }
        return text.toString();
    }

    private static String quoted(String cell) {
        boolean plain = cell.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? cell : '"' + cell.replace("\"", "\"\"") + '"';
    }
}
