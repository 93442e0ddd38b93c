package dev.perhaps.lab.filters;

import dev.perhaps.key.Key;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A cache under churn: each step removes a random key and adds a new one or one that was removed earlier. */
final class Churn {
    private final SplittableRandom random;
    private final Key.Longs key;
    private final double returning;
    private final long[] cached;
    private final boolean[] returned;
    private final List<Long> away = new ArrayList<>();
    private final Map<Long, Integer> wentAt = new HashMap<>();
    private long next;
    private int step;
    private long gone;
    private long came;

    Churn(int size, double returning, SplittableRandom random, Key.Longs key) {
        this.random = random;
        this.key = key;
        this.returning = returning;
        this.cached = new long[size];
        this.returned = new boolean[size];
        for (int i = 0; i < size; i++) {
            cached[i] = key.hash(next++);
        }
    }

    void step() {
        step++;
        int place = random.nextInt(cached.length);
        gone = cached[place];
        boolean again = !away.isEmpty() && random.nextDouble() < returning;
        if (again) {
            int at = random.nextInt(away.size());
            came = away.get(at);
            away.set(at, away.get(away.size() - 1));
            away.remove(away.size() - 1);
            wentAt.remove(came);
        } else {
            came = key.hash(next++);
        }
        cached[place] = came;
        returned[place] = again;
        away.add(gone);
        wentAt.put(gone, step);
    }

    long gone() {
        return gone;
    }

    long came() {
        return came;
    }

    long[] cached() {
        return cached.clone();
    }

    /** The share of cached keys that had been away once. */
    double returnedShare() {
        int count = 0;
        for (boolean one : returned) {
            count += one ? 1 : 0;
        }
        return (double) count / returned.length;
    }

    /** Keys that went during the last turnover and did not come back. */
    List<Long> away(int now) {
        return away.stream()
                .filter(hash -> now - wentAt.getOrDefault(hash, 0) < cached.length)
                .toList();
    }
}
