package dev.perhaps.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * The conditions of an experiment.
 *
 * @param seeds the number of repetitions with other random numbers; 0 means the default of the experiment
 * @param quick smaller sizes, to see that it works: the figures are then rougher
 * @param watch receives the progress, from any thread
 */
public record Conditions(int seeds, boolean quick, Watch watch) {
    /** The most repetitions that make sense. */
    public static final int MAX_SEEDS = 10_000;

    /** Receives the progress of an experiment. */
    @FunctionalInterface
    public interface Watch {
        void at(String doing, double share);
    }

    public Conditions {
        if (seeds < 0 || seeds > MAX_SEEDS) {
            throw new IllegalArgumentException("seeds must be in 1.." + MAX_SEEDS + ", got " + seeds);
        }
    }

    /** Returns the defaults of the experiment, without a watch. */
    public static Conditions usual() {
        return new Conditions(0, false, (doing, share) -> {});
    }

    /** Returns the number of repetitions; without one, the given default of a full or a quick run. */
    public int seedsOr(int full, int quickly) {
        return seeds > 0 ? seeds : quick ? quickly : full;
    }

    /** Runs all parts on all cores and returns their results in order, so that the number of cores changes nothing. */
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
