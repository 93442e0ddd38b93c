package dev.perhaps.proxy.http;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The directives of Cache-Control that a shared cache knows (RFC 9111, section 5.2; RFC 5861). Where a message contradicts
 * itself or cannot be read, the reading that keeps less is taken: a max-age that is not a number is 0, of two the smaller
 * counts, and {@code no-cache="field"} and {@code private="field"} count for the whole response.
 */
public final class CacheControl {
    /** No such directive. */
    public static final long NONE = -1;

    /** The largest number of seconds that is distinguished (RFC 9111, section 1.2.2). */
    static final long MAX_SECONDS = Integer.MAX_VALUE;

    private static final String TARGETED = "CDN-Cache-Control";

    public static final CacheControl EMPTY = new CacheControl();

    private boolean isTargeted;
    private boolean noStore;
    private boolean noCache;
    private boolean isPrivate;
    private boolean isPublic;
    private boolean mustRevalidate;
    private boolean proxyRevalidate;
    private boolean mustUnderstand;
    private boolean onlyIfCached;
    private long maxAge = NONE;
    private long sharedMaxAge = NONE;
    private long maxStale = NONE;
    private long minFresh = NONE;
    private long staleIfError = NONE;
    private long staleWhileRevalidate = NONE;

    private CacheControl() {}

    /**
     * What a response says. {@code CDN-Cache-Control} counts in place of Cache-Control and Expires (RFC 9213), if it can be
     * read: it is a dictionary of structured fields, stricter than Cache-Control, and of one that is broken nothing counts.
     */
    public static CacheControl ofResponse(Headers headers) {
        if (headers.has(TARGETED)) {
            @Nullable Map<String, String> members = Dictionary.read(String.valueOf(headers.joined(TARGETED)));
            if (members != null && !members.isEmpty()) {
                CacheControl targeted = new CacheControl();
                targeted.isTargeted = true;
                members.forEach(targeted::takeTargeted);
                return targeted;
            }
        }
        return headers.has("Cache-Control") ? read(headers.list("Cache-Control")) : EMPTY;
    }

    /** Reads a directive of a structured field: a boolean is its presence or absence, and numbers have no quotes. */
    private void takeTargeted(String name, String value) {
        if (!value.equals(Dictionary.FALSE)) {
            take(name, value.equals(Dictionary.TRUE) ? "" : value.startsWith("\"") ? "wrong" : value);
        }
    }

    /** Pragma counts only where there is no Cache-Control (RFC 9111, section 5.4). */
    public static CacheControl ofRequest(Headers headers) {
        if (headers.has("Cache-Control")) {
            return read(headers.list("Cache-Control"));
        }
        if (headers.has("Pragma")
                && headers.list("Pragma").stream().anyMatch(member -> member.equalsIgnoreCase("no-cache"))) {
            CacheControl pragma = new CacheControl();
            pragma.noCache = true;
            return pragma;
        }
        return EMPTY;
    }

    private static CacheControl read(List<String> directives) {
        CacheControl read = new CacheControl();
        for (String directive : directives) {
            int equals = directive.indexOf('=');
            String name = (equals < 0 ? directive : directive.substring(0, equals)).strip();
            read.take(
                    name.toLowerCase(Locale.ROOT),
                    equals < 0 ? "" : directive.substring(equals + 1).strip());
        }
        return read;
    }

    private void take(String name, String value) {
        switch (name) {
            case "no-store" -> noStore = true;
            case "no-cache" -> noCache = true;
            case "private" -> isPrivate = true;
            case "public" -> isPublic = true;
            case "must-revalidate" -> mustRevalidate = true;
            case "proxy-revalidate" -> proxyRevalidate = true;
            case "must-understand" -> mustUnderstand = true;
            case "only-if-cached" -> onlyIfCached = true;
            case "max-age" -> maxAge = smaller(maxAge, seconds(value));
            case "s-maxage" -> sharedMaxAge = smaller(sharedMaxAge, seconds(value));
            case "max-stale" -> maxStale = smaller(maxStale, value.isEmpty() ? MAX_SECONDS : seconds(value));
            case "min-fresh" -> minFresh = Math.max(minFresh, seconds(value));
            case "stale-if-error" -> staleIfError = smaller(staleIfError, seconds(value));
            case "stale-while-revalidate" -> staleWhileRevalidate = smaller(staleWhileRevalidate, seconds(value));
            default -> {
                // An unknown directive is ignored (RFC 9111, section 5.2.3).
            }
        }
    }

    private static long smaller(long before, long now) {
        return before == NONE ? now : Math.min(before, now);
    }

    /** Returns the seconds of a directive, in quotes or not; 0 if they are not a number. */
    static long seconds(String value) {
        String digits = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")
                ? value.substring(1, value.length() - 1)
                : value;
        long seconds = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            seconds = Math.min(MAX_SECONDS, 10 * seconds + digit);
        }
        return seconds;
    }

    /** Returns true if it is for shared caches like this one alone, so that Expires does not count. */
    public boolean isTargeted() {
        return isTargeted;
    }

    public boolean noStore() {
        return noStore;
    }

    public boolean noCache() {
        return noCache;
    }

    public boolean isPrivate() {
        return isPrivate;
    }

    public boolean isPublic() {
        return isPublic;
    }

    public boolean mustRevalidate() {
        return mustRevalidate;
    }

    public boolean mustUnderstand() {
        return mustUnderstand;
    }

    public boolean onlyIfCached() {
        return onlyIfCached;
    }

    public long maxAge() {
        return maxAge;
    }

    public long sharedMaxAge() {
        return sharedMaxAge;
    }

    public long maxStale() {
        return maxStale;
    }

    public long minFresh() {
        return minFresh;
    }

    public long staleIfError() {
        return staleIfError;
    }

    public long staleWhileRevalidate() {
        return staleWhileRevalidate;
    }

    /** Returns true if a stale response must not be served without validation (RFC 9111, sections 4.2.4 and 5.2.2.10). */
    public boolean neverStale() {
        return mustRevalidate || proxyRevalidate || noCache || sharedMaxAge != NONE;
    }
}
