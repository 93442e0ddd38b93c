package dev.perhaps.cli.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import dev.perhaps.key.Key;
import dev.perhaps.placement.HashRing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perhaps place}, as a user runs it. */
class PlaceCommandIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws IOException {
        shell = new Shell(folder);
        shell.write("nodes.txt", "# three of them", "alpha", "beta 1 rack-2  # small", "", "gamma 2 rack-2");
        shell.write("more.txt", "alpha", "beta", "gamma 2", "delta");
        shell.write(
                "ids.txt", IntStream.range(0, 10_000).mapToObj(i -> "id-" + i).toArray(String[]::new));
    }

    private List<Shell.Result> all(String... commands) throws Exception {
        return shell.all(Arrays.stream(commands)
                .map(line -> Arrays.asList(line.split(" ")))
                .toList());
    }

    @Test
    void namesTheNodeThatTheLibraryNames() throws Exception {
        HashRing<String> ring = HashRing.of(Map.of("alpha", 1, "beta", 1, "gamma", 2));
        List<Shell.Result> results = all(
                "place --nodes nodes.txt id-1 Zürich",
                "place --nodes nodes.txt --input ids.txt",
                "place --nodes nodes.txt id-1 --replicas 3 --json",
                "place --nodes nodes.txt id-1 --by rendezvous",
                "place --nodes nodes.txt id-1 --points 1000");
        assertThat(results).allSatisfy(result -> assertThat(result.code()).isZero());
        assertThat(results.get(0).out())
                .isEqualTo("id-1\t" + ring.owner(Key.strings().hash("id-1")) + "\nZürich\t"
                        + ring.owner(Key.strings().hash("Zürich")) + "\n");
        assertThat(results.get(1).out().lines())
                .hasSize(10_000)
                .allSatisfy(line -> assertThat(line)
                        .endsWith("\t" + ring.owner(Key.strings().hash(line.substring(0, line.indexOf('\t'))))));
        // beta and gamma share a rack: of three copies that were asked for, two hosts can have one each.
        assertThat(results.get(2).out())
                .matches("\\{\"key\":\"id-1\",\"nodes\":\\[\"(alpha\",\"(beta|gamma)|(beta|gamma)\",\"alpha)\"]}\n");
        assertThat(shell.perhapsWith("id-1\nZürich\n", "place", "--nodes", "nodes.txt")
                        .out())
                .isEqualTo(results.get(0).out());
    }

    @Test
    void saysWhatMovesAndHowLittleWouldHaveTo() throws Exception {
        List<Shell.Result> results = all(
                "place --nodes nodes.txt --then more.txt --input ids.txt",
                "place --nodes nodes.txt --then more.txt --input ids.txt --json --by rendezvous",
                "place --nodes nodes.txt --then nodes.txt --input ids.txt");
        assertThat(results.get(0).out().lines())
                .allSatisfy(line -> assertThat(line).endsWith("\tdelta"));
        long moved = results.get(0).out().lines().count();
        assertThat(moved).isBetween(1_000L, 3_000L);
        assertThat(results.get(0).err())
                .isEqualTo(String.format("%,d of 10,000 keys move: ", moved)
                        + results.get(0).err().replaceAll("(?s)^.*move: |; at least.*", "")
                        + "; at least 20.0 % must move\n");
        assertThat(results.get(1).err()).matches("\\{\"keys\":10000,\"moved\":\\d+,\"leastShare\":0.2}\n");
        assertThat(results.get(2).out()).isEmpty();
        assertThat(results.get(2).err()).startsWith("0 of 10,000 keys move: 0 %");
    }

    @Test
    void tellsLoadsAndKeepsThemBounded() throws Exception {
        List<Shell.Result> results = all(
                "place --nodes nodes.txt --load --input ids.txt --by rendezvous",
                "place --nodes nodes.txt --load --input ids.txt --points 1 --bound 1.01 --json");
        assertThat(results.get(0).out().lines())
                .hasSize(3)
                .anySatisfy(
                        line -> assertThat(line).matches("gamma  [45]\\d{3} keys, \\d\\d.\\d % where 50.0 % is due"));
        for (String line : results.get(1).out().lines().toList()) {
            long keys = Long.parseLong(line.replaceAll(".*\"keys\":(\\d+).*", "$1"));
            assertThat(keys).isBetween(1L, line.contains("gamma") ? 5_050L : 2_525L);
        }
    }

    @Test
    void refusesWhatItCannotPlace() throws Exception {
        shell.write("empty.txt", "# nobody");
        shell.write("twice.txt", "alpha", "alpha");
        shell.write("heavy.txt", "alpha 1.5");
        shell.write("long.txt", "alpha 1 host more");
        java.nio.file.Files.write(folder.resolve("bytes.txt"), new byte[] {'b', (byte) 0xFF, '\n'});
        new Refusals(shell)
                .of("place id", "Missing required option: '--nodes=NODES'")
                .of("place --nodes nowhere.txt id", "nowhere.txt: there is no such file")
                .of(
                        "place --nodes empty.txt id",
                        "empty.txt names no node: write one line per node, NAME [WEIGHT [HOST]]")
                .of("place --nodes twice.txt id", "twice.txt line 2: the node 'alpha' was named before")
                .of("place --nodes heavy.txt id", "a weight is a whole number from 1 on, got '1.5'")
                .of("place --nodes long.txt id", "long.txt line 1 has 4 words")
                .of("place --nodes bytes.txt id", "bytes.txt is not UTF-8 text")
                .of("place --nodes nodes.txt id --by jump", "jump hashing does not support weights, got 2 for 'gamma'")
                .of("place --nodes nodes.txt id --replicas 0", "--replicas must be at least 1, got 0")
                .of("place --nodes nodes.txt id --bound 1", "--bound must be in (1, 1000000], got 1.0")
                .of(
                        "place --nodes nodes.txt id --bound 2 --replicas 2",
                        "--bound goes with a ring and one node per key")
                .of("place --nodes nodes.txt id --points 0", "points must be at least 1, got 0")
                .of("place --nodes nodes.txt id --points 9 --by jump", "--points is for rings only")
                .of("place --nodes nodes.txt id --then more.txt --load", "--then compares owners only")
                .of("place --nodes nodes.txt id --then nowhere.txt", "nowhere.txt: there is no such file")
                .of("place --nodes nodes.txt id --input ids.txt", "name keys or use --input, not both")
                .hold();
    }

    @Test
    void ofARecordTheKeyIsPrinted() throws Exception {
        shell.write("users.csv", "id,user", "1,ada", "2,\"b, c\"");
        shell.write("users.jsonl", "{\"user\":\"ada\"}");
        shell.write("access.log", "10.0.0.1 /a ada");
        HashRing<String> ring = HashRing.of(Map.of("alpha", 1, "beta", 1, "gamma", 2));
        String ada = "ada\t" + ring.owner(Key.strings().hash("ada")) + "\n";
        List<Shell.Result> results = all(
                "place --nodes nodes.txt --input users.csv --format csv:user",
                "place --nodes nodes.txt --input users.jsonl --format jsonl:user",
                "place --nodes nodes.txt --input access.log --format word:3",
                "place --nodes nodes.txt --input users.csv --format csv:user --then more.txt --json",
                "place --nodes nodes.txt --input users.csv --format csv:user,id");
        assertThat(results.get(0).out())
                .isEqualTo(ada + "b, c\t" + ring.owner(Key.strings().hash("b, c")) + "\n");
        assertThat(results.get(1).out()).isEqualTo(ada);
        assertThat(results.get(2).out()).isEqualTo(ada);
        assertThat(results.get(3).out()).doesNotContain("\"key\":\"\"");
        assertThat(results.get(4).out()).startsWith("ada\\t1\t").contains("\nb, c\\t2\t");
    }

    @Test
    void aKeyThatIsNamedIsOnTheNodeOfOneThatIsRead() throws Exception {
        String numbers = "1\n2\n3\n4\n5\n6\n7\n8\n";
        assertThat(shell.perhaps(("place --nodes nodes.txt --format int64 " + numbers.replace('\n', ' ')).split(" "))
                        .out())
                .isEqualTo(shell.perhapsWith(numbers, "place", "--nodes", "nodes.txt", "--format", "int64")
                        .out());
        new Refusals(shell)
                .of("place --nodes nodes.txt --format int64 one", "'one' is not a whole number")
                .of("place --nodes -", "standard input can be read only once")
                .of("place --nodes nodes.txt --then -", "standard input can be read only once")
                .of("place --nodes - --then - id", "standard input can be read only once")
                .of("place --nodes - --input -", "standard input can be read only once")
                .hold();
    }
}
