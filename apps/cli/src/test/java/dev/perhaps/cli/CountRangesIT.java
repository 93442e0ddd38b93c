package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perhaps count} of numbers: ranges and quantiles. */
class CountRangesIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write(
                "numbers.txt",
                IntStream.rangeClosed(1, 1000).mapToObj(Integer::toString).toArray(String[]::new));
        shell.write("clients.csv", "ip,bytes", "10.0.0.1,5", "10.1.2.3,7", "192.168.0.9,100");
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    @Test
    void countsRangesAndFindsQuantiles() throws Exception {
        List<Shell.Result> results = shell.all(List.of(
                words("count build numbers.txt --ranges --universe 10 -o r"), // so few that all are exact
                words("count range r 100 200"),
                words("count range r -5 99999999999"),
                words("count range r -7 -5"),
                words("count range r 500 500 --json"),
                words("count quantile r 0 0.5 0.99 1"),
                words("count quantile r 0.5 --json"),
                words("count add r numbers.txt"),
                words("count range r 1 10"),
                words("count merge r r -o twice"),
                words("count info twice --json")));
        assertThat(results)
                .allSatisfy(result -> assertThat(result.code()).as(result.err()).isZero());
        assertThat(results.get(1).out()).isEqualTo("101\n");
        assertThat(results.get(2).out()).isEqualTo("1000\n");
        assertThat(results.get(3).out()).isEqualTo("0\n");
        assertThat(results.get(4).out())
                .isEqualTo("{\"from\":500,\"to\":500,\"estimate\":1,\"atLeast\":1,\"confidence\":1.0}\n");
        assertThat(results.get(5).out()).isEqualTo("0.0  1\n0.5  500\n0.99  990\n1.0  1000\n");
        assertThat(results.get(6).out()).startsWith("{\"q\":0.5,\"value\":500,\"error\":0.0,\"confidence\":1.0");
        assertThat(results.get(8).out()).isEqualTo("20\n");
        assertThat(results.get(10).out()).contains("\"kind\":\"ranges\"", "\"total\":4000");
    }

    @Test
    void takesDecimalsAsTheEndsOfARange() throws Exception {
        List<Shell.Result> results = shell.all(List.of(
                words("count build numbers.txt --ranges --universe 10 -o r"),
                words("count range r 99.5 200.25"),
                words("count range r -0.5 3.0"),
                words("count range r 5.1 5.9")));
        assertThat(results.get(1).out()).isEqualTo("101\n");
        assertThat(results.get(2).out()).isEqualTo("3\n");
        assertThat(results.get(3).out()).as("no whole number is between them").isEqualTo("0\n");
    }

    @Test
    void isAsSmallAsTheNumbersThatItReads() throws Exception {
        shell.write("small.txt", "3", "1", "4", "1", "5", "9", "2", "6");
        shell.write("negative.txt", "-1", "5");
        List<Shell.Result> results = shell.all(List.of(
                words("count build small.txt --ranges -o r"),
                words("count range r 1 4"),
                words("count build numbers.txt --ranges -o n"),
                words("count build negative.txt --ranges --epsilon 0.5 -o m"),
                words("count range m -5 -1")));
        assertThat(results.get(0).err()).contains("planned for numbers of 7 bits: --universe 15 allows larger ones");
        assertThat(Files.size(folder.resolve("r"))).as("it was 65 MiB").isLessThan(4_096);
        assertThat(results.get(1).out()).isEqualTo("5\n");
        assertThat(Files.size(folder.resolve("n"))).isLessThan(1 << 20);
        assertThat(results.get(4).out()).isEqualTo("1\n");
    }

    @Test
    void countsAddressesByAField() throws Exception {
        List<Shell.Result> results = shell.all(List.of(
                words("count build clients.csv --format csv:ip --by bytes --ranges --universe 32 --epsilon 0.1 -o r"),
                words("count range r 10.0.0.0 10.255.255.255"),
                words("count quantile r 1")));
        assertThat(results.get(1).out()).isEqualTo("5-12\n");
        assertThat(results.get(2).out()).isEqualTo("1.0  3232235529\n");
    }

    @Test
    void refusesBadInputAndChangesNothing() throws Exception {
        shell.write("bad.txt", "1", "2", "three");
        shell.write("big.txt", "1", "1024");
        shell.write("negative.csv", "n,count", "5,1", "6,-1");
        shell.write("huge.csv", "n,count", "5,9223372036854775807", "6,1");
        Files.write(folder.resolve("empty.txt"), new byte[0]);
        shell.all(List.of(
                words("count build numbers.txt --ranges --universe 10 -o good"),
                words("count build numbers.txt --ranges --universe 11 -o wider"),
                words("count build numbers.txt -o keys"),
                words("count build empty.txt --ranges --universe 10 -o none")));
        new Refusals(shell)
                .of("count range good 5 1", "a range starts with its smallest number, got 5 to 1")
                .of("count range good one 5", "FROM must be a number or an IPv4 address, got 'one'")
                .of("count range good 1 --five", "TO must be a number or an IPv4 address, got '--five'")
                .of("count range good 1", "Missing required parameter: 'TO'")
                .of("count range keys 1 5", "keys counts keys, not numbers")
                .of("count quantile keys 0.5", "keys counts keys, not numbers")
                .of("count quantile good 1.5", "Q must be in [0, 1], got 1.5")
                .of("count quantile good NaN", "Q must be in [0, 1], got NaN")
                .of("count quantile none 0.5", "none has counted nothing yet")
                .of("count query good numbers.txt", "good counts numbers, not keys")
                .of("count merge good wider -o c", "good and wider: ")
                .of("count merge good keys -o c", "counts of numbers do not merge with counts of keys")
                .of("count merge keys good -o c", "counts of keys do not merge with counts of numbers")
                .of("count build bad.txt --ranges -o c", "bad.txt line 3: 'three' is not a number; --skip-bad")
                .of("count add good bad.txt", "bad.txt line 3: 'three' is not a number")
                .of(
                        "count add good big.txt",
                        "big.txt line 2: 1024 is not from 0 to 1023, for which this was planned: build with a larger --universe")
                .of(
                        "count build negative.csv --format csv:n --by count --ranges -o c",
                        "negative.csv line 3: count must be 0")
                .of("count build huge.csv --format csv:n --by count --ranges -o c", "huge.csv line 3: ")
                .of("count build numbers.txt --ranges --universe 65 -o c", "--universe must have 1 to 64 bits, got 65")
                .of("count build numbers.txt --universe 10 -o c", "--universe goes with --ranges")
                .of("count build numbers.txt --ranges --memory 1M -o c", "do not go with --ranges")
                .of("count build numbers.txt --ranges --epsilon 2 -o c", "--epsilon must be in (0, 1), got 2.0")
                .of("count build numbers.txt --ranges --format urls -o c", "keys of the form 'urls' are not numbers")
                .hold();
        Shell.Result skipped = shell.perhaps("count", "add", "good", "bad.txt", "--skip-bad");
        assertThat(skipped.code()).isZero();
        assertThat(skipped.err()).contains("skipped: bad.txt line 3", "perhaps: warning: 1 record was skipped");
    }

    @Test
    void doesNotAdviseMoreBitsThanThereAre() throws Exception {
        shell.write("below.txt", "-1", "5");
        assertThat(shell.perhaps("count", "build", "below.txt", "--ranges", "-o", "below")
                        .err())
                .startsWith("planned for numbers of 64 bits, since one is below zero\n");
        new Refusals(shell)
                .of("count build below.txt -o c --delta 1e-300", "--delta must be at least 1e-16, got 1.0E-300")
                .hold();
    }
}
