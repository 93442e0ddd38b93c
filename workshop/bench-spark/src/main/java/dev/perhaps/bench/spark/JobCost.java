package dev.perhaps.bench.spark;

import java.util.function.ToDoubleFunction;

/**
 * What one run took.
 *
 * @param taskSeconds processor time of all tasks, as Spark reports it
 * @param processSeconds processor time of the whole process: tasks, driver, compiler and collector
 * @param shuffledBytes bytes that tasks wrote for other tasks
 * @param largeBytes the part of them that was written by stages that read a large input
 */
record JobCost(double wallSeconds, double taskSeconds, double processSeconds, long shuffledBytes, long largeBytes) {
    /** What a ratio is taken of. */
    enum By {
        WALL(JobCost::wallSeconds),
        TASKS(JobCost::taskSeconds),
        PROCESS(JobCost::processSeconds),
        SHUFFLED(cost -> cost.shuffledBytes),
        LARGE_SIDE(cost -> cost.largeBytes);

        @SuppressWarnings("ImmutableEnumChecker") // methods of a record
        private final ToDoubleFunction<JobCost> figure;

        By(ToDoubleFunction<JobCost> figure) {
            this.figure = figure;
        }

        double of(JobCost cost) {
            return figure.applyAsDouble(cost);
        }
    }
}
