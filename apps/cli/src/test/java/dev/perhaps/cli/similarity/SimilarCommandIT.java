package dev.perhaps.cli.similarity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.similarity.index.SimilarityIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code perhaps similar} and {@code perhaps dedup --against}, as a user runs them. */
class SimilarCommandIT {
    private static final String TIMES =
            "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of"
                    + " foolishness";
    private static final String WHALE =
            "Call me Ishmael. Some years ago, never mind how long precisely, I thought I would sail about a little";

    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws IOException {
        shell = new Shell(folder);
        shell.write("old.txt", TIMES, WHALE, TIMES + ", it was");
        shell.write("new.txt", TIMES + ", it was", WHALE + "!", "something else, with nothing of it in any other line");
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    private List<Shell.Result> all(String... commands) throws Exception {
        return shell.all(Arrays.stream(commands).map(SimilarCommandIT::words).toList());
    }

    private String read(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    private DocumentIndex index(String name) throws IOException {
        return (DocumentIndex) Perhaps.open(folder.resolve(name));
    }

    @Test
    void buildsAsksAddsAndRemoves() throws Exception {
        shell.write("gone.txt", "old.txt:2", "nobody");
        List<Shell.Result> results = all(
                "similar build old.txt -o docs.index",
                "similar query docs.index new.txt",
                "similar query docs.index new.txt --threshold 0.5 -n 1 --json",
                "similar add docs.index new.txt -o more.index",
                "similar info more.index",
                "similar info more.index --json",
                "similar remove docs.index old.txt:1 --names gone.txt",
                "similar query docs.index old.txt -n 5",
                "similar build old.txt --exact --json -o json.index",
                "similar query json.index new.txt",
                "similar query docs.index gone.txt");
        assertThat(results.get(0).err())
                .startsWith("wrote docs.index: 3 documents, ")
                .contains(" bytes per document");
        assertThat(results.get(1).out().lines().toList())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("new.txt:1\told.txt:3\t1.0"),
                        line -> assertThat(line).matches("new.txt:1\told.txt:1\t~0.9\\d"),
                        line -> assertThat(line).matches("new.txt:2\told.txt:2\t(~0.9\\d|~1.00)"));
        assertThat(results.get(2).out())
                .contains("{\"document\":\"new.txt:1\",\"match\":\"old.txt:3\",\"jaccard\":1.0,\"exact\":true}")
                .contains("\"exact\":false");
        assertThat(results.get(2).err())
                .contains("was built for 0.8: a document at 0.5 is found with a probability of 28.2 %");
        assertThat(results.get(3).err())
                .startsWith("added 3 documents, kept 1; 2 matched the index\nwrote more.index: 6 documents, ");
        assertThat(results.get(4).out()).contains("kept                3\n").contains("clusters            3\n");
        assertThat(results.get(5).out()).contains("\"kind\":\"similar\"").contains("\"documents\":6,\"kept\":3");
        assertThat(results.get(6).err())
                .contains("there is no document named 'nobody' in docs.index")
                .contains("removed 2 of 3 names\nwrote docs.index: 1 document, ");
        assertThat(results.get(7).out().lines()).hasSize(2).allMatch(line -> line.contains("\told.txt:3\t"));
        assertThat(results.get(8).out()).contains("\"exact\":true,\"documents\":3,\"kept\":2,\"clusters\":2");
        assertThat(results.get(9).out().lines().toList())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("new.txt:1\told.txt:3\t1.0"),
                        line -> assertThat(line).matches("new.txt:1\told.txt:1\t0.9"),
                        line -> assertThat(line).matches("new.txt:2\told.txt:2\t0.9\\d+"));
        assertThat(results).extracting(Shell.Result::code).containsExactly(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
        assertThat(shell.perhapsWith(TIMES + "\n", "similar", "query", "docs.index")
                        .out())
                .startsWith("-:1\told.txt:3\t~");
    }

    @Test
    void dedupNamesWhatItMatchedInTheIndex() throws Exception {
        List<Shell.Result> results = all(
                "dedup old.txt --against seen.index --update --report -o /dev/null",
                "dedup new.txt --against seen.index --clusters c.tsv --pairs p.tsv --report",
                "dedup new.txt --against seen.index --update --json --jobs 2",
                "dedup new.txt --against seen.index --prefix again/ --update --clusters again.tsv");
        assertThat(results).allSatisfy(result -> assertThat(result.code()).isZero());
        assertThat(results.get(0).err()).contains("kept       2\n").contains("matched    0  (in seen.index)");
        assertThat(results.get(1).out()).isEqualTo("something else, with nothing of it in any other line\n");
        assertThat(results.get(1).err()).contains("matched    2  (in seen.index)\nbands      21 of 6 components");
        List<String> rows = read("c.tsv").lines().toList();
        assertThat(rows.get(0)).isEqualTo("old.txt:3\tnew.txt:1\tremoved\told.txt:3\t1.0");
        assertThat(rows.get(1)).matches("old.txt:2\tnew.txt:2\tremoved\told.txt:2\t~(0.9\\d|1.00)");
        assertThat(rows.get(2)).isEqualTo("new.txt:3\tnew.txt:3\tkept\t\t");
        assertThat(read("p.tsv").lines()).hasSize(2);
        assertThat(results.get(2).err())
                .startsWith("{\"documents\":3,\"kept\":1,")
                .contains("\"matchedIndex\":2,");
        assertThat(results.get(3).out()).isEmpty();
        assertThat(read("again.tsv")).contains("new.txt:3\tagain/new.txt:3\tremoved\tnew.txt:3\t1.0");
        assertThat(index("seen.index").size()).isEqualTo(9);
    }

    /** The clusters of an index, which it tells of documents that it knows. */
    private Set<Set<String>> partition(String file) throws IOException {
        Map<String, Set<String>> clusters = new TreeMap<>();
        for (String row : read(file).lines().toList()) {
            String[] columns = row.split("\t", -1);
            clusters.computeIfAbsent(columns[0], cluster -> new TreeSet<>()).add(columns[1]);
        }
        return Set.copyOf(clusters.values());
    }

    /** 240 texts in families, edited so that some are near the threshold; in parts, shuffled, and at once. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void givesTheSameClustersInPartsAndAtOnce(int parts) throws Exception {
        Random random = new Random(parts);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 240; i++) {
            Random family = new Random(i % 40);
            StringBuilder text = new StringBuilder();
            for (int word = 0; word < 60; word++) {
                text.append(Integer.toString(family.nextInt(1 << 20), 36)).append(' ');
            }
            for (int edit = random.nextInt(5); edit > 0; edit--) {
                text.insert(random.nextInt(text.length()), random.nextInt(1_000));
            }
            lines.add("{\"id\":\"doc" + i + "\",\"text\":\"" + text + "\"}");
        }
        Files.write(folder.resolve("all.jsonl"), lines);
        Collections.shuffle(lines, random);
        List<String> commands = new ArrayList<>(
                List.of("dedup all.jsonl --format jsonl:text --id id --clusters once.tsv -o /dev/null"));
        for (int part = 0; part < parts; part++) {
            Files.write(folder.resolve(part + ".jsonl"), lines.subList(part * 240 / parts, (part + 1) * 240 / parts));
            commands.add("dedup " + part + ".jsonl --format jsonl:text --id id --against seen.index --update"
                    + (part == 0 ? " --exact" : "") + " -o kept." + part);
            if (part == 0) {
                commands.add("similar build 0.jsonl --format jsonl:text --id id --exact -o other.index");
            } else {
                commands.add("similar add other.index " + part + ".jsonl --format jsonl:text --id id");
            }
        }
        commands.add("dedup all.jsonl --format jsonl:text --id id --against seen.index --clusters seen.tsv -o none");
        List<Shell.Result> results = all(commands.toArray(String[]::new));
        assertThat(results)
                .allSatisfy(result -> assertThat(result.code()).as(result.err()).isZero());
        assertThat(partition("seen.tsv")).isEqualTo(partition("once.tsv")).hasSizeBetween(40, 200);
        assertThat(read("none")).isEmpty();
        assertThat(Files.readAllBytes(folder.resolve("other.index")))
                .isEqualTo(Files.readAllBytes(folder.resolve("seen.index")));
        int kept = 0;
        for (DocumentIndex.Entry entry : index("seen.index")) {
            kept += entry.kept() ? 1 : 0;
        }
        int written = 0;
        for (int part = 0; part < parts; part++) {
            written += (int) read("kept." + part).lines().count();
        }
        assertThat(kept)
                .isEqualTo(written)
                .isGreaterThanOrEqualTo(partition("once.tsv").size());
    }

    @Test
    void takesTheLecturesWays() throws Exception {
        List<Shell.Result> results = all(
                "dedup old.txt new.txt --minimum-hits 70 --pairs hits.tsv -o a",
                "dedup old.txt new.txt --signature classic --bands lecture --report -o b",
                "dedup old.txt new.txt --cluster star --components 100 --report -o c",
                "similar build old.txt --signature classic --bands lecture --shingle 5 --normalise -o classic.index",
                "dedup new.txt --against classic.index -o d");
        assertThat(results)
                .allSatisfy(result -> assertThat(result.code()).as(result.err()).isZero());
        assertThat(read("hits.tsv")).contains("\t~0.9").contains("\t1.0");
        assertThat(results.get(1).err()).contains("bands      ").doesNotContain("bands      21");
        assertThat(results.get(2).err()).contains("bands      16 of 6 components  (of 100, 96 are used)");
        for (String kept : List.of("a", "b", "c")) {
            assertThat(read(kept).lines()).hasSize(3);
        }
        assertThat(read("d").lines()).hasSize(1);
    }

    @Test
    void refusesBadInput() throws Exception {
        all(
                "similar build old.txt -o docs.index",
                "filter build old.txt -o bloom",
                "similar build old.txt --exact -o exact.index");
        byte[] bytes = Files.readAllBytes(folder.resolve("docs.index"));
        Files.write(folder.resolve("cut.index"), Arrays.copyOf(bytes, bytes.length - 9));
        bytes[bytes.length - 20] ^= 1;
        Files.write(folder.resolve("damaged.index"), bytes);
        bytes[12] = 9;
        Files.write(folder.resolve("newer.index"), bytes);
        Shingles other = Shingles.codePoints().seeded(7);
        SimilarityIndex seeded =
                SimilarityIndex.of(MinHash.of(128).of(other.key())).build();
        seeded.add("a", other.hashes(TIMES));
        seeded.save(folder.resolve("seeded.index"));
        SimilarityIndex.of(MinHash.of(128)).build().save(folder.resolve("words.index"));
        shell.write("ids.jsonl", "{\"text\":\"a\",\"id\":\"old.txt:1\"}");
        Refusals refusals = new Refusals(shell);
        for (String threshold : List.of("0", "NaN", "-1", "1.5")) {
            refusals.of(
                    "similar query docs.index new.txt --threshold " + threshold, "must be in (0, 1], got " + threshold);
            refusals.of(
                    "similar build new.txt -o x.index --threshold " + threshold, "must be in (0, 1], got " + threshold);
        }
        refusals.of("similar query none.index new.txt", "none.index: there is no such file")
                .of("similar add none.index new.txt", "none.index: there is no such file")
                .of("similar remove none.index a", "none.index: there is no such file")
                .of("dedup new.txt --against none.index", "none.index: there is no such file")
                .of("similar query cut.index new.txt", "cut.index: it is cut short")
                .of("dedup new.txt --against cut.index --update", "cut.index: it is cut short")
                .of("similar add damaged.index new.txt", "damaged.index: the payload's checksum does not fit")
                .of("similar info damaged.index", "damaged.index: the payload's checksum does not fit")
                .of("similar query newer.index new.txt", "newer.index: the header's checksum does not fit")
                .of("similar query bloom new.txt", "bloom: it holds a bloom sketch, not an index of documents")
                .of("dedup new.txt --against bloom", "not an index of documents")
                .of("similar query words.index new.txt", "no name of shingles, such as shingles:10: 'utf8'")
                .of("similar query docs.index new.txt -n 0", "-n must be at least 1, got 0")
                .of("similar add docs.index new.txt --threshold 0.9", "--threshold 0.9: docs.index was built for 0.8")
                .of("similar add docs.index new.txt --recall 0.9", "--recall 0.9: docs.index was built for 0.99")
                .of("similar add docs.index new.txt --components 64", "--components 64: docs.index was built for 128")
                .of(
                        "dedup new.txt --against docs.index --shingle 5",
                        "--shingle 5: docs.index was built for shingles:10")
                .of(
                        "dedup new.txt --against docs.index --normalise",
                        "--normalise: docs.index was built for shingles:10")
                .of("dedup new.txt --against docs.index --signature classic", "was built for fast")
                .of("dedup new.txt --against docs.index --bands lecture", "was built for 21 bands of 6 rows")
                .of("dedup new.txt --against docs.index --exact", "docs.index was built without it")
                .of("dedup new.txt --against docs.index --minimum-hits 9", "--minimum-hits does not work with an index")
                .of("dedup new.txt --update", "--update needs an index")
                .of("dedup new.txt --exact", "--exact needs an index")
                .of("dedup new.txt --minimum-hits 101", "--minimum-hits must be in [1, 100], got 101")
                .of("dedup new.txt --minimum-hits 50 --threshold 0.7", "--minimum-hits takes the place of --threshold")
                .of("dedup new.txt --bands lecture --recall 0.9", "--bands lecture and --recall exclude each other")
                .of("dedup new.txt --against docs.index -o docs.index", "is an input of this command")
                .of("similar add docs.index old.txt", "a document named 'old.txt:1' already")
                .of(
                        "similar add docs.index ids.jsonl --format jsonl:text --id id",
                        "a document named 'old.txt:1' already")
                .of("dedup old.txt --against docs.index --update -o kept", "a document named 'old.txt:1' already")
                .of("similar build old.txt old.txt -o x.index", "two documents are named 'old.txt:1'")
                .of("similar build old.txt -o nowhere/x.index", "its folder does not exist")
                .of("similar remove docs.index", "name the documents to remove")
                .of("similar", "a command is missing")
                .of("dedup new.txt --against nowhere/x.index --update", "its folder does not exist");
        refusals.hold();
        // Another seed is no other question: the index says with which it is asked.
        assertThat(shell.perhaps("similar", "query", "seeded.index", "old.txt").out())
                .startsWith("old.txt:1\ta\t~1.00");
    }

    /** Four at once, each with its own document: the later ones wait, and nothing is lost. */
    @Test
    void changesOfSeveralProcessesAllHappen() throws Exception {
        all("similar build old.txt -o docs.index");
        List<Shell.Running> running = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            shell.write("more" + i, "the document of process " + i + ", which is like no other one at all " + i * 7919);
            running.add(shell.start("dedup", "more" + i, "--against", "docs.index", "--update", "-o", "kept" + i));
        }
        for (Shell.Running each : running) {
            assertThat(each.finish().code()).isZero();
        }
        assertThat(index("docs.index").size()).isEqualTo(7);
    }

