package dev.perhaps.proxy.siblings;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The secret that siblings share: requests between them carry a proof of knowing it, valid for one request within a
 * minute, and digests carry a proof that they are the response to that request. Safe for any number of threads.
 */
public final class SiblingSecret {
    /*
     *     Perhaps-Sibling: 1 NAME MILLIS NONCE MAC        MAC = HMAC-SHA256(secret, "perhaps-sibling 1" LF method LF target LF
     *                                                                       name LF millis LF nonce)
     *     Perhaps-Answer: MAC                             MAC = HMAC-SHA256(secret, "perhaps-answer 1" LF nonce LF
     *                                                                       SHA-256 of the body in hexadecimal digits)
     *     NAME HOST:PORT MAC                              MAC = HMAC-SHA256(secret, "perhaps-place 1" LF origin LF name LF address)
     *
     * A nonce counts once: those of the last two minutes are remembered, up to a limit beyond which requests are refused, for
     * forgetting one would let it be used again.
     */
    static final String REQUEST = "Perhaps-Sibling";
    static final String ANSWER = "Perhaps-Answer";

    private static final String ALGORITHM = "HmacSHA256";
    private static final long TOLERANCE_MILLIS = 60_000;
    private static final int MAX_NONCES = 200_000;
    private static final int MIN_BYTES = 16;

    private final byte[] key;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Long> seen = new LinkedHashMap<>();

    private SiblingSecret(byte[] key) {
        this.key = key;
    }

    /** Creates a secret of at least 16 bytes. */
    public static SiblingSecret of(byte[] bytes) {
        if (bytes.length < MIN_BYTES) {
            throw new IllegalArgumentException("a secret has at least " + MIN_BYTES + " bytes, got " + bytes.length);
        }
        return new SiblingSecret(bytes.clone());
    }

    /** Returns a number that only holders of the secret can compute, and that does not reveal the secret. */
    public long derive(String purpose) {
        byte[] mac = mac("perhaps-derive 1\n" + purpose);
        return java.nio.ByteBuffer.wrap(mac).getLong();
    }

    /** What was signed, to check the response with. */
    record Signed(String header, String nonce) {}

    Signed sign(String method, String target, String name, long nowMillis) {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        String nonce = HexFormat.of().formatHex(bytes);
        String rest = name + " " + nowMillis + " " + nonce;
        return new Signed("1 " + rest + " " + hex(request(method, target, rest)), nonce);
    }

    private byte[] request(String method, String target, String rest) {
        return mac("perhaps-sibling 1\n" + method + "\n" + target + "\n" + rest.replace(' ', '\n'));
    }

    /** Returns the nonce of a request; null if its signature is missing, wrong, expired or used before. */
    @Nullable
    String check(String method, String target, @Nullable String header, long nowMillis) {
        String[] parts = header == null ? new String[0] : header.split(" ", -1);
        if (parts.length != 5 || !parts[0].equals("1") || !parts[2].matches("\\d{1,15}")) {
            return null;
        }
        byte[] expected = request(method, target, parts[1] + " " + parts[2] + " " + parts[3]);
        if (!MessageDigest.isEqual(
                        hex(expected).getBytes(StandardCharsets.UTF_8), parts[4].getBytes(StandardCharsets.UTF_8))
                || Math.abs(nowMillis - Long.parseLong(parts[2])) > TOLERANCE_MILLIS) {
            return null;
        }
        return firstTime(parts[3], nowMillis) ? parts[3] : null;
    }

    private boolean firstTime(String nonce, long nowMillis) {
        synchronized (seen) {
            Iterator<Long> times = seen.values().iterator();
            while (times.hasNext() && nowMillis - times.next() > 2 * TOLERANCE_MILLIS) {
                times.remove();
            }
            return seen.size() < MAX_NONCES && seen.putIfAbsent(nonce, nowMillis) == null;
        }
    }

    String signAnswer(String nonce, byte[] body) {
        return hex(mac("perhaps-answer 1\n" + nonce + "\n" + hex(sha256(body))));
    }

    boolean checkAnswer(String nonce, byte[] body, @Nullable String header) {
        return header != null
                && MessageDigest.isEqual(
                        signAnswer(nonce, body).getBytes(StandardCharsets.UTF_8),
                        header.getBytes(StandardCharsets.UTF_8));
    }

    /** Proves that the proxy of this name, before this origin, is reached at this address. */
    String signPlace(String origin, String name, String address) {
        return hex(mac("perhaps-place 1\n" + origin + "\n" + name + "\n" + address));
    }

    boolean checkPlace(String origin, String name, String address, String proof) {
        return MessageDigest.isEqual(
                signPlace(origin, name, address).getBytes(StandardCharsets.UTF_8),
                proof.getBytes(StandardCharsets.UTF_8));
    }

    private byte[] mac(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    private static byte[] sha256(byte[] body) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
