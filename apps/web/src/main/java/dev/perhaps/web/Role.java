package dev.perhaps.web;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What the holder of a certificate may do. A certificate names its roles as URIs among its subject alternative names:
 * {@code perhaps:client}, {@code perhaps:peer}, {@code perhaps:operator}. A certificate without such a URI has no role.
 * Each program defines which role includes which.
 *
 * <pre>{@code
 * openssl req … -addext "subjectAltName=DNS:peer1.example.org,URI:perhaps:peer"
 * }</pre>
 */
public enum Role {
    /** Stores, reads and deletes. */
    CLIENT,
    /** Belongs to the cluster: a peer of a ring, a sibling of a proxy. */
    PEER,
    /** Decides about the cluster itself, such as which peers it has lost. */
    OPERATOR;

    private static final String SCHEME = "perhaps:";
    private static final int URI = 6; // the number of this kind of name, RFC 5280, section 4.2.1.6
    private static final int MAX_NAMES = 1_000;

    /** The name of the role in a certificate. */
    public String uri() {
        return SCHEME + name().toLowerCase(Locale.ROOT);
    }

    /** Returns the roles that a certificate names. The certificate must have been verified by TLS before. */
    public static Set<Role> of(X509Certificate certificate) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        Collection<List<?>> names;
        try {
            names = certificate.getSubjectAlternativeNames();
        } catch (CertificateParsingException e) {
            return roles;
        }
        if (names == null || names.size() > MAX_NAMES) {
            return roles;
        }
        for (List<?> name : names) {
            if (name.size() == 2 && Integer.valueOf(URI).equals(name.get(0))) {
                for (Role role : values()) {
                    if (role.uri().equals(name.get(1))) {
                        roles.add(role);
                    }
                }
            }
        }
        return roles;
    }
}
