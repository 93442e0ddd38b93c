package dev.perhaps.cli.placement;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Refusal;
import dev.perhaps.chord.store.FileClient;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.io.Figures;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps put}: keeps a file on a ring of peers. */
@Command(
        name = "put",
        description = {
            "Stores a file on a ring of peers, in several copies on different hosts.",
            "Prints its id, which 'get' takes, when all copies are on disk.",
            ""
        },
        footer = {
            "",
            "A name belongs to the file that it was first given to, until it is deleted.",
            "",
            "Examples:",
            "  perhaps put --via 127.0.0.1:7001 report.pdf",
            "  perhaps put --via 127.0.0.1:7001 report.pdf --name reports/2026",
            "  tar c src | perhaps put --via 127.0.0.1:7001 --replicas 2"
        },
        mixinStandardHelpOptions = true)
public final class PutCommand implements Callable<Integer> {
    private static final int DEFAULT_REPLICAS = 3;
    private static final int TRIES = 5;
    private static final long PAUSE_MILLIS = 1_000;

    @Parameters(
            paramLabel = "FILE",
            arity = "0..1",
            description = "The file; - is standard input (default: standard input).")
    private @Nullable String fileName;

    @Option(names = "--name", paramLabel = "NAME", description = "Also give the file this name.")
    private @Nullable String name;

    @Option(
            names = "--replicas",
            paramLabel = "N",
            description = "Number of copies, each on another host, 1 to 16 (default: ${DEFAULT-VALUE}).")
    private int replicas = DEFAULT_REPLICAS;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Mixin
    private RingOptions ring = new RingOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (replicas < 1) {
            throw new BadInput("--replicas must be at least 1, got " + replicas);
        }
        if (fileName != null && !fileName.equals("-")) {
            Path path = Path.of(fileName);
            if (!Files.isRegularFile(path)) {
                throw new NoSuchFileException(fileName, null, "there is no such regular file");
            }
            try (FileChannel file = FileChannel.open(path)) {
                put(file);
            }
            return ExitCodes.DONE;
        }
        // The id is asked for before the first byte is sent, so what comes once is kept meanwhile.
        try (FileChannel kept = unnamed()) {
            System.in.transferTo(Channels.newOutputStream(kept));
            put(kept);
        }
        return ExitCodes.DONE;
    }

    /**
     * Opens a file for the owner only, which the system deletes however the program ends: its name is removed at once.
     */
    private static FileChannel unnamed() throws IOException {
        return FileChannel.open(
                Files.createTempFile("perhaps-put", null),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
    }

    private void put(FileChannel file) throws IOException, InterruptedException {
        Id id = FileClient.idOf(file);
        for (int i = 1; ; i++) {
            try (FileClient client = ring.open()) {
                send(client, file, id);
                break;
            } catch (IOException e) {
                if (i == TRIES || e instanceof Refusal || !isPassing(String.valueOf(e.getMessage()))) {
                    throw e;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
        long bytes = file.size();
        if (json) {
            Console.println(Json.object(out -> {
                out.writeStringField("id", id.toString());
                out.writeNumberField("sizeBytes", bytes);
                out.writeNumberField("replicas", replicas);
            }));
        } else {
            Console.println(id + "  " + Figures.bytes(bytes) + ", " + replicas + (replicas == 1 ? " copy" : " copies"));
        }
    }

    /** A peer that should have a copy has just died; in a moment another takes its place. */
    private static boolean isPassing(String message) {
        return message.startsWith("not ") || message.contains("Connection refused") || message.contains("in time");
    }

    private void send(FileClient client, FileChannel file, Id id) throws IOException {
        if (name != null) {
            client.refuseTaken(name, id, replicas);
        }
        try (Progress progress = new Progress("putting", file.size())) {
            client.put(file, id, replicas, progress::read);
        }
        if (name != null) {
            client.name(name, id, replicas);
        }
    }
}
