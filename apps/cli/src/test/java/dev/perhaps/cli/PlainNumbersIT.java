package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that reads results gets plain numbers and one row per key; a person gets separators and is told what is an estimate. */
class PlainNumbersIT {
    @TempDir
    Path folder;

    @Test
    void numbersHaveSeparatorsOnATerminalOnly() throws Exception {
        Shell shell = new Shell(folder);
        shell.write("lines.txt", IntStream.range(0, 3453).mapToObj(i -> "same").toArray(String[]::new));
        assertThat(shell.perhaps("top", "lines.txt").out()).isEqualTo("1  3453  same\n");
        assertThat(shell.perhaps("distinct", "lines.txt").out())
                .startsWith("different  1  (")
                .contains("items      3453  ");

        List<String> terminal = List.of("-Dperhaps.shown=true");
        assertThat(shell.startAs(List.of(), terminal, "top", "lines.txt")
                        .finish("")
                        .out())
                .isEqualTo("1  3,453  same\n");
        assertThat(shell.startAs(List.of(), terminal, "distinct", "lines.txt")
                        .finish("")
                        .out())
                .startsWith("different  ≈ 1  (")
                .contains("items      3,453  ");
    }

    @Test
    void aKeyWithALineBreakOrATabStaysInItsRowAndColumn() throws Exception {
        Shell shell = new Shell(folder);
        shell.write("keys.jsonl", "{\"k\":\"a\\nb\\tc\"}");
        assertThat(shell.perhaps("top", "keys.jsonl", "--format", "jsonl:k").out())
                .isEqualTo("1  1  a\\nb\\tc\n");
        assertThat(shell.perhaps("top", "keys.jsonl", "--format", "jsonl:k", "--json")
                        .out())
                .isEqualTo("{\"rank\":1,\"atLeast\":1,\"atMost\":1,\"key\":\"a\\nb\\tc\"}\n");
        shell.write("nodes.txt", "alpha");
        assertThat(shell.perhaps("place", "--nodes", "nodes.txt", "a\tb").out()).isEqualTo("a\\tb\talpha\n");
    }

    @Test
    void oneCommandDescribesEveryKind() throws Exception {
        Shell shell = new Shell(folder);
        shell.write(
                "lines.txt", IntStream.range(0, 2000).mapToObj(i -> "line " + i).toArray(String[]::new));
        List<List<String>> commands = List.of(
                List.of("filter", "build", "lines.txt", "--items", "2000", "-o", "bloom"),
                List.of("count", "build", "lines.txt", "-o", "count"),
                List.of("distinct", "lines.txt", "-o", "distinct"),
                List.of("similar", "build", "lines.txt", "-o", "similar"),
                List.of("info", "bloom"),
                List.of("info", "count", "--json"),
                List.of("info", "distinct"),
                List.of("info", "similar"),
                List.of("filter", "info", "bloom"),
                List.of("count", "info", "count", "--json"),
                List.of("similar", "info", "similar"));
        List<Shell.Result> results = shell.all(commands);
        assertThat(results).allMatch(result -> result.code() == 0);
        assertThat(results.get(4).out())
                .containsPattern("(?m)^kind +bloom$")
                .containsPattern("(?m)^items planned +2000$")
                .containsPattern("(?m)^items now +[0-9]{4}$");
        assertThat(results.get(5).out()).startsWith("{\"kind\":\"count\"").contains("\"total\":2000");
        assertThat(results.get(6).out()).containsPattern("(?m)^kind +distinct$");
        assertThat(results.get(7).out()).containsPattern("(?m)^kind +similar$");
        for (int i = 4; i < 8; i++) {
            if (i != 6) {
                assertThat(results.get(i < 6 ? i + 4 : 10).out())
                        .isEqualTo(results.get(i).out());
            }
        }
    }
}
