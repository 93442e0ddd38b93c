package dev.perhaps.cli.placement;

import dev.perhaps.chord.store.FileClient;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code perhaps delete}: a file, or a name, from a ring of peers. */
@Command(
        name = "delete",
        description = {
            "Deletes a file, or a name of one, from a ring of peers.",
            "If a name is deleted, the file stays. Exit code 0 also if there was no such file.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps delete --via 127.0.0.1:7001 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "  perhaps delete --via 127.0.0.1:7001 --name reports/2026"
        },
        mixinStandardHelpOptions = true)
public final class DeleteCommand implements Callable<Integer> {
    @Mixin
    private FileChoice choice = new FileChoice();

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Mixin
    private RingOptions ring = new RingOptions();

    @Override
    public Integer call() throws IOException {
        choice.check();
        try (FileClient client = ring.open()) {
            Optional<String> name = choice.name();
            boolean deleted = name.isPresent()
                    ? client.deleteName(name.get())
                    : client.delete(choice.id(client).orElseThrow());
            if (json) {
                Console.println(Json.object(out -> out.writeBooleanField("deleted", deleted)));
            } else {
                Console.say(deleted ? choice + " is deleted" : "perhaps: " + choice + " does not exist");
            }
            return ExitCodes.DONE;
        }
    }
}
