package dev.perhaps.spark;

import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** A program of a client of Spark Connect, whose arguments are the address of the server and what it runs. */
public final class ConnectQueries {
    /** Lines of the output that are results. */
    static final String RESULT = "RESULT ";

    private ConnectQueries() {}

    public static void main(String[] arguments) throws IOException {
        try (SparkSession spark = SparkSession.builder().remote(arguments[0]).getOrCreate()) {
            if (arguments[1].equals("names")) {
                byNames(spark);
            } else {
                byMethods(spark);
            }
        }
    }

    private static void say(String line) {
        System.out.println(RESULT + line);
    }

    private static Dataset<Row> customers(SparkSession spark) {
        return spark.range(1_000).toDF("customer");
    }

    private static Dataset<Row> visits(SparkSession spark) {
        return spark.range(20_000).selectExpr("id % 5000 AS customer", "id % 7 AS page");
    }

    /** Functions by their names: no class of Perhaps is needed. */
    private static void byNames(SparkSession spark) {
        say("session " + spark.getClass().getName());
        try {
            Class.forName("dev.perhaps.Perhaps");
            say("the library is on the class path");
        } catch (ClassNotFoundException e) {
            say("no library");
        }
        say("sql "
                + spark.sql("SELECT perhaps_might_contain(perhaps_filter(id), 7L),"
                                + " perhaps_estimate(perhaps_count(id % 10), 7L).estimate FROM range(100) AS t(id)")
                        .head());
        customers(spark).createOrReplaceTempView("customers");
        visits(spark).createOrReplaceTempView("visits");
        say("subquery "
                + spark.sql("SELECT count(*) FROM visits WHERE perhaps_might_contain("
                                + "(SELECT perhaps_filter(customer, fpp => 1e-9) FROM customers), customer)")
                        .head());
        byte[] frame = (byte[]) customers(spark)
                .agg(call_function("perhaps_filter", col("customer"), lit("blocked"), lit(1_000L), lit(1e-9)))
                .head()
                .get(0);
        say("call_function "
                + visits(spark)
                        .filter(call_function("perhaps_might_contain", lit(frame), col("customer")))
                        .count());
        say("grouped "
                + visits(spark)
                        .groupBy("page")
                        .agg(call_function("perhaps_distinct", col("customer")).as("d"))
                        .select(call_function("perhaps_distinct_estimate", col("d"))
                                .getField("estimate")
                                .between(2_700, 3_010))
                        .distinct()
                        .collectAsList());
        say("error "
                + error(() -> spark.sql("SELECT perhaps_filter(id, 'blocked', 10, 1.5) FROM range(9)")
                        .head()));
        say("error " + error(() -> spark.sql("SELECT perhaps_info(X'00')").head()));
    }

    private static String error(Callable<Object> call) {
        try {
            return "none: " + call.call();
        } catch (Exception e) {
            return String.valueOf(e.getMessage()).replace('\n', ' ');
        }
    }

    /** Functions as methods, which only name them. */
    private static void byMethods(SparkSession spark) {
        byte[] frame = (byte[]) customers(spark)
                .agg(PerhapsFunctions.filter(col("customer"), "blocked", 1e-9, 1_000))
                .head()
                .get(0);
        say("methods "
                + visits(spark)
                        .filter(PerhapsFunctions.mightContain(lit(frame), col("customer")))
                        .count());
        jobs(spark).forEach(job -> say(error(job)));
    }

    private static List<Callable<Object>> jobs(SparkSession spark) {
        Dataset<Row> visits = visits(spark);
        return List.of(
                () -> ColumnarAggregate.of(visits, PerhapsFunctions.filter(col("customer"))),
                () -> BloomJoin.of(visits, customers(spark), "customer").run(),
                () -> FilterFile.of(visits, "customer", 1_000),
                () -> NearDuplicateSearch.of(visits, "customer", "page"),
                () -> CorrelatedItemSearch.of(visits, "customer"),
                () -> CorrelatedItemSearch.of(visits, "customer", "page"),
                () -> UnseenRows.of(visits, "customer", "page"));
    }
}
