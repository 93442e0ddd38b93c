package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockedSlicesTest {
    private static final int ITEMS = 20_000;
    private static final Key.Longs KEY = Key.longs().seeded(7);

    @TempDir
    Path folder;

    private static BlockedBloom.Plan<Long> plan() {
        return BlockedBloom.expecting(ITEMS).falsePositives(0.003).of(KEY).salt(5);
    }

    private static List<byte[]> built(BlockedBloom.Slices<Long> slices, long[] hashes) {
        List<byte[]> built = new ArrayList<>();
        for (int slice = 0; slice < slices.count(); slice++) {
            int wanted = slice;
            built.add(slices.build(
                    slice,
                    Hashes.of(LongStream.of(hashes)
                            .filter(hash -> slices.sliceOf(hash) == wanted)
                            .toArray())));
        }
        return built;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 257, 400})
    void inAnyNumberOfSlicesTheFileIsThatOfTheWhole(int count) throws IOException {
        long[] hashes = LongStream.range(0, ITEMS).map(KEY::hash).toArray();
        Path file = folder.resolve("sliced");
        BlockedBloom.Slices<Long> slices = plan().slices(count);
        slices.write(file, built(slices, hashes));
        assertThat(Files.readAllBytes(file))
                .isEqualTo(plan().buildFrom(Hashes.of(hashes)).toBytes());
    }

    @Test
    void everyLineCanBeASliceAndNoMore() throws IOException {
        BlockedBloom.Plan<Long> small = BlockedBloom.expecting(100).of(KEY);
        int lines = (int) small.build().lines();
        long[] hashes = LongStream.range(0, 100).map(KEY::hash).toArray();
        BlockedBloom.Slices<Long> slices = small.slices(lines);
        Path file = folder.resolve("lines");
        slices.write(file, built(slices, hashes));
        assertThat(Files.readAllBytes(file))
                .isEqualTo(small.buildFrom(Hashes.of(hashes)).toBytes());
        assertThatThrownBy(() -> small.slices(lines + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("in [1, " + lines + "]")
                .hasMessageContaining("got " + (lines + 1));
        assertThatThrownBy(() -> small.slices(0)).hasMessageContaining("got 0");
    }

    @Test
    void aHashOfAnotherSliceIsRefused() {
        BlockedBloom.Slices<Long> slices = plan().slices(2);
        long ofSecond = LongStream.range(0, 100)
                .map(KEY::hash)
                .filter(hash -> slices.sliceOf(hash) == 1)
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> slices.build(0, Hashes.of(ofSecond)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("belongs to slice 1, not to slice 0");
    }

    @Test
    void aFailureLeavesNothingAndKeepsWhatWasThere() throws IOException {
        BlockedBloom.Slices<Long> slices = plan().slices(3);
        Path file = folder.resolve("file");
        Files.writeString(file, "before");
        Iterable<byte[]> failing = () -> Stream.generate(() -> 0)
                .map(slice -> {
                    if (slice == 0) {
                        throw new UncheckedIOException(new IOException("lost"));
                    }
                    return new byte[0];
                })
                .iterator();
        assertThatThrownBy(() -> slices.write(file, failing)).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> slices.write(file, List.of(slices.build(0, Hashes.of()))))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> slices.write(file, List.of(new byte[3])))
                .hasMessageContaining("slice 0 of 3 has 3 bytes");
        assertThat(file).hasContent("before");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactly(file);
        }
    }
}
