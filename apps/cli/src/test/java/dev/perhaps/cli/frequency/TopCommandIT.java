package dev.perhaps.cli.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perhaps top}, as a user runs it. */
class TopCommandIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws IOException {
        shell = new Shell(folder);
        shell.write("cities.txt", "Oslo", "Rome", "Oslo", "Lisbon", "Oslo", "Rome");
        shell.write("sales.csv", "product,amount,at", "tea,5,100", "\"milk, cold\",20,160", "tea,7,220");
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    @Test
    void ranksLinesColumnsFieldsAndWords() throws Exception {
        shell.write("sales.jsonl", "{\"p\":{\"q\":\"tea\"},\"n\":5}", "{\"n\":20,\"p\":{\"q\":\"milk\"}}");
        shell.write("access.log", "10.0.0.1 - /a 200", "", "10.0.0.2 - /b 200", "10.0.0.1 - /c 404");
        List<Shell.Result> results = shell.all(List.of(
                words("top cities.txt"),
                words("top cities.txt -k 1 --json"),
                words("top sales.csv --format csv:product"),
                words("top sales.csv --format csv:product --by amount"),
                words("top sales.jsonl --format jsonl:p.q --by n"),
                words("top access.log --format word:1"),
                words("top access.log --format word:3 --by 4 -k 1")));
        assertThat(results.get(0).out()).isEqualTo("1  3  Oslo\n2  2  Rome\n3  1  Lisbon\n");
        assertThat(results.get(0).err()).isEqualTo("of 6 in total; every key was counted\n");
        assertThat(results.get(1).out()).isEqualTo("{\"rank\":1,\"atLeast\":3,\"atMost\":3,\"key\":\"Oslo\"}\n");
        assertThat(results.get(2).out()).isEqualTo("1  2  tea\n2  1  milk, cold\n");
        assertThat(results.get(3).out()).isEqualTo("1  20  milk, cold\n2  12  tea\n");
        assertThat(results.get(4).out()).isEqualTo("1  20  milk\n2   5  tea\n");
        assertThat(results.get(5).out()).isEqualTo("1  2  10.0.0.1\n2  1  10.0.0.2\n");
        assertThat(results.get(6).out()).isEqualTo("1  404  /c\n");
        assertThat(shell.perhapsWith("b\na\r\na\nb\na", "top").out()).isEqualTo("1  3  a\n2  2  b\n");
    }

    @Test
    void ranksBytesThatAreNoTextAndEmptyInput() throws Exception {
        Files.write(folder.resolve("latin1.txt"), "Z\u00fcrich\n".getBytes(StandardCharsets.ISO_8859_1));
        Shell.Result bytes = shell.sh("perhaps top latin1.txt 2>/dev/null | od -An -c");
        assertThat(bytes.out()).contains("Z 374   r   i   c   h");
        assertThat(shell.perhapsWith("", "top").out()).isEmpty();
    }

