package dev.perhaps.chord.net;

import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.Role;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
import java.util.EnumSet;
import java.util.Set;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Who the other side is, as its certificate says.
 *
 * @param name the subject of the certificate
 * @param roles those that it names, and those that they include
 */
record Certified(String name, Set<Role> roles) {
    /** Null without TLS, or before its handshake is done. */
    static @Nullable Certified of(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        return tls == null ? null : of(ReloadingTls.certificate(tls));
    }

    static @Nullable Certified of(SSLSession session) {
        return of(ReloadingTls.certificate(session));
    }

    private static @Nullable Certified of(@Nullable X509Certificate certificate) {
        if (certificate == null) {
            return null;
        }
        Set<Role> roles = EnumSet.noneOf(Role.class);
        Role.of(certificate).forEach(named -> roles.addAll(Secret.rolesOf(named)));
        return new Certified(Printable.of(certificate.getSubjectX500Principal().getName()), roles);
    }
}
