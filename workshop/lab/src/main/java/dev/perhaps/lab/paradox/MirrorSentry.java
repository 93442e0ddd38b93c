package dev.perhaps.lab.paradox;

import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.sketch.Added;

/**
 * Design D0: a cuckoo filter that mirrors the cache. A key is added when it is admitted and removed when it is evicted.
 */
final class MirrorSentry implements Sentry {
    private final CuckooFilter<String> filter;
    private long refused;

    /** A filter with the longest fingerprints that fit into this number of bits. */
    MirrorSentry(int bits) {
        filter = CuckooFilter.expecting(AddressTrace.CACHE_ENTRIES)
                .fingerprintBits(fingerprintBits(bits))
                .build();
    }

    private static int fingerprintBits(int bits) {
        int longest = 4;
        while (longest < 32
                && CuckooFilter.expecting(AddressTrace.CACHE_ENTRIES)
                                .fingerprintBits(longest + 1)
                                .sizing()
                                .bytes()
                        <= bits / 8) {
            longest++;
        }
        return longest;
    }

    @Override
    public boolean isWorthAsking(long hash) {
        return filter.mightContainHash(hash);
    }

    @Override
    public void sees(long hash, boolean hit, long evicted, int cached) {
        if (evicted != AddressTrace.NONE) {
            filter.removeHash(evicted);
        }
        if (!hit && filter.addHash(hash) == Added.FULL) {
            refused++;
        }
    }

    /** Keys that found no room; they are answered "no". */
    long refused() {
        return refused;
    }

    long bits() {
        return filter.sizeBytes() * 8;
    }
}
