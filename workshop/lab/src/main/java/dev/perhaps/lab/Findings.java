package dev.perhaps.lab;

import dev.perhaps.io.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The findings of an experiment: tables, plots, remarks, and which expectations held. */
public final class Findings {
    private final Experiment experiment;
    private final List<ResultTable> tables = new ArrayList<>();
    private final List<ResultTable> longTables = new ArrayList<>();
    private final List<Plot> plots = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final List<Expectation> expectations = new ArrayList<>();

    public Findings(Experiment experiment) {
        this.experiment = experiment;
    }

    public Findings add(ResultTable table) {
        tables.add(table);
        return this;
    }

    /** Adds a table that is too long to be read: it goes into files only. */
    public Findings addLong(ResultTable table) {
        longTables.add(table);
        return this;
    }

    public Findings add(Plot plot) {
        plots.add(plot);
        return this;
    }

    public Findings expect(Expectation expectation) {
        expectations.add(expectation);
        return this;
    }

    /** Says something that a reader of the tables should know. */
    public Findings remark(String sentence) {
        remarks.add(sentence);
        return this;
    }

    public Experiment experiment() {
        return experiment;
    }

    /** The tables for people; longer ones are in the files only. */
    public List<ResultTable> tables() {
        return Collections.unmodifiableList(tables);
    }

    public List<Plot> plots() {
        return Collections.unmodifiableList(plots);
    }

    public List<String> remarks() {
        return Collections.unmodifiableList(remarks);
    }

    public List<Expectation> expectations() {
        return Collections.unmodifiableList(expectations);
    }

    public boolean held() {
        return expectations.stream().allMatch(Expectation::held);
    }

    /** Returns tables, remarks and expectations as plain text. */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (ResultTable table : tables) {
            text.append(table.title()).append("\n\n").append(table.markdown()).append('\n');
        }
        for (String remark : remarks) {
            text.append(remark).append("\n");
        }
        text.append(remarks.isEmpty() ? "" : "\n");
        for (Expectation expectation : expectations) {
            text.append(expectation).append('\n');
        }
        return text.toString();
    }

    /**
     * Writes NAME.md, one NAME-TABLE.csv per table, and NAME-PLOT.svg and .png per plot into a folder; each file is
     * complete or not there.
     *
     * @return the files
     */
    public List<Path> save(Path folder) throws IOException {
        Files.createDirectories(folder);
        List<Path> files = new ArrayList<>();
        List<ResultTable> all = new ArrayList<>(tables);
        all.addAll(longTables);
        for (ResultTable table : all) {
            files.add(text(folder.resolve(fileName(table.name()) + ".csv"), table.csv()));
        }
        for (Plot plot : plots) {
            Path svg = folder.resolve(fileName(plot.name()) + ".svg");
            WholeFile.write(svg, plot::writeSvg);
            files.add(svg);
            Path png = folder.resolve(fileName(plot.name()) + ".png");
            WholeFile.write(png, plot::writePng);
            files.add(png);
        }
        files.add(text(folder.resolve(experiment.name() + ".md"), page()));
        return files;
    }

    private String fileName(String part) {
        return experiment.name() + "-" + part;
    }

    private static Path text(Path file, String text) throws IOException {
        WholeFile.write(file, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
        return file;
    }

    private String page() {
        StringBuilder page = new StringBuilder();
        page.append("# ").append(experiment.name()).append("\n");
        page.append(experiment.shows()).append("\n\n");
        for (Plot plot : plots) {
            page.append("![").append(plot.title()).append("](");
            page.append(fileName(plot.name())).append(".svg)\n\n");
        }
        for (ResultTable table : tables) {
            page.append("## ").append(table.title()).append("\n").append(table.markdown());
            page.append('\n');
        }
        for (ResultTable table : longTables) {
            page.append(table.title())
                    .append(": `")
                    .append(fileName(table.name()))
                    .append(".csv`\n\n");
        }
        for (String remark : remarks) {
            page.append(remark).append("\n\n");
        }
        page.append("## What was expected\n");
        for (Expectation expectation : expectations) {
            page.append("- ").append(expectation.held() ? "held: " : "**FAILED**: ");
            page.append(expectation.claim()).append(": ").append(expectation.measured());
            page.append(" (").append(expectation.tolerance()).append(")\n");
        }
        return page.toString();
    }
}
