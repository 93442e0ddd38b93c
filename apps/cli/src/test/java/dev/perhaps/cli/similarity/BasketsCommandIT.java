package dev.perhaps.cli.similarity;

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
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perhaps baskets}, as a user runs it. */
class BasketsCommandIT {
    private static final String PAIRS = """
            caviar\tvodka\t1.0\t1\t1\t1
            bread\tbutter\t0.75\t4\t3\t3
            """;

    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws IOException {
        shell = new Shell(folder);
        shell.write(
                "lines.txt",
                "bread butter tea",
                "butter\tbread butter",
                "",
                "tea",
                "bread  butter eggs",
                "  tea milk eggs bread ",
                "vodka caviar",
                "   ");
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    @Test
    void tellsPairsWithTheirSimilarityAndSupports() throws Exception {
        List<Shell.Result> results = shell.all(List.of(
                words("baskets --threshold 0.5 lines.txt --report"),
                words("baskets --threshold 0.6 lines.txt --top 2 --json --report"),
                words("baskets --threshold 1 lines.txt -o pairs.tsv --jobs 1 --recall 0.9 --components 64"),
                words("baskets --threshold 0.9 lines.txt --bands lecture --report"),
                words("baskets --threshold 0.5 lines.txt lines.txt --top 1")));
        assertThat(results).allSatisfy(result -> assertThat(result.code()).isZero());
        assertThat(results.get(0).out()).startsWith(PAIRS).contains("bread\teggs\t0.5\t4\t2\t2\n");
        assertThat(results.get(0).err())
                .startsWith("baskets  6\nitems    7\npairs    ")
                .contains(" of all from 0.5 on)\nbands    42 bands of 3 rows, finds 99.6 % at 0.5\n");
        assertThat(results.get(1).out()).isEqualTo("""
                {"a":"caviar","b":"vodka","jaccard":1.0,"supportA":1,"supportB":1,"common":1}
                {"a":"bread","b":"butter","jaccard":0.75,"supportA":4,"supportB":3,"common":3}
                """);
        assertThat(results.get(1).err())
                .startsWith("{\"baskets\":6,\"items\":7,\"pairs\":2,\"missedShare\":")
                .endsWith(",\"bands\":42,\"rows\":3}\n");
        assertThat(results.get(2).out()).isEmpty();
        assertThat(Files.readString(folder.resolve("pairs.tsv"))).isEqualTo("caviar\tvodka\t1.0\t1\t1\t1\n");
        assertThat(results.get(3).out()).isEqualTo("caviar\tvodka\t1.0\t1\t1\t1\n");
        assertThat(results.get(3).err()).contains("7 bands of 18 rows, finds 68.0 % at 0.9");
        assertThat(results.get(4).out()).isEqualTo("caviar\tvodka\t1.0\t2\t2\t2\n");
    }

    /** The same baskets in every form, packed or not, and from standard input, which has to be read twice. */
    @Test
    void readsEveryForm() throws Exception {
        shell.write(
                "commas.txt",
                "\uFEFFbread,butter, tea",
                "butter ,bread,,butter\r",
                "tea",
                "bread,butter,eggs",
                "tea,milk,eggs,bread",
                "vodka,caviar");
        shell.write("rows.csv", "\uFEFFbread,\"butter\",tea", "butter,bread,butter", "tea", "bread,butter,eggs,,");
        shell.write("more.csv", "tea,milk,eggs,bread", "vodka,caviar");
        shell.write(
                "long.csv",
                "\uFEFFn,order,item",
                "1,7,bread",
                "1,7,butter",
                "1,7,tea",
                "1,8,butter",
                "1,8,bread",
                "2,8,butter",
                "1,9,tea",
                "1,\"1,0\",bread",
                "1,\"1,0\",butter",
                "1,\"1,0\",eggs",
                "1,b,tea",
                "1,b,milk",
                "1,b,eggs",
                "1,b,bread",
                "1,c,vodka",
                "1,c,caviar");
        String jsonl = """
                {"cart":{"items":["bread","butter","tea"]}}
                {"cart":{"items":["butter","bread","butter"]},"n":[[1]]}

                {"cart":{"items":[]}}
                {"cart":{"items":["tea"]}}
                {"cart":{"items":["bread","butter","eggs"]}}
                {"cart":{"items":["tea","milk","eggs","bread"]}}
                {"cart":{"items":["vodka","caviar"]}}
                """;
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("carts.jsonl.gz")))) {
            out.write(jsonl.getBytes(StandardCharsets.UTF_8));
        }
        List<Shell.Result> results = shell.all(List.of(
                words("baskets --threshold 0.6 commas.txt --separator ,"),
                words("baskets --threshold 0.6 --format csv rows.csv more.csv"),
                words("baskets --threshold 0.6 --format csv:order,item long.csv"),
                words("baskets --threshold 0.6 --format csv:2,3 long.csv"),
                words("baskets --threshold 0.6 --format jsonl:cart.items carts.jsonl.gz")));
        assertThat(results)
                .allSatisfy(result -> assertThat(result.out() + result.err()).isEqualTo(PAIRS));
        assertThat(shell.perhapsWith(jsonl, "baskets", "--threshold", "0.6", "--format", "jsonl:cart.items")
                        .out())
                .isEqualTo(PAIRS);
        Shell.Result piped =
                shell.sh("cat carts.jsonl.gz | perhaps baskets --threshold 0.6 --format jsonl:cart.items -;"
                        + " tr ' ' '\\t' <lines.txt | perhaps baskets --threshold 0.6 --separator '\\t'");
        assertThat(piped.out() + piped.err()).isEqualTo(PAIRS + PAIRS);
    }

    /** Neither the order of lines, nor of items, nor the split into inputs, nor threads change a byte. */
    @Test
    void answersTheSameForShuffledBaskets() throws Exception {
        Random random = new Random(6);
        List<List<String>> baskets = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            List<String> basket = new ArrayList<>();
            for (int j = 0; j < 8; j++) {
                int item = (int) (500 * Math.pow(random.nextDouble(), 2));
                basket.add("i" + item);
                if (random.nextInt(10) < 8) {
                    basket.add("with" + item);
                }
            }
            baskets.add(basket);
        }
        Files.write(
                folder.resolve("a.txt"),
                baskets.stream().map(basket -> String.join(" ", basket)).toList());
        Collections.shuffle(baskets, random);
        baskets.forEach(basket -> Collections.shuffle(basket, random));
        List<String> shuffled =
                baskets.stream().map(basket -> String.join(" ", basket)).toList();
        Files.write(folder.resolve("b.txt"), shuffled.subList(0, 700));
        Files.write(folder.resolve("c.txt"), shuffled.subList(700, 2_000));
        List<Shell.Result> results = shell.all(List.of(
                words("baskets --threshold 0.7 --bands lecture a.txt --jobs 1"),
                words("baskets --threshold 0.7 --bands lecture c.txt b.txt --jobs 2")));
        assertThat(results.get(0).out().lines()).hasSizeGreaterThan(100);
        assertThat(results.get(1).out()).isEqualTo(results.get(0).out());
    }

    /** Items that no text can be made of are written as they came; names that would break the columns need JSON. */
    @Test
    void keepsNamesAsTheyCame() throws Exception {
        Files.write(folder.resolve("odd.txt"), "Z\u00fcrich,a\0b\n".getBytes(StandardCharsets.ISO_8859_1));
        shell.write("tabs.jsonl", "{\"items\":[\"a\\tb\", 7, true, \"\"]}");
        Shell.Result odd = shell.sh("perhaps baskets --threshold 0.5 odd.txt --separator , | od -An -tx1");
        assertThat(odd.out().strip())
                .startsWith("5a fc 72 69 63 68 09 61 00 62 09 31")
                .doesNotContain("ef bf bd");
        List<Shell.Result> results = shell.all(List.of(
                words("baskets --threshold 0.5 tabs.jsonl --format jsonl:items --json --top 1e1"),
                words("baskets --threshold 0.5 tabs.jsonl --format jsonl:items")));
        assertThat(results.get(0).out().lines())
                .hasSize(6)
                .anyMatch(line -> line.startsWith("{\"a\":\"7\",\"b\":\"a\\tb\",\"jaccard\":1.0,"))
                .anyMatch(line -> line.startsWith("{\"a\":\"\",\"b\":\"true\","));
        assertThat(results.get(1).err()).contains("tabs.jsonl line 1: the item 'a?b' has a tab or a line break in it");
    }

    @Test
    void refusesBadInput() throws Exception {
        shell.write("apart.csv", "order,item", "1,a", "2,b", "1,c");
        shell.write("empty.csv", "order,item", "1,a", "2,");
        shell.write("short.csv", "order,item", "1,a", "2");
        shell.write("no-field.jsonl", "{\"items\":[\"a\"]}", "{\"other\":1}");
        shell.write("plain.jsonl", "{\"items\":\"a\"}");
        shell.write("null.jsonl", "{\"items\":[\"a\",null]}");
        shell.write("broken.jsonl", "{\"items\":[\"a\"]}", "{\"items\":[\"b\"");
        Files.write(folder.resolve("latin1.csv"), "Z\u00fcrich,b\n".getBytes(StandardCharsets.ISO_8859_1));
        Files.write(folder.resolve("cut.gz"), new byte[] {0x1F, (byte) 0x8B, 8, 0, 0});
        Refusals refusals = new Refusals(shell);
        for (String threshold : List.of("0", "NaN", "-1", "1.5")) {
            refusals.of("baskets lines.txt --threshold " + threshold, "threshold must be in (0, 1], got " + threshold);
        }
        refusals.of("baskets lines.txt", "--threshold")
                .of("baskets lines.txt --threshold 0.01", "take more components, or ask for less recall")
                .of("baskets lines.txt --threshold 0.5 --recall 1", "recall must be in (0, 1), got 1.0")
                .of("baskets lines.txt --threshold 0.5 --recall 0.9 --bands lecture", "use one of them")
                .of("baskets lines.txt --threshold 0.5 --bands wide", "wide")
                .of("baskets lines.txt --threshold 0.5 --components 0", "components must be in [1, 16384], got 0")
                .of("baskets lines.txt --threshold 0.5 --jobs 0", "--jobs must be in [1, 1024], got 0")
                .of("baskets lines.txt --threshold 0.5 --top 0", "--top must be a whole number of at least 1")
                .of(List.of("baskets", "lines.txt", "--threshold", "0.5", "--separator", ""), "at least one character")
                .of("baskets apart.csv --threshold 0.5 --format csv --separator ;", "--separator is for lines")
                .of(
                        "baskets lines.txt --threshold 0.5 --format xml",
                        "there is no format 'xml' of baskets: use lines, csv, tsv, csv:")
                .of("baskets lines.txt --threshold 0.5 --format csv:a", "--format csv:a must name two columns")
                .of("baskets nothing.txt --threshold 0.5", "nothing.txt: there is no such file")
                .of("baskets lines.txt --threshold 0.5 -o nowhere/p.tsv", "nowhere/p.tsv: its folder does not exist")
                .of(
                        "baskets apart.csv --threshold 0.5 --format csv:order,item -o p.tsv",
                        "apart.csv line 4: the basket '1' came before")
                .of("baskets apart.csv --threshold 0.5 --format csv:order,thing", "there is no column 'thing'")
                .of(
                        "baskets empty.csv --threshold 0.5 --format csv:order,item",
                        "empty.csv line 3: its field 'item' is empty")
                .of(
                        "baskets short.csv --threshold 0.5 --format csv:order,item",
                        "short.csv line 3: it has 1 field, the first row has 2; --skip-bad skips")
                .of("baskets latin1.csv --threshold 0.5 --format csv", "latin1.csv after line 1: it is not valid UTF-8")
                .of(
                        "baskets no-field.jsonl --threshold 0.5 --format jsonl:items",
                        "no-field.jsonl line 2: it has no field 'items'")
                .of(
                        "baskets plain.jsonl --threshold 0.5 --format jsonl:items",
                        "plain.jsonl line 1: field 'items' is not a list")
                .of(
                        "baskets null.jsonl --threshold 0.5 --format jsonl:items",
                        "null.jsonl line 1: the list 'items' holds null")
                .of(
                        "baskets broken.jsonl --threshold 0.5 --format jsonl:items",
                        "broken.jsonl line 2: it is not valid JSON")
                .of("baskets cut.gz --threshold 0.5", "cut.gz: the compressed data is damaged: it is cut short")
                .hold();
    }

    /** Standard input never ends: neither an output nor the copy of what was read stays behind. */
    @Test
    void leavesNothingBehindWhenStopped() throws Exception {
        List<String> before = shell.files();
        Shell.Running running = shell.start("baskets", "--threshold", "0.5", "lines.txt", "-", "-o", "pairs.tsv");
        running.feed("bread butter");
        running.signal("-INT");
        Shell.Result result = running.finish();
        assertThat(result.code()).isEqualTo(130);
        assertThat(result.err()).isEmpty();
        assertThat(shell.files()).isEqualTo(before);
        try (var files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            assertThat(files.map(file -> file.getFileName().toString())).noneMatch(name -> name.endsWith(".spool"));
        }
    }

    @Test
    void saysOnceThatTheDiskIsFullAndEndsQuietlyWithItsReader() throws Exception {
        Shell.Result full = shell.sh("perhaps baskets --threshold 0.5 lines.txt >/dev/full");
        assertThat(full.err()).isEqualTo("perhaps: standard output: No space left on device\n");
        assertThat(full.code()).isEqualTo(2);
        // Twelve million pairs at J = 1, of which one is wanted.
        Shell.Result piped = shell.sh("seq 5000 | tr '\\n' ' ' | perhaps baskets --threshold 0.5 | head -1");
        assertThat(piped.out()).isEqualTo("1\t10\t1.0\t1\t1\t1\n");
        assertThat(piped.err()).isEmpty();
    }
}
