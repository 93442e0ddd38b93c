package dev.perhaps.cli.placement;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.store.FileClient;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.options.Output;
import dev.perhaps.io.Figures;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code perhaps get}: a file from a ring of peers. */
@Command(
        name = "get",
        description = {
            "Fetches a file from a ring of peers, and checks that it is the one that was put.",
            "Exit code 1 if there is no such file; 2 if it cannot be reached now, which is not the same.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps get --via 127.0.0.1:7001 -o report.pdf \\",
            "    9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "  perhaps get --via 127.0.0.1:7001 --name reports/2026 -o report.pdf"
        },
        mixinStandardHelpOptions = true)
public final class GetCommand implements Callable<Integer> {
    @Mixin
    private FileChoice choice = new FileChoice();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            required = true,
            description = "Write it here.")
    @SuppressWarnings("NullAway.Init") // required
    private Output output;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Mixin
    private RingOptions ring = new RingOptions();

    @Override
    public Integer call() throws IOException {
        choice.check();
        output.check();
        try (FileClient client = ring.open()) {
            Optional<Id> id = choice.id(client);
            Optional<FileClient.Arrival> arrival = id.isEmpty() ? Optional.empty() : client.get(id.get());
            if (arrival.isEmpty()) {
                Console.say("perhaps: " + choice + " does not exist");
                return ExitCodes.NOTHING_FOUND;
            }
            long bytes = arrival.get().sizeBytes();
            try (Progress progress = new Progress("getting", bytes)) {
                output.write(out -> arrival.get().writeTo(out, progress::read));
            }
            if (json) {
                output.report(Json.object(out -> {
                    out.writeStringField("id", id.get().toString());
                    out.writeNumberField("sizeBytes", bytes);
                }));
            } else {
                Console.say(id.get() + "  " + Figures.bytes(bytes));
            }
            return ExitCodes.DONE;
        }
    }
}
