package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Key;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts and times that stand beside the key. */
class FieldsTest {
    private final List<String> told = new ArrayList<>();

    private List<String> read(String form, @Nullable String weight, @Nullable String time, BadRecords bad, String text)
            throws IOException {
        List<String> records = new ArrayList<>();
        KeyForm.of(form, 0, new Fields(weight, time, bad))
                .read("it", new ByteArrayInputStream(text.getBytes(UTF_8)), entry -> {
                    String key = new String(entry.keyBytes(), entry.keyFrom(), entry.keyTo() - entry.keyFrom(), UTF_8);
                    records.add(key + " " + entry.weight() + " " + entry.timeMillis());
                });
        return records;
    }

    private static BadRecords refused() {
        return BadRecords.refused("; say --skip-bad");
    }

    @Test
    void readsCountsAndTimesFromColumns() throws IOException {
        String csv = "when,bytes,path\n5,100,/a\n\"6\",\" 200\",\"/b,c\"\n";
        assertThat(read("csv:path", "bytes", "when", refused(), csv)).containsExactly("/a 100 5000", "/b,c 200 6000");
        assertThat(read("csv:3", "2", "1", refused(), csv)).containsExactly("/a 100 5000", "/b,c 200 6000");
    }

    @Test
    void readsCountsAndTimesFromFields() throws IOException {
        String jsonl = """
                {"at":{"time":"1970-01-01T00:00:01Z","n":3},"user":{"name":"Ann"}}
                {"user":{"x":[1,{"name":"no"}],"name":"Bob"},"at":{"n":"-4","time":2}}
                """;
        assertThat(read("jsonl:user.name", "at.n", "at.time", refused(), jsonl))
                .containsExactly("Ann 3 1000", "Bob -4 2000");
    }

    @Test
    void readsWordsAsInAnAccessLog() throws IOException {
        String log = """
                10.0.0.1 - ann [17/May/2026:08:30:00 +0200] "GET /a HTTP/1.1" 200 512

                10.0.0.2 - - [17/May/2026:08:30:01 +0200] "GET /b HTTP/1.1" 404 7
                """;
        long first = Instant.parse("2026-05-17T06:30:00Z").toEpochMilli();
        assertThat(read("word:7", "10", "4", refused(), log))
                .containsExactly("/a 512 " + first, "/b 7 " + (first + 1000));
    }

    @Test
    void leavesBadRecordsOutOnlyWhereToldTo() throws IOException {
        String csv = "path,n,at\n/a,1,7\n/b,x,7\n/c,,7\n/d,4,soon\n/e,5,9\n/f,6,\n";
        assertThatThrownBy(() -> read("csv:path", "n", "at", refused(), csv))
                .isInstanceOf(BadInput.class)
                .hasMessage("it line 3: 'x' in field 'n' is not a whole number; say --skip-bad");
        BadRecords skipped = BadRecords.skipped(told::add);
        assertThat(read("csv:path", "n", "at", skipped, csv)).containsExactly("/a 1 7000", "/e 5 9000");
        assertThat(skipped.count()).isEqualTo(4);
        assertThat(told)
                .containsExactly(
                        "skipped: it line 3: 'x' in field 'n' is not a whole number",
                        "skipped: it line 4: '' in field 'n' is not a whole number",
                        "skipped: it line 5: 'soon' in field 'at' is not a time, such as 2026-05-17T08:30:00Z or seconds"
                                + " since 1970 (further ones are only counted)");
    }

    @Test
    void leavesOutLinesWithoutTheField() throws IOException {
        BadRecords skipped = BadRecords.skipped(told::add);
        assertThat(read("jsonl:k", "n", null, skipped, "{\"k\":1}\n{\"k\":1,\"n\":2}\nnonsense\n{\"n\":1}\n"))
                .containsExactly("1 2 0");
        assertThat(told.get(0)).isEqualTo("skipped: it line 1: it has no field 'n'");
        assertThat(skipped.count()).isEqualTo(3);
        assertThat(read("word:2", null, null, skipped, "a\na b\n")).containsExactly("b 1 0");
    }

