package dev.perhaps.chord;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Waits for conditions. The limit only ends a test that would hang: no test is about how fast the machine is. */
public final class Await {
    private static final int MAX_SECONDS = 120;
    private static final int POLL_MILLIS = 20;

    private Await() {}

    /** Waits until the condition is true. */
    public static void until(String what, Callable<Boolean> condition) throws Exception {
        until(() -> what, condition);
    }

    /**
     * Waits until the condition is true.
     *
     * @param what called if it does not become true, to describe what was waited for and what there was instead
     */
    public static void until(Supplier<String> what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_SECONDS);
        while (!condition.call()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + MAX_SECONDS + " s: " + what.get());
            }
            Thread.sleep(POLL_MILLIS);
        }
    }
}
