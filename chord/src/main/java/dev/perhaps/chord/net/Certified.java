package dev.perhaps.chord.net;

import dev.perhaps.web.ReloadingTls;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
import java.util.Set;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Who the other side is, as its certificate says.
 *
 * @param name the subject of the certificate
 * @param role the one that allows most of those it names; null if it names none
 */
record Certified(String name, @Nullable Role role) {
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
        Set<dev.perhaps.web.Role> named = dev.perhaps.web.Role.of(certificate);
        Role role = null;
        if (named.contains(dev.perhaps.web.Role.PEER)) {
            role = Role.PEER;
        } else if (named.contains(dev.perhaps.web.Role.OPERATOR)) {
            role = Role.OPERATOR;
        } else if (named.contains(dev.perhaps.web.Role.CLIENT)) {
            role = Role.CLIENT;
        }
        return new Certified(Printable.of(certificate.getSubjectX500Principal().getName()), role);
    }
}
