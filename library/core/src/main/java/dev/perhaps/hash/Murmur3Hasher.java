package dev.perhaps.hash;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;

/** The hashing library behind {@link Murmur3}, whose types stay out of every public signature. */
final class Murmur3Hasher {
    private static final Hasher128 UNSEEDED_128 = Hashing.murmur3_128();

    private Murmur3Hasher() {}

    static int x86_32(int seed, byte[] bytes) {
        return Hashing.murmur3_32(seed).hashBytesToInt(bytes);
    }

    static Murmur3.Hash128 x64_128(byte[] bytes) {
        HashValue128 hash = UNSEEDED_128.hashBytesTo128Bits(bytes);
        return new Murmur3.Hash128(hash.getLeastSignificantBits(), hash.getMostSignificantBits());
    }
}
