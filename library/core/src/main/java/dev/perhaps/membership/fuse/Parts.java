package dev.perhaps.membership.fuse;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Work in parts, on the threads of the fork-join pool that the caller is in, or else of the common one. A caller that
 * wants fewer threads calls from a smaller pool.
 */
final class Parts {
    /** Less is done by one thread: waking others costs more than they save. */
    private static final int WORTH_SHARING = 1 << 16;

    private Parts() {}

    /** The number of parts that this number of items is worth. */
    static int of(int items) {
        if (items < WORTH_SHARING) {
            return 1;
        }
        ForkJoinPool pool = ForkJoinTask.getPool();
        return pool == null ? ForkJoinPool.getCommonPoolParallelism() + 1 : pool.getParallelism();
    }

    /** Where a part begins. */
    static int share(int whole, int part, int parts) {
        return (int) ((long) whole * part / parts);
    }

    /** Does all parts; with one thread, one after the other. */
    static void run(int threads, int parts, IntConsumer work) {
        IntStream range = IntStream.range(0, parts);
        (threads > 1 ? range.parallel() : range).forEach(work);
    }
}
