package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Origin;
import dev.perhaps.web.ReloadingTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * TLS to the origin, whose name must be the one on its certificate, signed by an authority that Java trusts; and to siblings, if they
 * have it, whose certificate must be signed by their authority and be for the host that is dialled.
 */
final class Tls {
    private final Origin origin;
    private final @Nullable SslContext context;
    private final @Nullable ReloadingTls siblings;

    /** @param siblings null: they are reached without TLS */
    Tls(Origin origin, @Nullable ReloadingTls siblings) throws IOException {
        this.origin = origin;
        this.siblings = siblings;
        this.context = origin.tls()
                ? SslContextBuilder.forClient()
                        .sslProvider(SslProvider.JDK)
                        .endpointIdentificationAlgorithm("HTTPS")
                        .build()
                : null;
    }

    /**
     * What encrypts a connection; null if nothing does.
     *
     * @param sibling whether it leads to a sibling
     */
    @Nullable
    ChannelHandler handler(Channel channel, Destination to, boolean sibling) {
        if (sibling) {
            InetSocketAddress at = to.address();
            return siblings == null ? null : siblings.connecting(channel, at.getHostString(), at.getPort());
        }
        if (!to.tls()) {
            return null;
        }
        if (context == null) {
            throw new IllegalStateException(origin + " is reached without TLS");
        }
        return context.newHandler(channel.alloc(), origin.host(), origin.port());
    }
}
