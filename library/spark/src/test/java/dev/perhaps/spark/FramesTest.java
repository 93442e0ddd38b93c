package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.frequency.HeavyHitters;
import dev.perhaps.frequency.SlidingCounts;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.frequency.TinyTopK;
import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CountingBloom;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.membership.FuseFilter;
import dev.perhaps.membership.ScalableBloom;
import dev.perhaps.sketch.Addable;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames that did not come from a query of this session: damaged, of another version or seed, or of kinds that SQL does not build. */
@EnabledForJreRange(max = JRE.JAVA_21)
class FramesTest {
    private static final SparkSession SPARK = TestSession.spark();
    private static final int VERSION_AT = 8;
    private static final int KIND_VERSION_AT = 12;
    private static final int HEADER_LENGTH_AT = 16;

    private static byte[] bloom(long seed) {
        BloomFilter<Long> filter =
                BloomFilter.expecting(100).of(Key.longs().seeded(seed)).build();
        filter.add(1L);
        return filter.toBytes();
    }

    private static String literal(byte[] frame) {
        return "X'" + HexFormat.of().formatHex(frame) + "'";
    }

    private static Dataset<Row> frames(byte[]... frames) {
        return SPARK.createDataset(List.of(frames), Encoders.BINARY()).toDF("f").coalesce(1);
    }

    private static byte[] broken(String how) {
        byte[] frame = bloom(0);
        ByteBuffer view = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        int header = view.getInt(HEADER_LENGTH_AT);
        switch (how) {
            case "damaged body" -> frame[header + 3] ^= 1;
            case "damaged header" -> frame[30] ^= 1;
            case "newer frame" -> view.putShort(VERSION_AT, (short) 2);
            case "newer kind" -> {
                view.putShort(KIND_VERSION_AT, (short) 9);
                CRC32C sum = new CRC32C();
                sum.update(frame, 0, header - Integer.BYTES);
                view.putInt(header - Integer.BYTES, (int) sum.getValue());
            }
            default -> {
                return Arrays.copyOf(frame, how.equals("half a header") ? 40 : frame.length - 5);
            }
        }
        return frame;
    }

