package dev.perhaps.proxy.http;

import java.util.List;

/**
 * How long a response is fresh, and how old it is (RFC 9111, sections 4.2.1 to 4.2.3). Immutable; the time is always an
 * argument.
 *
 * @param lifetimeSeconds after its birth at the origin
 * @param ageThenSeconds how old it was when it came here
 * @param cameMillis when it came here, by the clock that its age is asked with
 */
public record Freshness(long lifetimeSeconds, long ageThenSeconds, long cameMillis) {
    /** Without an explicit lifetime, a tenth of the time since the last change, at most a day. */
    private static final int GUESSED_PART = 10;

    private static final long MAX_GUESSED_SECONDS = 24 * 60 * 60;

    /**
     * Of a response.
     *
     * @param mayGuess whether its lifetime may be guessed from Last-Modified if it does not say it
     * @param askedMillis when it was asked for
     * @param cameMillis when its head came
     */
    public static Freshness of(
            Headers response, CacheControl says, boolean mayGuess, long askedMillis, long cameMillis) {
        long date = HttpDate.read(response.first("Date"), cameMillis);
        if (date == HttpDate.NONE) {
            date = cameMillis / 1000;
        }
        return new Freshness(
                lifetime(response, says, mayGuess, date, cameMillis),
                age(response.list("Age"), date, askedMillis, cameMillis),
                cameMillis);
    }

    /** Returns the same freshness on another clock, by which the response was received at this time. */
    public Freshness from(long millis) {
        return new Freshness(lifetimeSeconds, ageThenSeconds, millis);
    }

    /** How old it was. Of several ages the first counts, and one that is not a whole number is ignored (section 5.1). */
    private static long age(List<String> ages, long date, long askedMillis, long cameMillis) {
        long apparent = Math.max(0, cameMillis / 1000 - date);
        long onTheWay = Math.max(0, (cameMillis - askedMillis) / 1000);
        long said = ages.isEmpty() ? 0 : CacheControl.seconds(ages.get(0));
        return Math.max(apparent, said + onTheWay);
    }

    private static long lifetime(Headers response, CacheControl says, boolean mayGuess, long date, long nowMillis) {
        if (says.sharedMaxAge() != CacheControl.NONE) {
            return says.sharedMaxAge();
        }
        if (says.maxAge() != CacheControl.NONE) {
            return says.maxAge();
        }
        if (response.has("Expires") && !says.isTargeted()) {
            // One that cannot be read, such as 0, is in the past (section 5.3); so is one of two that differ.
            long expires =
                    response.count("Expires") > 1 ? HttpDate.NONE : HttpDate.read(response.first("Expires"), nowMillis);
            return expires == HttpDate.NONE ? 0 : Math.max(0, expires - date);
        }
        long changed = HttpDate.read(response.first("Last-Modified"), nowMillis);
        return mayGuess && changed != HttpDate.NONE && changed < date
                ? Math.min(MAX_GUESSED_SECONDS, (date - changed) / GUESSED_PART)
                : 0;
    }

    public long ageSeconds(long nowMillis) {
        return ageThenSeconds + Math.max(0, nowMillis - cameMillis) / 1000;
    }

    /** How much longer it is fresh; 0 or less: it is stale since then. */
    public long leftSeconds(long nowMillis) {
        return lifetimeSeconds - ageSeconds(nowMillis);
    }
}
