package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.membership.HashFilter;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which key a SQL type has: the library finds what Spark added, and values that a join finds equal are found. */
@EnabledForJreRange(max = JRE.JAVA_21)
class KeysTest {
    private static HashFilter<?> filterOf(String expression) throws Exception {
        return (HashFilter<?>) Perhaps.fromBytes(
                TestSession.frame("SELECT perhaps_filter(v, fpp => 1e-9) FROM (SELECT " + expression + " AS v)"));
    }

    private static <T> void isFound(String expression, Key<T> key, T value, String name) throws Exception {
        HashFilter<?> filter = filterOf(expression);
        assertThat(filter.key().name()).isEqualTo(name);
        assertThat(filter.mightContainHash(key.hash(value))).as(expression).isTrue();
        assertThat(filter.itemsNow()).isEqualTo(1);
    }

    @Test
    void theLibraryFindsWhatSparkAdded() throws Exception {
        isFound("7L", Key.longs(), 7L, "int64");
        isFound("CAST(7 AS TINYINT)", Key.longs(), 7L, "int64");
        isFound("CAST(-7 AS SMALLINT)", Key.longs(), -7L, "int64");
        isFound("7", Key.longs(), 7L, "int64");
        isFound("true", Key.longs(), 1L, "int64 of boolean");
        isFound("DATE'2024-02-29'", Key.longs(), LocalDate.of(2024, 2, 29).toEpochDay(), "int64 of date");
        isFound("TIMESTAMP'1970-01-01 00:00:01.5Z'", Key.longs(), 1_500_000L, "int64 of timestamp");
        isFound("TIMESTAMP_NTZ'1970-01-01 00:00:02'", Key.longs(), 2_000_000L, "int64 of timestamp_ntz");
        isFound("'Zürich'", Key.strings(), "Zürich", "utf8");
        isFound("X'00FF'", Key.bytes(), new byte[] {0, -1}, "utf8");
        isFound("1.50", Key.strings(), "1.5", "utf8 of decimal");
        isFound("100.00BD", Key.strings(), "100", "utf8 of decimal");
        isFound("1.5D", Key.doubles(), 1.5, "float64");
        isFound("CAST('NaN' AS FLOAT)", Key.doubles(), Double.NaN, "float64");
        Key<Object[]> pair = Key.all(
                "struct<int64,utf8>",
                Key.longs().on("id", row -> (Long) row[0]),
                Key.strings().on("name", row -> (String) row[1]));
        isFound("struct(7L, 'a')", pair, new Object[] {7L, "a"}, "struct<int64,utf8>");
    }

