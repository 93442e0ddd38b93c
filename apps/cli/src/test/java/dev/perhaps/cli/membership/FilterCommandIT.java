package dev.perhaps.cli.membership;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.perhaps.cli.Shell;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The filter commands with good input, as processes. */
class FilterCommandIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write("cities.txt", "Lisbon", "Oslo", "Rome", "Zürich");
    }

    @Test
    void buildsAsksAndDescribes() throws Exception {
        Shell.Result build = shell.perhaps("filter", "build", "cities.txt", "-o", "cities.filter");
        assertThat(build.code()).isZero();
        assertThat(build.out()).isEmpty();
        assertThat(build.err()).contains("planned: bloom for ", "wrote cities.filter: 4 items");

        Shell.Result found = shell.perhapsWith("Oslo\r\nParis\nZürich", "filter", "check", "cities.filter");
        assertThat(found.out()).isEqualTo("Oslo\nZürich\n");
        assertThat(found.code()).isZero();

        Shell.Result absent = shell.perhapsWith("Oslo\nParis\n", "filter", "check", "cities.filter", "--absent");
        assertThat(absent.out()).isEqualTo("Paris\n");
        assertThat(absent.code()).isZero();

        Shell.Result nothing = shell.perhapsWith("Paris\n", "filter", "check", "cities.filter");
        assertThat(nothing.out()).isEmpty();
        assertThat(nothing.code()).isEqualTo(1);

        Shell.Result count =
                shell.perhapsWith("Oslo\nParis\n", "filter", "check", "cities.filter", "--count", "--json");
        assertThat(count.out()).startsWith("{\"asked\":2,\"perhaps\":1,\"absent\":1,\"error\":");

        Shell.Result info = shell.perhaps("filter", "info", "cities.filter", "--json");
        assertThat(info.out())
                .startsWith("{\"kind\":\"bloom\",\"key\":\"utf8\",\"seed\":\"0\",")
                .contains("\"errorNow\":");
    }

    @Test
    void writesWhatTheLibraryOpens() throws Exception {
        shell.perhaps("filter", "build", "cities.txt", "-o", "cities.filter");
        BloomFilter<String> filter = BloomFilter.open(folder.resolve("cities.filter"), Key.strings());
        assertThat(filter.mightContain("Zürich")).isTrue();
        assertThat(filter.mightContain("Paris")).isFalse();
    }

    @Test
    void asksAFilterOfNumbersThatAProgramWrote() throws Exception {
        BloomFilter<Long> ids = BloomFilter.expecting(100).of(Key.longs()).build();
        ids.add(42L);
        ids.add(-7L);
        ids.save(folder.resolve("ids.filter"));
        assertThat(shell.perhapsWith("41\n42\n-7\n", "filter", "check", "ids.filter")
                        .out())
                .isEqualTo("42\n-7\n");
        assertThat(shell.perhaps("filter", "check", "ids.filter", "--key", "42").code())
                .isZero();
        assertThat(shell.perhapsWith("4x\n", "filter", "check", "ids.filter").err())
                .contains("'4x' is not a whole number");
        shell.write("ids.txt", "42", "-7");
        shell.perhaps("filter", "build", "ids.txt", "--format", "int64", "--items", "100", "-o", "again.filter");
        assertThat(folder.resolve("again.filter")).hasSameBinaryContentAs(folder.resolve("ids.filter"));
    }

    @Test
    void readsCompressedInputAsItIs() throws Exception {
        byte[] text = Files.readAllBytes(folder.resolve("cities.txt"));
        try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(folder.resolve("cities.gz")))) {
            gzip.write(text);
        }
        Files.write(folder.resolve("cities.zst"), Zstd.compress(text));
        for (String name : new String[] {"cities.gz", "cities.zst"}) {
            shell.perhaps("filter", "build", "cities.txt", "-o", "plain.filter");
            Shell.Result build = shell.perhaps("filter", "build", name, "-o", "packed.filter");
            assertThat(build.err()).contains("4 items");
            assertThat(folder.resolve("packed.filter")).hasSameBinaryContentAs(folder.resolve("plain.filter"));
        }
    }

    @Test
    void takesTheFormOfTheKeysFromTheFile() throws Exception {
        shell.write("users.csv", "id,email", "1,ann@example.org", "2,\"bob,jr@example.org\"");
        shell.write("new.csv", "name,email", "Ann,ann@example.org", "Carl,carl@example.org");
        shell.write(
                "new.jsonl",
                "{\"user\":{\"email\":\"ann@example.org\"}}",
                "{\"user\":{\"email\":\"carl@example.org\"}}");
        assertThat(shell.perhaps("filter", "build", "users.csv", "--format", "csv:email", "-o", "f")
                        .code())
                .isZero();
        assertThat(shell.perhaps("filter", "check", "f", "new.csv").out())
                .isEqualTo("name,email\nAnn,ann@example.org\n");
        assertThat(shell.perhapsWith("bob,jr@example.org\n", "filter", "check", "f", "--format", "lines")
                        .out())
                .isEqualTo("bob,jr@example.org\n");
        assertThat(shell.perhaps("filter", "check", "f", "new.jsonl", "--format", "jsonl:user.email", "--absent")
                        .out())
                .isEqualTo("{\"user\":{\"email\":\"carl@example.org\"}}\n");
    }

    @Test
    void addsInPlaceAndMerges() throws Exception {
        shell.write("more.txt", "Athens");
        shell.perhaps("filter", "build", "cities.txt", "--items", "100", "-o", "a");
        shell.perhaps("filter", "build", "more.txt", "--items", "100", "-o", "b");
        assertThat(shell.perhaps("filter", "merge", "a", "b", "-o", "both").code())
                .isZero();
        assertThat(shell.perhaps("filter", "add", "a", "more.txt").code()).isZero();
        assertThat(folder.resolve("a")).hasSameBinaryContentAs(folder.resolve("both"));
        assertThat(shell.perhaps("filter", "intersect", "both", "b", "-o", "only")
                        .code())
                .isZero();
        assertThat(folder.resolve("only")).hasSameBinaryContentAs(folder.resolve("b"));
        assertThat(shell.perhaps("filter", "add", "b", "cities.txt", "-o", "c").code())
                .isZero();
        assertThat(folder.resolve("c")).hasSameBinaryContentAs(folder.resolve("both"));
    }

    @Test
    void saltsAFilterAndRefusesToMergeOrIntersectDifferentSalts() throws Exception {
        shell.perhaps("filter", "build", "cities.txt", "--items", "100", "-o", "plain");
        shell.perhaps("filter", "build", "cities.txt", "--items", "100", "--salt", "7", "-o", "salted");
        assertThat(shell.perhaps("filter", "info", "plain", "--json").out()).contains("\"salt\":\"0\"");
        assertThat(shell.perhaps("filter", "info", "salted").out()).containsPattern("(?m)^salt +7$");
        assertThat(shell.perhaps("filter", "check", "salted", "cities.txt", "--count", "--json")
                        .out())
                .contains("\"perhaps\":4");
        for (String how : List.of("merge", "intersect")) {
            Shell.Result refused = shell.perhaps("filter", how, "plain", "salted", "-o", "both");
            assertThat(refused.code()).isEqualTo(2);
            assertThat(refused.err()).contains("plain and salted: ", "salt 0 against salt 7");
            assertThat(folder.resolve("both")).doesNotExist();
        }
    }

    @Test
    void buildsEveryKindFromFilesAndFromStandardInput() throws Exception {
        String input = "Lisbon\nOslo\nRome\nOslo\n";
        List<List<String>> commands = new ArrayList<>();
        for (String kind : new Kinds()) {
            commands.add(List.of("filter", "build", "cities.txt", "--kind", kind, "-o", kind));
            commands.add(List.of("filter", "check", kind, "cities.txt", "--count", "--json"));
        }
        List<Shell.Result> results = shell.all(commands);
        for (int i = 0; i < results.size(); i += 2) {
            assertThat(results.get(i).code()).as("%s", commands.get(i)).isZero();
            assertThat(results.get(i + 1).out()).as("%s", commands.get(i)).contains("\"asked\":4,\"perhaps\":4,");
        }
        for (String kind : new Kinds()) {
            Shell.Result piped =
                    shell.perhapsWith(input, "filter", "build", "--kind", kind, "--items", "10", "-o", "piped-" + kind);
            assertThat(piped.code()).as(kind + piped.err()).isZero();
        }
        Shell.Result unknown = shell.perhapsWith(input, "filter", "build", "-o", "unknown");
        assertThat(unknown.err()).contains("planned: scalable");
        assertThat(shell.perhaps("filter", "info", "unknown", "--json").out()).contains("\"kind\":\"scalable\"");
    }

    @Test
    void removesGrowsAndKeepsSets() throws Exception {
        shell.write("gone.txt", "Oslo", "Atlantis");
        shell.perhaps("filter", "build", "cities.txt", "--kind", "cuckoo", "--fpp", "0.0001", "-o", "cuckoo");
        assertThat(shell.perhaps("filter", "remove", "cuckoo", "gone.txt").err())
                .contains("removed 1, 1 were not there");
        assertThat(shell.perhaps("filter", "check", "cuckoo", "cities.txt", "--absent")
                        .out())
                .isEqualTo("Oslo\n");

        shell.perhaps("filter", "build", "cities.txt", "--kind", "quotient", "--growing-to", "100", "-o", "quotient");
        assertThat(shell.perhaps("filter", "grow", "quotient").code()).isZero();
        assertThat(shell.perhaps("filter", "check", "quotient", "cities.txt", "--count", "--json")
                        .out())
                .contains("\"perhaps\":4,");

        shell.write("often.txt", Collections.nCopies(50, "Oslo").toArray(String[]::new));
        assertThat(shell.perhaps("filter", "build", "often.txt", "--kind", "cuckoo", "--set", "-o", "once")
                        .code())
                .isZero();
        Shell.Result copies = shell.perhaps("filter", "build", "often.txt", "--kind", "cuckoo", "-o", "copies");
        assertThat(copies.code()).isEqualTo(2);
        assertThat(copies.err()).contains("perhaps: the filter is full");
        assertThat(shell.files()).doesNotContain("copies");
    }

    @Test
    void tellsOfOverfilling() throws Exception {
        shell.write(
                "many.txt", IntStream.range(0, 500).mapToObj(Integer::toString).toArray(String[]::new));
        Shell.Result build = shell.perhaps("filter", "build", "many.txt", "--items", "100", "-o", "f");
        assertThat(build.code()).isZero();
        assertThat(build.err()).contains("perhaps: warning: ", "planned for 100");
    }

    @Test
    void losesNothingWhenTwoAddAtOnce() throws Exception {
        shell.perhaps("filter", "build", "cities.txt", "--items", "100000", "-o", "shared");
        Shell.Running[] adders = new Shell.Running[4];
        for (int i = 0; i < adders.length; i++) {
            int from = i * 1_000;
            shell.write(
                    "part" + i,
                    IntStream.range(from, from + 1_000)
                            .mapToObj(Integer::toString)
                            .toArray(String[]::new));
            adders[i] = shell.start("filter", "add", "shared", "part" + i);
        }
        for (Shell.Running adder : adders) {
            assertThat(adder.finish("").code()).isZero();
        }
        Shell.Result count =
                shell.perhaps("filter", "check", "shared", "part0", "part1", "part2", "part3", "--count", "--json");
        assertThat(count.out()).contains("\"asked\":4000,\"perhaps\":4000,");
    }

    @Test
    void endsQuietlyWhenTheReaderHasSeenEnough() throws Exception {
        Shell.Result piped = shell.sh("perhaps filter build cities.txt -o f 2>/dev/null;"
                + " yes Oslo | head -2000000 | perhaps filter check f | head -1");
        assertThat(piped.out()).isEqualTo("Oslo\n");
        assertThat(piped.err()).isEmpty();
    }

    @Test
    void showsEveryHelpWithAnExample() throws Exception {
        List<String> commands = List.of("build", "check", "info", "add", "remove", "merge", "intersect", "grow");
        List<Shell.Result> helps = shell.all(commands.stream()
                .map(command -> List.of("filter", command, "--help"))
                .toList());
        for (int i = 0; i < helps.size(); i++) {
            assertThat(helps.get(i).code()).isZero();
            assertThat(helps.get(i).out()).contains("Usage: perhaps filter " + commands.get(i), "Example");
        }
    }

    @Test
    void readsInputAsBytesNeverDecoded() throws Exception {
        Files.write(folder.resolve("latin1.txt"), "Z\u00fcrich\n".getBytes(StandardCharsets.ISO_8859_1));
        shell.perhaps("filter", "build", "latin1.txt", "-o", "f");
        assertThat(shell.perhaps("filter", "check", "f", "latin1.txt", "--count", "--json")
                        .out())
                .contains("\"perhaps\":1");
        assertThat(shell.perhaps("filter", "check", "f", "cities.txt", "--count", "--json")
                        .out())
                .contains("\"perhaps\":0");
    }

    /** A pipe behind a link was looked for under the name pipe:[1234]. */
    @Test
    void writesToStandardOutputAndIntoPipes() throws Exception {
        shell.write("cities.txt", "Lisbon", "Oslo", "Rome");
        shell.perhaps("filter", "build", "cities.txt", "-o", "whole");
        byte[] whole = Files.readAllBytes(folder.resolve("whole"));
        Shell.Result result = shell.bash("""
                perhaps filter build cities.txt -o /dev/stdout | cat > stdout
                perhaps filter build cities.txt -o - | cat > dash
                perhaps filter build cities.txt -o - > redirected
                printf x > appended
                perhaps filter build cities.txt -o /dev/stdout >> appended
                perhaps filter build cities.txt -o >(cat > substituted; touch done)
                until [ -e done ]; do :; done
                perhaps filter build cities.txt --items 10000000 -o - | head -c 100 > head
                exit ${PIPESTATUS[0]}
                """);
        assertThat(result.err()).doesNotContain("perhaps: ").doesNotContain("Broken pipe");
        assertThat(result.code()).isZero();
        for (String name : List.of("stdout", "dash", "redirected", "substituted")) {
            assertThat(folder.resolve(name)).as(name).hasBinaryContent(whole);
        }
        assertThat(Files.size(folder.resolve("appended"))).isEqualTo(whole.length + 1);
        assertThat(Files.size(folder.resolve("head"))).isEqualTo(100);
    }

    @Test
    void forgetsWhatIsOlderThanTheWindow() throws Exception {
        Shell.Result build = shell.perhaps(
                "filter",
                "build",
                "cities.txt",
                "--kind",
                "expiring",
                "--window",
                "30m",
                "--items",
                "1000",
                "--at",
                "2026-11-17T09:00:00Z",
                "-o",
                "lately.filter");
        assertThat(build.err()).contains("planned: expiring for 1,000 items", "wrote lately.filter: 4 items");
        assertThat(build.code()).isZero();
        shell.perhapsWith("Paris\n", "filter", "add", "lately.filter", "--at", "2026-11-17T09:20:00Z");

        String asked = "Oslo\nParis\nAthens\n";
        assertThat(shell.perhapsWith(asked, "filter", "check", "lately.filter", "--at", "2026-11-17T10:30:00+01:00")
                        .out())
                .isEqualTo("Oslo\nParis\n");
        // In milliseconds: 9:40.
        assertThat(shell.perhapsWith(asked, "filter", "check", "lately.filter", "--at", "1794908400000")
                        .out())
                .isEqualTo("Paris\n");
        Shell.Result nothing =
                shell.perhapsWith(asked, "filter", "check", "lately.filter", "--at", "2026-11-17T10:00:00Z");
        assertThat(nothing.out()).isEmpty();
        assertThat(nothing.code()).isEqualTo(1);
        assertThat(shell.perhaps("filter", "info", "lately.filter", "--json", "--at", "2026-11-17T09:30:00Z")
                        .out())
                .startsWith("{\"kind\":\"expiring\"")
                .contains("\"itemsNow\":5", "\"windowMillis\":1800000", "\"overfilled\":false");
    }

    @Test
    void addsToAnExpiringFilterNowWhereNoTimeIsGiven() throws Exception {
        shell.perhapsWith("", "filter", "build", "--kind", "expiring", "--items", "1000", "-o", "lately.filter");
        shell.perhaps("filter", "add", "lately.filter", "cities.txt");
        assertThat(shell.perhapsWith("Oslo\nParis\n", "filter", "check", "lately.filter")
                        .out())
                .isEqualTo("Oslo\n");
        assertThat(shell.perhaps("filter", "info", "lately.filter").out())
                .containsPattern("window millis +3600000")
                .containsPattern("items now +4");
    }

    @Test
    void refusesTimesWhereTheyMeanNothing() throws Exception {
        shell.perhaps("filter", "build", "cities.txt", "-o", "cities.filter");
        Shell.Result asked =
                shell.perhaps("filter", "check", "cities.filter", "cities.txt", "--at", "2026-11-17T09:00:00Z");
        assertThat(asked.code()).isEqualTo(2);
        assertThat(asked.err()).contains("--at goes with filters of kind expiring, and cities.filter is a bloom");
        Shell.Result build =
                shell.perhaps("filter", "build", "cities.txt", "--kind", "cuckoo", "--window", "1h", "-o", "x");
        assertThat(build.code()).isEqualTo(2);
        assertThat(build.err()).contains("--window goes with --kind expiring, got cuckoo");
        for (String time : List.of("yesterday", "2026-11-17", "1794908400000000000")) {
            Shell.Result bad = shell.perhaps(
                    "filter", "build", "cities.txt", "--kind", "expiring", "--at", time, "-o", "y.filter");
            assertThat(bad.code()).isEqualTo(2);
            assertThat(bad.err()).contains("--at must be a time such as", "got '" + time + "'");
        }
        assertThat(folder.resolve("y.filter")).doesNotExist();
    }
}
