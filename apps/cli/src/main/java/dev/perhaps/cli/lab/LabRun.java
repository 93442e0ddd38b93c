package dev.perhaps.cli.lab;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Lab;
import dev.perhaps.lab.ResultTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps lab run}: runs an experiment, writes what it found and says what of it was expected. */
@Workload(Workload.Kind.EXPERIMENT)
@Command(
        name = "run",
        description = {
            "Runs an experiment, prints its tables and which of its expectations held.",
            "With -o it also writes them into a folder, with plots.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 all expectations held, 1 one failed, 2 bad usage.",
            "",
            "Examples:",
            "  perhaps lab run false-positives -o found",
            "  perhaps lab run paradox --seeds 100 -o found"
        },
        mixinStandardHelpOptions = true)
final class LabRun implements Callable<Integer> {
    private static final int EXPECTATION_FAILED = 1;

    @Parameters(paramLabel = "NAME", description = "The experiment: see 'perhaps lab list'.")
    private String name = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "DIR",
            description = "Where tables (Markdown, CSV) and plots (SVG, PNG) go; created if it does not exist.")
    private @Nullable Path folder;

    @Option(names = "--seeds", paramLabel = "N", description = "Repeat with N different seeds.")
    private @Nullable Integer seeds;

    @Option(names = "--quick", description = "Smaller sizes, to see that it works; the figures are rougher.")
    private boolean quick;

    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Experiment experiment = Lab.experiment(name);
        if (seeds != null && (seeds < 1 || seeds > Conditions.MAX_SEEDS)) {
            throw new BadInput("--seeds must be in 1.." + Conditions.MAX_SEEDS + ", got " + seeds);
        }
        // What would fail at the end fails now, not after minutes of work.
        if (folder != null) {
            if (Files.exists(folder) && !Files.isDirectory(folder)) {
                throw new BadInput(folder + " is a file: -o needs a folder");
            }
            Files.createDirectories(folder);
        }
        System.setProperty("java.awt.headless", "true");
        long start = System.nanoTime();
        Findings findings;
        try (LabWatch watch = new LabWatch(experiment.name())) {
            findings = experiment.run(new Conditions(seeds == null ? 0 : seeds, quick, watch));
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        List<Path> files = folder == null ? List.of() : findings.save(folder);
        if (json) {
            Console.println(json(findings, files, seconds));
        } else {
            Console.print(findings.text());
            Console.println("");
            Console.println(summary(findings, files, seconds));
        }
        return findings.held() ? ExitCodes.DONE : EXPECTATION_FAILED;
    }

    private String summary(Findings findings, List<Path> files, double seconds) {
        long held = findings.expectations().stream().filter(Expectation::held).count();
        String where = files.isEmpty() ? "" : "; " + files.size() + " files in " + folder;
        return String.format(
                Locale.ROOT,
                "%d of %d expectations held, in %.1f s%s",
                held,
                findings.expectations().size(),
                seconds,
                where);
    }

    private static String json(Findings findings, List<Path> files, double seconds) throws IOException {
        return Json.object(out -> {
            out.writeStringField("experiment", findings.experiment().name());
            out.writeBooleanField("held", findings.held());
            out.writeNumberField("seconds", seconds);
            out.writeArrayFieldStart("expectations");
            for (Expectation expectation : findings.expectations()) {
                out.writeStartObject();
                out.writeStringField("expectation", expectation.claim());
                out.writeStringField("measured", expectation.measured());
                out.writeStringField("tolerance", expectation.tolerance());
                out.writeBooleanField("held", expectation.held());
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeArrayFieldStart("tables");
            for (ResultTable table : findings.tables()) {
                table(out, table);
            }
            out.writeEndArray();
            out.writeArrayFieldStart("remarks");
            for (String remark : findings.remarks()) {
                out.writeString(remark);
            }
            out.writeEndArray();
            out.writeArrayFieldStart("files");
            for (Path file : files) {
                out.writeString(file.toString());
            }
            out.writeEndArray();
        });
    }

    /** A table as its name, its title, and a list of rows, each an object with one field per column. */
    private static void table(JsonGenerator out, ResultTable table) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", table.name());
        out.writeStringField("title", table.title());
        out.writeArrayFieldStart("rows");
        for (List<Object> row : table.rows()) {
            out.writeStartObject();
            for (int i = 0; i < row.size(); i++) {
                out.writeFieldName(table.columns().get(i).name());
                if (row.get(i) instanceof Double number && !Double.isFinite(number)) {
                    out.writeNull();
                } else {
                    Json.value(out, row.get(i));
                }
            }
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }
}
