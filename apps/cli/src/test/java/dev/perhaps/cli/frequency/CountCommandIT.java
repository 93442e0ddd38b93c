package dev.perhaps.cli.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.key.Key;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perhaps count}, as a user runs it. */
class CountCommandIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write("cities.txt", "Lisbon", "Oslo", "Rome", "Oslo");
        shell.write("sales.csv", "product,amount", "tea,5", "milk,20", "tea,7");
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    @Test
    void asksForSingleKeysOfTheCommandLine() throws Exception {
        shell.write("fruit.txt", "apple", "pear", "apple");
        shell.write("pairs.csv", "a,b", "1,x", "1,x", "2,y");
        shell.perhaps("count", "build", "fruit.txt", "-o", "fruit");
        shell.perhaps("count", "build", "pairs.csv", "--format", "csv:a,b", "-o", "pairs");
        assertThat(shell.perhaps("count", "query", "fruit", "--key", "apple", "--key", "fig")
                        .out())
                .isEqualTo("2  apple\n0  fig\n");
        assertThat(shell.perhaps("count", "query", "fruit", "--key", "fig").code())
                .isEqualTo(1);
        assertThat(shell.perhaps("count", "query", "pairs", "--key", "1\tx").out())
                .isEqualTo("2  1\\tx\n");
        new Refusals(shell)
                .of("count query fruit fruit.txt --key apple", "--key takes the place of INPUT and --format")
                .hold();
    }

    @Test
    void countsLinesAndAsksForThem() throws Exception {
        Shell.Result build = shell.perhaps("count", "build", "cities.txt", "cities.txt", "-o", "c");
        assertThat(build.code()).as(build.err()).isZero();
        assertThat(build.err())
                .contains("wrote c: 8 in total, ", "a count is at most 1 too high, with 99.3 % confidence");
        Shell.Result query = shell.perhapsWith("Oslo\nAtlantis\nRome\n", "count", "query", "c");
        assertThat(query.code()).isZero();
        assertThat(query.out()).isEqualTo("4  Oslo\n0  Atlantis\n2  Rome\n");
        assertThat(shell.perhapsWith("Atlantis\n", "count", "query", "c").code())
                .isEqualTo(1);
        Shell.Result json = shell.perhapsWith("Oslo\n", "count", "query", "c", "--json");
        assertThat(json.out())
                .startsWith("{\"record\":\"Oslo\",\"estimate\":4,\"atLeast\":4,\"confidence\":0.993")
                .endsWith(",\"atLimit\":false}\n");
    }

    @Test
    void countsByAFieldAddsInPlaceAndMerges() throws Exception {
        shell.write("more.csv", "amount,product", "100,tea");
        List<Shell.Result> results = shell.all(List.of(
                words("count build sales.csv --format csv:product --by amount -o a"),
                words("count build more.csv --format csv:product --by amount -o b"),
                words("count merge a b -o both"),
                words("count add a more.csv --by amount -o other"),
                words("count add a more.csv --by amount"),
                words("count query a sales.csv"),
                words("count info a --json"),
                words("count info a")));
        assertThat(results)
                .allSatisfy(result -> assertThat(result.code()).as(result.err()).isZero());
        assertThat(results.get(5).out()).isEqualTo("112  tea,5\n20  milk,20\n112  tea,7\n");
        assertThat(results.get(6).out())
                .startsWith("{\"kind\":\"count\",\"key\":\"utf8 of csv:product\",\"seed\":\"0\",\"total\":132,");
        assertThat(results.get(7).out()).contains("total", "132");
        assertThat(folder.resolve("both")).hasSameBinaryContentAs(folder.resolve("a"));
        assertThat(folder.resolve("other")).hasSameBinaryContentAs(folder.resolve("a"));
    }

    @Test
    void tellsTheBoundAndFullCounters() throws Exception {
        shell.write(
                "many.txt",
                IntStream.range(0, 3000)
                        .mapToObj(i -> i % 3 == 0 ? "often" : "n" + i)
                        .toArray(String[]::new));
        List<Shell.Result> results = shell.all(List.of(
                words("count build many.txt --epsilon 0.05 --cells 8 -o small"),
                words("count build many.txt --memory 64K --conservative -o c"),
                words("count query small many.txt")));
        assertThat(results.get(0).err()).contains("perhaps: warning: ", " counters have reached their limit of 255");
        assertThat(results.get(1).code()).as(results.get(1).err()).isZero();
        assertThat(Files.size(folder.resolve("c"))).isBetween(60_000L, 66_000L);
        assertThat(results.get(2).out()).startsWith("107-255 or more  often\n");
    }

    @Test
    void takesBackWhereToldTo() throws Exception {
        shell.write("back.csv", "product,amount", "tea,-5");
        List<Shell.Result> results = shell.all(List.of(
                words("count build sales.csv --format csv:product --by amount --turnstile -o t"),
                words("count add t back.csv --by amount"),
                words("count query t back.csv")));
        assertThat(results.get(2).out()).isEqualTo("7  tea,-5\n");
    }

    @Test
    void refusesBadInputAndChangesNothing() throws Exception {
        shell.write("negative.csv", "product,amount", "tea,1", "tea,-5");
        shell.write("huge.csv", "product,amount", "tea,9223372036854775807", "milk,1");
        shell.write("bad.csv", "product,amount", "tea,1", "milk,many");
        shell.all(List.of(
                words("count build sales.csv --format csv:product -o good"),
                words("count build sales.csv --format csv:product --epsilon 0.1 -o wider"),
                words("count build sales.csv --format csv:product --turnstile -o back"),
                words("count build sales.csv --format csv:product --conservative -o half"),
                words("filter build cities.txt -o filter"),
                words("distinct cities.txt -o distinct")));
        CountMin.within(0.001).of(Key.strings().seeded(7)).build().save(folder.resolve("seeded"));
        new Refusals(shell)
                .of("count build cities.txt -o c --epsilon 0", "--epsilon must be in (0, 1), got 0.0")
                .of("count build cities.txt -o c --epsilon 1", "--epsilon must be in (0, 1), got 1.0")
                .of("count build cities.txt -o c --delta 1.5", "--delta must be in (0, 1), got 1.5")
                .of("count build cities.txt -o c --delta -0.1", "--delta must be in (0, 1), got -0.1")
                .of("count build cities.txt -o c --epsilon NaN", "--epsilon must be in (0, 1), got NaN")
                .of("count build cities.txt -o c --cells 12", "--cells must be 8, 16, 32 or 64, got 12")
                .of("count build cities.txt -o c --memory 1", "got 1")
                .of(
                        "count build cities.txt -o c --memory 1M --epsilon 0.1",
                        "--epsilon and --memory exclude each other")
                .of(
                        "count build cities.txt -o c --turnstile --conservative",
                        "--conservative and --turnstile exclude each other")
                .of("count build cities.txt -o c --by amount", "--by and --time need a format with fields")
                .of("count build cities.txt", "Missing required option: '--output=SKETCH'")
                .of("count build nothing -o c", "nothing: there is no such file")
                .of(
                        "count build negative.csv --format csv:product --by amount -o c",
                        "negative.csv line 3: a count must be 0 or more, got -5")
                .of("count add good negative.csv --by amount", "negative.csv line 3: a count must be 0 or more, got -5")
                .of("count add back negative.csv --by amount", "it takes back 5, and there are fewer")
                .of(
                        "count build huge.csv --format csv:product --by amount -o c",
                        "huge.csv line 3: count must leave the total below 2^63, got 1")
                .of("count add good huge.csv --by amount", "huge.csv line 2: count must leave the total below 2^63")
                .of("count add good bad.csv --by amount", "bad.csv line 3: 'many' in field 'amount' is not a number")
                .of("count add good bad.csv --by cost", "there is no column 'cost'; its header names product, amount")
                .of("count merge good wider -o c", "good and wider: these Count-Min sketches do not fit: ")
                .of("count merge good half -o c", "plain update against conservative")
                .of("count merge good seeded -o c", "key utf8 of csv:product with seed 0 against utf8 with seed 7")
                .of("count merge good filter -o c", "filter: it holds a bloom filter, not a counting sketch")
                .of("count merge good nothing -o c", "nothing: there is no such file")
                .of("count query distinct cities.txt", "distinct: it holds a distinct sketch, not a counting sketch")
                .of("count add filter cities.txt", "filter: it holds a bloom filter, not a counting sketch")
                .of("count query cities.txt cities.txt", "cities.txt: not a Perhaps file")
                .of("count query good sales.csv --format kmers:5", "which --format kmers:5 does not fit")
                .of("count", "a command is missing")
                .hold();
        Shell.Result skipped = shell.perhaps("count", "add", "good", "bad.csv", "--by", "amount", "--skip-bad");
        assertThat(skipped.code()).isZero();
        assertThat(skipped.err()).contains("skipped: bad.csv line 3", "perhaps: warning: 1 record was skipped");
        assertThat(shell.perhaps("count", "info", "good", "--json").out()).contains("\"total\":4,");
    }

    /** Ctrl-C half way: the sketch that was there is still there, whole, and nothing lies beside it. */
    @Test
    void leavesWhatWasThereWhenItIsInterrupted() throws Exception {
        shell.perhaps("count", "build", "cities.txt", "-o", "good");
        byte[] before = Files.readAllBytes(folder.resolve("good"));
        Shell.Running add = shell.start("count", "add", "good");
        OutputStream stdin = add.process().getOutputStream();
        for (int i = 0; i < 50_000; i++) {
            stdin.write((i + "\n").getBytes(StandardCharsets.UTF_8));
        }
        stdin.flush();
        TimeUnit.MILLISECONDS.sleep(1500);
        assertThat(add.process().isAlive()).isTrue();
        add.signal("-INT");
        assertThat(add.finish().code()).isEqualTo(130);
        assertThat(Files.readAllBytes(folder.resolve("good"))).isEqualTo(before);
        assertThat(shell.files()).containsExactly("cities.txt", "good", "sales.csv");
    }

    @Test
    void losesNothingWhenTwoAddAtOnce() throws Exception {
        shell.perhaps("count", "build", "cities.txt", "-o", "shared");
        Shell.Running[] adders = new Shell.Running[3];
        for (int i = 0; i < adders.length; i++) {
            adders[i] = shell.start("count", "add", "shared", "cities.txt");
        }
        for (Shell.Running adder : adders) {
            assertThat(adder.finish("").code()).isZero();
        }
        assertThat(shell.perhapsWith("Oslo\n", "count", "query", "shared").out())
                .isEqualTo("8  Oslo\n");
    }

    @Test
    void showsEveryHelpWithAnExample() throws Exception {
        List<String> commands = List.of("build", "add", "query", "merge", "info");
        List<Shell.Result> helps = shell.all(commands.stream()
                .map(command -> List.of("count", command, "--help"))
                .toList());
        for (int i = 0; i < helps.size(); i++) {
            assertThat(helps.get(i).code()).isZero();
            assertThat(helps.get(i).out()).contains("Usage: perhaps count " + commands.get(i), "Example");
        }
    }
}
