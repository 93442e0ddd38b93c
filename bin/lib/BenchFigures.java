import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Draws the tables of the benchmarks: one SVG per question, with a bar per row and Java version, and one page with the versions
 * side by side. It reads QUESTION-JAVA.md, as {@code bin/bench QUESTION --markdown} wrote them, from a folder, and writes there.
 * Of spark-scale.md, which {@code bin/bench spark scale --markdown} wrote, it draws how cost grows with the size.
 */
final class BenchFigures {
    private static final int LABEL = 230;
    private static final int BARS = 420;
    private static final int RIGHT = 70;
    private static final int BAR = 11;
    private static final int GAP = 7;
    private static final int TOP = 58;
    private static final List<String> COLOURS = List.of("#3b6ea5", "#d08a2e", "#5f8f4e", "#8d5a99", "#a33b3b");
    private static final String OURS = "#1a1a1a";
    private static final String OTHERS = "#777777";

    /** One plot: the first table with this column, and what the bars mean. */
    private record Plot(String question, String column, String title, Pattern others) {}

    /** The values of a column, by row and Java version. */
    private record Column(Map<String, Map<String, Double>> rows, List<String> versions) {}

    private static final List<Plot> PLOTS = List.of(
            new Plot(
                    "membership",
                    "hit ns",
                    "Is it in the set? Nanoseconds per lookup that hits",
                    Pattern.compile("Guava|fastfilter|DataSketches|Spark|stream-lib|Commons|cuckoofilter4j|Parquet|reference")),
            new Plot(
                    "frequency",
                    "add ns",
                    "How often? Nanoseconds per event",
                    Pattern.compile("DataSketches|Spark|stream-lib|Guava|HashMap")),
            new Plot("similarity", "MB/s", "How alike? Megabytes of text signed per second", Pattern.compile("hash4j|java-lsh|textbook")),
            new Plot("placement", "ns", "Who has it? Nanoseconds from a key to its node", Pattern.compile("TreeMap|hash4j|Guava")));

    /** What is drawn of spark-scale.md: a column of the table whose first column is called so. */
    private record Growth(String sizes, String column, String title) {}

    private static final List<Growth> GROWTH = List.of(
            new Growth("rows", "task CPU ns/row", "Task CPU, ns per row"),
            new Growth("rows", "shuffled bytes/row", "Shuffled bytes per row"),
            new Growth("documents", "task CPU µs/document", "Near duplicates: task CPU, µs per document"),
            new Growth("documents", "shuffled bytes/document", "Near duplicates: shuffled bytes per document"));

    private static final String SCALE = "spark-scale";
    private static final int PANEL_WIDTH = 380;
    private static final int PANEL_HEIGHT = 210;

