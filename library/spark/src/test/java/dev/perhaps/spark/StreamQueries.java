package dev.perhaps.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.window;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.StructType;

/** A program with two streams over the files of a folder, which stops in the middle as long as there is no file "proceed". */
public final class StreamQueries {
    static final StructType TYPE = new StructType().add("customer", "long").add("time", "timestamp");
    /** In the middle of the third file. */
    static final long MARK = -7;

    static final String WAITING = "WAITING ";
    static final Duration WINDOW = Duration.ofMinutes(15);

    private StreamQueries() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            Dataset<Row> visits = spark.readStream()
                    .schema(TYPE)
                    .option("maxFilesPerTrigger", 1)
                    .json(folder.resolve("in").toString());
            StreamingQuery frames = start(folder, "frames", frames(waiting(visits, folder, "frames"), 1_000));
            StreamingQuery unseen =
                    start(folder, "unseen", waiting(unseen(visits, 1_000).rows(), folder, "unseen"));
            frames.awaitTermination();
            unseen.awaitTermination();
        }
    }

    static Dataset<Row> frames(Dataset<Row> visits, int items) {
        return visits.withWatermark("time", "1 minute")
                .groupBy(window(col("time"), "10 minutes"))
                .agg(
                        PerhapsFunctions.filter(col("customer"), "bloom", 0.01, items)
                                .as("seen"),
                        expr("perhaps_count(customer)").as("counts"),
                        expr("perhaps_distinct(customer)").as("different"))
                .select(col("window.start").as("start"), col("seen"), col("counts"), col("different"));
    }

    static UnseenRows unseen(Dataset<Row> visits, long keys) {
        return UnseenRows.of(visits, "customer", "time")
                .within(WINDOW)
                .expecting(keys)
                .falsePositives(1e-6)
                .shards(2);
    }

    static StreamingQuery start(Path folder, String name, Dataset<Row> rows) throws Exception {
        return rows.writeStream()
                .format("parquet")
                .outputMode("append")
                .option("path", folder.resolve(name).toString())
                .option(
                        "checkpointLocation",
                        folder.resolve(name + "-checkpoint").toString())
                .trigger(Trigger.AvailableNow())
                .start();
    }

    private static Dataset<Row> waiting(Dataset<Row> rows, Path folder, String name) {
        String proceed = folder.resolve("proceed").toString();
        MapFunction<Row, Row> wait = row -> {
            if (row.<Long>getAs("customer") == MARK && !Files.exists(Path.of(proceed))) {
                System.out.println(WAITING + name);
                while (!Files.exists(Path.of(proceed))) {
                    Thread.sleep(20);
                }
            }
            return row;
        };
        return rows.map(wait, Encoders.row(TYPE));
    }
}
