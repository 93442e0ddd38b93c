package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.similarity.index.SimilarityIndex;
import dev.perhaps.sketch.Shareable;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Structures in memory are equal if and only if their bytes are; what others may change or what is mapped, only to itself. */
@SuppressWarnings("SelfAssertion") // that it equals itself is what is tested
class EqualityContractTest {
    @TempDir
    Path folder;

    static List<Path> golden() throws IOException {
        return ReopeningTest.golden();
    }

    /** Those with a concurrent form; of the Count-Min sketches only the plain ones have it. */
    static List<Path> shareable() throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path file : golden()) {
            boolean plain = !file.toString().matches(".*count-(conservative|turnstile).*");
            if (plain && Perhaps.open(file) instanceof Shareable<?>) {
                files.add(file);
            }
        }
        return files;
    }

    @ParameterizedTest
    @MethodSource("golden")
    void equalsExactlyWhatHasItsBytes(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Sketch one = Perhaps.open(file);
        for (Path other : golden()) {
            boolean sameBytes = Arrays.equals(bytes, Files.readAllBytes(other));
            Sketch opened = Perhaps.open(other);
            assertThat(one.contentEquals(opened)).isEqualTo(sameBytes);
            assertThat(one.equals(opened)).isEqualTo(sameBytes && one instanceof AbstractSketch);
            if (one.equals(opened)) {
                assertThat(opened).isEqualTo(one).hasSameHashCodeAs(one);
            }
        }
        assertThat(one).isEqualTo(one).isNotEqualTo(null).isNotEqualTo("a string");
    }

    /** Only the similarity index, which one thread may change while others ask, is equal to itself alone. */
    @ParameterizedTest
    @MethodSource("golden")
    void comparesByContentUnlessThreadsShareIt(Path file) throws IOException {
        Sketch opened = Perhaps.open(file);
        assertThat(opened instanceof AbstractSketch).isNotEqualTo(opened instanceof SimilarityIndex);
    }

    @ParameterizedTest
    @MethodSource("golden")
    void isNotEqualAnyMoreWhenItsContentChanges(Path file) throws IOException {
        Sketch before = Perhaps.open(file);
        Sketch after = Perhaps.open(file);
        GoingOn.with(after, 20);
        boolean changed = !Arrays.equals(before.toBytes(), after.toBytes());
        assertThat(before.contentEquals(after)).isEqualTo(!changed);
        if (before instanceof AbstractSketch) {
            assertThat(before.equals(after)).isEqualTo(!changed);
        }
    }

    @ParameterizedTest
    @MethodSource("shareable")
    void theConcurrentFormIsEqualToItselfOnly(Path file) throws IOException {
        Sketch plain = Perhaps.open(file);
        Sketch one = Perhaps.concurrent(Perhaps.open(file));
        Sketch other = Perhaps.concurrent(Perhaps.open(file));
        assertThat(one).isEqualTo(one).isNotEqualTo(other).isNotEqualTo(plain);
        assertThat(plain).isNotEqualTo(one);
        assertThat(one.hashCode()).isEqualTo(System.identityHashCode(one));
        assertThat(one.contentEquals(other)).isTrue();
        assertThat(one.contentEquals(plain)).isTrue();
        assertThat(plain.contentEquals(one)).isTrue();
    }

    @Test
    void aMappedFilterIsEqualToItselfOnly() throws IOException {
        BlockedBloom<String> filter = BlockedBloom.expecting(100).build();
        Path file = folder.resolve("filter");
        filter.save(file);
        HashFilter.Mapped<String> mapped = BlockedBloom.map(file, Key.strings());
        HashFilter.Mapped<String> again = BlockedBloom.map(file, Key.strings());
        assertThat((Object) mapped).isEqualTo(mapped).isNotEqualTo(again).isNotEqualTo(filter);
        assertThat((Object) filter).isNotEqualTo(mapped);
        assertThat(mapped.contentEquals(again)).isTrue();
        assertThat(mapped.contentEquals(filter)).isTrue();
        assertThat(filter.contentEquals(mapped)).isTrue();
    }

    /** The checksum of a frame ends in checksums of itself: hashes by the same polynomial would all be equal. */
    @Test
    void hashesOfDifferentContentDiffer() {
        Set<Integer> hashes = new HashSet<>();
        BloomFilter<Long> filter = BloomFilter.expecting(1_000).of(Key.longs()).build();
        for (long i = 0; i < 300; i++) {
            filter.add(i);
            hashes.add(filter.hashCode());
        }
        assertThat(hashes).hasSizeGreaterThan(295);
    }

    @Test
    void tellsApartTheKeyTheSeedAndThePlan() {
        BloomFilter<String> filter = BloomFilter.expecting(100).build();
        assertThat(filter).isEqualTo(BloomFilter.expecting(100).build()).isEqualTo(filter.copy());
        assertThat(filter).isNotEqualTo(BloomFilter.expecting(101).build());
        assertThat(filter).isNotEqualTo(BloomFilter.expecting(100).salt(1).build());
        assertThat((Object) filter)
                .isNotEqualTo(
                        BloomFilter.expecting(100).of(Key.strings().seeded(1)).build());
        assertThat((Object) filter)
                .isNotEqualTo(BloomFilter.expecting(100).of(Key.longs()).build());
        assertThat(CountMin.within(0.01).conservative().build())
                .isNotEqualTo(CountMin.within(0.01).build());
    }
}
