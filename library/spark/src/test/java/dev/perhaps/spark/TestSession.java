package dev.perhaps.spark;

import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The one session of all tests: Spark has one per JVM, and starting it takes seconds. */
final class TestSession {
    private static final SparkSession SPARK = SparkSession.builder()
            .master("local[2, 3]") // a task may fail twice
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "3")
            .config("spark.driver.maxResultSize", "48m")
            .config("spark.sql.warehouse.dir", "target/warehouse")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .getOrCreate();

    private TestSession() {}

    static SparkSession spark() {
        return SPARK;
    }

    /** The value of the first column in the first row. */
    static Object one(String sql) {
        return SPARK.sql(sql).head().get(0);
    }

    static byte[] frame(String sql) {
        return (byte[]) one(sql);
    }

    /** A column {@code v} in this number of partitions, in the order of the list. */
    static <T> Dataset<Row> column(List<T> values, Encoder<T> encoder, int partitions) {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(SPARK.sparkContext());
        return SPARK.createDataset(context.parallelize(values, partitions).rdd(), encoder)
                .toDF("v");
    }

    static Dataset<Row> longs(List<Long> values, int partitions) {
        return column(values, Encoders.LONG(), partitions);
    }

    static Dataset<Row> strings(List<String> values, int partitions) {
        return column(values, Encoders.STRING(), partitions);
    }
}
