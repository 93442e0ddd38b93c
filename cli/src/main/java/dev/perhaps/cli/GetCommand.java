package dev.perhaps.cli;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.store.FileClient;
import dev.perhaps.io.Figures;
import dev.perhaps.io.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code perhaps get}: a file from a ring of peers. */
@Command(
        name = "get",
        description = {
            "Gets a file from a ring of peers, and checks that it is the one that was put.",
            "Exit 1 if there is no such file; 2 if it cannot be reached now, which is not the same.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps get --via 127.0.0.1:7001 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b -o report.pdf",
            "  perhaps get --via 127.0.0.1:7001 --name reports/2026 -o report.pdf"
        },
        mixinStandardHelpOptions = true)
final class GetCommand implements Callable<Integer> {
    @Mixin
    private FileChoice choice = new FileChoice();

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "FILE",
            required = true,
            description = "Write it here.")
    @SuppressWarnings("NullAway.Init") // required
    private Path output;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Mixin
    private RingOptions ring = new RingOptions();

    @Override
    public Integer call() throws IOException {
        choice.check();
        WholeFile.check(output);
        try (FileClient client = ring.open()) {
            Optional<Id> id = choice.id(client);
            Optional<FileClient.Arrival> arrival = id.isEmpty() ? Optional.empty() : client.get(id.get());
            if (arrival.isEmpty()) {
                Console.say("perhaps: " + choice + " does not exist");
                return Main.NOTHING_FOUND;
            }
            long bytes = arrival.get().sizeBytes();
            try (Progress progress = new Progress("getting", bytes)) {
                WholeFile.write(output, out -> arrival.get().writeTo(out, progress::read));
            }
            if (json) {
                Console.println(Json.object(out -> {
                    out.writeStringField("id", id.get().toString());
                    out.writeNumberField("sizeBytes", bytes);
                }));
            } else {
                Console.say(id.get() + "  " + Figures.bytes(bytes));
            }
            return Main.DONE;
        }
    }
}
