package dev.perhaps.lab.paradox;

import dev.perhaps.key.Key;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A list of accessed addresses, a list of addresses that are queried afterwards, and the content of a cache for them.
 */
final class AddressTrace {
    /*
     * Two lists of N addresses. Four fifths are random, drawn separately for each list. One fifth are repeats: N/100
     * different addresses, 20 times each, the same in both lists. Both lists are shuffled.
     *
     * A cache of 5,000 entries that forgets the least recently used sees every address of the first list. Two
     * protocols:
     *
     *   afterwards  the whole first list is accessed, then the second is asked; the truth is what is in the cache at the end
     *   online      each address of the first list is asked, then accessed; the truth is what is in the cache at that time
     *
     * The cache is the same for every sentry, so it runs once and is written down.
     */
    static final int CACHE_ENTRIES = 5_000;
    static final long NONE = 0;

    private static final int TIMES = 20;

    private final long[] accessed;
    private final boolean[] hit;
    private final long[] evicted;
    private final int[] cached;
    private final long[] asked;
    private final boolean[] there;

    private AddressTrace(long[] accessed, long[] asked) {
        int n = accessed.length;
        this.accessed = accessed;
        this.asked = asked;
        this.hit = new boolean[n];
        this.evicted = new long[n];
        this.cached = new int[n];
        this.there = new boolean[asked.length];
        LinkedHashMap<Long, Boolean> cache = new LinkedHashMap<>(2 * CACHE_ENTRIES, 0.75f, true);
        for (int i = 0; i < n; i++) {
            hit[i] = cache.put(accessed[i], true) != null;
            if (cache.size() > CACHE_ENTRIES) {
                var oldest = cache.entrySet().iterator();
                Map.Entry<Long, Boolean> gone = oldest.next();
                evicted[i] = gone.getKey();
                oldest.remove();
            }
            cached[i] = cache.size();
        }
        for (int i = 0; i < asked.length; i++) {
            there[i] = cache.containsKey(asked[i]);
        }
    }

    static AddressTrace of(int length, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Key.Longs key = Key.longs().seeded(seed);
        int different = length / (5 * TIMES);
        long[] repeats = new long[different];
        for (int i = 0; i < different; i++) {
            repeats[i] = address(key, random);
        }
        return new AddressTrace(list(length, repeats, key, random), list(length, repeats, key, random));
    }

    private static long[] list(int length, long[] repeats, Key.Longs key, SplittableRandom random) {
        long[] list = new long[length];
        int filled = 0;
        for (long repeat : repeats) {
            for (int i = 0; i < TIMES; i++) {
                list[filled++] = repeat;
            }
        }
        while (filled < length) {
            list[filled++] = address(key, random);
        }
        for (int i = length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            long swapped = list[i];
            list[i] = list[j];
            list[j] = swapped;
        }
        return list;
    }

    /** The hash of a random IPv4 address; 0 stands for none and is nobody's. */
    private static long address(Key.Longs key, SplittableRandom random) {
        long hash = key.hash(random.nextInt() & 0xFFFFFFFFL);
        return hash == NONE ? 1 : hash;
    }

    int length() {
        return accessed.length;
    }

    /** What a sentry said, under both protocols. */
    record Scores(Score afterwards, Score online) {}

    /** Shows a sentry every access, asking it first each time, and asks it the second list afterwards. */
    Scores play(Sentry sentry) {
        Score.Count online = new Score.Count();
        for (int i = 0; i < accessed.length; i++) {
            online.add(sentry.isWorthAsking(accessed[i]), hit[i]);
            sentry.sees(accessed[i], hit[i], evicted[i], cached[i]);
        }
        Score.Count afterwards = new Score.Count();
        for (int i = 0; i < asked.length; i++) {
            afterwards.add(sentry.isWorthAsking(asked[i]), there[i]);
            sentry.sawQuestion(asked[i]);
        }
        return new Scores(afterwards.score(), online.score());
    }
}
