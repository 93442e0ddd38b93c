package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Key;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns by name and by position, with a header and without, separated by anything, and several of them as one key. */
class TableFormatTest {
    private final List<String> warnings = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();
    private BadRecords bad = BadRecords.refused("; --skip-bad skips such records");

    private KeyForm form(String format, boolean header, @Nullable String delimiter) {
        return KeyForm.of(
                format,
                0,
                new Fields(null, null, bad, new TableOptions(header, delimiter, warnings::add), Decimals.none()));
    }

    private static List<String> keys(KeyForm form, String text) throws IOException {
        List<String> keys = new ArrayList<>();
        form.read("it", new ByteArrayInputStream(text.getBytes(UTF_8)), entry -> {
            keys.add(new String(entry.keyBytes(), entry.keyFrom(), entry.keyTo() - entry.keyFrom(), UTF_8));
            assertThat(entry.hashes()[0]).isEqualTo(Key.strings().hash(keys.get(keys.size() - 1)));
        });
        return keys;
    }

    @Test
    void aNumberIsAPositionEvenIfAColumnHasThatName() throws IOException {
        String csv = "2,1\nb,a\nd,c\n";
        assertThat(keys(form("csv:1", true, null), csv)).containsExactly("b", "d");
        assertThat(keys(form("csv:name=1", true, null), csv)).containsExactly("a", "c");
        assertThat(keys(form("csv:\"1\"", true, null), csv)).containsExactly("a", "c");
        assertThat(keys(form("csv:1", false, null), csv)).containsExactly("2", "b", "d");
    }

    @Test
    void saysThatAFirstRowOfNumbersWasTakenForAHeader() throws IOException {
        assertThat(keys(form("csv:2", true, null), "1,Ann\n2,Bob\n")).containsExactly("Bob");
        assertThat(warnings)
                .containsExactly(
                        "it: its first row, '1,Ann', is taken for the header and not read: use --no-header if it is data");
        warnings.clear();
        assertThat(keys(form("csv:2", false, null), "1,Ann\n2,Bob\n")).containsExactly("Ann", "Bob");
        assertThat(keys(form("csv:name", true, null), "5,name\n2,Bob\n")).containsExactly("Bob");
        assertThat(keys(form("csv:2", true, null), "id,name\n2,Bob\n")).containsExactly("Bob");
        assertThat(warnings).isEmpty();
    }

    @Test
    void separatesByWhatTheUserSays() throws IOException {
        assertThat(keys(form("csv:b", true, ";"), "a;b\n1,5;\"x;y\"\n")).containsExactly("x;y");
        assertThat(keys(form("csv:b", true, "\\t"), "a\tb\n1\t\"x\ty\"\n")).containsExactly("x\ty");
        assertThat(keys(form("tsv:b", true, null), "a\tb\r\n1\t\"x, y\"\r\n\n2\t\n"))
                .as("in tsv nothing is quoted")
                .containsExactly("\"x, y\"", "");
        assertThat(keys(form("tsv:2", false, null), "\uFEFFa\tb\n")).containsExactly("b");
    }

    @Test
    void severalColumnsAreOneKeyThatNoOtherValuesHave() throws IOException {
        assertThat(keys(form("csv:last,first", true, null), "first,x,last\nAnn,1,Lee\n\"\\\t\",2,\"a\nb\r\"\n"))
                .containsExactly("Lee\tAnn", "a\\nb\\r\t\\\\\\t");
        assertThat(keys(form("csv:1,2", true, null), "a,b\nx,\n,x\n\"x\t\",y\nx,\"\ty\"\nx\\t,y\n"))
                .doesNotHaveDuplicates();
        assertThat(keys(form("csv:\"a,b\",2", true, null), "\"a,b\",c\n1,2\n")).containsExactly("1\t2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "csv:1 | utf8 of csv:1",
                "csv:name=1 | utf8 of csv:\"1\"",
                "csv:a b,2,name=x | utf8 of csv:a b,2,x",
                "csv:name=a,b | utf8 of csv:a,b",
                "csv:\"say \"\"so\"\", or not\" | utf8 of csv:\"say \"\"so\"\", or not\"",
                "csv:\"name=x\" | utf8 of csv:\"name=x\"",
                "tsv:mail | utf8 of tsv:mail",
            })
    void theNameInTheFileReadsTheSameColumns(String format, String name) {
        KeyForm form = form(format, true, null);
        assertThat(form.key().name()).isEqualTo(name);
        assertThat(KeyForm.ofKeyName(name, 0).key().name()).isEqualTo(name);
    }

    @Test
    void theNameInTheFileRemembersDelimiterAndMissingHeader() throws IOException {
        String name = form("csv:2", false, ";").key().name();
        assertThat(name).isEqualTo("utf8 of csv/no-header/delimiter=U+003B:2");
        KeyForm again = KeyForm.ofKeyName(name, 0);
        assertThat(again.key().name()).isEqualTo(name);
        assertThat(keys(again, "1;a\n2;b\n")).containsExactly("a", "b");
        String tabs = form("tsv:2", false, null).key().name();
        assertThat(keys(KeyForm.ofKeyName(tabs, 0), "1\ta\n")).containsExactly("a");
    }