    @Test
    void stringsOfUuidsHaveTheKeyOfUuids() throws Exception {
        String text = "00112233-4455-6677-8899-AABBCCDDEEFF";
        byte[] frame =
                TestSession.frame("SELECT perhaps_filter(v, key => 'uuid') FROM VALUES ('" + text + "') AS t(v)");
        assertThat(Perhaps.filterFromBytes(frame, Key.uuids()).mightContain(UUID.fromString(text)))
                .isTrue();
        TestSession.spark()
                .sql("SELECT perhaps_filter(v, key => 'uuid') AS f FROM VALUES ('" + text + "') AS t(v)")
                .createOrReplaceTempView("uuids");
        assertThat(TestSession.one("SELECT perhaps_might_contain(f, lower('" + text + "')) FROM uuids"))
                .isEqualTo(true);
        assertThatThrownBy(() -> TestSession.one("SELECT perhaps_might_contain(f, 'no') FROM uuids"))
                .hasStackTraceContaining("'no' is not a UUID");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "0.0D | -0.0D",
                "CAST(1.5 AS FLOAT) | 1.5D",
                "CAST('NaN' AS FLOAT) | CAST('NaN' AS DOUBLE)",
                "CAST(1.5 AS DECIMAL(2,1)) | CAST(1.5 AS DECIMAL(20,6))",
                "CAST(0 AS DECIMAL(2,1)) | CAST(-0.000 AS DECIMAL(20,6))",
                "CAST(7 AS TINYINT) | 7L",
                "struct(1, CAST(NULL AS STRING)) | struct(1L, CAST(NULL AS STRING))",
                "struct(1, struct(true)) | struct(1L, struct(true))",
            })
    void whatAJoinFindsEqualIsFound(String one, String other) {
        String sql = "SELECT %s = %s, perhaps_might_contain(perhaps_filter(%s, fpp => 1e-9), %s)"
                .formatted(one, other, one, other);
        var row = TestSession.spark()
                .sql(sql + ", perhaps_might_contain(perhaps_filter(" + other + "), " + one + ")")
                .head();
        assertThat(row.getBoolean(0)).as("Spark finds them equal").isTrue();
        assertThat(row.getBoolean(1)).isTrue();
        assertThat(row.getBoolean(2)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'a' COLLATE UTF8_LCASE | strings of the collation UTF8_LCASE may be equal with different bytes",
                "array(1) | a ARRAY<INT> is not a key",
                "map(1, 2) | a MAP<INT, INT> is not a key",
                "INTERVAL '1' DAY | is not a key",
                "struct(1, array(1)) | a ARRAY<INT> is not a key",
            })
    void typesThatAreNotKeysAreRefused(String expression, String message) {
        assertThatThrownBy(() -> TestSession.one("SELECT perhaps_filter(" + expression + ")"))
                .isInstanceOf(org.apache.spark.sql.AnalysisException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "7L | 'a' | the frame holds keys 'int64', and a STRING is 'utf8'",
                "'a' | 7L | the frame holds keys 'utf8', and a BIGINT is 'int64'",
                "7L | 7.0D | the frame holds keys 'int64', and a DOUBLE is 'float64'",
                "DATE'2024-01-01' | 19723 | the frame holds keys 'int64 of date', and a INT is 'int64'",
                "DATE'2024-01-01' | TIMESTAMP'2024-01-01' | 'int64 of date', and a TIMESTAMP is 'int64 of timestamp'",
                "struct(1) | struct('a') | the frame holds keys 'struct<int64>', and a STRUCT<col1: STRING",
            })
    void aValueOfAnotherTypeIsNotLookedUp(String added, String asked, String message) {
        byte[] frame = TestSession.frame("SELECT perhaps_filter(" + added + ")");
        String literal = "X'" + java.util.HexFormat.of().formatHex(frame) + "'";
        // Known while planning, if the frame is a constant; in the task, if it is a column.
        assertThatThrownBy(() -> TestSession.one("SELECT perhaps_might_contain(" + literal + ", " + asked + ")"))
                .isInstanceOf(org.apache.spark.sql.AnalysisException.class)
                .hasMessageContaining(message);
        assertThatThrownBy(() ->
                        TestSession.one("SELECT perhaps_might_contain(perhaps_filter(" + added + "), " + asked + ")"))
                .hasStackTraceContaining(message);
    }

    @Test
    void bytesThatAreNotTextStayAsTheyAre() {
        assertThat(TestSession.one("SELECT CAST(perhaps_top_values(perhaps_top(X'00FF'))[0].value AS BINARY)"))
                .isEqualTo(new byte[] {0, -1});
        assertThat(TestSession.one("SELECT perhaps_estimate(perhaps_top('Zürich'), 'Zürich').at_least"))
                .isEqualTo(1L);
        assertThat("Zürich".getBytes(StandardCharsets.UTF_8)).hasSize(7);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "DATE'2024-02-29' | DATE",
                "TIMESTAMP'2024-02-29 12:34:56.789' | TIMESTAMP",
                "TIMESTAMP_NTZ'2024-02-29 12:34:56.789' | TIMESTAMP_NTZ",
                "true | BOOLEAN",
                "-7 | INT",
                "1.25D | DOUBLE",
                "12.50 | DECIMAL(4,2)",
            })
    void topValuesCastBackToTheirType(String value, String type) {
        assertThat(TestSession.one("SELECT CAST(perhaps_top_values(perhaps_top(" + value + "))[0].value AS " + type
                        + ") = " + value))
                .isEqualTo(true);
    }
}
