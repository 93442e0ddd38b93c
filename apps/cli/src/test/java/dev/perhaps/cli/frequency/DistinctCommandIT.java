package dev.perhaps.cli.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perhaps distinct}, as a user runs it. */
class DistinctCommandIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write("cities.txt", "Lisbon", "Oslo", "Rome", "Oslo");
    }

    @Test
    void countsDifferentLinesOfFilesAndOfStandardInput() throws Exception {
        Shell.Result files = shell.perhaps("distinct", "cities.txt", "cities.txt");
        assertThat(files.code()).isZero();
        assertThat(files.out()).isEqualTo("different  3  (± 0.305 %, one standard error)\nitems      8  (read now)\n");
        Shell.Result piped = shell.perhapsWith("a\nb\na\n", "distinct", "--json", "--error", "0.02");
        assertThat(piped.out()).isEqualTo("{\"distinct\":2,\"standardError\":0.017279921965246255,\"items\":3}\n");
    }

    @Test
    void countsTogetherWithWhatWasSaved() throws Exception {
        shell.write("monday.csv", numbered("id,day", 0, 30_000));
        shell.write("tuesday.csv", numbered("id,day", 20_000, 50_000));
        assertThat(shell.perhaps("distinct", "monday.csv", "--format", "csv:id", "-o", "monday")
                        .code())
                .isZero();
        Shell.Result both = shell.perhaps(
                "distinct", "tuesday.csv", "--format", "csv:id", "--with", "monday", "-o", "both", "--json");
        double estimate = Double.parseDouble(both.out().replaceAll(".*\"distinct\":([0-9]+),.*\\s*", "$1"));
        assertThat(estimate).isBetween(50_000 * 0.985, 50_000 * 1.015); // five standard errors
        Shell.Result again = shell.perhaps("distinct", "--with", "both", "--with", "monday", "--json");
        assertThat(again.out()).contains("\"distinct\":" + (long) estimate, "\"items\":0");
        assertThat(shell.perhaps("filter", "info", "both").out()).contains("kind            distinct");
    }

    private static String[] numbered(String header, int from, int to) {
        return IntStream.range(from - 1, to)
                .mapToObj(i -> i < from ? header : i + ",x")
                .toArray(String[]::new);
    }

    @Test
    void refusesBadInputAndWritesNothing() throws Exception {
        shell.perhaps("distinct", "cities.txt", "-o", "saved");
        shell.perhaps("filter", "build", "cities.txt", "-o", "filter");
        shell.write("bad.jsonl", "{\"id\":1}", "{\"di\":1}", "{\"id\":2}");
        new Refusals(shell)
                .of("distinct cities.txt --error 1.5", "--error must be in (0, 1), got 1.5")
                .of("distinct cities.txt --error 1e-9", "--error must be at least 0.000382")
                .of("distinct nothing -o new", "nothing: there is no such file")
                .of("distinct cities.txt -o no/such/file", "its folder does not exist")
                .of("distinct cities.txt --with filter", "filter is a bloom, not a saved distinct count")
                .of("distinct cities.txt --error 0.1 --with saved", "use --error 0.0030")
                .of("distinct --format kmers:5 --with saved", "which 'kmers:5' does not fit")
                .of("filter check saved cities.txt", "saved: it holds a distinct sketch, not a filter")
                .of("filter add saved cities.txt", "saved: it holds a distinct sketch, not a filter")
                .of("filter merge filter saved -o new", "saved: it holds a distinct sketch, not a filter")
                .of(
                        "distinct bad.jsonl --format jsonl:id -o new",
                        "bad.jsonl line 2: it has no field 'id'; --skip-bad skips such records")
                .hold();
        Shell.Result skipped = shell.perhaps("distinct", "bad.jsonl", "--format", "jsonl:id", "--skip-bad");
        assertThat(skipped.out()).contains("different  2 ");
        assertThat(skipped.err()).contains("skipped: bad.jsonl line 2", "perhaps: warning: 1 record was skipped");
    }
}
