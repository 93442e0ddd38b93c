package dev.perhaps.bench.spark;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;

/** Measures what runs between two looks at the session: nothing else may run in it. Not thread-safe. */
final class JobMeter {
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final SparkSession spark;
    private final Map<Integer, StageSums> stages = new HashMap<>();

    private static final class StageSums {
        private long readRows;
        private long shuffledBytes;
        private long taskNanos;
    }

    JobMeter(SparkSession spark) {
        this.spark = spark;
        spark.sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                TaskMetrics metrics = end.taskMetrics();
                if (metrics != null) {
                    take(end.stageId(), metrics);
                }
            }
        });
    }

    private synchronized void take(int stage, TaskMetrics metrics) {
        StageSums sums = stages.computeIfAbsent(stage, any -> new StageSums());
        sums.readRows += metrics.inputMetrics().recordsRead();
        sums.shuffledBytes += metrics.shuffleWriteMetrics().bytesWritten();
        sums.taskNanos += metrics.executorCpuTime();
    }

    /** @param largeRows a stage that reads at least this number of rows reads the large input */
    JobCost measure(long largeRows, Runnable run) {
        await();
        synchronized (this) {
            stages.clear();
        }
        long processNanos = PROCESS.getProcessCpuTime();
        long start = System.nanoTime();
        run.run();
        double wallSeconds = (System.nanoTime() - start) / 1e9;
        double processSeconds = (PROCESS.getProcessCpuTime() - processNanos) / 1e9;
        await();
        synchronized (this) {
            long taskNanos = 0;
            long shuffledBytes = 0;
            long largeBytes = 0;
            for (StageSums sums : stages.values()) {
                taskNanos += sums.taskNanos;
                shuffledBytes += sums.shuffledBytes;
                largeBytes += sums.readRows >= largeRows ? sums.shuffledBytes : 0;
            }
            return new JobCost(wallSeconds, taskNanos / 1e9, processSeconds, shuffledBytes, largeBytes);
        }
    }

    /** Waits until the listener has heard of all tasks. */
    private void await() {
        try {
            spark.sparkContext().listenerBus().waitUntilEmpty();
        } catch (java.util.concurrent.TimeoutException e) {
            throw new IllegalStateException("Spark's events did not arrive in time", e);
        }
    }
}
