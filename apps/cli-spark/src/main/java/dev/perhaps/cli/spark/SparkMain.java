package dev.perhaps.cli.spark;

import dev.perhaps.cli.Main;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.engine.ActiveEngine;
import dev.perhaps.cli.engine.process.SparkProcess;
import java.io.IOException;
import org.apache.spark.sql.SparkSession;

/** The command line inside a process of Spark, which {@link SparkProcess} starts: the same words, another engine. */
public final class SparkMain {
    private static final String PARTITIONS = "spark.sql.shuffle.partitions";

    private SparkMain() {}

    public static void main(String[] words) {
        System.err.print(SparkProcess.READY);
        System.err.flush();
        endWithCaller();
        SparkSession session;
        try {
            session = SparkSession.builder().getOrCreate();
        } catch (Exception e) { // Scala declares nothing
            Console.complain("Spark did not start: "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse("") + " (--spark-log LOG tells more)");
            System.exit(ExitCodes.REFUSED);
            return;
        }
        // Spark's default is 200, for inputs of any size.
        if (!session.sparkContext().conf().contains(PARTITIONS)) {
            session.conf().set(PARTITIONS, 3L * session.sparkContext().defaultParallelism());
        }
        ActiveEngine.set(new SparkEngine(session));
        Main.main(words);
    }

    /**
     * The process that started this one holds the other end of standard input, and writes nothing: if it ends, nobody
     * waits any more.
     */
    private static void endWithCaller() {
        Thread watch = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // Nothing is written.
                        }
                    } catch (IOException e) {
                        // The end, too.
                    }
                    System.exit(ExitCodes.REFUSED);
                },
                "caller");
        watch.setDaemon(true);
        watch.start();
    }
}
