package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.input.capture.CaptureBytes;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One option says what a record is, for all commands, and records that cannot be read are skipped where the user said so. */
class InputFormatIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() {
        shell = new Shell(folder);
    }

    private List<Shell.Result> all(String... commands) throws Exception {
        return shell.all(Arrays.stream(commands)
                .map(command -> Arrays.asList(command.split(" ")))
                .toList());
    }

    @Test
    void aFilterOfATableWithoutAHeaderIsAskedInTheSameWay() throws Exception {
        shell.write("ids.csv", "1;Ann", "2;Bob");
        shell.write("more.csv", "1;x", "3;y");
        List<Shell.Result> results = all(
                "filter build ids.csv --format csv:1 --no-header --delimiter ; -o ids.filter",
                "filter check ids.filter more.csv",
                "filter check ids.filter ids.csv",
                "filter check ids.filter ids.csv --format csv:1 --delimiter ;",
                "top ids.csv --format csv:2 --no-header --delimiter ;");
        assertThat(results.get(0).err()).contains("2 items");
        assertThat(results.get(1).out()).isEqualTo("1;x\n");
        assertThat(results.get(2).out()).isEqualTo("1;Ann\n2;Bob\n");
        assertThat(results.get(3).out()).isEqualTo("1;Ann\n2;Bob\n");
        assertThat(results.get(3).err())
                .contains("its first row, '1;Ann', is taken for the header and not read: use --no-header");
        assertThat(results.get(4).out()).contains("  Ann\n", "  Bob\n");
    }

    @Test
    void aKeyOfTwoColumnsIsFoundByBoth() throws Exception {
        shell.write("a.csv", "first,last,x", "Ann,Lee,1", "Bob,Ray,2");
        shell.write("b.csv", "last,first", "Lee,Ann", "Ray,Ann");
        List<Shell.Result> results = all(
                "filter build a.csv --format csv:last,first -o names.filter",
                "filter check names.filter b.csv",
                "filter check names.filter b.csv --absent");
        assertThat(results.get(1).out()).isEqualTo("last,first\nLee,Ann\n");
        assertThat(results.get(2).out()).isEqualTo("last,first\nRay,Ann\n");
    }

    @Test
    void skipsBadRecordsInEveryCommandThatReadsThem() throws Exception {
        shell.write("ragged.csv", "id,n", "1,5", "2", "3,7");
        shell.write(
                "bad.jsonl",
                "{\"t\":\"one document of words\",\"l\":[1,2]}",
                "nonsense",
                "{\"t\":\"another\",\"l\":[1,2]}");
        shell.write("bad.urls", "a.example/x", "mailto:x@y.example");
        shell.write("bad.flows", "a b 5", "a b many");
        shell.write("baskets.csv", "order,item", "1,a", "1,b", "2", "3,a", "3,b");
        List<Shell.Result> results = all(
                "filter build ragged.csv --format csv:id --skip-bad -o f",
                "filter check f ragged.csv --skip-bad",
                "filter add f ragged.csv --skip-bad",
                "filter build bad.urls --format urls --skip-bad -o u",
                "count build ragged.csv --format csv:id --by n --skip-bad -o c",
                "distinct ragged.csv --format csv:id --skip-bad",
                "top ragged.csv --format csv:id --by n --skip-bad",
                "flows bad.flows --skip-bad",
                "dedup bad.jsonl --format jsonl:t --skip-bad",
                "similar build bad.jsonl -o i --format jsonl:t --skip-bad",
                "baskets bad.jsonl --format jsonl:l --threshold 0.5 --skip-bad",
                "baskets baskets.csv --format csv:order,item --threshold 0.5 --skip-bad");
        for (Shell.Result result : results) {
            assertThat(result.code()).as("%s", result).isZero();
            assertThat(result.err()).containsOnlyOnce("skipped: ").contains("perhaps: warning: 1 record was skipped");
        }
        assertThat(results.get(1).out()).isEqualTo("id,n\n1,5\n3,7\n");
        assertThat(results.get(11).out()).isEqualTo("a\tb\t1.0\t2\t2\t2\n");
        new Refusals(shell)
                .of(
                        "filter add f ragged.csv",
                        "ragged.csv line 3: it has 1 field, the first row has 2; --skip-bad skips")
                .of(
                        "filter build bad.urls --format urls -o v",
                        "bad.urls line 2: the URL 'mailto:x@y.example' has no //")
                .of("dedup bad.jsonl --format jsonl:t", "bad.jsonl line 2: it is not")
                .of("baskets bad.jsonl --format jsonl:l --threshold 0.5", "bad.jsonl line 2: it is not")
                .of("flows bad.flows", "bad.flows line 2: it is neither a capture nor 'src dst bytes'")
                .of("distinct ragged.csv --format csv:id", "ragged.csv line 3: it has 1 field")
                .hold();
    }

    @Test
    void usesACutCaptureUpToTheCut() throws Exception {
        byte[] pcap = CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, CaptureBytes.MICROS, 1)
                .record(CaptureBytes.packet("00 ".repeat(12) + "0800", "10.0.0.1", "10.0.0.2"), 1000)
                .record(CaptureBytes.packet("00 ".repeat(12) + "0800", "10.0.0.1", "10.0.0.2"), 1000)
                .bytes();
        Files.write(folder.resolve("cut.pcap"), Arrays.copyOf(pcap, pcap.length - 3));
        Shell.Result flows = all("flows cut.pcap").get(0);
        assertThat(flows.code()).isZero();
        assertThat(flows.out()).isEqualTo("1  1000  10.0.0.1 10.0.0.2\n");
        assertThat(flows.err())
                .contains("warning: cut.pcap: the capture is cut short after packet 1: the packets before are used");
    }

    @Test
    void refusesWhatIsNoTextWithTheRemedy() throws Exception {
        Files.write(folder.resolve("data.xz"), new byte[] {(byte) 0xFD, '7', 'z', 'X', 'Z', 0, 0, 4});
        shell.write("cities.txt", "Lisbon");
        all("filter build cities.txt -o cities.filter");
        String remedy =
                "data.xz: it is compressed with xz, which is not read as it is: use 'xzcat data.xz | perhaps …'";
        new Refusals(shell)
                .of("filter build data.xz -o f", remedy)
                .of("top data.xz", remedy)
                .of("distinct data.xz", remedy)
                .of("dedup data.xz", remedy)
                .of("flows data.xz", remedy)
                .of("baskets data.xz --threshold 0.5", remedy)
                .of("filter check cities.filter cities.filter", "this is a Perhaps file, not text")
                .of("count build cities.filter -o c", "this is a Perhaps file, not text")
                .hold();
    }

    @Test
    void tablesWithTheSameHeaderArePrintedAsOne() throws Exception {
        shell.write("a.csv", "id,name", "1,Ann", "2,Bob");
        shell.write("b.csv", "id,name", "3,Eve", "1,Ann");
        shell.write("c.csv", "name,id", "Bob,2");
        List<Shell.Result> results =
                all("filter build a.csv --format csv:id -o ids.filter", "filter check ids.filter a.csv b.csv c.csv");
        assertThat(results.get(1).out()).isEqualTo("id,name\n1,Ann\n2,Bob\n1,Ann\nname,id\nBob,2\n");
    }

    @Test
    void refusesATableWithAQuoteThatIsNeverClosed() throws Exception {
        shell.write("open.csv", "id,name", "1,\"Ann", "2,Bob", "3,Eve");
        shell.write("baskets.csv", "a,\"b", "a,b");
        String problem = "open.csv line 2: a quote is opened in this row and never closed";
        new Refusals(shell)
                .of("top open.csv --format csv:id", problem)
                .of("top open.csv --format csv:id --skip-bad", problem)
                .of("filter build open.csv --format csv:id -o f", problem)
                .of("baskets baskets.csv --format csv --threshold 0.5", "baskets.csv line 1: a quote is opened")
                .hold();
    }

    @Test
    void anEmptyNameIsNotTheCurrentFolder() throws Exception {
        shell.write("a.txt", "a");
        for (String command : List.of("top", "dedup --format files", "similar build -o i --format files")) {
            List<String> words = new ArrayList<>(List.of(command.split(" ")));
            words.add("");
            Shell.Result result = shell.perhaps(words.toArray(String[]::new));
            assertThat(result.code()).as(command).isEqualTo(2);
            assertThat(result.err())
                    .isEqualTo("perhaps: an input has an empty name: name a file, or - for standard input\n");
        }
    }
}
