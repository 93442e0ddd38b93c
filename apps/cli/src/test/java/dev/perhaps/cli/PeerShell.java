package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Peers as processes, all stopped at the end. */
public final class PeerShell implements AutoCloseable {
    private final Path folder;
    private final List<Shell.Running> running = new ArrayList<>();

    public PeerShell(Path folder) {
        this.folder = folder;
    }

    /** Starts {@code perhaps peer} with these arguments. */
    public Shell.Running start(String... arguments) throws Exception {
        return startAs(List.of(), List.of(), arguments);
    }

    /** By another command, whose words come first; and Java with these options. */
    Shell.Running startAs(List<String> first, List<String> options, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("peer"));
        words.addAll(Arrays.asList(arguments));
        Shell.Running peer = new Shell(folder).startAs(first, options, words.toArray(new String[0]));
        running.add(peer);
        return peer;
    }

    /** Waits for what a peer prints when it is ready, and gives its address. */
    public static String address(Shell.Running peer) throws Exception {
        Await.until("the peer is ready", () -> {
            if (!peer.process().isAlive()) {
                throw new AssertionError("it is not ready: " + Files.readString(peer.err()));
            }
            return Files.readString(peer.out()).endsWith("\n");
        });
        String lines = Files.readString(peer.out());
        assertThat(lines)
                .matches("listening on [0-9a-z.]+:[0-9]+, id [0-9a-f]{40}\n(page at http://127.0.0.1:[0-9]+/\n)?");
        return lines.substring("listening on ".length(), lines.indexOf(','));
    }

    @Override
    public void close() throws InterruptedException {
        for (Shell.Running peer : running) {
            peer.process().destroyForcibly().waitFor();
        }
    }
}
