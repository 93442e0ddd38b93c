package dev.perhaps.spark;

import static org.apache.spark.sql.functions.col;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** A program with one query for every kind of work, whose results are lines: the same on one machine and on a cluster. */
public final class ClusterQueries {
    /** Lines of the output that are results. */
    static final String RESULT = "RESULT ";
    /** A line of the output: tasks that wait for the file of the second argument run on this number of executors. */
    static final String WAITING = "WAITING on ";

    private ClusterQueries() {}

    public static void main(String[] arguments) throws IOException {
        try (SparkSession spark = SparkSession.builder().getOrCreate()) {
            List<String> results = switch (arguments[0]) {
                case "all" ->
                    Stream.of(spark, withoutWholeStage(spark))
                            .flatMap(session -> all(session).stream())
                            .toList();
                case "waiting" -> waiting(spark, Path.of(arguments[1]));
                default -> throw new IllegalArgumentException("no query '" + arguments[0] + "'");
            };
            results.forEach(result -> System.out.println(RESULT + result));
        }
    }

    /** Generated code is then compiled in the executors too, and never replaced by an interpreter that hides a failure. */
    static SparkSession withoutWholeStage(SparkSession spark) {
        SparkSession other = spark.newSession();
        other.conf().set("spark.sql.codegen.wholeStage", "false");
        other.conf().set("spark.sql.codegen.factoryMode", "CODEGEN_ONLY");
        return other;
    }

    static List<String> all(SparkSession spark) {
        List<String> results = new ArrayList<>();
        Dataset<Row> visits = visits(spark);
        Dataset<Row> customers =
                spark.range(0, 2_000, 1, 2).selectExpr("id AS customer", "concat('customer ', id) AS name");
        results.addAll(aggregates(visits));
        customers.createOrReplaceTempView("customers");
        visits.createOrReplaceTempView("visits");
        results.add("literal subquery "
                + rows(spark.sql("SELECT count(*) FROM visits WHERE perhaps_might_contain("
                        + "(SELECT perhaps_filter(customer, fpp => 0.001) FROM customers), customer)")));
        results.add("filter as a column "
                + rows(spark.sql("SELECT page, count_if(perhaps_might_contain(f, customer)) "
                        + "FROM visits JOIN (SELECT customer % 7 AS page, perhaps_filter(customer) AS f FROM customers "
                        + "GROUP BY customer % 7) USING (page) GROUP BY page")));
        Dataset<Row> cached = visits.select("customer").cache();
        for (Dataset<Row> rows : List.of(visits, cached)) {
            CRC32C sum = new CRC32C();
            sum.update(ColumnarAggregate.of(rows, PerhapsFunctions.filter(col("customer"), "blocked", 0.01, 10_000))
                    .frame());
            results.add("columnar aggregate " + Long.toHexString(sum.getValue()));
        }
        cached.unpersist();
        for (String type : List.of("inner", "left_anti", "full")) {
            BloomJoin.Result joined =
                    BloomJoin.of(visits, customers, "customer").type(type).run();
            results.add(type + " join by filter: " + joined.report().isFiltered() + " " + rows(joined.rows()));
            JoinMeasurement measured = joined.report().measured().orElseThrow();
            results.add(type + " join looked up " + measured.lookedUpRows() + ", passed " + measured.passedRows());
        }
        Dataset<Row> pages = spark.range(0, 300, 1, 5)
                .selectExpr(
                        "id AS page",
                        "concat_ws(' ', transform(sequence(0, 60), i -> "
                                + "substring(sha2(string(i + 1000 * (id % 40) + IF(i = id % 61, id, 0L)), 256), 1, 9)))"
                                + " AS text");
        try (NearDuplicateSearch.Result found =
                NearDuplicateSearch.of(pages, "page", "text").threshold(0.7).run()) {
            results.add("clusters " + rows(found.clusters()));
            results.add("edges " + rows(found.edges()));
            results.add("kept " + rows(found.kept().select("page")));
        }
        try (CorrelatedItemSearch.Result found = CorrelatedItemSearch.of(
                        visits.selectExpr("customer", "concat('word ', customer % 100 + page % 2 * 100) AS word"),
                        "customer",
                        "word")
                .threshold(0.3)
                .run()) {
            results.add("correlated items " + rows(found.pairs()));
        }
        return results;
    }

    private static Dataset<Row> visits(SparkSession spark) {
        return spark.range(0, 40_000, 1, 4)
                .selectExpr("id % 9973 AS customer", "id % 7 AS page", "id AS millis", "concat('s', id % 977) AS word");
    }

    private static List<String> aggregates(Dataset<Row> visits) {
        return List.of(
                "frames "
                        + rows(visits.selectExpr(
                                "perhaps_filter(customer, 'bloom', 10000)",
                                "perhaps_filter(word)",
                                "perhaps_filter(customer, 'fuse')",
                                "perhaps_filter(customer, 'cuckoo')",
                                "perhaps_count(word)",
                                "perhaps_ranges(millis, bits => 16)",
                                "perhaps_distinct(customer)",
                                "perhaps_minhash_agg(word)",
                                "perhaps_top_values(perhaps_top(page, 7))")),
                "grouped "
                        + rows(visits.groupBy("page")
                                .agg(
                                        PerhapsFunctions.filter(col("customer")),
                                        PerhapsFunctions.distinct(col("customer"), 0.02))));
    }

    /** Aggregates whose second stage waits for the file to appear: by then the first one has left its output everywhere. */
    private static List<String> waiting(SparkSession spark, Path file) {
        String name = file.toString();
        List<String> executors = new ArrayList<>();
        spark.sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onTaskStart(SparkListenerTaskStart start) {
                String executor = start.taskInfo().executorId();
                if (start.stageId() > 0 && !executors.contains(executor)) {
                    executors.add(executor);
                    System.out.println(WAITING + executors.size());
                }
            }
        });
        Dataset<Row> visits = visits(spark).repartition(4, col("customer"));
        MapPartitionsFunction<Row, Row> wait = rows -> {
            while (!Files.exists(Path.of(name))) {
                Thread.sleep(20);
            }
            return rows;
        };
        return aggregates(visits.mapPartitions(wait, Encoders.row(visits.schema())));
    }

    /** The results of {@link #waiting} on one machine. */
    static List<String> undisturbed(SparkSession spark) {
        return aggregates(visits(spark));
    }

    /** The number of rows, and a checksum of them in an order of their own. */
    private static String rows(Dataset<Row> rows) {
        List<String> sorted =
                rows.collectAsList().stream().map(ClusterQueries::text).sorted().toList();
        CRC32C sum = new CRC32C();
        sum.update(String.join("\n", sorted).getBytes(StandardCharsets.UTF_8));
        return sorted.size() + " " + Long.toHexString(sum.getValue());
    }

    private static String text(Row row) {
        return scala.jdk.javaapi.CollectionConverters.asJava(row.toSeq()).stream()
                .map(value -> {
                    if (!(value instanceof byte[] bytes)) {
                        return String.valueOf(value);
                    }
                    CRC32C sum = new CRC32C();
                    sum.update(bytes);
                    return Long.toHexString(sum.getValue());
                })
                .collect(Collectors.joining(","));
    }
}
