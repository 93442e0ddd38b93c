package dev.perhaps.cli.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Amounts and numbers with decimals: counted exactly, and printed as they were written. */
class DecimalsIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        // The decimals are found on the way: none, then one, then two.
        shell.write("sales.csv", "product,amount", "tea,3", "coffee,0.5", "tea,12.25", "coffee,1000.1");
        shell.write("whole.csv", "product,amount", "tea,1");
        shell.write("fine.csv", "product,amount", "tea,0.125");
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    private List<Shell.Result> done(String... commands) throws Exception {
        List<Shell.Result> results =
                shell.all(Arrays.stream(commands).map(DecimalsIT::words).toList());
        assertThat(results)
                .allSatisfy(result -> assertThat(result.code()).as(result.err()).isZero());
        return results;
    }

    @Test
    void topAddsUpAmounts() throws Exception {
        List<Shell.Result> results = done(
                "top sales.csv --format csv:product --by amount",
                "top sales.csv --format csv:product --by amount --json",
                "top sales.csv --format csv:product --by amount --decimals 0",
                "top whole.csv --format csv:product --by amount");
        assertThat(results.get(0).out()).isEqualTo("1  1000.60  coffee\n2    15.25  tea\n");
        assertThat(results.get(0).err()).contains("of 1,015.85 in total");
        assertThat(results.get(1).out())
                .startsWith("{\"rank\":1,\"atLeast\":1000.60,\"atMost\":1000.60,\"key\":\"coffee\"}\n");
        assertThat(results.get(2).out()).isEqualTo("1  1001  coffee\n2    15  tea\n");
        assertThat(results.get(3).out()).isEqualTo("1  1  tea\n");
    }

    @Test
    void whatCannotBeReadTwiceNeedsTheOption() throws Exception {
        String sales = "tea 0.5\ntea 12.25\n";
        Shell.Result refused = shell.perhapsWith(sales, "top", "--format", "word:1", "--by", "2");
        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.err())
                .isEqualTo("perhaps: standard input line 1: '0.5' in field '2' is not a whole number: use --decimals 1;"
                        + " --skip-bad skips such records\n");
        Shell.Result read = shell.perhapsWith(sales, "top", "--format", "word:1", "--by", "2", "--decimals", "2");
        assertThat(read.out()).isEqualTo("1  12.75  tea\n");
    }

    @Test
    void countsKeepTheirDecimals() throws Exception {
        shell.write("asked.txt", "tea", "coffee");
        List<Shell.Result> results = done(
                "count build sales.csv --format csv:product --by amount -o s",
                "count query s asked.txt --format lines",
                "count query s asked.txt --format lines --json",
                "info s --json",
                "info s",
                "count add s whole.csv --by amount",
                "count add s whole.csv",
                "count add s fine.csv --by amount --decimals 2",
                "count query s asked.txt --format lines");
        assertThat(results.get(0).err()).contains("1,015.85 in total");
        // At most 0.1 % of the total too high.
        assertThat(results.get(1).out()).isEqualTo("14.24-15.25  tea\n999.59-1000.60  coffee\n");
        assertThat(results.get(2).out()).contains("\"estimate\":15.25,\"atLeast\":14.24,");
        assertThat(results.get(3).out()).contains("\"key\":\"utf8 of amounts=2 csv:product\"", "\"total\":1015.85");
        assertThat(results.get(4).out()).containsPattern("total +1015.85\n");
        assertThat(results.get(8).out()).contains("-17.38  tea\n");
    }

    @Test
    void rangesKeepTheirDecimals() throws Exception {
        shell.write("prices.csv", "price,sold", "1.25,2", "2.5,0.5", "19.99,1", "-0.01,1");
        List<Shell.Result> results = done(
                "count build prices.csv --format csv:price --ranges --universe 64 --epsilon 0.5 -o p",
                "count quantile p 0 0.5 1",
                "count quantile p 1 --json",
                "count range p 1.25 2.50",
                "count range p 1.251 19.989 --json",
                "count build prices.csv --format csv:price --by sold --ranges --epsilon 0.5 -o s",
                "count range s 1 3");
        assertThat(results.get(1).out()).isEqualTo("0.0  -0.01\n0.5  1.25\n1.0  19.99\n");
        assertThat(results.get(2).out()).startsWith("{\"q\":1.0,\"value\":19.99,");
        assertThat(results.get(3).out()).endsWith("2\n");
        assertThat(results.get(4).out()).startsWith("{\"from\":1.26,\"to\":19.98,\"estimate\":1,");
        assertThat(results.get(6).out()).endsWith("2.50\n");
    }

    @Test
    void refusesWhatWouldBeMisread() throws Exception {
        shell.write("long.csv", "product,amount", "tea,0.1234567891");
        shell.write("prices.txt", "1.25");
        done(
                "count build sales.csv --format csv:product --by amount -o s",
                "count build whole.csv --format csv:product --by amount -o w",
                "count build prices.txt --ranges --universe 8 -o p",
                "count build prices.txt --ranges --universe 8 --decimals 0 -o q");
        new Refusals(shell)
                .of(
                        "count add s fine.csv --by amount",
                        "fine.csv line 2: '0.125' in field 'amount' has more decimals than s counts (2 decimals):"
                                + " round it with --decimals 2, or build the sketch again with --decimals 3")
                .of("count add w sales.csv --by amount", "sales.csv line 3: '0.5' in field 'amount' has more decimals")
                .of("count add w whole.csv --by amount --decimals 2", "--decimals 2: w was built with 0")
                .of("count merge s w -o m", "they count to different decimals, 2 of amounts against 0")
                .of("count merge p q -o m", "they count to different decimals, 2 against 0")
                .of("top whole.csv --format csv:product --decimals 2", "--decimals goes with --by")
                .of("count build prices.txt --decimals 2 -o x", "--decimals goes with --by or --ranges")
                .of("top whole.csv --format csv:product --by amount --decimals 10", "must be from 0 to 9, got 10")
                .of("top long.csv --format csv:product --by amount", "has 10 decimals, and at most 9 are read")
                .hold();
    }
}
