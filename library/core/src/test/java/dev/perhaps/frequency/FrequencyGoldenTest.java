package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Golden;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Golden files of all kinds of counts, in one place. */
class FrequencyGoldenTest {
    private static final Set<Kind> KEEP_NO_KEYS = EnumSet.of(Kind.COUNT, Kind.RANGES, Kind.DISTINCT, Kind.FLOWS);

    static Stream<FrequencySubject> keepNoKeys() {
        return FrequencySubject.all().filter(subject -> KEEP_NO_KEYS.contains(subject.kind()));
    }

    /** In their plain mode and, with the same bytes, concurrent. */
    static Stream<FrequencySubject> keepKeysOrTimes() {
        return FrequencySubject.all()
                .filter(subject -> !KEEP_NO_KEYS.contains(subject.kind()))
                .filter(subject -> subject.name()
                        .replace(", concurrent", "")
                        .equals(subject.kind().word()));
    }

    @ParameterizedTest
    @MethodSource("keepKeysOrTimes")
    void readsAndWritesTheFirstVersionWithKeysOrTimes(FrequencySubject subject) throws IOException {
        long[] items = LongStream.range(0, 500).map(i -> i * i % 97).toArray();
        Sketch read = Golden.check(subject.kind().word() + "-1", subject.of(items));
        assertThat(read.kind()).isEqualTo(subject.kind());
    }

    @ParameterizedTest
    @MethodSource("keepNoKeys")
    void readsAndWritesTheFirstVersion(FrequencySubject subject) throws IOException {
        String name = goldenName(subject).replace(", ", "-").replace(' ', '-') + "-1";
        Sketch read = Golden.check(name, subject.of(EventStreams.of(EventStreams.Shape.ZIPF, 200, 50, 1)));
        assertThat(read.kind()).isEqualTo(subject.kind());
    }

    /** The concurrent form writes the same bytes as the plain one, which has the file. */
    private static String goldenName(FrequencySubject subject) {
        return subject.kind() == Kind.DISTINCT ? subject.kind().word() : subject.name();
    }
}
