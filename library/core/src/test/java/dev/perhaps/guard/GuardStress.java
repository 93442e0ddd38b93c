package dev.perhaps.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class GuardStress {
    /** Eight threads, three groups of different warmth: every answer is right, and every asking is counted once. */
    @Test
    void countsEveryAskingOfEveryThreadOnce() throws Exception {
        LongAdder lookups = new LongAdder();
        LongAdder origins = new LongAdder();
        Guard<Long, Long> guard = Guard.plan()
                .costs(Costs.lookup(1).filter(0.3).origin(4))
                .groups(2)
                .cache(
                        key -> key % 1_000 < limit(key),
                        key -> {
                            lookups.increment();
                            return key % 1_000 < limit(key) ? Optional.of(-key) : Optional.empty();
                        },
                        key -> {
                            origins.increment();
                            return Optional.of(-key);
                        },
                        key -> key / 1_000);
        int threads = 8;
        int each = 100_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> running = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            int seed = thread;
            running.add(pool.submit(() -> {
                SplittableRandom random = new SplittableRandom(seed);
                for (int i = 0; i < each; i++) {
                    long key = random.nextLong(3_000);
                    if (guard.get(key).orElseThrow() != -key) {
                        throw new AssertionError("a wrong answer for " + key);
                    }
                    if (i % 10_000 == 0) {
                        assertThat(guard.report().toString()).isNotBlank();
                    }
                    if (i % 25_000 == 24_999) {
                        guard.replaceFilter(other -> other % 1_000 < limit(other));
                    }
                }
                return null;
            }));
        }
        for (Future<?> one : running) {
            one.get();
        }
        pool.shutdown();
        GuardReport report = guard.report();
        assertThat(report.asked()).isEqualTo((long) threads * each);
        assertThat(report.groups()).hasSize(3);
        assertThat(report.lookups()).isEqualTo(lookups.sum());
        assertThat(report.avoided()).isEqualTo(report.asked() - lookups.sum());
        // Without the guard: a lookup for each, and an origin for what is not there.
        double without = report.asked()
                + report.groups().stream()
                        .mapToDouble(group -> group.asked() * (1 - truth(group)))
                        .sum();
        double saved = without - lookups.sum() - origins.sum();
        assertThat(report.queriesSaved()).isBetween(saved * 0.9, saved * 1.1);
    }

    /** Keys of group 0 are never there, of group 1 half of the time, of group 2 nearly always. */
    private static long limit(long key) {
        return new long[] {0, 500, 980}[(int) (key / 1_000)];
    }

    /** Two groups have a place of their own; the third, whichever came last, is the rest. */
    private static double truth(GuardReport.Group group) {
        double measured = group.prior().value();
        double[] truths = {0, 0.5, 0.98};
        double nearest = truths[0];
        for (double truth : truths) {
            nearest = Math.abs(truth - measured) < Math.abs(nearest - measured) ? truth : nearest;
        }
        return nearest;
    }
}
