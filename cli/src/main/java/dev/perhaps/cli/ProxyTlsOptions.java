package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.proxy.net.ProxyServer;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** TLS for the clients of a proxy. */
final class ProxyTlsOptions {
    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description =
                    "Speak TLS with clients, HTTP/2 and HTTP/1.1: a PEM file with the certificate and those that lead"
                            + " to its authority (default: no TLS). Read again when it changes, and on SIGHUP.")
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

    /** @param siblings whether it has siblings, who speak to it where clients do, in the clear */
    void addTo(ProxyServer.Plan plan, boolean siblings) throws IOException {
        Path chain = certificate;
        Path secret = key;
        if (chain == null && secret == null && clientAuthority == null) {
            return;
        }
        if (chain == null || secret == null) {
            throw new BadInput(
                    "TLS takes both --tls-cert and --tls-key, got no " + (chain == null ? "--tls-cert" : "--tls-key"));
        }
        if (siblings) {
            throw new BadInput(
                    "--tls-cert and siblings exclude each other: siblings speak without TLS, on the port of the"
                            + " clients; let something in front of this proxy do TLS");
        }
        ReloadingTls.Plan tls = ReloadingTls.of(new TlsFiles(chain, secret, clientAuthority));
        plan.tls(clientAuthority == null ? tls : tls.clientsRequired(), Console::complain);
    }
}