    /** The input is opened after the command has seen that there is no index; then somebody else makes it. */
    @Test
    void doesNotReplaceAnIndexThatItHasNotSeen() throws Exception {
        Shell.Result result = shell.sh(
                "mkfifo in; perhaps dedup in --against docs.index --update -o kept.txt & exec 3>in; perhaps similar"
                        + " build old.txt -o docs.index 2>/dev/null; echo text >&3; exec 3>&-; wait $!");
        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err())
                .isEqualTo(
                        "perhaps: docs.index was created by another process in the meantime: run the command again\n");
        assertThat(index("docs.index").size()).isEqualTo(3);
        assertThat(Files.exists(folder.resolve("kept.txt"))).isFalse();
    }

    @Test
    void leavesTheIndexAsItWasWhenStoppedOrOutOfRoom() throws Exception {
        all("similar build old.txt -o docs.index");
        byte[] before = Files.readAllBytes(folder.resolve("docs.index"));
        List<String> files = shell.files();
        Shell.Running running = shell.start(
                "dedup",
                "new.txt",
                "-",
                "--against",
                "docs.index",
                "--update",
                "-o",
                "kept.txt",
                "--clusters",
                "c.tsv");
        running.feed("one more text");
        running.signal("-INT");
        assertThat(running.finish().code()).isEqualTo(130);
        Shell.Result full = shell.sh("perhaps dedup new.txt --against docs.index --update >/dev/full");
        assertThat(full.err()).isEqualTo("perhaps: standard output: No space left on device\n");
        assertThat(full.code()).isEqualTo(2);
        assertThat(shell.sh("perhaps dedup new.txt --against fresh.index --update >/dev/full")
                        .code())
                .isEqualTo(2);
        assertThat(shell.files()).isEqualTo(files);
        assertThat(Files.readAllBytes(folder.resolve("docs.index"))).isEqualTo(before);
    }
}
