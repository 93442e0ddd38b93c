package dev.perhaps.cli.engine;

import org.jspecify.annotations.Nullable;

/** The engine of this process, if it has another than its own threads: set once, before a command runs. */
public final class ActiveEngine {
    private static volatile @Nullable Engine engine;

    private ActiveEngine() {}

    /** Returns null if commands do their work themselves. */
    public static @Nullable Engine get() {
        return engine;
    }

    /** Commands hand their work to this from now on. */
    public static void set(Engine other) {
        engine = other;
    }
}
