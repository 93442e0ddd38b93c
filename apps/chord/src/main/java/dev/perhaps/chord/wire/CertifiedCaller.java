package dev.perhaps.chord.wire;

import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.Role;
import dev.perhaps.web.SafeText;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
import java.util.EnumSet;
import java.util.Set;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the other side according to its certificate.
 *
 * @param name the subject of the certificate
 * @param roles those that it names, and those that they include
 */
record CertifiedCaller(String name, Set<Role> roles) {
    /** Null without TLS, or before its handshake is done. */
    static @Nullable CertifiedCaller of(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        return tls == null ? null : of(ReloadingTls.certificate(tls));
    }

    static @Nullable CertifiedCaller of(SSLSession session) {
        return of(ReloadingTls.certificate(session));
    }

    private static @Nullable CertifiedCaller of(@Nullable X509Certificate certificate) {
        if (certificate == null) {
            return null;
        }
        Set<Role> roles = EnumSet.noneOf(Role.class);
        Role.of(certificate).forEach(named -> roles.addAll(ClusterSecret.rolesOf(named)));
        return new CertifiedCaller(
                SafeText.of(certificate.getSubjectX500Principal().getName()), roles);
    }
}
