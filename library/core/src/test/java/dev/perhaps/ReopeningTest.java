package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.frame.Frame;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Shareable;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind says the same of itself after it was saved and opened, and whether threads may share it. */
class ReopeningTest {
    static List<Path> golden() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/test/resources/golden"))) {
            return files.filter(file -> file.toString().endsWith(".perhaps"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void isTestedForEveryKind() throws IOException {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        for (Path file : golden()) {
            kinds.add(Frame.look(file).kind());
        }
        assertThat(kinds).containsExactlyInAnyOrder(Kind.values());
    }

    @ParameterizedTest
    @MethodSource("golden")
    void saysTheSameOfItselfAgain(Path file) throws IOException {
        Sketch opened = Perhaps.open(file);
        Sketch again = Perhaps.readFrom(new ByteArrayInputStream(bytes(opened)), opened.fileBytes());
        assertThat(again.describe()).isEqualTo(opened.describe());
        assertThat(again.toString()).isEqualTo(opened.toString());
        assertThat(bytes(again)).isEqualTo(Files.readAllBytes(file));
    }

    /** Those that have a concurrent form say which form they are; the others do not speak of it. */
    @ParameterizedTest
    @MethodSource("golden")
    void saysWhetherThreadsMayShareIt(Path file) throws IOException {
        Sketch opened = Perhaps.open(file);
        if (opened instanceof Shareable<?> shareable) {
            assertThat(shareable.isConcurrent()).isFalse();
            assertThat(opened.describe().toString()).containsPattern("(?m)^concurrent +no$");
        } else {
            assertThat(opened.describe().toString()).doesNotContainPattern("(?m)^concurrent ");
            assertThatThrownBy(() -> Perhaps.concurrent(opened))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a " + opened.kind() + " has no form that threads may share");
        }
    }

    private static byte[] bytes(Sketch sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        return out.toByteArray();
    }
}
