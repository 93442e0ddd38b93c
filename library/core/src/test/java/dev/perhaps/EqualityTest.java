package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.frequency.CountMin;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What makes two structures equal, beside what {@link SketchContractTest} holds for every kind. */
@SuppressWarnings("SelfAssertion") // that it equals itself is what is tested
class EqualityTest {
    @TempDir
    Path folder;

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
