package dev.perhaps.cli.proxy;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.options.TlsOptions;
import dev.perhaps.proxy.net.ProxyPlan;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** TLS for the clients of a proxy. */
final class ProxyTlsOptions {
    @Mixin
    private TlsOptions own = new TlsOptions();

    @Option(
            names = "--sibling-ca",
            paramLabel = "FILE",
            description =
                    "Connect to siblings over TLS: a PEM file with the authority that signs their certificates and"
                            + " that of --tls-cert, and nothing else. Theirs must be valid for the HOST of --sibling or,"
                            + " on a ring, of --advertise.")
    private @Nullable Path siblingAuthority;

    /**
     * What a proxy reaches its siblings with; null: without TLS.
     *
     * @param wanted whether it has some, who speak to it where clients do
     */
    @Nullable
    ReloadingTls siblings(boolean wanted) throws IOException {
        if (!own.isWanted() && siblingAuthority == null) {
            return null;
        }
        TlsFiles files = own.files("TLS", siblingAuthority);
        if (siblingAuthority == null) {
            if (wanted) {
                throw new BadInput("siblings of a proxy with --tls-cert are reached over TLS: give --sibling-ca, the"
                        + " authority that signs their certificates");
            }
            return null;
        }
        if (!wanted) {
            throw new BadInput("--sibling-ca is for siblings: give --sibling NAME=HOST:PORT or --ring HOST:PORT");
        }
        if (own.isForKnownClients()) {
            throw new BadInput("--sibling-ca and --tls-client-ca exclude each other: the certificate of a client would"
                    + " be accepted as that of a sibling");
        }
        // It watches the same files as that for clients, and would say the same of them. Siblings are asked over
        // HTTP/1.1.
        return ReloadingTls.of(files).mutual().applications("http/1.1").open(line -> {});
    }

    /**
     * Adds TLS to a proxy.
     *
     * @param siblings what {@link #siblings} has returned
     */
    ProxyPlan addTo(ProxyPlan plan, @Nullable ReloadingTls siblings) throws IOException {
        if (!own.isWanted()) {
            return plan;
        }
        if (siblings != null) {
            ReloadingTls.Plan tls =
                    ReloadingTls.of(own.files("TLS", siblingAuthority)).mutual();
            return plan.tls(tls.clientsOptional(), Console::complain).siblingTls(siblings);
        }
        return plan.tls(own.forClients(), Console::complain);
    }

    /** Returns the TLS settings for the peers of a ring, signed by this authority; null for a ring without TLS. */
    @Nullable
    ReloadingTls ring(@Nullable Path ringAuthority) throws IOException {
        if (ringAuthority == null) {
            return null;
        }
        return ReloadingTls.of(own.files("--ring-ca", ringAuthority)).mutual().open(line -> {});
    }
}