    @Test
    void refusesFieldsWhereRecordsHaveNone() {
        assertThatThrownBy(() -> read("lines", "n", null, refused(), ""))
                .hasMessageContaining("--by and --time need a format with fields, which 'lines' does not have");
        assertThatThrownBy(() -> read("word:0", null, null, refused(), ""))
                .hasMessageContaining("takes the number of a word of the line, from 1 to 1000, got '0'");
        assertThatThrownBy(() -> read("csv:k", "n", null, refused(), "k,m\n1,2\n"))
                .hasMessageContaining("there is no column 'n'; its header names k, m");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1970-01-01T00:00:00Z",
        "1747470600, 2025-05-17T08:30:00Z",
        "1747470600.25, 2025-05-17T08:30:00.250Z",
        "1747470600123, 2025-05-17T08:30:00.123Z",
        "2025-05-17T08:30:00Z, 2025-05-17T08:30:00Z",
        "2025-05-17T08:30:00.1234567+02:00, 2025-05-17T06:30:00.123Z",
        "2025-05-17T08:30:00+0200, 2025-05-17T06:30:00Z",
        "2025-05-17T08:30:00-07, 2025-05-17T15:30:00Z",
        "2025-05-17 08:30:00, 2025-05-17T08:30:00Z",
        "2025-05-17T08:30, 2025-05-17T08:30:00Z",
        "2025-05-17, 2025-05-17T00:00:00Z",
        "[17/May/2025:08:30:00 +0200], 2025-05-17T06:30:00Z",
        "7/Dec/2025:08:30:00 -0700, 2025-12-07T15:30:00Z",
    })
    void understandsTimes(String text, Instant expected) {
        assertThat(Times.parse(text)).isEqualTo(expected.toEpochMilli());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "now",
                "-5",
                "12.",
                ".5",
                "123456789012345",
                "2025-13-01",
                "2025-02-30T00:00:00Z",
                "2025-05-17T25:00Z",
                "17/Mai/2025:08:30:00 +0200",
                "1e9",
                "2025-05-17T08:30:00 CET",
                "08:30:00",
                "/",
                "--"
            })
    void refusesWhatIsNoTime(String text) {
        assertThat(Times.parse(text)).isEqualTo(Times.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "+5, 5",
        "-5, -5",
        "9223372036854775807, 9223372036854775807",
        "-9223372036854775807, -9223372036854775807"
    })
    void readsWholeNumbers(String text, long expected) {
        byte[] bytes = text.getBytes(UTF_8);
        assertThat(Numbers.parse(bytes, 0, bytes.length)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "12.50, 2, 1250",
        "12.5, 2, 1250",
        "-12.5, 2, -1250",
        "12, 2, 1200",
        ".5, 1, 5",
        "0.005, 2, 1",
        "-0.005, 2, -1",
        "0.0049999, 2, 0",
        "1.5, 0, 2",
        "92233720368547758.07, 2, 9223372036854775807",
        "0.30000000000000004, 1, 3",
    })
    void readsDecimalsInTheSmallestUnit(String text, int places, long expected) {
        byte[] bytes = text.getBytes(UTF_8);
        assertThat(Decimals.rounding(places).parse(bytes, 0, bytes.length)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "92233720368547758.08, is too large",
        "9223372036854775807, is too large",
        "1.234, has 3 decimals",
        "1., is not a number",
        "., is not a number",
        "1.2.3, is not a number",
        "1e3, is not a number",
    })
    void saysWhyANumberIsNotRead(String text, String problem) {
        byte[] bytes = text.getBytes(UTF_8);
        Decimals hundredths = Decimals.refusing(2, "has %d decimals");
        assertThat(hundredths.parse(bytes, 0, bytes.length)).isEqualTo(Numbers.NONE);
        assertThat(hundredths.problem(text)).isEqualTo(problem);
    }

    @Test
    void keepsUnitsInTheNameOfAKey() {
        Key<byte[]> key = Key.bytes().on("csv:numbers=2 amounts=3", bytes -> bytes);
        assertThat(Units.of(key.name())).isEqualTo(new Units(0, 0));
        Key<byte[]> hundredths = new Units(0, 2).on(key);
        assertThat(hundredths.name()).isEqualTo("utf8 of amounts=2 csv:numbers=2 amounts=3");
        assertThat(Units.of(hundredths.name())).isEqualTo(new Units(0, 2));
        assertThat(KeyForm.ofKeyName(hundredths.name(), 0).key().name()).isEqualTo(key.name());
        Key<Long> prices = new Units(2, 3).on(Key.longs());
        assertThat(prices.name()).isEqualTo("int64 of numbers=2 amounts=3");
        assertThat(Units.of(prices.name())).isEqualTo(new Units(2, 3));
        assertThat(new Units(0, 0).on(key)).isSameAs(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "+", "1x", "9223372036854775808", "99999999999999999999", "1.0", "1,000"})
    void refusesWhatIsNoWholeNumber(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        assertThat(Numbers.parse(bytes, 0, bytes.length)).isEqualTo(Numbers.NONE);
    }
}
