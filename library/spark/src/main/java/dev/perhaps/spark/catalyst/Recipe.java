package dev.perhaps.spark.catalyst;

/** What an aggregate builds, once its arguments are known. Immutable. */
@FunctionalInterface
interface Recipe {
    /** An empty state. */
    SketchState start();
}
