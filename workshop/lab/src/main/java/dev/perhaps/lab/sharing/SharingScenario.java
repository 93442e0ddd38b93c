package dev.perhaps.lab.sharing;

import java.util.function.DoubleUnaryOperator;

/**
 * A scenario: proxies, their requests and how they share. What changes during a run is a function of its progress, 0 to
 * 1.
 *
 * @param cached the number of pages that the cache of a proxy holds
 * @param pages the number of pages of each pool at any time
 * @param churn the probability, at each request, that a page is replaced by a new one
 * @param bits the number of bits of the digest per cached page
 * @param threshold the share of new pages at which a proxy publishes
 * @param common the share of requests for pages of the common pool
 * @param distance the cost of a request to a sibling, if one to the origin costs 10
 * @param liars the number of proxies that claim to hold every page of the common pool
 * @param fetches true if a sibling that does not have a page fetches it and keeps a copy
 */
record SharingScenario(
        String name,
        int proxies,
        int cached,
        int requests,
        int pages,
        double churn,
        int bits,
        double threshold,
        DoubleUnaryOperator common,
        DoubleUnaryOperator distance,
        int liars,
        boolean fetches) {
    /** Eight proxies with common interests, 8 bits per page, published when a hundredth is new. */
    static SharingScenario usual(String name, int requests) {
        return new SharingScenario(name, 8, 2_048, requests, 20_000, 0.01, 8, 0.01, t -> 0.8, t -> 1, 0, false);
    }

    SharingScenario named(String other) {
        return new SharingScenario(
                other, proxies, cached, requests, pages, churn, bits, threshold, common, distance, liars, fetches);
    }

    /** With at least 7,500 requests per proxy, so that caches fill. */
    SharingScenario proxies(int n) {
        int all = Math.max(requests, n * 7_500);
        return new SharingScenario(
                name, n, cached, all, pages, churn, bits, threshold, common, distance, liars, fetches);
    }

    SharingScenario churning(double chance) {
        return new SharingScenario(
                name, proxies, cached, requests, pages, chance, bits, threshold, common, distance, liars, fetches);
    }

    SharingScenario digests(int bitsPerPage, double newPages) {
        return new SharingScenario(
                name, proxies, cached, requests, pages, churn, bitsPerPage, newPages, common, distance, liars, fetches);
    }

    SharingScenario common(DoubleUnaryOperator share) {
        return new SharingScenario(
                name, proxies, cached, requests, pages, churn, bits, threshold, share, distance, liars, fetches);
    }

    SharingScenario distance(DoubleUnaryOperator cost) {
        return new SharingScenario(
                name, proxies, cached, requests, pages, churn, bits, threshold, common, cost, liars, fetches);
    }

    SharingScenario liars(int n) {
        return new SharingScenario(
                name, proxies, cached, requests, pages, churn, bits, threshold, common, distance, n, fetches);
    }

    SharingScenario fetching() {
        return new SharingScenario(
                name, proxies, cached, requests, pages, churn, bits, threshold, common, distance, liars, true);
    }
}
