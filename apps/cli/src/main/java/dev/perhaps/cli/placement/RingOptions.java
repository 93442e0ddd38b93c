package dev.perhaps.cli.placement;

import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.store.FileClient;
import java.io.IOException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Through which peer a command reaches the files of a ring. */
final class RingOptions {
    @Option(names = "--via", paramLabel = "HOST:PORT", required = true, description = "A peer of the ring.")
    @SuppressWarnings("NullAway.Init") // required
    private String via;

    @Mixin
    private ClusterOptions clusterOptions = new ClusterOptions();

    FileClient open() throws IOException {
        return FileClient.open(HostPort.of(via), clusterOptions.cluster());
    }
}