    /** More keys than counters, and blocks enough for both workers: what is printed is between its bounds. */
    @Test
    void boundsWhatItDoesNotCountExactly() throws Exception {
        Random random = new Random(7);
        long[] truth = new long[60_000];
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 300_000; i++) {
            int key = (int) (truth.length * Math.pow(random.nextDouble(), 4));
            truth[key]++;
            lines.add("the key with the number " + key);
        }
        Files.write(folder.resolve("many.txt"), lines);
        Shell.Result few = shell.perhaps("top", "many.txt", "-k", "200", "--counters", "200", "--json");
        Shell.Result again = shell.perhaps("top", "many.txt", "-k", "200", "--counters", "200", "--json");
        assertThat(few.out()).isEqualTo(again.out());
        List<String> rows = few.out().lines().toList();
        assertThat(rows).isNotEmpty();
        int inexact = 0;
        for (String row : rows) {
            String[] numbers = row.replaceAll("[^0-9]+", " ").strip().split(" ", -1);
            long atLeast = Long.parseLong(numbers[1]);
            long atMost = Long.parseLong(numbers[2]);
            assertThat(truth[Integer.parseInt(numbers[3])]).as(row).isBetween(atLeast, atMost);
            inexact += atLeast < atMost ? 1 : 0;
        }
        assertThat(inexact).isPositive();
        assertThat(few.err()).contains("of 300,000 in total; keys that are not listed have at most ");
        String enough = shell.perhaps("top", "many.txt", "-k", "3").out();
        assertThat(enough.lines().findFirst().orElse("")).endsWith("  the key with the number 0");
        assertThat(enough).doesNotContainPattern("[0-9]-[0-9]");
    }

    @Test
    void ranksWhatCameLately() throws Exception {
        shell.write(
                "requests.csv",
                "path,at,bytes",
                "/old,2026-05-17T07:00:00Z,1",
                "/old,2026-05-17T07:00:01Z,1",
                "/new,2026-05-17T08:29:00Z,10",
                "/old,2026-05-17T08:30:00Z,1",
                "/new,2026-05-17T08:29:30Z,10",
                "/old,2026-05-16,1");
        shell.write(
                "access.log",
                "10.0.0.1 - - [17/May/2026:08:00:00 +0200] \"GET /a HTTP/1.1\" 200 5",
                "10.0.0.2 - - [17/May/2026:09:00:00 +0200] \"GET /b HTTP/1.1\" 200 5");
        List<Shell.Result> results = shell.all(List.of(
                words("top requests.csv --format csv:path --time at --last 10m"),
                words("top requests.csv --format csv:path --time at --last 10m --by bytes -k 1 --json"),
                words("top requests.csv --format csv:path --time at --last 7d"),
                words("top access.log --format word:7 --time 4 --last 10m")));
        assertThat(results.get(0).out()).isEqualTo("1  2  /new\n2  1  /old\n");
        assertThat(results.get(0).err())
                .startsWith("of 3 since 2026-05-17T08:")
                .endsWith("; every key was counted; 1 came too late to count\n");
        assertThat(results.get(1).out()).isEqualTo("{\"rank\":1,\"atLeast\":20,\"atMost\":20,\"key\":\"/new\"}\n");
        assertThat(results.get(2).out()).isEqualTo("1  4  /old\n2  2  /new\n");
        assertThat(results.get(3).out()).isEqualTo("1  1  /b\n");
        assertThat(shell.perhapsWith("a\nb\na\n", "top", "--last", "1h").out()).isEqualTo("1  2  a\n2  1  b\n");
    }

    /** On a terminal, what is counted from standard input is shown meanwhile, and gone before the result comes. */
    @Test
    void refreshesOnATerminal() throws Exception {
        Shell.Running live = shell.startWatched("top", "--last", "1h");
        OutputStream stdin = live.process().getOutputStream();
        stdin.write("a\033[2J\nb\na\033[2J\n".getBytes(StandardCharsets.UTF_8));
        stdin.flush();
        String shown = "1  2  a\\u001B[2J\n2  1  b\n";
        for (int i = 0; i < 600 && !Files.readString(live.err()).contains(shown); i++) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        Shell.Result result = live.finish("");
        assertThat(result.out()).isEqualTo(shown);
        assertThat(result.err()).contains(shown).contains("\033[2A\033[Jof 3 since ");
    }

    @Test
    void endsQuietlyWhenTheReaderHasSeenEnough() throws Exception {
        Shell.Result piped = shell.sh("seq 100000 | perhaps top -k 50000 2>/dev/null | head -1 | wc -l");
        assertThat(piped.out().strip()).isEqualTo("1");
        assertThat(piped.err()).isEmpty();
    }

    @Test
    void refusesBadInput() throws Exception {
        shell.write("bad.csv", "product,amount", "tea,1", "milk,many");
        shell.write("negative.csv", "product,amount", "tea,1", "milk,-1");
        shell.write("huge.csv", "product,amount", "tea,9223372036854775807", "milk,1");
        new Refusals(shell)
                .of("top cities.txt -k 0", "-k must be a whole number of at least 1, such as 1000000 or 1e6, got '0'")
                .of("top cities.txt -k many", "got 'many'")
                .of("top cities.txt -k 10 --counters 5", "--counters must be in [k = 10, ")
                .of("top nothing.txt", "nothing.txt: there is no such file")
                .of(
                        "top cities.txt --format urls",
                        "are not kept as text: use lines, csv:COLUMN, jsonl:FIELD or word:N")
                .of(
                        "top cities.txt --by amount",
                        "--by and --time need a format with fields, which 'lines' does not have")
                .of(
                        "top sales.csv --format csv:item",
                        "there is no column 'item'; its header names product, amount, at")
                .of("top sales.csv --format csv:product --by price", "there is no column 'price'")
                .of(
                        "top bad.csv --format csv:product --by amount",
                        "bad.csv line 3: 'many' in field 'amount' is not a number; --skip-bad skips")
                .of(
                        "top negative.csv --format csv:product --by amount",
                        "negative.csv line 3: a count must be 0 or more, got -1")
                .of("top huge.csv --format csv:product --by amount", "huge.csv line 3: the counts sum up to more than")
                .of("top sales.csv --format csv:product --time at", "--time goes with --last, as in --last 10m")
                .of("top sales.csv --format csv:product --time at --last soon", "--last must be a duration such as")
                .of("top sales.csv --format csv:product --time at --last 0s", "got '0s'")
                .of(
                        "top sales.csv --format csv:amount --time product --last 5m",
                        "sales.csv line 2: 'tea' in field 'product' is not a time, such as 2026-05-17T08:30:00Z or")
                .hold();
        Shell.Result skipped =
                shell.perhaps("top", "bad.csv", "--format", "csv:product", "--by", "amount", "--skip-bad");
        assertThat(skipped.out()).isEqualTo("1  1  tea\n");
        assertThat(skipped.err()).contains("perhaps: warning: 1 record was skipped");
    }

    @Test
    void aCountBelowZeroIsABadRecord() throws Exception {
        shell.write("back.csv", "product,amount", "tea,1.25", "milk,-7", "tea,2");
        List<Shell.Result> results = shell.all(List.of(
                words("top back.csv --format csv:product --by amount"),
                words("top back.csv --format csv:product --by amount --skip-bad"),
                words("top back.csv --format csv:product --by amount --skip-bad --last 1h")));
        String problem = "back.csv line 3: a count must be 0 or more, got -7.00";
        assertThat(results.get(0).code()).isEqualTo(2);
        assertThat(results.get(0).err()).isEqualTo("perhaps: " + problem + "; --skip-bad skips such records\n");
        for (Shell.Result skipping : results.subList(1, 3)) {
            assertThat(skipping.code()).as(skipping.err()).isZero();
            assertThat(skipping.out()).isEqualTo("1  3.25  tea\n");
            assertThat(skipping.err()).startsWith("skipped: " + problem + "\nperhaps: warning: 1 record was skipped\n");
        }
    }
}
