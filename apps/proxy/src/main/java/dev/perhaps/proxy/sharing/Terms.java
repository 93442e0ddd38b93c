package dev.perhaps.proxy.sharing;

import dev.perhaps.guard.Costs;
import dev.perhaps.key.Key;

/**
 * The settings with which caches share. Immutable.
 *
 * @param key of what form and with what seed pages are hashed: the same for all that share
 * @param fetched whether a sibling that does not have a page fetches it for us, and keeps a copy
 * @param guarded whether the guard decides what to believe; otherwise every "perhaps" is believed
 * @param groups the number of groups of pages, per sibling, that are judged separately
 * @param filterCost what asking a digest costs, in the unit of all costs
 * @param assumed what asking costs until enough was measured
 * @param maxDigestBytes the largest digest that is taken from others
 */
public record Terms(
        Key<String> key,
        boolean fetched,
        boolean guarded,
        int groups,
        double filterCost,
        Costs assumed,
        long maxDigestBytes) {
    /** The defaults: guarded, 64 groups, costs in nanoseconds, digests of up to 64 MiB. */
    public static Terms usual(Key<String> key) {
        return new Terms(key, false, true, 64, 500, Costs.lookup(1e6).origin(1e7), 64L << 20);
    }

    /** The same, but a sibling fetches what it does not have, and keeps a copy. */
    public Terms fetched(boolean forUs) {
        return new Terms(key, forUs, guarded, groups, filterCost, assumed, maxDigestBytes);
    }

    /** Returns these terms without the guard: every page that a digest perhaps has is looked up. */
    public Terms unguarded() {
        return new Terms(key, fetched, false, groups, filterCost, assumed, maxDigestBytes);
    }

    /** The same, with costs in another unit. */
    public Terms costs(double filter, Costs untilMeasured) {
        return new Terms(key, fetched, guarded, groups, filter, untilMeasured, maxDigestBytes);
    }

    /** The group of a page: the first part of its path, so that {@code http://host/news/1} is of {@code /news}. */
    static String group(String page) {
        int scheme = page.indexOf("://");
        int path = page.indexOf('/', scheme < 0 ? 0 : scheme + 3);
        if (path < 0) {
            return "/";
        }
        int end = path + 1;
        while (end < page.length() && "/?#".indexOf(page.charAt(end)) < 0) {
            end++;
        }
        // A page at the root is of no folder.
        return end < page.length() && page.charAt(end) == '/' ? page.substring(path, end) : "/";
    }
}