    private BenchFigures() {}

    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        StringBuilder page = new StringBuilder("# Both Java versions\nWritten by `bin/figures` from the tables in this folder.\n");
        int drawn = 0;
        for (Plot plot : PLOTS) {
            Map<String, List<String>> tables = tables(folder, plot.question);
            Column column = column(tables, plot.column);
            if (column.rows.isEmpty()) {
                System.err.println("figures: no table '" + plot.question + "-JAVA.md' with a column '" + plot.column + "' in " + folder);
                continue;
            }
            Path file = folder.resolve(plot.question + ".svg");
            Files.writeString(file, svg(plot, column, dated(tables)), UTF_8);
            System.out.println(file);
            page.append(sideBySide(plot, column));
            drawn++;
        }
        Path scale = folder.resolve(SCALE + ".md");
        if (Files.exists(scale)) {
            Path file = folder.resolve(SCALE + ".svg");
            Files.writeString(file, growth(Files.readAllLines(scale)), UTF_8);
            System.out.println(file);
            drawn++;
        }
        if (drawn == 0) {
            System.err.println("figures: nothing was drawn: write tables with 'bin/bench QUESTION --markdown' first");
            System.exit(2);
        }
        Files.writeString(folder.resolve("both-javas.md"), page, UTF_8);
        System.out.println(folder.resolve("both-javas.md"));
    }

    /** The lines of each table file of a question, by Java version. */
    private static Map<String, List<String>> tables(Path folder, String question) throws IOException {
        Map<String, List<String>> tables = new TreeMap<>();
        Pattern name = Pattern.compile(Pattern.quote(question) + "-([0-9]+)\\.md");
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, question + "-*.md")) {
            for (Path file : files) {
                Matcher matcher = name.matcher(file.getFileName().toString());
                if (matcher.matches()) {
                    tables.put(matcher.group(1), Files.readAllLines(file));
                }
            }
        }
        return tables;
    }

    private static Column column(Map<String, List<String>> tables, String wanted) {
        Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
        tables.forEach((version, lines) -> {
            int at = -1;
            boolean isDone = false;
            for (String line : lines) {
                if (isDone || !line.startsWith("|")) {
                    isDone |= at >= 0;
                    continue;
                }
                List<String> cells = cells(line);
                if (at < 0) {
                    at = cells.indexOf(wanted);
                } else if (cells.size() > at && cells.get(at).matches("[0-9,.]+\\*?")) {
                    double value = Double.parseDouble(cells.get(at).replaceAll("[,*]", ""));
                    rows.computeIfAbsent(cells.get(0), row -> new TreeMap<>()).put(version, value);
                }
            }
        });
        return new Column(rows, new ArrayList<>(tables.keySet()));
    }

    private static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        for (String cell : line.substring(1).split("\\|", -1)) {
            cells.add(cell.strip());
        }
        return cells;
    }

    /** The line of a table that says when and where it was measured. */
    private static String dated(Map<String, List<String>> tables) {
        for (List<String> lines : tables.values()) {
            for (String line : lines) {
                if (line.matches("[0-9]{4}-[0-9]{2}-[0-9]{2};.*")) {
                    String[] parts = line.split("; ");
                    return parts[0] + "; " + parts[1];
                }
            }
        }
        return "not dated";
    }

    private static String svg(Plot plot, Column column, String dated) {
        double most = column.rows.values().stream()
                .flatMap(values -> values.values().stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(1);
        int rowHeight = BAR * column.versions.size() + GAP;
        int height = TOP + rowHeight * column.rows.size() + 14;
        int width = LABEL + BARS + RIGHT;
        StringBuilder svg = opened(width, height, plot.title, dated);
        for (int i = 0; i < column.versions.size(); i++) {
            int x = LABEL + 90 * i;
            svg.append(bar(x, 41, 10, 10, COLOURS.get(i % COLOURS.size())));
            svg.append(text(x + 14, 50, "start", OURS, "", "Java " + column.versions.get(i)));
        }
        int y = TOP;
        for (Map.Entry<String, Map<String, Double>> row : column.rows.entrySet()) {
            boolean isOther = plot.others.matcher(row.getKey()).find();
            svg.append(text(
                    LABEL - 8,
                    y + rowHeight / 2 + 1,
                    "end",
                    isOther ? OTHERS : OURS,
                    isOther ? "" : " font-weight=\"bold\"",
                    row.getKey()));
            for (int i = 0; i < column.versions.size(); i++) {
                Double value = row.getValue().get(column.versions.get(i));
                if (value != null) {
                    int length = (int) Math.max(1, Math.round(value / most * BARS));
                    svg.append(bar(LABEL, y + BAR * i, length, BAR - 1, COLOURS.get(i % COLOURS.size())));
                    svg.append(text(LABEL + length + 4, y + BAR * i + 9, "start", OTHERS, " font-size=\"9\"", number(value)));
                }
            }
            y += rowHeight;
        }
        return svg.append("</svg>\n").toString();
    }

    private static StringBuilder opened(int width, int height, String title, String dated) {
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"sans-serif\" font-size=\"11\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                width, height, width, height));
        svg.append(text(8, 18, "start", "#1a1a1a", " font-size=\"14\"", title));
        return svg.append(text(8, 33, "start", OTHERS, "", dated));
    }

    private static String growth(List<String> lines) {
        int width = 2 * PANEL_WIDTH;
        int height = TOP + 2 * PANEL_HEIGHT;
        StringBuilder svg = opened(width, height, "How cost grows with rows and documents", dated(Map.of("", lines)));
        for (int i = 0; i < GROWTH.size(); i++) {
            panel(svg, GROWTH.get(i), lines, i % 2 * PANEL_WIDTH, TOP + i / 2 * PANEL_HEIGHT);
        }
        return svg.append("</svg>\n").toString();
    }

    /** A line per kind of work, its sizes at equal distances, as each is ten times the one before. */
    private static void panel(StringBuilder svg, Growth growth, List<String> lines, int x, int y) {
        Map<String, Map<String, Double>> works = new LinkedHashMap<>();
        List<String> sizes = new ArrayList<>();
        List<String> header = List.of();
        for (String line : lines) {
            List<String> cells = line.startsWith("|") ? cells(line) : List.of();
            if (cells.isEmpty()) {
                header = List.of();
            } else if (header.isEmpty()) {
                header = cells;
            } else if (header.get(0).equals(growth.sizes) && cells.get(0).matches("[0-9,]+")) {
                String work = header.get(1).equals("what") ? cells.get(1) : "";
                double value = Double.parseDouble(cells.get(header.indexOf(growth.column)).replace(",", ""));
                works.computeIfAbsent(work, none -> new LinkedHashMap<>()).put(cells.get(0), value);
                if (!sizes.contains(cells.get(0))) {
                    sizes.add(cells.get(0));
                }
            }
        }
        double most = works.values().stream()
                .flatMap(values -> values.values().stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(1);
        int left = x + 14;
        int bottom = y + PANEL_HEIGHT - 44;
        int step = 95;
        svg.append(text(left, y + 12, "start", OURS, " font-weight=\"bold\"", growth.title));
        svg.append(bar(left, bottom, step * (sizes.size() - 1) + 16, 1, OTHERS));
        for (int i = 0; i < sizes.size(); i++) {
            svg.append(text(left + 8 + step * i, bottom + 14, "middle", OTHERS, " font-size=\"9\"", sizes.get(i)));
        }
        int colour = 0;
        int lowest = Integer.MAX_VALUE;
        List<Map.Entry<String, Map<String, Double>>> highestLast = new ArrayList<>(works.entrySet());
        highestLast.sort(Comparator.comparingDouble(work -> last(work.getValue())));
        for (Map.Entry<String, Map<String, Double>> work : highestLast) {
            StringBuilder points = new StringBuilder();
            int at = 0;
            for (int i = 0; i < sizes.size(); i++) {
                Double value = work.getValue().get(sizes.get(i));
                if (value != null) {
                    at = bottom - (int) Math.round(value / most * (PANEL_HEIGHT - 80));
                    points.append(left + 8 + step * i).append(',').append(at).append(' ');
                }
            }
            String stroke = COLOURS.get(colour++ % COLOURS.size());
            svg.append("<polyline points=\"").append(points.toString().strip()).append("\" fill=\"none\" stroke-width=\"2\" stroke=\"");
            svg.append(stroke).append("\"/>\n");
            lowest = Math.min(at + 3, lowest - 11); // labels of lines that end close together stand one above the other
            String label = number(last(work.getValue())) + (work.getKey().isEmpty() ? "" : " " + work.getKey());
            svg.append(text(left + 14 + step * (sizes.size() - 1), lowest, "start", stroke, " font-size=\"9\"", label));
        }
    }

    private static double last(Map<String, Double> values) {
        return new ArrayList<>(values.values()).get(values.size() - 1);
    }

    private static String bar(int x, int y, int width, int height, String colour) {
        return String.format(
                Locale.ROOT, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>%n", x, y, width, height, colour);
    }

    private static String text(int x, int y, String anchor, String colour, String more, String words) {
        String safe = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        return String.format(
                Locale.ROOT, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" fill=\"%s\"%s>%s</text>%n", x, y, anchor, colour, more, safe);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : "%.1f", value);
    }

    private static String sideBySide(Plot plot, Column column) {
        StringBuilder table = new StringBuilder("\n## " + plot.title + "\n![" + plot.title + "](" + plot.question + ".svg)\n\n| |");
        column.versions.forEach(version -> table.append(" Java ").append(version).append(" |"));
        table.append("\n|---|").append("---:|".repeat(column.versions.size())).append('\n');
        column.rows.forEach((row, values) -> {
            table.append("| ").append(row).append(" |");
            for (String version : column.versions) {
                Double value = values.get(version);
                table.append(' ').append(value == null ? "–" : number(value)).append(" |");
            }
            table.append('\n');
        });
        return table.toString();
    }
}
