package dev.perhaps.cli.options;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.TlsFiles;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The certificate of a program that clients reach, and whether they need one too. */
public final class TlsOptions {
    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "Speak TLS with clients: a PEM file with the certificate and those that lead to its authority"
                    + " (default: no TLS). Read again when it changes, and on SIGHUP.")
    private @Nullable Path certificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description =
                    "The private key of --tls-cert: a PEM file, PKCS#8, not encrypted, not readable by everybody.")
    private @Nullable Path key;

    @Option(
            names = "--tls-client-ca",
            paramLabel = "FILE",
            description = "Serve only clients with a certificate that is signed by one in this PEM file"
                    + " (default: clients need none).")
    private @Nullable Path clientAuthority;

    /** Returns true if any of these options is given. */
    public boolean isWanted() {
        return certificate != null || key != null || clientAuthority != null;
    }

    /** Returns true if clients need a certificate. */
    public boolean isForKnownClients() {
        return clientAuthority != null;
    }

    /**
     * Returns the certificate and its key, with this authority for those on the other side.
     *
     * @param why the option that needs them, named if one is missing
     */
    public TlsFiles files(String why, @Nullable Path authority) {
        if (certificate == null || key == null) {
            throw new BadInput(why + " takes both --tls-cert and --tls-key, got no "
                    + (certificate == null ? "--tls-cert" : "--tls-key"));
        }
        return new TlsFiles(certificate, key, authority);
    }

    /** Returns TLS for clients. */
    public ReloadingTls.Plan forClients() {
        ReloadingTls.Plan plan = ReloadingTls.of(files("TLS", clientAuthority));
        return clientAuthority == null ? plan : plan.clientsRequired();
    }
}
