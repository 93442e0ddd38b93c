package dev.perhaps.cli.lab;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Lab;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code perhaps lab list}: the experiments there are. */
@Command(
        name = "list",
        description = {"Lists all experiments and what they show.", ""},
        footer = {"", "Example:", "  perhaps lab list"},
        mixinStandardHelpOptions = true)
final class LabList implements Callable<Integer> {
    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (json) {
            Console.println(Json.object(out -> {
                out.writeArrayFieldStart("experiments");
                for (Experiment experiment : Lab.experiments()) {
                    out.writeStartObject();
                    out.writeStringField("name", experiment.name());
                    out.writeStringField("shows", experiment.shows());
                    out.writeEndObject();
                }
                out.writeEndArray();
            }));
            return ExitCodes.DONE;
        }
        for (Experiment experiment : Lab.experiments()) {
            Console.println(String.format(Locale.ROOT, "%-18s %s", experiment.name(), experiment.shows()));
        }
        return ExitCodes.DONE;
    }
}
