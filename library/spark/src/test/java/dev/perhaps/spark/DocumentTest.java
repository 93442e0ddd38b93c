package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.spark.catalyst.SqlFunction;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** docs/spark.md says the truth: its script runs, and every function is in its tables. */
@EnabledForJreRange(max = JRE.JAVA_21)
class DocumentTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "spark.md");
    private static final Path COMING_FROM = Path.of("..", "..", "docs", "coming-from", "spark.md");

    @Test
    void theScriptRunsAsThePageSays() throws IOException {
        String page = Files.readString(PAGE);
        int from = page.indexOf("```sql\n") + "```sql\n".length();
        List<Row> rows = List.of();
        List<String> expected = new ArrayList<>();
        String sql = "";
        int checked = 0;
        for (String line : (page.substring(from, page.indexOf("```", from)) + "\n\n").split("\n", -1)) {
            if (line.startsWith("-- ") && sql.isEmpty() && !rows.isEmpty()) {
                expected.add(line.substring(3));
                continue;
            }
            if (!expected.isEmpty()) {
                assertThat(rows.stream().map(DocumentTest::shown)).containsExactlyElementsOf(expected);
                checked++;
                expected.clear();
            }
            rows = List.of();
            if (!line.startsWith("--")) {
                sql += line;
            }
            if (sql.endsWith(";")) {
                rows = TestSession.spark()
                        .sql(sql.substring(0, sql.length() - 1))
                        .collectAsList();
                sql = "";
            }
        }
        assertThat(checked).isGreaterThan(8);
    }

    private static String shown(Row row) {
        return IntStream.range(0, row.size())
                .mapToObj(i -> String.valueOf(row.get(i)))
                .collect(Collectors.joining(", "));
    }

    @Test
    void theQueriesOfThoseWhoComeFromSparkRun() throws IOException {
        SparkSession spark = TestSession.spark().newSession();
        spark.range(100).selectExpr("id", "concat('customer-', id) AS name").createOrReplaceTempView("customers");
        spark.range(1000)
                .selectExpr("id % 500 AS customer", "id % 7 AS page", "id AS millis")
                .createOrReplaceTempView("visits");
        Matcher queries = Pattern.compile("(?s)```sql\n(.*?);\n```").matcher(Files.readString(COMING_FROM));
        int count = 0;
        while (queries.find()) {
            count++;
            assertThat(spark.sql(queries.group(1)).collectAsList())
                    .as(queries.group(1))
                    .isNotEmpty();
        }
        assertThat(count).isEqualTo(5);
    }

    /** Python is not here, but what it passes to Spark is. */
    @Test
    void theQueriesInThePythonSnippetRun() throws IOException {
        SparkSession spark = TestSession.spark().newSession();
        spark.range(100).createOrReplaceTempView("customers");
        spark.range(1000).selectExpr("id % 500 AS customer", "id % 7 AS page").createOrReplaceTempView("visits");
        Matcher snippet = Pattern.compile("(?s)```python\n(.*?)```").matcher(Files.readString(PAGE));
        assertThat(snippet.find()).isTrue();
        Matcher queries =
                Pattern.compile("(?s)spark\\.sql\\(\"{3}(.*?)\"{3}\\)").matcher(snippet.group(1));
        int count = 0;
        while (queries.find()) {
            count++;
            assertThat(spark.sql(queries.group(1)).head().isNullAt(0)).isFalse();
        }
        assertThat(count).isEqualTo(2);
        Matcher names = Pattern.compile("perhaps_[a-z_]+").matcher(snippet.group(1));
        while (names.find()) {
            assertThat(SqlFunction.all().stream().map(SqlFunction::name)).contains(names.group());
        }
    }

    @Test
    void theSnippetsCompile(@TempDir Path folder) throws IOException {
        StringBuilder text = new StringBuilder("""
                import static org.apache.spark.sql.functions.*;
                import dev.perhaps.spark.*;
                import org.apache.spark.sql.*;
                import java.nio.file.Path;
                import java.time.Duration;
                class Snippets {
                """);
        Matcher snippets = Pattern.compile("(?s)```java\n(.*?)```")
                .matcher(Files.readString(PAGE) + Files.readString(COMING_FROM));
        int count = 0;
        while (snippets.find()) {
            count++;
            text.append("static void s")
                    .append(count)
                    .append("(SparkSession spark, Dataset<Row> customers, Dataset<Row> visits, Dataset<Row> pages,")
                    .append(" Dataset<Row> sales)")
                    .append(" throws Exception {\n")
                    .append(snippets.group(1))
                    .append("}\n");
        }
        assertThat(count).isPositive();
        Path source = Files.writeString(folder.resolve("Snippets.java"), text.append("}\n"));
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int status = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        errors,
                        "-proc:none",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        folder.toString(),
                        source.toString());
        assertThat(status).as(errors.toString(StandardCharsets.UTF_8)).isZero();
    }

    @Test
    void everyFunctionIsOnThePage() throws IOException {
        assertThat(Files.readString(PAGE))
                .contains(SqlFunction.all().stream()
                        .map(function -> "| `" + function.name() + "(")
                        .toList());
    }
}
