package dev.perhaps.bench.spark;

import dev.perhaps.bench.BenchProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.BloomFilterMightContain;
import scala.collection.immutable.Seq;

/** One session of Spark on two cores, and a folder for its tables that is deleted with it. */
final class BenchSession implements AutoCloseable {
    private static final String FILTER = "spark.sql.optimizer.runtime.bloomFilter.";
    private static final String BROADCAST = "spark.sql.autoBroadcastJoinThreshold";
    private static final String STATISTICS = "spark.sql.cbo.enabled";
    private static final String OURS = "spark.perhaps.bloomJoin";

    /** What decides how a join is planned. */
    private static final List<String> SETTINGS = List.of(
            FILTER + "enabled",
            FILTER + "applicationSideScanSizeThreshold",
            FILTER + "creationSideThreshold",
            BROADCAST,
            STATISTICS,
            OURS);

    /** Two sorted sides, as for tables that are too large for a broadcast. */
    private static final Map<String, String> NO_FILTER = Map.of(BROADCAST, "-1", FILTER + "enabled", "false");

    /**
     * Spark's filter in front of joins, which is not used by default (docs/spark.md): everything is let through to it.
     */
    private static final Map<String, String> FORCED_FILTER = Map.of(
            BROADCAST,
            "-1",
            FILTER + "enabled",
            "true",
            FILTER + "applicationSideScanSizeThreshold",
            "1KB",
            FILTER + "creationSideThreshold",
            "10GB");

    private final Path folder;
    private final SparkSession spark;
    private final JobMeter meter;
    private final BenchProgress progress;

    BenchSession(Path parent, BenchProgress progress) throws IOException {
        this.folder = Files.createTempDirectory(parent, "perhaps-bench-spark");
        this.progress = progress;
        Thread deletion = new Thread(this::delete, "perhaps-bench-folder");
        Runtime.getRuntime().addShutdownHook(deletion);
        this.spark = SparkSession.builder()
                .master("local[2]")
                .appName("perhaps-bench")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.local.dir", folder.resolve("scratch").toString())
                .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
                .config("spark.sql.shuffle.partitions", "16")
                .getOrCreate();
        withoutFilter();
        this.meter = new JobMeter(spark);
        ((org.apache.spark.sql.classic.SparkSession) spark)
                .sessionState()
                .functionRegistry()
                .createOrReplaceTempFunction(
                        "might_contain",
                        (Seq<org.apache.spark.sql.catalyst.expressions.Expression> children) ->
                                new BloomFilterMightContain(children.apply(0), children.apply(1)),
                        "built-in");
    }

    SparkSession spark() {
        return spark;
    }

    JobMeter meter() {
        return meter;
    }

    BenchProgress progress() {
        return progress;
    }

    Contest contest() {
        return new Contest(meter, progress);
    }

    /** Writes rows as Parquet, once, and returns them as read from there. */
    Dataset<Row> stored(String name, Dataset<Row> rows) {
        String path = folder.resolve(name).toString();
        if (!Files.exists(Path.of(path))) {
            progress.say("writing " + name);
            rows.write().parquet(path);
        }
        return spark.read().parquet(path);
    }

    void drop(String name) {
        delete(folder.resolve(name));
    }

    /** A table that was stored, with statistics of Spark's ANALYZE. */
    Dataset<Row> analyzed(String name) {
        if (!spark.catalog().tableExists(name)) {
            Dataset<Row> unused =
                    spark.catalog().createTable(name, folder.resolve(name).toString(), "parquet");
            progress.say("analyzing " + name);
            spark.sql("ANALYZE TABLE " + name + " COMPUTE STATISTICS FOR ALL COLUMNS");
        }
        return spark.table(name);
    }

    void withDefaults() {
        set(Map.of());
    }

    void withoutFilter() {
        set(NO_FILTER);
    }

    void withForcedFilter() {
        set(FORCED_FILTER);
    }

    /** Spark sizes its filter by the number of rows, if the cost-based optimizer is on and the table was analyzed. */
    void withForcedFilterAndStatistics() {
        set(FORCED_FILTER);
        spark.conf().set(STATISTICS, "true");
    }

    void withOurRule() {
        set(NO_FILTER);
        spark.conf().set(OURS, "auto");
    }

    private void set(Map<String, String> settings) {
        for (String name : SETTINGS) {
            String value = settings.get(name);
            if (value == null) {
                spark.conf().unset(name);
            } else {
                spark.conf().set(name, value);
            }
        }
    }

    @Override
    public void close() {
        spark.stop();
        delete();
    }

    private void delete() {
        delete(folder);
    }

    private static void delete(Path root) {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("bench: " + root + " could not be deleted: " + e.getMessage());
        }
    }
}
