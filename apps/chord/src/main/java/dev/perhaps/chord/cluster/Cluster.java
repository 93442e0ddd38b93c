package dev.perhaps.chord.cluster;

import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.SafeText;
import java.util.Optional;

/**
 * Which peers belong together.
 *
 * @param name peers of another name are refused
 * @param secret peers without it are refused; without a secret and TLS, all peers must be on one machine
 * @param tls both ends of every connection show a certificate of the same authority, which says what each may do
 * @param revoked holders whose secrets and certificates are refused although they are valid
 */
public record Cluster(String name, Optional<ClusterSecret> secret, Optional<ReloadingTls> tls, RevokedHolders revoked) {
    /** The default name. */
    public static final String USUAL_NAME = "perhaps";

    private static final int MAX_NAME_LETTERS = 100;

    /** Checks the name. */
    public Cluster {
        if (name.isEmpty() || name.length() > MAX_NAME_LETTERS || !name.equals(SafeText.of(name))) {
            throw new IllegalArgumentException("a cluster's name has 1 to " + MAX_NAME_LETTERS
                    + " characters, none of them a control character, got '" + SafeText.of(name) + "'");
        }
    }

    /** Creates a cluster without revoked certificates. */
    public Cluster(String name, Optional<ClusterSecret> secret, Optional<ReloadingTls> tls) {
        this(name, secret, tls, RevokedHolders.none());
    }

    /** Without TLS. */
    public Cluster(String name, Optional<ClusterSecret> secret) {
        this(name, secret, Optional.empty());
    }

    /** The usual name, and no secret: for peers of one machine. */
    public static Cluster open() {
        return new Cluster(USUAL_NAME, Optional.empty());
    }
}
