package dev.perhaps.cli.input;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Key;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashedLinesTest {
    private static final Key.Bytes KEY = Key.bytes().seeded(3);

    @TempDir
    Path folder;

    private Input input(byte[] bytes) throws IOException {
        Path file = Files.write(folder.resolve("input"), bytes);
        return Input.all(List.of(file.toString())).get(0);
    }

    private static List<String> taken(Input input) throws IOException {
        List<String> lines = new ArrayList<>();
        HashedLines.read(input, Input.Meter.NONE, KEY, HashedLines.Preparation.NONE, block -> add(block, lines));
        return lines;
    }

    private static void add(LineBlock block, List<String> lines) {
        for (int i = 0; i < block.count(); i++) {
            byte[] line = Arrays.copyOfRange(block.bytes(), block.from(i), block.to(i));
            assertThat(block.hashes()[i]).isEqualTo(KEY.hash(line));
            lines.add(new String(line, ISO_8859_1));
        }
    }

    private static List<String> expected(byte[] bytes) throws IOException {
        List<String> lines = new ArrayList<>();
        Lines.read(
                "it",
                new ByteArrayInputStream(bytes),
                (b, from, to) -> lines.add(new String(b, from, to - from, ISO_8859_1)));
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
                "\r",
                "\n\n\n",
                "12345678\n",
                "1234567\n",
                "123456789",
                "a\n\nb\n",
                "a\rb\r\n",
                "a\r\r\n",
                "\uFEFF",
                "\uFEFFa\nb",
                "\uFEFF\n",
                "\uFEFF\uFEFFa\n",
                "\u00ef\n",
                "\u00ef\u00bb\n"
            })
    void cutsAsALoopOverBytesDoes(String text) throws IOException {
        for (byte[] bytes : List.of(text.getBytes(UTF_8), text.getBytes(ISO_8859_1))) {
            assertThat(taken(input(bytes))).isEqualTo(expected(bytes));
        }
    }

    @Test
    void keepsTheOrderOfManyBlocksOfAnyBytes() throws IOException {
        Random random = new Random(5);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        while (text.size() < 20 * HashedLines.BLOCK_BYTES) {
            byte[] some = new byte[random.nextInt(300)];
            random.nextBytes(some); // newlines and carriage returns among them
            text.write(some);
            text.write(random.nextBoolean() ? "\r\n".getBytes(UTF_8) : "\n".getBytes(UTF_8));
            if (random.nextInt(10_000) == 0) {
                text.write(new byte[3 * HashedLines.BLOCK_BYTES + random.nextInt(1_000)]);
            }
        }
        text.write("last".getBytes(UTF_8));
        byte[] bytes = text.toByteArray();
        bytes[0] = 'a';
        assertThat(taken(input(bytes))).isEqualTo(expected(bytes));
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(compressed)) {
            out.write(bytes);
        }
        assertThat(taken(input(compressed.toByteArray()))).isEqualTo(expected(bytes));
    }

    /** Lines of their number, many blocks of them. */
    private static byte[] numbers() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; text.length() < 12 * HashedLines.BLOCK_BYTES; i++) {
            text.append(i).append('\n');
        }
        return text.toString().getBytes(UTF_8);
    }

    @Test
    void tellsWhatWentWrongWithABlockAfterAllBeforeIt() throws IOException {
        Input input = input(numbers());
        List<String> lines = new ArrayList<>();
        long[] bad = {KEY.hash("200000".getBytes(UTF_8))};
        assertThatThrownBy(() -> HashedLines.read(
                        input,
                        Input.Meter.NONE,
                        KEY,
                        block -> {
                            for (int i = 0; i < block.count(); i++) {
                                if (block.hashes()[i] == bad[0]) {
                                    throw new IllegalStateException("broken");
                                }
                            }
                        },
                        block -> add(block, lines)))
                .hasMessage("broken");
        assertThat(lines).isEqualTo(expected(numbers()).subList(0, lines.size()));
        assertThat(lines.size()).isBetween(200_000 - HashedLines.BLOCK_BYTES / 6, 200_000);
        assertThatThrownBy(() -> HashedLines.read(input, Input.Meter.NONE, KEY, HashedLines.Preparation.NONE, block -> {
                    throw new IOException("no room");
                }))
                .hasMessage("no room");
    }

    @Test
    void handsOverWhatStandsBeforeTheDamageOfAnArchive() throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(compressed)) {
            out.write(numbers());
        }
        Input input = input(Arrays.copyOf(compressed.toByteArray(), compressed.size() / 2));
        List<String> lines = new ArrayList<>();
        assertThatThrownBy(() -> HashedLines.read(
                        input, Input.Meter.NONE, KEY, HashedLines.Preparation.NONE, block -> add(block, lines)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("input");
        assertThat(lines)
                .hasSizeGreaterThan(100_000)
                .isEqualTo(expected(numbers()).subList(0, lines.size()));
    }

    @Test
    void readsWhatAFileGrowsByMeanwhile() throws IOException {
        Path file = Files.write(folder.resolve("input"), numbers());
        boolean[] first = {true};
        List<String> lines = new ArrayList<>();
        HashedLines.read(
                Input.all(List.of(file.toString())).get(0),
                Input.Meter.NONE,
                KEY,
                HashedLines.Preparation.NONE,
                block -> {
                    if (first[0]) {
                        Files.writeString(file, "more\n", StandardOpenOption.APPEND);
                    }
                    first[0] = false;
                    add(block, lines);
                });
        assertThat(lines).endsWith("more").hasSize(expected(numbers()).size() + 1);
    }

    @Test
    void endsWhereAFileIsCutOffMeanwhile() throws IOException {
        Path file = Files.write(folder.resolve("input"), numbers());
        List<String> lines = new ArrayList<>();
        HashedLines.read(
                Input.all(List.of(file.toString())).get(0),
                Input.Meter.NONE,
                KEY,
                HashedLines.Preparation.NONE,
                block -> {
                    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                        channel.truncate(0);
                    }
                    add(block, lines);
                });
        List<String> all = expected(numbers());
        assertThat(lines.size()).isBetween(1, all.size() - 1);
        // The last line may be cut off too.
        assertThat(lines.subList(0, lines.size() - 1)).isEqualTo(all.subList(0, lines.size() - 1));
    }

    @Test
    void handsOverEachLineOfAPipeBeforeItWaitsForTheNext() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        List<String> expected = List.of("first", "", "bc", "d".repeat(70_000), "e");
        List<CountDownLatch> taken =
                expected.stream().map(line -> new CountDownLatch(1)).toList();
        FutureTask<Boolean> writing = new FutureTask<>(() -> {
            try (OutputStream out = Files.newOutputStream(pipe)) {
                for (int i = 0; i < expected.size(); i++) {
                    out.write((expected.get(i) + "\n").getBytes(UTF_8));
                    out.flush();
                    if (!taken.get(i).await(1, TimeUnit.MINUTES)) {
                        return false;
                    }
                }
            }
            return true;
        });
        new Thread(writing, "writing").start();
        List<String> lines = new ArrayList<>();
        int[] idle = {0};
        long[] bytes = {0};
        Input.Meter meter = new Input.Meter() {
            @Override
            public void read(long count) {
                bytes[0] += count;
            }

            @Override
            public void idle() {
                idle[0]++;
            }
        };
        HashedLines.read(
                Input.all(List.of(pipe.toString())).get(0), meter, KEY, HashedLines.Preparation.NONE, block -> {
                    add(block, lines);
                    for (int i = 0; i < lines.size(); i++) {
                        taken.get(i).countDown();
                    }
                });
        assertThat(writing.get()).as("no line waited for the next").isTrue();
        assertThat(lines).isEqualTo(expected);
        assertThat(idle[0]).isPositive();
        assertThat(bytes[0])
                .isEqualTo(expected.stream().mapToInt(line -> line.length() + 1).sum());
    }
}
