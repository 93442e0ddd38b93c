package dev.perhaps.chord.wire;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The tags of all frames that go one way over a connection. A tag is good for one frame, at one place in the order: what was
 * changed, left out, repeated or sent back has another. Confined to one thread at a time.
 */
public final class FrameSeal {
    /** Of the 32 bytes of an HMAC-SHA-256, the first half. */
    static final int TAG_BYTES = 16;

    private static final String ALGORITHM = "HmacSHA256";

    private final Mac mac;
    private long frames;

    FrameSeal(byte[] key) {
        this.mac = mac(key);
    }

    private static Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, e);
        }
    }

    public static byte[] hmac(byte[] key, byte[] statement) {
        return mac(key).doFinal(statement);
    }

    /** The tag of the next frame. */
    byte[] next(int type, byte[] bytes, int from, int length) {
        mac.update(ByteBuffer.allocate(Long.BYTES + Integer.BYTES + Byte.BYTES)
                .putLong(frames++)
                .putInt(length)
                .put((byte) type)
                .array());
        mac.update(bytes, from, length);
        return Arrays.copyOf(mac.doFinal(), TAG_BYTES);
    }

    /** Returns true if the tag is the next one; compares in constant time. */
    boolean isNext(byte[] tag, int type, byte[] bytes, int from, int length) {
        return MessageDigest.isEqual(next(type, bytes, from, length), tag);
    }
}
