package dev.perhaps.lab.paradox;

import dev.perhaps.membership.CountingBloom;
import dev.perhaps.membership.bloom.BloomFormulas;

/** A counting Bloom filter that mirrors the cache, and combines its counters with one prior for all keys. */
final class CountingSentry implements Sentry {
    private static final double PRIOR = AddressTrace.CACHE_ENTRIES / 1_600_000.0;

    private final CountingBloom<String> filter;
    private final double bound;

    CountingSentry(int bits, double alpha) {
        int counters = bits / 4;
        filter = CountingBloom.expecting(AddressTrace.CACHE_ENTRIES)
                .counters(counters)
                .hashes(BloomFormulas.hashes((double) counters / AddressTrace.CACHE_ENTRIES))
                .build();
        bound = 1 / (alpha + 1);
    }

    @Override
    public boolean isWorthAsking(long hash) {
        return filter.posteriorHash(hash, PRIOR) >= bound;
    }

    @Override
    public void sees(long hash, boolean hit, long evicted, int cached) {
        if (evicted != AddressTrace.NONE) {
            filter.removeHash(evicted);
        }
        if (!hit) {
            filter.addHash(hash);
        }
    }
}
