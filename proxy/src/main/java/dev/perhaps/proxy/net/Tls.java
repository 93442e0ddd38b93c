package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Origin;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** TLS to the origin, whose name must be the one on its certificate, signed by somebody whom Java trusts. */
final class Tls {
    private final Origin origin;
    private final @Nullable SslContext context;

    Tls(Origin origin) throws IOException {
        this.origin = origin;
        this.context = origin.tls()
                ? SslContextBuilder.forClient()
                        .sslProvider(SslProvider.JDK)
                        .endpointIdentificationAlgorithm("HTTPS")
                        .build()
                : null;
    }

    ChannelHandler handler(Channel channel) {
        if (context == null) {
            throw new IllegalStateException(origin + " is reached without TLS");
        }
        return context.newHandler(channel.alloc(), origin.host(), origin.port());
    }
}
