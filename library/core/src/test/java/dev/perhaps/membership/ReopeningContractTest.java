package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Shareable;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What was asked of a filter before it was saved holds after it was opened, whichever way it is opened; only whether threads
 * may share it is for the one who opens it to say.
 */
class ReopeningContractTest {
    private static final int ITEMS = 2_000;

    @TempDir
    Path folder;

    static Stream<Subject> subjects() {
        return Subject.all();
    }

    static Stream<Subject> shareable() {
        return Subject.all().filter(subject -> filter(subject) instanceof Shareable<?>);
    }

    static Stream<Subject> notShareable() {
        return Subject.all().filter(subject -> !(filter(subject) instanceof Shareable<?>));
    }

    private static HashFilter<Long> filter(Subject subject) {
        return subject.plan()
                .apply(ITEMS)
                .falsePositives(0.02)
                .salt(3)
                .of(Key.longs().seeded(4))
                .buildFrom(Hashes.of(Subject.hashes(ITEMS, 1)));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void describesItselfAsBeforeButForTheConcurrency(Subject subject) throws IOException {
        HashFilter<Long> filter = filter(subject);
        for (Sketch opened : reopened(filter)) {
            assertThat(opened.getClass()).isEqualTo(filter.getClass());
            assertThat(factsButConcurrency(opened)).isEqualTo(factsButConcurrency(filter));
            assertThat(opened.describe().toString()).doesNotContainPattern("concurrent +yes");
        }
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void goesOnAsBefore(Subject subject) throws IOException {
        HashFilter<Long> filter = filter(subject);
        List<Sketch> reopened = reopened(filter);
        if (filter instanceof HashFilter.Adds<Long> adds) {
            int taken = adds.addHashes(Subject.hashes(100, 2), 0, 100);
            for (Sketch opened : reopened) {
                assertThat(((HashFilter.Adds<?>) opened).addHashes(Subject.hashes(100, 2), 0, 100))
                        .isEqualTo(taken);
            }
        }
        for (Sketch opened : reopened) {
            assertThat(bytes(opened)).isEqualTo(bytes(filter));
        }
    }

    @ParameterizedTest
    @MethodSource("shareable")
    void isConcurrentAgainOnRequest(Subject subject) throws IOException {
        HashFilter<Long> filter = filter(subject);
        for (Sketch opened : reopened(filter)) {
            byte[] before = bytes(opened);
            Sketch shared = Perhaps.concurrent(opened);
            assertThat(((Shareable<?>) shared).isConcurrent()).isTrue();
            assertThat(shared.describe().toString()).containsPattern("concurrent +yes");
            assertThat(factsButConcurrency(shared)).isEqualTo(factsButConcurrency(filter));
            assertThat(bytes(shared)).isEqualTo(before);
            assertThat(Perhaps.concurrent(shared)).isSameAs(shared);
        }
    }

    @ParameterizedTest
    @MethodSource("notShareable")
    void saysThatItHasNoConcurrentForm(Subject subject) {
        assertThatThrownBy(() -> Perhaps.concurrent(filter(subject)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a " + subject.kind() + " has no form that threads may share while it changes");
    }

    /** The filter from a file, from a file with its key, and from a stream. */
    private List<Sketch> reopened(HashFilter<Long> filter) throws IOException {
        Path file = folder.resolve("filter");
        filter.save(file);
        return List.of(
                Perhaps.open(file),
                Perhaps.openFilter(file, Key.longs().seeded(4)),
                Perhaps.readFrom(new ByteArrayInputStream(bytes(filter)), filter.fileBytes()));
    }

    private static List<Description.Fact> factsButConcurrency(Sketch sketch) {
        return sketch.describe().facts().stream()
                .filter(fact -> !fact.name().equals("concurrent"))
                .toList();
    }

    private static byte[] bytes(Sketch sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        return out.toByteArray();
    }
}
