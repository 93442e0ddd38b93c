package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files of every released version are read for ever, and the newest is written to the byte. A new version of a kind adds
 * a file and deletes none; {@code -Dgolden.write} writes those that are missing.
 */
class GoldenFilesTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden");

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"BLOOM", "BLOCKED", "SCALABLE", "COUNTING", "COUNTING2"})
    void readsAndWritesTheFirstVersion(Kind kind) throws IOException {
        Path file = GOLDEN.resolve(kind.word() + "-1.perhaps");
        long[] hashes = Subject.hashes(100, 24);
        HashFilter<Long> built = Perhaps.planFilter(kind, 100)
                .falsePositives(0.01)
                .of(Key.longs())
                .buildFrom(Hashes.of(hashes));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        built.writeTo(bytes);
        if (System.getProperty("golden.write") != null && !Files.exists(file)) {
            Files.write(file, bytes.toByteArray());
        }
        assertThat(bytes.toByteArray()).isEqualTo(Files.readAllBytes(file));
        HashFilter<Long> read = Perhaps.openFilter(file, Key.longs());
        long[] answers = new long[2];
        assertThat(read.mightContainHashes(hashes, 0, 100, answers)).isEqualTo(100);
        assertThat(read.sizing()).isEqualTo(built.sizing());
    }
}