    @Test
    void skipsRowsOfAnotherLengthWhereToldTo() throws IOException {
        String ragged = "a,b\n1,2\n3\n4,5,6\n7,8\n";
        assertThatThrownBy(() -> keys(form("csv:a", true, null), ragged))
                .isInstanceOf(BadInput.class)
                .hasMessage("it line 3: it has 1 field, the first row has 2; --skip-bad skips such records");
        bad = BadRecords.skipped(skipped::add);
        assertThat(keys(form("csv:a", true, null), ragged)).containsExactly("1", "7");
        assertThat(bad.count()).isEqualTo(2);
        assertThat(skipped).element(1).isEqualTo("skipped: it line 4: it has 3 fields, the first row has 2");
        assertThat(keys(form("tsv:1", true, null), "a\tb\n1\t2\n3\n")).containsExactly("1");
        bad.restart();
        assertThat(bad.count()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "csv:3 | it: there is no column 3: its first row has 2",
                "csv:c | it: there is no column 'c'; its header names a, a",
                "csv:a | it: two columns are named 'a': use the position of one of them, 1 or 2",
                "csv:0 | columns are numbered from 1 to 16384, got 0; for a column with this name write name=0",
                "csv:99999999999 | columns are numbered from 1 to 16384, got 99999999999",
                "csv:a,,b | a column needs a name or a position",
                "csv:\"a | a quote is not closed",
                "csv:\"a\"b | a comma was expected after",
                "csv | the format 'csv' needs a name, as in csv:email",
                "csv/what:a | there is no format 'csv/what'",
            })
    void refusesColumnsThatAreNotThere(String format, String message) {
        assertThatThrownBy(() -> keys(form(format, true, null), "a,a\n1,2\n"))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining(message);
    }

    @Test
    void refusesANameWithoutAHeaderAndADelimiterThatIsNone() {
        assertThatThrownBy(() -> keys(form("csv:a", false, null), "a,b\n"))
                .hasMessageContaining("without a header row there is no column named 'a': use its position");
        assertThatThrownBy(() -> form("tsv:a", true, ";")).hasMessageContaining("--delimiter is for csv");
        assertThatThrownBy(() -> form("lines", false, null)).hasMessageContaining("are for tables");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ab", "\"", "\n"})
    void refusesADelimiterThatIsNoCharacter(String delimiter) {
        assertThatThrownBy(() -> form("csv:a", true, delimiter))
                .hasMessageContaining("--delimiter must be one character");
    }

    @Test
    void aQuoteThatIsNeverClosedIsRefusedWithItsRow() throws IOException {
        String rows = "\"\"\"x\"\"\",\"a\n\"\"b\"\"\"\n";
        for (String closed : List.of("\"\"", "\"a\"\n", "\"a\"\"\"\r\n", "a\"b", "a\"\n", "\"a\"")) {
            assertThat(keys(form("csv:1", false, null), closed)).as(closed).hasSize(1);
        }
        // Also where the buffers of readers end somewhere in it.
        for (int count : new int[] {0, 1, 3, 1_000, 5_000}) {
            String all = rows.repeat(count);
            assertThat(keys(form("csv:2", false, null), all)).hasSize(count);
            assertThatThrownBy(() -> keys(form("csv:2", false, null), all + "1,\"never\n2,closed\n3,\"\"\n"))
                    .as("behind %s rows", count)
                    .isInstanceOf(BadInput.class)
                    .hasMessage("it line " + (2 * count + 1)
                            + ": a quote is opened in this row and never closed: a quote in a field is written \"\"");
        }
    }

    @Test
    void knowsAnOpenQuoteWhereverATableIsCut() throws IOException {
        String table = "a;\"b\"\"c\";d\"e\n\"\";\"\n;\"\r\n";
        for (int end = 1; end <= table.length(); end++) {
            boolean isInside = false;
            for (int step : new int[] {1, 2, 3, 100}) {
                QuoteTracker tracker = new QuoteTracker(new StringReader(table.substring(0, end)), ';');
                char[] buffer = new char[step];
                while (tracker.read(buffer) >= 0) {
                    assertThat(tracker.isUnclosed()).as("before the end").isFalse();
                }
                isInside = step == 1 ? tracker.isUnclosed() : isInside;
                assertThat(tracker.isUnclosed()).as("%s by %s", end, step).isEqualTo(isInside);
            }
            String part = table.substring(0, end);
            assertThat(isInside)
                    .as(part)
                    .isEqualTo(Set.of(3, 4, 6, 7, 14, 17, 18, 19).contains(end));
        }
    }
}