    /** As a constant they are refused while planning, as a column in the task, with the same message. */
    @ParameterizedTest
    @CsvSource({
        "damaged body, checksum does not fit: the file is damaged",
        "damaged header, checksum does not fit: the file is damaged",
        "newer frame, use a newer Perhaps",
        "newer kind, use a newer Perhaps",
        "cut short, cut short",
        "half a header, cut short",
    })
    void brokenFramesAreRefused(String how, String message) {
        String bad = literal(broken(how));
        assertThatThrownBy(() -> TestSession.one("SELECT perhaps_might_contain(" + bad + ", 1L)"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining(message);
        // One bad row in a table of frames.
        Dataset<Row> table = frames(bloom(0), broken(how), bloom(0));
        for (String call : List.of("perhaps_might_contain(f, 1L)", "perhaps_info(f)", "perhaps_merge(f)")) {
            assertThatThrownBy(() -> table.selectExpr(call).collectAsList())
                    .as(call)
                    .hasStackTraceContaining(message);
        }
        assertThat(table.limit(1)
                        .selectExpr("perhaps_might_contain(f, 1L)")
                        .head()
                        .getBoolean(0))
                .isTrue();
    }

    @Test
    void framesOfAnotherSeedAreNotMixed() {
        assertThatThrownBy(() -> frames(bloom(1), bloom(2))
                        .selectExpr("perhaps_merge(f)")
                        .collectAsList())
                .hasStackTraceContaining("seed");
        assertThatThrownBy(() -> TestSession.one("SELECT perhaps_jaccard(perhaps_minhash('one text', seed => 1),"
                        + " perhaps_minhash('one text', seed => 2))"))
                .hasStackTraceContaining("seed");
        assertThat(TestSession.one("SELECT perhaps_might_contain(" + literal(bloom(7)) + ", 1L)"))
                .as("a lookup takes the seed of the frame")
                .isEqualTo(true);
    }

    private static <S extends Addable<Long>> S added(S sketch, long from) {
        sketch.addAll(LongStream.range(from, from + 10).boxed().toList());
        return sketch;
    }

    private static Sketch built(String kind, long from) {
        Key.Stored<Long> key = Key.longs();
        Hashes hashes = Hashes.of(key, LongStream.range(from, from + 10).boxed().toList());
        return switch (kind) {
            case "top" -> added(TopK.of(3).of(key).build(), from);
            case "tiny-top" -> added(TinyTopK.of(3).of(key).build(), from);
            case "heavy" -> added(HeavyHitters.atLeast(0.1).of(key).build(), from);
            case "counting2" -> CountingBloom.expecting(100).compact().of(key).buildFrom(hashes);
            case "fuse" -> FuseFilter.expecting(10).of(key).buildFrom(hashes);
            case "scalable" -> ScalableBloom.expecting(10).of(key).buildFrom(hashes);
            case "expiring" -> {
                ExpiringBloom<Long> sketch = ExpiringBloom.expecting(100)
                        .within(Duration.ofDays(1))
                        .of(key)
                        .build();
                LongStream.range(from, from + 10).forEach(i -> sketch.add(i, 1_000_000 + i));
                yield sketch;
            }
            case "sliding-count" -> {
                SlidingCounts<Long> sketch = SlidingCounts.last(Duration.ofMinutes(1))
                        .within(0.05)
                        .of(key)
                        .build();
                LongStream.range(from, from + 10).forEach(i -> sketch.add(i, 1, 1_000_000 + i));
                yield sketch;
            }
            case "sliding-top" -> {
                SlidingTopK<Long> sketch =
                        SlidingTopK.last(Duration.ofMinutes(1)).k(3).of(key).build();
                LongStream.range(from, from + 10).forEach(i -> sketch.add(i, 1, 1_000_000 + i));
                yield sketch;
            }
            default -> throw new IllegalArgumentException(kind);
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"top", "tiny-top", "heavy", "counting2", "expiring", "sliding-count", "sliding-top"})
    @SuppressWarnings("unchecked")
    void kindsThatTheLibraryMergesAreMerged(String kind) throws IOException {
        byte[] one = built(kind, 0).toBytes();
        byte[] other = built(kind, 5).toBytes();
        Sketch expected = Perhaps.fromBytes(one);
        ((Mergeable<Sketch>) expected).merge(Perhaps.fromBytes(other));
        byte[] merged = (byte[])
                frames(one, other).selectExpr("perhaps_merge(f)").head().get(0);
        assertThat(Perhaps.fromBytes(merged)).isEqualTo(expected);
        assertThat((String) frames(merged).selectExpr("perhaps_info(f)").head().get(0))
                .contains("\"kind\":\"" + kind + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fuse", "scalable"})
    void kindsThatTheLibraryDoesNotMergeAreRefused(String kind) {
        byte[] one = built(kind, 0).toBytes();
        byte[] other = built(kind, 5).toBytes();
        assertThatThrownBy(
                        () -> frames(one, other).selectExpr("perhaps_merge(f)").collectAsList())
                .hasStackTraceContaining("two " + kind + " frames cannot be merged: build one of all rows");
        assertThat((byte[]) frames(one).selectExpr("perhaps_merge(f)").head().get(0))
                .as("one alone stays as it is")
                .isEqualTo(one);
    }

    @Test
    void typesWithoutAKey() {
        assertThat(TestSession.one("SELECT perhaps_might_contain(perhaps_filter(CAST(NULL AS BIGINT)), 1L)"))
                .isEqualTo(false);
        assertThatThrownBy(() -> TestSession.one("SELECT perhaps_filter(NULL)"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("is not a key");
        assertThatThrownBy(() -> TestSession.one("SELECT perhaps_filter(parse_json('1'))"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("a VARIANT is not a key");
    }

    /** A CHAR has its padding, as where Spark compares it with a column of strings; a VARCHAR is a string. */
    @Test
    void stringsOfALimitedLength() {
        SPARK.sql("CREATE TABLE limited (c CHAR(5), v VARCHAR(5)) USING parquet");
        try {
            SPARK.sql("INSERT INTO limited VALUES ('ab', 'ab')");
            Row row = SPARK.sql("SELECT perhaps_might_contain(perhaps_filter(v, fpp => 1e-9), 'ab'),"
                            + " perhaps_might_contain(perhaps_filter(c, fpp => 1e-9), 'ab   '),"
                            + " perhaps_might_contain(perhaps_filter(c, fpp => 1e-9), 'ab') FROM limited")
                    .head();
            assertThat(row).hasToString("[true,true,false]");
            SPARK.sql("SELECT 'ab' AS s UNION ALL SELECT 'ab   '").createOrReplaceTempView("strings");
            assertThat(TestSession.one("SELECT count(*) FROM limited JOIN strings ON c = s"))
                    .as("rows that Spark joins")
                    .isEqualTo(1L);
        } finally {
            SPARK.sql("DROP TABLE limited");
        }
    }
}
