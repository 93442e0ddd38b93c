package dev.perhaps.lab.sharing;

import java.util.function.DoubleUnaryOperator;

/**
 * Proxies, what they are asked for and how they share. What changes in the middle is a function of how far the run has come,
 * 0 to 1.
 *
 * @param cached pages that a proxy's cache holds
 * @param pages of every pool at any time
 * @param churn the chance, at each request, that a page is replaced by a new one
 * @param bits of the digest, a page that is held
 * @param threshold the share of new pages at which a proxy publishes
 * @param common the share of requests that is of common interest
 * @param distance what a request to a sibling costs, where one to the origin costs 10
 * @param liars how many of the proxies claim to hold every page of common interest
 * @param fetches whether a sibling that does not have a page fetches it for the asker, and keeps a copy
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
