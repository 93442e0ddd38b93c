package dev.perhaps.cli.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lab's commands, as processes. */
class LabCommandIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() {
        shell = new Shell(folder);
    }

    @Test
    void listsWhatThereIs() throws Exception {
        Shell.Result list = shell.perhaps("lab", "list");
        assertThat(list.code()).isZero();
        assertThat(list.out()).contains("false-positives    Measured against predicted error");
        assertThat(list.err()).isEmpty();
        assertThat(shell.perhaps("lab", "list", "--json").out())
                .startsWith("{\"experiments\":[{\"name\":\"")
                .contains("\"false-positives\"");
    }

    @Test
    void runsAnExperimentAndWritesWhatItFound() throws Exception {
        Shell.Result run = shell.perhaps("lab", "run", "false-positives", "--quick", "-o", "found");
        assertThat(run.code()).isZero();
        assertThat(run.err()).as("no terminal, no progress").isEmpty();
        assertThat(run.out())
                .contains("| bits per item |", "held    keys that were added and not found: 0 (at most 0)")
                .contains("8 of 8 expectations held, in ")
                .endsWith("; 8 files in found\n");
        Path found = folder.resolve("found");
        assertThat(Files.readString(found.resolve("false-positives-curves.csv")).lines())
                .hasSize(1 + 19 * 16);
        assertThat(found.resolve("false-positives-by-bits.svg")).isNotEmptyFile();
        assertThat(found.resolve("false-positives-by-bits.png")).isNotEmptyFile();

        Shell.Result json = shell.perhaps("lab", "run", "false-positives", "--quick", "--json");
        assertThat(json.out())
                .startsWith("{\"experiment\":\"false-positives\",\"held\":true,\"seconds\":")
                .contains("\"tables\":[{\"name\":\"best\"", "\"bits per item\":2.0", "\"files\":[]");
    }

    @Test
    void exitsWithOneIfAnExpectationFailed() throws Exception {
        // One seed is too few for means over thirty: with this one, some of them are off.
        Shell.Result run = shell.perhaps("lab", "run", "paradox", "--quick", "--seeds", "1");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("\nFAILED  ", "\nheld    ", " of 31 expectations held, in ");
    }

    @Test
    void refusesWhatThereIsNotInOneLine() throws Exception {
        Shell.Result unknown = shell.perhaps("lab", "run", "alchemy");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.out()).isEmpty();
        assertThat(unknown.err())
                .startsWith("perhaps: there is no experiment 'alchemy': take one of ")
                .hasLineCount(1);

        Shell.Result seeds = shell.perhaps("lab", "run", "false-positives", "--seeds", "0");
        assertThat(seeds.code()).isEqualTo(2);
        assertThat(seeds.err()).isEqualTo("perhaps: --seeds must be in 1..10000, got 0\n");

        shell.write("taken", "a file");
        Shell.Result taken = shell.perhaps("lab", "run", "false-positives", "-o", "taken");
        assertThat(taken.code()).isEqualTo(2);
        assertThat(taken.err()).isEqualTo("perhaps: taken is a file: -o needs a folder\n");
        assertThat(Files.readString(folder.resolve("taken"))).isEqualTo("a file\n");
    }
}
