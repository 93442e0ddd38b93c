package dev.perhaps.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * How an experiment is run.
 *
 * @param seeds how many times it is repeated with other random numbers; 0 leaves it to the experiment
 * @param quick smaller sizes, to see that it works: the figures are then rougher
 * @param watch is told how far it has come, from any thread
 */
public record Conditions(int seeds, boolean quick, Watch watch) {
    /** The most repetitions that make sense. */
    public static final int MAX_SEEDS = 10_000;

    /** Is told how far an experiment has come. */
    @FunctionalInterface
    public interface Watch {
        void at(String doing, double share);
    }

    public Conditions {
        if (seeds < 0 || seeds > MAX_SEEDS) {
            throw new IllegalArgumentException("seeds must be in 1.." + MAX_SEEDS + ", got " + seeds);
        }
    }

    /** As the experiment likes best, watched by nobody. */
    public static Conditions usual() {
        return new Conditions(0, false, (doing, share) -> {});
    }

    /** The number of repetitions, by default one for a full run and another for a quick one. */
    public int seedsOr(int full, int quickly) {
        return seeds > 0 ? seeds : quick ? quickly : full;
    }

    /** Does all parts on all cores and answers their results in order, so that the number of cores changes nothing. */
    public <R> List<R> each(String doing, int parts, IntFunction<R> part) {
        ExecutorService cores =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(), task -> {
                    Thread thread = new Thread(task, "lab");
                    thread.setDaemon(true);
                    return thread;
                });
        try {
            List<Future<R>> futures = new ArrayList<>();
            for (int i = 0; i < parts; i++) {
                int index = i;
                futures.add(cores.submit(() -> part.apply(index)));
            }
            List<R> results = new ArrayList<>();
            for (Future<R> future : futures) {
                watch.at(doing, (double) results.size() / parts);
                results.add(future.get());
            }
            return results;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the experiment was interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            cores.shutdownNow();
        }
    }
}
