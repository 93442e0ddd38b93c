package dev.perhaps.cli;

import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.Secret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which ring of peers a command is about, and how it gets in. */
final class ClusterOptions {
    @Option(
            names = "--cluster",
            paramLabel = "NAME",
            description = "The name of the cluster (default: " + Cluster.USUAL_NAME + ").")
    private String name = Cluster.USUAL_NAME;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description =
                    "A file with the cluster's secret, 16 bytes or more, or with one that was granted; not readable by everybody.")
    private @Nullable Path secretFile;

    Cluster cluster() throws IOException {
        return new Cluster(name, secretFile == null ? Optional.empty() : Optional.of(Secret.read(secretFile)));
    }
}
