package dev.perhaps.chord.wire;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what the event loop does, within a limit. Never on the event loop itself. */
public final class Blocking {
    private static final int MAX_MILLIS = 30_000;

    private Blocking() {}

    public static <T> T on(CompletableFuture<T> future) throws IOException {
        return on(future, Deadline.none());
    }

    public static <T> T on(CompletableFuture<T> future, Deadline deadline) throws IOException {
        return await(future, deadline.millis(MAX_MILLIS), "no response");
    }

    /**
     * Waits for at most this number of seconds.
     *
     * @param otherwise what is wrong if it takes longer
     */
    public static <T> T on(CompletableFuture<T> future, int seconds, String otherwise) throws IOException {
        return await(future, 1_000 * seconds, otherwise);
    }

    private static <T> T await(CompletableFuture<T> future, int millis, String otherwise) throws IOException {
        try {
            return future.get(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the peer is being stopped", e);
        } catch (TimeoutException e) {
            throw new IOException(otherwise + " within " + Math.max(1, millis / 1_000) + " s", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        }
    }
}
