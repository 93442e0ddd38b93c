package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Golden;
import dev.perhaps.Perhaps;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Golden files of the filters that are built from hashes alone; the others have theirs in their own tests. */
class GoldenFilesTest {
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"BLOOM", "BLOCKED", "SCALABLE", "COUNTING", "COUNTING2"})
    void readsAndWritesTheFirstVersion(Kind kind) throws IOException {
        long[] hashes = Subject.hashes(100, 24);
        HashFilter<Long> built = Perhaps.planFilter(kind, 100)
                .falsePositives(0.01)
                .of(Key.longs())
                .buildFrom(Hashes.of(hashes));
        HashFilter<?> read = (HashFilter<?>) Golden.check(kind.word() + "-1", built);
        long[] answers = new long[2];
        assertThat(read.mightContainHashes(hashes, 0, 100, answers)).isEqualTo(100);
        assertThat(read.sizing()).isEqualTo(built.sizing());
    }
}
