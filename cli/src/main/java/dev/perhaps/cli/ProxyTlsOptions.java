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

    @Option(
            names = "--sibling-ca",
            paramLabel = "FILE",
            description =
                    "Reach siblings over TLS with --tls-cert: its certificate and theirs are signed by one in this"
                            + " PEM file, and theirs are for the HOST of --sibling. Sign siblings only with it.")
    private @Nullable Path siblingAuthority;

    /**
     * Adds TLS to a proxy.
     *
     * @param siblings whether it has some, who speak to it where clients do
     * @param onRing whether it looks for some on a ring
     * @return what it reaches its siblings with; null: without TLS
     */
    @Nullable
    ReloadingTls addTo(ProxyServer.Plan plan, boolean siblings, boolean onRing) throws IOException {
        Path chain = certificate;
        Path secret = key;
        if (chain == null && secret == null && clientAuthority == null && siblingAuthority == null) {
            return null;
        }
        if (chain == null || secret == null) {
            throw new BadInput(
                    "TLS takes both --tls-cert and --tls-key, got no " + (chain == null ? "--tls-cert" : "--tls-key"));
        }
        if (onRing) {
            throw new BadInput("--ring and --tls-cert exclude each other: name siblings that have TLS with --sibling");
        }
        if (siblings || siblingAuthority != null) {
            return addWithSiblings(plan, chain, secret, siblings);
        }
        ReloadingTls.Plan tls = ReloadingTls.of(new TlsFiles(chain, secret, clientAuthority));
        plan.tls(clientAuthority == null ? tls : tls.clientsRequired(), Console::complain);
        return null;
    }

    private ReloadingTls addWithSiblings(ProxyServer.Plan plan, Path chain, Path secret, boolean siblings)
            throws IOException {
        if (siblingAuthority == null) {
            throw new BadInput("siblings of a proxy with --tls-cert are reached over TLS: give --sibling-ca, the"
                    + " authority that signs their certificates");
        }
        if (!siblings) {
            throw new BadInput("--sibling-ca is for siblings: give --sibling NAME=HOST:PORT");
        }
        if (clientAuthority != null) {
            throw new BadInput("--sibling-ca and --tls-client-ca exclude each other: the certificate of a client would"
                    + " pass for that of a sibling");
        }
        ReloadingTls.Plan tls =
                ReloadingTls.of(new TlsFiles(chain, secret, siblingAuthority)).mutual();
        plan.tls(tls.clientsOptional(), Console::complain);
        // It watches the same files, and would say the same of them again. Siblings are asked over HTTP/1.1.
        ReloadingTls own = tls.applications("http/1.1").open(line -> {});
        plan.siblingTls(own);
        return own;
    }
}
