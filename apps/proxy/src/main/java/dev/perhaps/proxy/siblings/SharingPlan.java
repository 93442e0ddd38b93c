package dev.perhaps.proxy.siblings;

import dev.perhaps.proxy.Origin;
import org.jspecify.annotations.Nullable;

/**
 * How a proxy shares with its siblings. Immutable.
 *
 * @param name the name of this proxy for its siblings
 * @param origin the origin of this proxy: only siblings with the same origin are asked
 * @param secret the secret that all siblings share; null: only siblings on this machine
 * @param documents the expected number of pages in the cache; if there are more, the digest grows
 * @param bitsPerDocument the number of bits of the digest per page
 * @param intervalMillis the interval at which digests are published and fetched
 * @param timeoutMillis how long a sibling may take to connect, and to begin its response
 * @param fetches whether a sibling that does not have the page fetches it and keeps a copy
 * @param guarded whether the guard decides what to believe; otherwise every "perhaps" is believed
 */
public record SharingPlan(
        String name,
        Origin origin,
        @Nullable SiblingSecret secret,
        long documents,
        int bitsPerDocument,
        int intervalMillis,
        int timeoutMillis,
        boolean fetches,
        boolean guarded) {
    /** Checks the interval and the timeout. */
    public SharingPlan {
        if (intervalMillis < 50 || intervalMillis > 3_600_000) {
            throw new IllegalArgumentException(
                    "digests are exchanged every 50 ms to 1 h, got " + intervalMillis + " ms");
        }
        if (timeoutMillis < 1 || timeoutMillis > 60_000) {
            throw new IllegalArgumentException(
                    "the timeout for a sibling is 1 ms to 60 s, got " + timeoutMillis + " ms");
        }
    }

    /**
     * The defaults: 8 bits per page, digests every 5 seconds, timeouts of one second, siblings do not fetch, guarded.
     */
    public static SharingPlan usual(String name, Origin origin, @Nullable SiblingSecret secret) {
        return new SharingPlan(name, origin, secret, 10_000, 8, 5_000, 1_000, false, true);
    }

    /** The same plan for a cache of this number of pages. */
    public SharingPlan documents(long expected) {
        return new SharingPlan(
                name, origin, secret, expected, bitsPerDocument, intervalMillis, timeoutMillis, fetches, guarded);
    }

    /** The same plan with this number of bits per page in the digest. */
    public SharingPlan bits(int perDocument) {
        return new SharingPlan(
                name, origin, secret, documents, perDocument, intervalMillis, timeoutMillis, fetches, guarded);
    }

    /** The same plan with digests exchanged at this interval. */
    public SharingPlan everyMillis(int interval) {
        return new SharingPlan(
                name, origin, secret, documents, bitsPerDocument, interval, timeoutMillis, fetches, guarded);
    }

    /** The same plan with this timeout for connecting to a sibling and for its response. */
    public SharingPlan timeoutMillis(int most) {
        return new SharingPlan(
                name, origin, secret, documents, bitsPerDocument, intervalMillis, most, fetches, guarded);
    }

    /** The same plan, in which a sibling that does not have a page fetches it, or does not. */
    public SharingPlan fetches(boolean forUs) {
        return new SharingPlan(
                name, origin, secret, documents, bitsPerDocument, intervalMillis, timeoutMillis, forUs, guarded);
    }

    /** The same plan with or without the guard. */
    public SharingPlan guarded(boolean byGuard) {
        return new SharingPlan(
                name, origin, secret, documents, bitsPerDocument, intervalMillis, timeoutMillis, fetches, byGuard);
    }
}
