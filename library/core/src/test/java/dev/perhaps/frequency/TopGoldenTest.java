package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files of every released version are read for ever, and the newest is written to the byte; {@code -Dgolden.write} writes
 * those that are missing.
 */
class TopGoldenTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    private static final Set<Kind> KINDS =
            EnumSet.of(Kind.TOP, Kind.TINY_TOP, Kind.HEAVY, Kind.SLIDING_COUNT, Kind.SLIDING_TOP);

    static Stream<FrequencySubject> subjects() {
        return FrequencySubject.all()
                .filter(subject -> KINDS.contains(subject.kind()))
                .filter(subject -> subject.name()
                        .replace(", concurrent", "")
                        .equals(subject.kind().word()));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void readsAndWritesTheFirstVersion(FrequencySubject subject) throws IOException {
        Path file = GOLDEN.resolve(subject.kind().word() + "-1.perhaps");
        byte[] built =
                bytes(subject.of(LongStream.range(0, 500).map(i -> i * i % 97).toArray()));
        if (System.getProperty("golden.write") != null && !Files.exists(file)) {
            Files.write(file, built);
        }
        assertThat(built).isEqualTo(Files.readAllBytes(file));
        assertThat(bytes(Perhaps.open(file))).isEqualTo(built);
    }

    private static byte[] bytes(Sketch sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        return out.toByteArray();
    }
}
