package dev.perhaps.chord.net;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What all peers of a cluster know and nobody else. It never goes over a connection, only proofs of it do. */
public final class Secret {
    public static final int LEAST_BYTES = 16;

    private static final int MOST_BYTES = 1 << 16;
    private static final String ALGORITHM = "HmacSHA256";

    /** Stands for having none: it proves nothing, and lets the handshake be the same. */
    static final Secret NONE =
            new Secret("a cluster without a secret".getBytes(java.nio.charset.StandardCharsets.UTF_8));

    private final byte[] bytes;

    private Secret(byte[] bytes) {
        this.bytes = bytes;
    }

    public static Secret of(byte[] bytes) {
        if (bytes.length < LEAST_BYTES || bytes.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "a secret has " + LEAST_BYTES + " to " + MOST_BYTES + " bytes, got " + bytes.length);
        }
        return new Secret(bytes.clone());
    }

    /** The bytes of a file, without the newline at its end. */
    public static Secret read(Path file) throws IOException {
        if (Files.size(file) > MOST_BYTES) {
            throw new IllegalArgumentException(file + ": a secret has at most " + MOST_BYTES + " bytes");
        }
        byte[] all = Files.readAllBytes(file);
        int end = all.length;
        while (end > 0 && (all[end - 1] == '\n' || all[end - 1] == '\r')) {
            end--;
        }
        try {
            return of(Arrays.copyOf(all, end));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /** HMAC-SHA-256 of these bytes. */
    byte[] prove(byte[] statement) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes, ALGORITHM));
            return mac.doFinal(statement);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /** Compares in a time that does not tell where the two differ. */
    boolean isProof(byte[] statement, byte[] proof) {
        return MessageDigest.isEqual(prove(statement), proof);
    }
}
