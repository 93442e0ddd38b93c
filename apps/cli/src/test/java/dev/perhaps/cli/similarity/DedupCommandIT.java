package dev.perhaps.cli.similarity;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perhaps dedup}, as a user runs it. */
class DedupCommandIT {
    private static final String TIMES =
            "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness";
    private static final String WHALE =
            "Call me Ishmael. Some years ago, never mind how long precisely, I thought I would sail about a little";

    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws IOException {
        shell = new Shell(folder);
        shell.write("lines.txt", TIMES, WHALE, TIMES + ", it was", TIMES, "short", "", "short", "  ");
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    private String read(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    @Test
    void keepsTheLongestLineOfEachCluster() throws Exception {
        List<Shell.Result> results = shell.all(List.of(
                words("dedup lines.txt --clusters clusters.tsv --pairs pairs.tsv --report"),
                words("dedup lines.txt -o kept.txt --keep first --json"),
                words("dedup lines.txt --threshold 1"),
                words("dedup lines.txt --normalise --shingle 5 -o normalised.txt")));
        String kept = WHALE + "\n" + TIMES + ", it was\nshort\n\n  \n";
        assertThat(results.get(0).out()).isEqualTo(kept);
        assertThat(results.get(0).err())
                .startsWith("documents  8\nkept       5\nremoved    3  (estimated to be missed: ")
                .contains(" % of all to remove)\nclusters   2  (of two documents or more)\npairs      3");
        List<String> rows = read("clusters.tsv").lines().toList();
        assertThat(rows)
                .hasSize(8)
                .contains(
                        "lines.txt:2\tlines.txt:2\tkept\t\t",
                        "lines.txt:3\tlines.txt:4\tremoved\tlines.txt:1\t1.0",
                        "lines.txt:5\tlines.txt:7\tremoved\tlines.txt:5\t1.0",
                        "lines.txt:6\tlines.txt:6\tkept\t\t");
        assertThat(rows.get(0)).startsWith("lines.txt:3\tlines.txt:1\tremoved\tlines.txt:3\t0.9");
        assertThat(rows.get(2)).startsWith("lines.txt:3\tlines.txt:3\tkept\tlines.txt:1\t0.9");
        assertThat(read("pairs.tsv").lines())
                .hasSize(3)
                .contains("lines.txt:1\tlines.txt:4\t1.0", "lines.txt:5\tlines.txt:7\t1.0");
        assertThat(read("kept.txt")).isEqualTo(TIMES + "\n" + WHALE + "\nshort\n\n  \n");
        assertThat(results.get(1).out()).isEmpty();
        assertThat(results.get(1).err())
                .startsWith("{\"documents\":8,\"kept\":5,\"removed\":3,\"clusters\":2,\"pairs\":3,\"missedShare\":");
        assertThat(results.get(2).out()).isEqualTo(TIMES + "\n" + kept);
        assertThat(read("normalised.txt").lines()).hasSize(4);
    }

    @Test
    void readsJsonWithItsOtherFieldsPackedOrNot() throws Exception {
        String longer = "{\"n\":[1, 2],\"doc\":{\"text\":\"" + TIMES + "!\\n\"},\"id\":\"b\"}";
        String jsonl = "\uFEFF{\"id\":\"a\",\"doc\":{\"text\":\"" + TIMES + "\"}}\r\n\n" + longer + "\r\n";
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("texts.jsonl.gz")))) {
            out.write(jsonl.getBytes(StandardCharsets.UTF_8));
        }
        List<Shell.Result> results = shell.all(List.of(
                words("dedup texts.jsonl.gz --format jsonl:doc.text --clusters lines.tsv"),
                words("dedup texts.jsonl.gz --format jsonl:doc.text --clusters ids.tsv --id id")));
        assertThat(results.get(0).out()).isEqualTo(longer + "\n");
        assertThat(read("lines.tsv"))
                .contains("texts.jsonl.gz:3\ttexts.jsonl.gz:1\tremoved\ttexts.jsonl.gz:3\t0.9")
                .contains("texts.jsonl.gz:3\ttexts.jsonl.gz:3\tkept\t");
        assertThat(read("ids.tsv")).contains("b\ta\tremoved\tb\t0.9").contains("b\tb\tkept\ta\t0.9");
        Shell.Result piped = shell.perhapsWith(jsonl, "dedup", "--format", "jsonl:doc.text", "--pairs", "pairs.tsv");
        assertThat(piped.out()).isEqualTo(longer + "\n");
        assertThat(read("pairs.tsv")).contains("-:1").contains("-:3");
    }

    /** Bytes that are no text, NUL, CRLF, a byte order mark and a last line without an end. */
    @Test
    void keepsLinesAsTheyCame() throws Exception {
        byte[] bytes =
                "\u00ef\u00bb\u00bfone\r\none\r\nZ\u00fcrich\na\0b\na\0b\nlast".getBytes(StandardCharsets.ISO_8859_1);
        Files.write(folder.resolve("odd.txt"), bytes);
        shell.write("none.txt");
        List<Shell.Result> results =
                shell.all(List.of(words("dedup odd.txt -o kept.txt"), words("dedup none.txt --report")));
        assertThat(results.get(0).code()).isZero();
        assertThat(Files.readString(folder.resolve("kept.txt"), StandardCharsets.ISO_8859_1))
                .isEqualTo("one\nZ\u00fcrich\na\0b\nlast\n");
        assertThat(results.get(1).out()).isEmpty();
        assertThat(results.get(1).err()).startsWith("documents  0\nkept       0\n");
    }

    /** 300 files in 60 families, some the same: named by folder or one by one, by one thread or two, the answer is one. */
    @Test
    void answersTheSameHoweverFilesAreNamed() throws Exception {
        Random random = new Random(5);
        List<String> names = new ArrayList<>();
        Path root = Files.createDirectories(folder.resolve("docs/deep"));
        for (int i = 0; i < 300; i++) {
            Random family = new Random(i % 60);
            StringBuilder text = new StringBuilder();
            for (int word = 0; word < 200; word++) {
                text.append(Integer.toString(family.nextInt(1 << 20), 36)).append(' ');
            }
            if (i % 3 > 0) {
                text.replace(500, 510, "change " + random.nextInt(1000));
            }
            names.add((i % 2 == 0 ? "docs/" : "docs/deep/") + i + ".txt");
            Files.writeString(folder.resolve(names.get(i)), text);
        }
        Files.createSymbolicLink(root.resolve("link.txt"), folder.resolve(names.get(0)));
        List<String> shuffled = new ArrayList<>(List.of("dedup", "--format", "files", "--jobs", "2", "-o", "b.txt"));
        shuffled.addAll(List.of("--clusters", "b.tsv", "--pairs", "b.pairs"));
        Collections.shuffle(names, random);
        shuffled.addAll(names);
        List<String> outputs = List.of("docs/a.txt", "docs/a.tsv", "docs/a.pairs");
        String inside = " -o docs/a.txt --clusters docs/a.tsv --pairs docs/a.pairs";
        List<Shell.Result> results = new ArrayList<>(
                shell.all(List.of(words("dedup --format files --jobs 1 docs docs/deep docs/../docs" + inside))));
        for (String output : outputs) {
            Files.delete(folder.resolve(output)); // one that is there already would be a document
        }
        results.addAll(shell.all(List.of(shuffled, words("dedup --format files --jobs 1 docs" + inside))));
        assertThat(results).allSatisfy(result -> assertThat(result.code()).isZero());
        assertThat(read("b.tsv")).isEqualTo(read("docs/a.tsv"));
        assertThat(read("b.pairs")).isEqualTo(read("docs/a.pairs"));
        assertThat(read("b.txt")).isEqualTo(read("docs/a.txt"));
        Map<String, Integer> kept = new HashMap<>();
        List<String> listed = new ArrayList<>();
        for (String row : read("b.tsv").lines().toList()) {
            String[] columns = row.split("\t", -1);
            assertThat(columns).hasSize(5);
            kept.merge(columns[0], columns[2].equals("kept") ? 1 : 0, Integer::sum);
            if (columns[2].equals("kept")) {
                listed.add(columns[1]);
            }
            assertThat(Double.parseDouble(columns[4])).isBetween(0.8, 1.0);
        }
        assertThat(kept)
                .hasSize(60)
                .allSatisfy((cluster, count) -> assertThat(count).isEqualTo(1));
        assertThat(read("b.txt").lines()).isEqualTo(listed);
    }

    /** With names that are not places, lines may come in any order and from any number of inputs. */
    @Test
    void answersTheSameForShuffledLines() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String text = (i % 2 == 0 ? TIMES : WHALE) + (i % 5 == 0 ? "" : " and so on " + i % 7);
            lines.add("{\"id\":\"doc" + i + "\",\"text\":\"" + text + "\"}");
        }
        Files.write(folder.resolve("a.jsonl"), lines);
        Collections.shuffle(lines, new Random(3));
        Files.write(folder.resolve("b.jsonl"), lines.subList(0, 25));
        Files.write(folder.resolve("c.jsonl"), lines.subList(25, 60));
        shell.all(List.of(
                words("dedup a.jsonl --format jsonl:text --id id --clusters a.tsv --pairs a.pairs -o a.kept --jobs 1"),
                words("dedup c.jsonl b.jsonl --format jsonl:text --id id --clusters b.tsv --pairs b.pairs -o b.kept"
                        + " --jobs 2")));
        for (String output : List.of(".tsv", ".pairs", ".kept")) {
            assertThat(read("b" + output).lines().sorted())
                    .isNotEmpty()
                    .isEqualTo(read("a" + output).lines().sorted().toList());
        }
        assertThat(read("a.kept").lines()).hasSize(2);
    }

    @Test
    void refusesBadInput() throws Exception {
        shell.write("no-field.jsonl", "{\"text\":\"a\"}", "{\"other\":1}");
        shell.write("null.jsonl", "", "{\"text\":null}");
        shell.write("broken.jsonl", "{\"text\":\"a\"}", "{\"text\":\"b");
        shell.write("ids.jsonl", "{\"text\":\"a\",\"id\":7}", "{\"text\":\"b\",\"id\":7}");
        Files.write(
                folder.resolve("latin1.jsonl"), "{\"text\":\"Z\u00fcrich\"}\n".getBytes(StandardCharsets.ISO_8859_1));
        shell.write("a\tb", "text");
        Refusals refusals = new Refusals(shell);
        for (String threshold : List.of("0", "NaN", "-1", "1.5")) {
            refusals.of("dedup lines.txt --threshold " + threshold, "threshold must be in (0, 1], got " + threshold);
        }
        refusals.of("dedup lines.txt --threshold many", "'many' is not a number")
                .of("dedup lines.txt --threshold 0.01", "take more components, or ask for less recall")
                .of("dedup lines.txt --recall 1", "recall must be in (0, 1), got 1.0")
                .of("dedup lines.txt --shingle 0", "--shingle must be in [1, 65536], got 0")
                .of("dedup lines.txt --jobs 0", "--jobs must be in [1, 1024], got 0")
                .of("dedup lines.txt --keep shortest", "shortest")
                .of(
                        "dedup lines.txt --format xml",
                        "there is no format 'xml' of documents: use lines, jsonl:FIELD or files")
                .of("dedup lines.txt --format jsonl:", "there is no format 'jsonl:'")
                .of("dedup lines.txt --id id", "--id needs a format with fields, which 'lines' does not have")
                .of("dedup lines.txt --memory much", "--memory must be a size such as 512M or 2G, got 'much'")
                .of("dedup lines.txt --memory 0", "--memory must be at least 1 byte, got 0")
                .of("dedup lines.txt --temp nowhere", "nowhere: there is no such folder, which --temp needs")
                .of("dedup nothing.txt", "nothing.txt: there is no such file")
                .of("dedup --format files", "name files or folders")
                .of("dedup --format files nothing", "nothing: there is no such file or folder")
                .of(List.of("dedup", "--format", "files", "a\tb"), "has a tab or a line break in it")
                .of("dedup lines.txt -o nowhere/kept.txt", "nowhere/kept.txt: its folder does not exist")
                .of("dedup lines.txt -o a.txt --pairs nowhere/p.tsv", "nowhere/p.tsv: its folder does not exist")
                .of("dedup lines.txt -o a.txt --clusters ./a.txt", "is named for two outputs")
                .of("dedup no-field.jsonl --format jsonl:text", "no-field.jsonl line 2: it has no field 'text'")
                .of(
                        "dedup null.jsonl --format jsonl:text -o a.txt",
                        "null.jsonl line 2: it has no field 'text', or it is")
                .of("dedup broken.jsonl --format jsonl:text", "broken.jsonl line 2: it is not valid JSON")
                .of("dedup latin1.jsonl --format jsonl:text", "latin1.jsonl line 1: it is not valid UTF-8")
                .of("dedup ids.jsonl --format jsonl:text --id id", "ids.jsonl line 2: the id '7' came before, on ids")
                .hold();
    }

    /** The second input never ends: whatever has been done, nothing is written. */
    @Test
    void leavesNothingBehindWhenStopped() throws Exception {
        List<String> before = shell.files();
        Shell.Running running = shell.start("dedup", "lines.txt", "-", "-o", "kept.txt", "--clusters", "clusters.tsv");
        running.feed("one more text");
        running.signal("-INT");
        Shell.Result result = running.finish();
        assertThat(result.code()).isEqualTo(130);
        assertThat(result.err()).isEmpty();
        assertThat(shell.files()).isEqualTo(before);
    }

    @Test
    void saysOnceThatTheDiskIsFull() throws Exception {
        Shell.Result full = shell.sh("perhaps dedup lines.txt --report >/dev/full");
        assertThat(full.err()).isEqualTo("perhaps: standard output: No space left on device\n");
        assertThat(full.code()).isEqualTo(2);
    }

    /** All of it in files: to the byte what it is in memory, and nothing of it has a name, not even half way. */
    @Test
    void answersTheSameWithoutMemory() throws Exception {
        StringBuilder lines = new StringBuilder();
        StringBuilder objects = new StringBuilder();
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 3_000; i++) {
            String words = random.ints(i % 50 == 0 ? 0 : 30, 0, 9_000)
                    .mapToObj(word -> "w" + word)
                    .collect(Collectors.joining(" "));
            for (String line : List.of(words, words + (i % 3 == 0 ? "" : " once more"))) {
                lines.append(line).append(i % 7 == 0 ? "\r\n" : "\n");
                objects.append("{\"text\":\"").append(line).append("\"}\n");
            }
        }
        Files.writeString(folder.resolve("many.txt"), lines);
        Files.writeString(folder.resolve("many.jsonl"), objects);
        Files.createDirectory(folder.resolve("temp"));
        String outputs = " -o $n.kept --clusters $n.clusters --pairs $n.pairs";
        for (String input : List.of("many.txt", "- <many.txt", "many.jsonl --format jsonl:text")) {
            assertThat(shell.sh("n=in; perhaps dedup " + input + outputs).code())
                    .isZero();
            assertThat(shell.sh("n=out; perhaps dedup --memory 1K --temp temp " + input + outputs)
                            .code())
                    .isZero();
            for (String output : List.of("kept", "clusters", "pairs")) {
                assertThat(read("out." + output))
                        .isEqualTo(read("in." + output))
                        .isNotEmpty();
            }
        }
        Shell.Running running =
                shell.start("dedup", "many.txt", "-", "--memory", "1K", "--temp", "temp", "-o", "never");
        running.feed("one more text");
        assertThat(folder.resolve("temp")).isEmptyDirectory();
        running.signal("-INT");
        assertThat(running.finish().code()).isEqualTo(130);
        assertThat(folder.resolve("temp")).isEmptyDirectory();
        assertThat(folder.resolve("never")).doesNotExist();
    }

    /** A limit on the size of files stands for a disk that is full. */
    @Test
    void saysThatMemoryAndDiskAreTooSmall() throws Exception {
        String line = "all work and no play makes a line of a certain length ";
        Files.writeString(folder.resolve("large.txt"), (line.repeat(100) + "\n").repeat(600));
        Shell.Result full = shell.sh("ulimit -f 2000; cat large.txt | perhaps dedup --memory 1K --temp . -o kept.txt");
        assertThat(full.err())
                .isEqualTo("perhaps: lines that memory does not hold could not be kept in .: File too large:"
                        + " name a folder with more room with --temp\n");
        assertThat(full.code()).isEqualTo(2);
        assertThat(folder.resolve("kept.txt")).doesNotExist();
    }

    /** Without a locale that knows UTF-8, the name would be printed as another one. */
    /** A file of 200 MB beside a small one, and two lines of 50 MB that are nearly the same, in a heap of 512 MB. */
    @Test
    void comparesDocumentsThatAreLargerThanMemoryForThem() throws Exception {
        Path documents = Files.createDirectory(folder.resolve("documents"));
        Files.writeString(documents.resolve("small.txt"), TIMES);
        Random random = new Random(1);
        byte[] megabyte = new byte[1 << 20];
        try (OutputStream file = Files.newOutputStream(documents.resolve("large.txt"));
                OutputStream lines = Files.newOutputStream(folder.resolve("long.txt"))) {
            for (int i = 0; i < 200; i++) {
                letters(random, megabyte);
                file.write(megabyte);
            }
            for (int line = 0; line < 2; line++) {
                Random same = new Random(2);
                for (int i = 0; i < 50; i++) {
                    letters(same, megabyte);
                    lines.write(megabyte);
                }
                lines.write(
                        line == 0
                                ? "first\n".getBytes(StandardCharsets.UTF_8)
                                : "second\n".getBytes(StandardCharsets.UTF_8));
            }
        }
        List<Shell.Result> results = shell.all(List.of(
                words("dedup --format files documents --json"),
                words("dedup long.txt -o kept.txt --clusters clusters.tsv")));
        assertThat(results.get(0).err()).startsWith("{\"documents\":2,\"kept\":2,\"removed\":0,");
        assertThat(results.get(1).code()).isZero();
        assertThat(Files.size(folder.resolve("kept.txt"))).isEqualTo((50L << 20) + "second\n".length());
        assertThat(read("clusters.tsv").lines())
                .allSatisfy(row ->
                        assertThat(row).startsWith("long.txt:2\tlong.txt:").contains("\t0.99999"));
    }

    private static void letters(Random random, byte[] into) {
        random.nextBytes(into);
        for (int i = 0; i < into.length; i++) {
            into[i] = (byte) ('a' + (into[i] & 15));
        }
    }

    /** Composed and decomposed letters, case and white space differ unless they are asked not to; zstd is read as it is. */
    @Test
    void tellsLettersApartUnlessAskedNotTo() throws Exception {
        String composed = "Un été à Évian, où la forêt près du lac était déjà dorée";
        String decomposed = Normalizer.normalize(composed, Normalizer.Form.NFD);
        String spaced = composed.toUpperCase(Locale.ROOT).replace(" ", "  \t");
        byte[] text = String.join("\n", composed, decomposed, spaced, "", " ", "\t", "")
                .getBytes(StandardCharsets.UTF_8);
        Files.write(folder.resolve("lines.zst"), Zstd.compress(text));
        List<Shell.Result> results = shell.all(List.of(
                words("dedup lines.zst"),
                words("dedup lines.zst --normalise"),
                words("dedup lines.zst --normalise --memory 1M")));
        assertThat(results.get(0).out().lines()).containsExactly(composed, decomposed, spaced, "", " ", "\t");
        assertThat(results.get(1).out().lines()).hasSize(2).contains(spaced);
        assertThat(results.get(2).out()).isEqualTo(results.get(1).out());
    }

    @Test
    void refusesPathsThatItCannotPrint() throws Exception {
        Files.createDirectory(folder.resolve("named"));
        Shell.Result made = shell.sh(
                "printf text >\"named/Z$(printf '\\303\\274')rich\"; LC_ALL=C perhaps dedup --format files named");
        assertThat(made.code()).isEqualTo(2);
        assertThat(made.err()).contains("cannot be decoded in this locale: set LC_ALL=C.UTF-8, or rename it");
        Files.createDirectory(folder.resolve("empty"));
        assertThat(shell.perhaps("dedup", "--format", "files", "empty").code()).isZero();
    }

    @Test
    void endsQuietlyWhenTheReaderHasSeenEnough() throws Exception {
        Shell.Result piped = shell.sh("seq 100000 | perhaps dedup | head -1");
        assertThat(piped.out()).isEqualTo("1\n");
        assertThat(piped.err()).isEmpty();
    }
}
