package dev.perhaps.hash;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * MurmurHash3, for formats of others that require it (BIP 37, Guava). No structure of this library uses it: it is
 * slower than XXH3, and collisions for any seed are published, so that an attacker can choose colliding keys.
 */
public final class Murmur3 {
    /** The two halves of a 128-bit hash, in the order in which the reference code writes them. */
    public record Hash128(long first, long second) {}

    private static final Hasher128 UNSEEDED_128 = Hashing.murmur3_128();

    private Murmur3() {}

    /** MurmurHash3_x86_32. */
    public static int x86_32(int seed, byte[] bytes) {
        return Hashing.murmur3_32(seed).hashBytesToInt(bytes);
    }

    /** MurmurHash3_x64_128 with seed 0. */
    public static Hash128 x64_128(byte[] bytes) {
        HashValue128 hash = UNSEEDED_128.hashBytesTo128Bits(bytes);
        return new Hash128(hash.getLeastSignificantBits(), hash.getMostSignificantBits());
    }
}
