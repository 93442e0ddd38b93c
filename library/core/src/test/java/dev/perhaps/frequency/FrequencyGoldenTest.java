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
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files of every released version are read for ever, and the newest is written to the byte. A new version of a kind adds
 * a file and deletes none; {@code -Dgolden.write} writes those that are missing.
 */
class FrequencyGoldenTest {
    /** Those that keep no keys; what keeps keys has a golden test of its own. */
    private static final Set<Kind> KINDS = EnumSet.of(Kind.COUNT, Kind.RANGES, Kind.DISTINCT, Kind.FLOWS);

    private static final Path GOLDEN = Path.of("src/test/resources/golden");

    static Stream<FrequencySubject> subjects() {
        return FrequencySubject.all().filter(subject -> KINDS.contains(subject.kind()));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void readsAndWritesTheFirstVersion(FrequencySubject subject) throws IOException {
        Path file = GOLDEN.resolve(goldenName(subject).replace(", ", "-").replace(' ', '-') + "-1.perhaps");
        byte[] bytes = bytes(subject.of(EventStreams.of(EventStreams.Shape.ZIPF, 200, 50, 1)));
        if (System.getProperty("golden.write") != null && !Files.exists(file)) {
            Files.write(file, bytes);
        }
        assertThat(bytes).isEqualTo(Files.readAllBytes(file));
        assertThat(bytes(Perhaps.open(file))).isEqualTo(bytes);
    }

    /** The concurrent form writes the same bytes as the plain one, which has the file. */
    private static String goldenName(FrequencySubject subject) {
        return subject.kind() == Kind.DISTINCT ? subject.kind().word() : subject.name();
    }

    private static byte[] bytes(Sketch sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        return out.toByteArray();
    }
}
