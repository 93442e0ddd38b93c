package dev.perhaps.lab.sharing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The sequence of requested pages: by Zipf's law over a pool of current pages, some of which are replaced by new ones
 * over time. Pages come from a pool that all proxies share or from the pool of one proxy.
 */
final class PageTrace {
    /*
     * Web requests follow Zipf's law with an exponent of 0.64 to 0.83 (Breslau, Cao, Fan, Phillips and Shenker, "Web
     * caching and Zipf-like distributions: evidence and implications", 1999): 0.8 here. A page has 200 bytes and, on
     * top, an exponential number with a mean of 8 KiB, drawn once. Its first folder, one of 16, is its group.
     */
    private static final double EXPONENT = 0.8;
    private static final int GROUPS = 16;
    private static final double MEAN_BYTES = 8_192;

    private final SplittableRandom random;
    private final double churn;
    private final double[] cumulated;
    private final int[][] pools;
    private final List<String> pages = new ArrayList<>();
    private final List<Integer> bytes = new ArrayList<>();

    /**
     * A trace.
     *
     * @param pagesPerPool the number of pages of each pool at any time
     * @param proxies the number of proxies, each with a pool of its own beside the common one
     * @param churn the probability, at each request, that a page of its pool is replaced by a new one
     */
    PageTrace(int pagesPerPool, int proxies, double churn, long seed) {
        this.random = new SplittableRandom(seed);
        this.churn = churn;
        this.cumulated = new double[pagesPerPool];
        double sum = 0;
        for (int rank = 0; rank < pagesPerPool; rank++) {
            sum += Math.pow(rank + 1, -EXPONENT);
            cumulated[rank] = sum;
        }
        this.pools = new int[proxies + 1][pagesPerPool];
        for (int[] pool : pools) {
            Arrays.setAll(pool, rank -> newPage());
        }
    }

    private int newPage() {
        int page = pages.size();
        pages.add("http://origin/folder" + page % GROUPS + "/page" + page);
        bytes.add((int) (200 - MEAN_BYTES * Math.log(1 - random.nextDouble())));
        return page;
    }

    /** Returns the next page that is requested at a proxy, if this share of its requests is from the common pool. */
    int next(int proxy, double common) {
        int[] pool = pools[random.nextDouble() < common ? 0 : proxy + 1];
        if (random.nextDouble() < churn) {
            pool[random.nextInt(pool.length)] = newPage();
        }
        double at = random.nextDouble() * cumulated[cumulated.length - 1];
        int rank = Arrays.binarySearch(cumulated, at);
        return pool[Math.min(pool.length - 1, rank < 0 ? -rank - 1 : rank)];
    }

    /** The pages of common interest as they are now. */
    int[] common() {
        return pools[0].clone();
    }

    String url(int page) {
        return pages.get(page);
    }

    int bytes(int page) {
        return bytes.get(page);
    }
}
