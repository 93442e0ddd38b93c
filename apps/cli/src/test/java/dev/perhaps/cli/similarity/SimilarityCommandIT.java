package dev.perhaps.cli.similarity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perhaps similarity}, as a user runs it. */
class SimilarityCommandIT {
    private static final String TIMES = "It was the best of times, it was the worst of times, it was the age of wisdom";

    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        Files.writeString(folder.resolve("a.txt"), TIMES);
        Files.writeString(folder.resolve("b.txt"), TIMES.replace("wisdom", "wisdon"));
        Files.writeString(folder.resolve("c.txt"), "\uFEFF" + TIMES.toUpperCase(Locale.ROOT) + "\n");
        Files.writeString(folder.resolve("empty.txt"), "");
        Files.writeString(folder.resolve("short.txt"), "short");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("a.gz")))) {
            out.write(TIMES.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    /** Lengths of 77 characters: 68 runs of ten, of which four come twice, and one letter at the end is in one run only. */
    @Test
    void tellsExactValuesBesideEstimates() throws Exception {
        List<Shell.Result> results = shell.all(List.of(
                words("similarity a.txt b.txt"),
                words("similarity a.txt b.txt --json --components 1024"),
                words("similarity a.txt a.gz --json"),
                words("similarity a.txt c.txt"),
                words("similarity a.txt c.txt --normalise --shingle 3"),
                words("similarity empty.txt empty.txt"),
                words("similarity empty.txt short.txt --json")));
        assertThat(results).allSatisfy(result -> {
            assertThat(result.code()).isZero();
            assertThat(result.err()).isEmpty();
        });
        assertThat(results.get(0).out().lines().toList()).satisfies(lines -> {
            assertThat(lines.get(0)).isEqualTo("            exact   estimate  standard error, 128 components");
            assertThat(lines.get(1)).matches("Jaccard {5}0\\.96[0-9]{2}    [01]\\.[0-9]{4}  ± 0\\.0[0-9]{3}");
            assertThat(lines.get(2)).matches("cosine {6}0\\.98[0-9]{2}    [01]\\.[0-9]{4}  ± 0\\.0[0-9]{3}");
            assertThat(lines.get(3)).matches("equal bits  0\\.99[0-9]{2}    [01]\\.[0-9]{4}  ± 0\\.0[0-9]{3}");
            assertThat(lines.get(4)).isEqualTo("2 of 616 bits differ");
            assertThat(lines.get(5)).matches("[0-9]+ shingles in common, of [0-9]+ and [0-9]+ different ones");
        });
        assertThat(results.get(1).out())
                .matches("\\{\"components\":1024,\"sizeA\":[0-9]+,\"sizeB\":[0-9]+,\"common\":[0-9]+,"
                        + "\"jaccard\":\\{\"exact\":0\\.96[^}]*,\"estimate\":0\\.9[^}]*,\"standardError\":0\\.00[^}]*\\},"
                        + "\"cosine\":\\{\"exact\":0\\.98[^}]*\\},"
                        + "\"hamming\":\\{\"bits\":616,\"distance\":2,\"exact\":0\\.99[^}]*\\}\\}\n");
        assertThat(results.get(2).out())
                .contains("\"jaccard\":{\"exact\":1.0,\"estimate\":1.0,\"standardError\":0.0}")
                .contains("\"distance\":0");
        assertThat(results.get(3).out())
                .contains("Jaccard     0.0000")
                .contains("equal bits  not defined for different lengths: 77 and 78 bytes");
        assertThat(results.get(4).out()).contains("Jaccard     1.0000    1.0000  ± 0.0000");
        assertThat(results.get(5).out())
                .contains("Jaccard     1.0000")
                .contains("equal bits  not defined for empty files");
        assertThat(results.get(6).out()).contains("\"jaccard\":{\"exact\":0.0").endsWith("\"hamming\":null}\n");
        assertThat(shell.perhapsWith(TIMES, "similarity", "a.txt", "-").out()).contains("Jaccard     1.0000");
    }

    @Test
    void refusesBadInput() throws Exception {
        Files.write(folder.resolve("cut.gz"), new byte[] {0x1F, (byte) 0x8B, 8, 0, 0});
        new Refusals(shell)
                .of("similarity a.txt", "Missing required parameter: 'B'")
                .of("similarity a.txt nothing.txt", "nothing.txt: there is no such file")
                .of(List.of("similarity", "a.txt", folder.toString()), "is a directory")
                .of("similarity - -", "standard input can be read only once")
                .of("similarity a.txt b.txt --shingle 0", "--shingle must be in [1, 65536], got 0")
                .of("similarity a.txt b.txt --components 0", "components must be in [1, 16384], got 0")
                .of("similarity a.txt cut.gz", "cut.gz: the compressed data is damaged: it is cut short")
                .hold();
    }
}
