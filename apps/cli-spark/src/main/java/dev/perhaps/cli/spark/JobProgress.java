package dev.perhaps.cli.spark;

import dev.perhaps.cli.console.Console;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** A line on the terminal with the number of finished tasks; silent if standard error is not a terminal. Thread-safe. */
final class JobProgress extends SparkListener implements AutoCloseable {
    private final String what;
    private final SparkContext context;
    private final boolean isShown = Console.isWatched();
    private int tasks;
    private int done;
    private boolean isClosed;

    JobProgress(String what, SparkContext context) {
        this.what = what;
        this.context = context;
        if (isShown) {
            draw();
            context.addSparkListener(this);
        }
    }

    @Override
    public synchronized void onStageSubmitted(SparkListenerStageSubmitted stage) {
        tasks += stage.stageInfo().numTasks();
        draw();
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
        done++;
        draw();
    }

    private void draw() {
        if (!isClosed) {
            System.err.print(
                    "\r\033[K" + what + " on Spark" + (tasks == 0 ? "" : "  " + done + " of " + tasks + " tasks"));
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        if (isShown) {
            context.removeSparkListener(this);
            System.err.print("\r\033[K");
        }
    }
}
