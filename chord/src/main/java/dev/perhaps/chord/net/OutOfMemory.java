package dev.perhaps.chord.net;

import org.jspecify.annotations.Nullable;

/**
 * Ends the process when memory has run out, heap or direct: a peer whose event loop or threads died one by one would keep its
 * port open and answer nobody.
 */
public final class OutOfMemory {
    private static final int EXIT_CODE = 3;
    private static final int MAX_CAUSES = 16;

    private static volatile Runnable end = OutOfMemory::halt;

    private OutOfMemory() {}

    /** To be asked about whatever was caught. Returns if it is not about memory. */
    public static void check(@Nullable Throwable caught) {
        Throwable cause = caught;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (cause instanceof OutOfMemoryError) {
                end.run();
                return;
            }
            cause = cause.getCause();
        }
    }

    /** The task, on a thread or an event loop that would go on after an error. */
    public static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) {
                check(e);
                throw e;
            }
        };
    }

    /** Nothing here allocates: there is nothing left. */
    static void halt() {
        System.err.println("perhaps: out of memory, the process ends: give Java more with PERHAPS_JAVA_OPTIONS=-Xmx4g");
        Runtime.getRuntime().halt(EXIT_CODE);
    }

    /** For tests, which must not end. */
    static void whenOut(Runnable action) {
        end = action;
    }
}
