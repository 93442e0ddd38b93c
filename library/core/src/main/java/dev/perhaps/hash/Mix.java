package dev.perhaps.hash;

/**
 * Mixes the hash of a key once more, with a constant of the structure that uses it.
 *
 * <p>Without it, a structure behind a shard, ring or partition that was split by the same hash sees only a part of all
 * hashes and fails completely (measured: 99.96 % false positives instead of 0.44 %).
 */
public final class Mix {
    /*
     * One multiply by an odd constant carries every bit into the high half, and one xor-shift brings the high half down
     * to the low one. Whatever bits of the hash an earlier split fixed, high or low, both halves of the result vary.
     */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Mix() {}

    /**
     * Returns the odd constant of a structure with this salt: {@code oddConstant} for 0, another number for every other
     * salt. Structures with different salts place the same hashes independently of each other.
     */
    public static long salted(long oddConstant, int salt) {
        return salt == 0 ? oddConstant : finish(oddConstant + salt * GOLDEN) | 1;
    }

    /** Mixes {@code hash} with an odd constant that no other kind of structure uses. */
    public static long with(long oddConstant, long hash) {
        long x = hash * oddConstant;
        return x ^ (x >>> 32);
    }

    /** Maps a hash to [0, n) by its high bits, for any n below 2^62. */
    public static long reduce(long hash, long n) {
        // Java 17 has no unsigned multiplyHigh; 63 bits of hash are as good.
        return Math.multiplyHigh(hash >>> 1, n << 1);
    }

    /** A full avalanche (Stafford's variant 13 of the Murmur3 finaliser), where one multiply is not enough. */
    public static long finish(long x) {
        x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }
}
