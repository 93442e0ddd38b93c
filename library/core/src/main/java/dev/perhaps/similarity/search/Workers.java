package dev.perhaps.similarity.search;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Distributes numbered work to threads: each takes the next chunk when it has finished one. */
public final class Workers {
    /** Work of one thread, with what it keeps between pieces. */
    @FunctionalInterface
    public interface Worker {
        void work(int number) throws IOException;
    }

    private Workers() {}

    public static int checkedThreads(int threads) {
        if (threads < 1 || threads > 1_024) {
            throw new IllegalArgumentException("threads must be in [1, 1024], got " + threads);
        }
        return threads;
    }

    /** Does work 0 … count − 1, and returns when all is done or one failed; the first failure is thrown. */
    public static void run(int threads, int count, int chunk, Supplier<Worker> worker) throws IOException {
        AtomicInteger next = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Runnable loop = () -> {
            try {
                Worker own = worker.get();
                while (failure.get() == null) {
                    int from = next.getAndAdd(chunk);
                    if (from >= count || from < 0) {
                        return;
                    }
                    for (int i = from; i < Math.min(count, from + chunk); i++) {
                        own.work(i);
                    }
                }
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        };
        List<Thread> others = new ArrayList<>();
        for (int i = 1; i < Math.min(threads, (count + chunk - 1) / chunk); i++) {
            Thread thread = new Thread(loop, "perhaps-similarity-" + i);
            thread.setDaemon(true);
            thread.start();
            others.add(thread);
        }
        loop.run();
        join(others);
        rethrow(failure.get());
    }

    private static void join(List<Thread> threads) {
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void rethrow(@Nullable Throwable failure) throws IOException {
        if (failure instanceof IOException e) {
            throw e;
        }
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
    }
}
