package dev.perhaps.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * MurmurHash2 and MurmurHash64A, for formats of others that require them (Redis). No structure of this library uses
 * them: collisions for any seed are published, so that an attacker can choose colliding keys.
 */
public final class Murmur2 {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** The multiplier of MurmurHash64A. */
    public static final long M64 = 0xc6a4a7935bd1e995L;

    private static final int R64 = 47;

    /** The multiplier of MurmurHash2. */
    public static final int M32 = 0x5bd1e995;

    private static final int R32 = 24;

    private Murmur2() {}

    /** MurmurHash64A. */
    public static long hash64(byte[] bytes, long seed) {
        int length = bytes.length;
        long hash = seed ^ (length * M64);
        int whole = length & ~7;
        for (int i = 0; i < whole; i += 8) {
            long k = (long) LONGS.get(bytes, i) * M64;
            k ^= k >>> R64;
            hash = (hash ^ k * M64) * M64;
        }
        if (whole < length) {
            long rest = 0;
            for (int i = length - 1; i >= whole; i--) {
                rest = rest << 8 | bytes[i] & 0xff;
            }
            hash = (hash ^ rest) * M64;
        }
        hash = (hash ^ hash >>> R64) * M64;
        return hash ^ hash >>> R64;
    }

    /** MurmurHash2 of 32 bits. */
    public static int hash32(byte[] bytes, int seed) {
        int length = bytes.length;
        int hash = seed ^ length;
        int whole = length & ~3;
        for (int i = 0; i < whole; i += 4) {
            int k = (int) INTS.get(bytes, i) * M32;
            k ^= k >>> R32;
            hash = hash * M32 ^ k * M32;
        }
        if (whole < length) {
            int rest = 0;
            for (int i = length - 1; i >= whole; i--) {
                rest = rest << 8 | bytes[i] & 0xff;
            }
            hash = (hash ^ rest) * M32;
        }
        hash = (hash ^ hash >>> 13) * M32;
        return hash ^ hash >>> 15;
    }
}
