package dev.perhaps.frequency;

import dev.perhaps.hash.Mix;

/** A hash of longs that can be undone, so that a table which keeps the hash has kept the value. */
final class LongHash {
    /*
     * Stafford's finaliser (Mix.finish) of the value and a salt from the seed. Each step of it, a xor-shift or a
     * multiplication by an odd number, is a bijection; these are the inverses of the two numbers modulo 2^64.
     */
    private static final long UNDO_FIRST = 0x96DE1B173F119089L;
    private static final long UNDO_SECOND = 0x319642B2D24D8EC3L;
    private static final long MIX = 0xD1B54A32D192ED03L;

    private final long salt;

    LongHash(long seed) {
        this.salt = MIX ^ Mix.finish(seed);
    }

    long hash(long value) {
        return Mix.finish(value ^ salt);
    }

    long value(long hash) {
        long x = (hash ^ hash >>> 31 ^ hash >>> 62) * UNDO_SECOND;
        x = (x ^ x >>> 27 ^ x >>> 54) * UNDO_FIRST;
        return x ^ x >>> 30 ^ x >>> 60 ^ salt;
    }
}
