package dev.perhaps.bench.membership;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.Keys;
import dev.perhaps.bench.Results;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import java.lang.management.ManagementFactory;
import java.util.List;

/** Compares the memory that a plan states with what the filter states and with the growth of the heap. */
final class Memory {
    private static final int COLLECTIONS = 3;

    private Memory() {}

    static void measure(List<OwnRow> ours, int items, BenchProgress progress, Results into) {
        long[] keys = Keys.longs(items, 0).added();
        for (OwnRow own : ours) {
            progress.say("memory: " + own.name());
            measure(own, keys, into);
            // The first build also creates threads, buffers and tables that stay. The second one measures the filter
            // alone.
            measure(own, keys, into);
        }
    }

    private static void measure(OwnRow own, long[] keys, Results into) {
        FilterPlan<Long> plan = own.plan().apply(keys.length);
        double plannedBytes = plan.sizing().bytes();
        long before = usedAfterCollection();
        HashFilter<Long> filter = plan.buildFrom(new OurLoops.Hashed(keys, 0, keys.length));
        long heapBytes = usedAfterCollection() - before;
        double sizeBytes = filter.sizeBytes();
        into.fact(own.name(), Fact.SIZE_OFF_PLAN, Math.abs(sizeBytes - plannedBytes) / plannedBytes);
        into.fact(own.name(), Fact.HEAP_TO_SIZE, heapBytes / sizeBytes);
    }

    private static long usedAfterCollection() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
