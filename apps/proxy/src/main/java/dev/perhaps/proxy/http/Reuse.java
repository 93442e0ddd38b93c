package dev.perhaps.proxy.http;

/** What may be done with a response that is kept, for a request that it fits (RFC 9111, section 4; RFC 5861). */
public enum Reuse {
    /** Serve it. */
    FRESH,
    /** Give it out, though it is stale: the client said that it takes it. */
    STALE,
    /** Serve it, and validate it with the origin meanwhile. */
    STALE_MEANWHILE,
    /** Validate it with the origin first. */
    VALIDATE;

    public static Reuse of(CacheControl asked, CacheControl says, Freshness freshness, long nowMillis) {
        if (asked.noCache() || says.noCache()) {
            return VALIDATE;
        }
        long age = freshness.ageSeconds(nowMillis);
        long left = freshness.lifetimeSeconds() - age;
        if (asked.maxAge() != CacheControl.NONE && age > asked.maxAge() && asked.maxStale() == CacheControl.NONE) {
            return VALIDATE;
        }
        if (left > 0) {
            return left >= asked.minFresh() ? FRESH : VALIDATE;
        }
        if (says.neverStale() || asked.minFresh() != CacheControl.NONE) {
            return VALIDATE;
        }
        if (asked.maxStale() != CacheControl.NONE && -left <= asked.maxStale()) {
            return STALE;
        }
        return -left <= says.staleWhileRevalidate() && asked.maxAge() == CacheControl.NONE ? STALE_MEANWHILE : VALIDATE;
    }

    /**
     * Returns true if a stale response may be served when the origin fails (RFC 5861, section 4).
     *
     * @param usualSeconds how long one may if neither side says anything
     */
    public static boolean insteadOfError(
            CacheControl asked, CacheControl says, Freshness freshness, long usualSeconds, long nowMillis) {
        if (says.neverStale() || asked.noCache()) {
            return false;
        }
        long allowed = Math.max(says.staleIfError(), asked.staleIfError());
        return -freshness.leftSeconds(nowMillis) <= (allowed == CacheControl.NONE ? usualSeconds : allowed);
    }
}
