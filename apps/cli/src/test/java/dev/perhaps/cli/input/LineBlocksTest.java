package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines read by several workers. */
class LineBlocksTest {
    private static final Input.Meter METER = new Input.Meter() {
        @Override
        public void read(long bytes) {}

        @Override
        public void idle() {}
    };

    @TempDir
    Path folder;

    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        byte[] bytes = text.getBytes(UTF_8);
        LineBlocks.lines(bytes, bytes.length, (b, from, to) -> lines.add(new String(b, from, to - from, UTF_8)));
        return lines;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "a",
                "a\n",
                "a\r\n",
                "\r\n",
                "\n\n\n",
                "12345678\n",
                "1234567\n",
                "123456789",
                "a\n\nb\n",
                "\u000b\n\u010a\n\u0a0a\n",
                "a\rb\r\n"
            })
    void splitsAsALoopOverBytesDoes(String text) throws IOException {
        List<String> expected = new ArrayList<>();
        Lines.read(
                "it",
                new java.io.ByteArrayInputStream(text.getBytes(UTF_8)),
                (b, from, to) -> expected.add(new String(b, from, to - from, UTF_8)));
        assertThat(lines(text)).isEqualTo(expected);
    }

    @Test
    void handsEveryLineToOneWorkerAlsoThoseLongerThanABlock() throws IOException {
        Random random = new Random(3);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            expected.add(i + "x".repeat(random.nextInt(300)));
        }
        expected.add("y".repeat(3_000_000));
        expected.add("last");
        Path file = Files.write(folder.resolve("lines"), expected);
        List<List<String>> taken = List.of(new ArrayList<>(), new ArrayList<>());
        List<LineBlocks.Sink> sinks = new ArrayList<>();
        for (List<String> mine : taken) {
            sinks.add((bytes, from, to) -> mine.add(new String(bytes, from, to - from, UTF_8)));
        }
        LineBlocks.read(Input.all(List.of(file.toString(), file.toString())), METER, sinks);
        List<String> all = new ArrayList<>(taken.get(0));
        all.addAll(taken.get(1));
        List<String> twice = new ArrayList<>(expected);
        twice.addAll(expected);
        assertThat(all.stream().sorted().toList())
                .isEqualTo(twice.stream().sorted().toList());
        assertThat(taken.get(0)).isNotEmpty();
        assertThat(taken.get(1)).isNotEmpty();
    }

    @Test
    void tellsWhatWentWrongInAWorker() throws IOException {
        Path file = Files.write(folder.resolve("lines"), List.of("a", "b"));
        LineBlocks.Sink broken = (bytes, from, to) -> {
            throw new IllegalStateException("broken");
        };
        assertThatThrownBy(() -> LineBlocks.read(Input.all(List.of(file.toString())), METER, List.of(broken, broken)))
                .hasMessage("broken");
    }
}
