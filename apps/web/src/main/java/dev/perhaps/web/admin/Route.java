package dev.perhaps.web.admin;

import java.util.function.BooleanSupplier;

/** The content of a path. */
sealed interface Route {
    /** A page of the program, made by a worker, for it may wait. */
    record Page(AdminPage page) implements Route {}

    /** Events without end. */
    record Events(EventSource source) implements Route {}

    /** A file in memory. */
    record File(Assets.Asset asset) implements Route {}

    /**
     * Good or not, asked on the event loop: a supervisor gets its reply however many requests wait for a worker.
     *
     * @param otherwise what is wrong if it is not good
     */
    record Probe(BooleanSupplier isGood, String otherwise) implements Route {}
}
