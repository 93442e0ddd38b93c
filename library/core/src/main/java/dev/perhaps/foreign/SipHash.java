package dev.perhaps.foreign;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-2-4: a 64-bit hash of bytes with a 128-bit key; without the key nobody can find collisions. hash4j does not
 * have it.
 *
 * <p>Paper: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012).
 */
final class SipHash {
    /*
     * Four words of state. Every 8 bytes of input go through 2 rounds; the last word carries what is left of the input
     * and, in its top byte, the input's length modulo 256; 4 more rounds finish.
     */
    private static final VarHandle LITTLE_ENDIAN =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int ROUNDS_PER_WORD = 2;
    private static final int ROUNDS_AT_THE_END = 4;

    private long v0;
    private long v1;
    private long v2;
    private long v3;

    private SipHash(long key0, long key1) {
        v0 = key0 ^ 0x736F6D6570736575L;
        v1 = key1 ^ 0x646F72616E646F6DL;
        v2 = key0 ^ 0x6C7967656E657261L;
        v3 = key1 ^ 0x7465646279746573L;
    }

    /** Hashes with a key given as its two halves, each read little-endian. */
    static long hash(long key0, long key1, byte[] bytes) {
        SipHash state = new SipHash(key0, key1);
        int whole = bytes.length & -Long.BYTES;
        for (int at = 0; at < whole; at += Long.BYTES) {
            state.take((long) LITTLE_ENDIAN.get(bytes, at));
        }
        long last = (long) bytes.length << 56;
        for (int at = whole; at < bytes.length; at++) {
            last |= Byte.toUnsignedLong(bytes[at]) << ((at - whole) * Byte.SIZE);
        }
        state.take(last);
        return state.finish();
    }

    /** The 8 bytes at {@code at}, as half of a key. */
    static long keyHalf(byte[] bytes, int at) {
        return (long) LITTLE_ENDIAN.get(bytes, at);
    }

    private void take(long word) {
        v3 ^= word;
        rounds(ROUNDS_PER_WORD);
        v0 ^= word;
    }

    private long finish() {
        v2 ^= 0xFF;
        rounds(ROUNDS_AT_THE_END);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void rounds(int count) {
        for (int i = 0; i < count; i++) {
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
        }
    }
}
