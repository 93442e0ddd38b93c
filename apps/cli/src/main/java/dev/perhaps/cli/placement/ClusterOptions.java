package dev.perhaps.cli.placement;

import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.chord.cluster.RevokedHolders;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
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

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description =
                    "Speak TLS: a PEM file with the certificate, which names a role: perhaps:client, perhaps:operator or"
                            + " perhaps:peer (default: no TLS).")
    private @Nullable Path certificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description =
                    "The private key of --tls-cert: a PEM file, PKCS#8, not encrypted, not readable by everybody.")
    private @Nullable Path key;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description =
                    "A PEM file with the authority that has signed --tls-cert and the certificates of all others.")
    private @Nullable Path authority;

    /** For a command that ends soon. */
    Cluster cluster() throws IOException {
        Optional<ReloadingTls.Plan> tls = tls();
        return new Cluster(
                name, secret(), tls.isPresent() ? Optional.of(tls.get().openOnce()) : Optional.empty());
    }

    /** For a peer, which reads its certificate again when it changes. */
    Cluster cluster(@Nullable Path revoked, Consumer<String> log) throws IOException {
        Optional<ReloadingTls.Plan> tls = tls();
        return new Cluster(
                name,
                secret(),
                tls.isPresent() ? Optional.of(tls.get().open(log)) : Optional.empty(),
                revoked == null ? RevokedHolders.none() : revokedIn(revoked, log));
    }

    private static RevokedHolders revokedIn(Path file, Consumer<String> log) {
        try {
            return RevokedHolders.read(file, log);
        } catch (IOException e) {
            throw new BadInput("--revoked " + file
                    + " cannot be read: name a text file (UTF-8) with one holder per line, at most 1 MiB");
        }
    }

    private Optional<ClusterSecret> secret() throws IOException {
        return secretFile == null ? Optional.empty() : Optional.of(ClusterSecret.read(secretFile));
    }

    private Optional<ReloadingTls.Plan> tls() {
        if (certificate == null && key == null && authority == null) {
            return Optional.empty();
        }
        if (certificate == null || key == null || authority == null) {
            throw new BadInput("TLS takes --tls-cert, --tls-key and --tls-ca, got no "
                    + (certificate == null ? "--tls-cert" : key == null ? "--tls-key" : "--tls-ca"));
        }
        return Optional.of(
                ReloadingTls.of(new TlsFiles(certificate, key, authority)).mutual());
    }
}
