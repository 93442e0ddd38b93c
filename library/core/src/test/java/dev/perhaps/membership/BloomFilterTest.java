package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BloomKernel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is a Bloom filter's own. */
class BloomFilterTest {
    private static BloomFilter<Long> of(int planned, long... hashes) {
        BloomFilter<Long> filter = BloomFilter.expecting(planned)
                .falsePositives(0.01)
                .of(Key.longs())
                .build();
        filter.addHashes(hashes, 0, hashes.length);
        return filter;
    }

    @Test
    void isAfterAMergeTheFilterOfTheUnion() {
        long[] left = Subject.hashes(3_000, 1);
        long[] right = Subject.hashes(3_000, 2);
        BloomFilter<Long> merged = of(6_000, left);
        merged.merge(of(6_000, right));
        long[] both =
                LongStream.concat(Arrays.stream(left), Arrays.stream(right)).toArray();
        assertThat(merged.load()).isEqualTo(of(6_000, both).load());
        assertThat(merged.estimateDistinct()).isBetween(5_900L, 6_100L);
    }

    @Test
    void keepsWhatIsInBothAfterAnIntersection() {
        long[] left = Subject.hashes(4_000, 3);
        long[] right = Arrays.copyOfRange(left, 2_000, 6_000);
        System.arraycopy(Subject.hashes(2_000, 4), 0, right, 2_000, 2_000);
        BloomFilter<Long> one = of(4_000, left);
        BloomFilter<Long> other = of(4_000, right);
        assertThat(one.estimateUnion(other)).isBetween(5_800L, 6_200L);
        assertThat(one.estimateIntersection(other)).isBetween(1_800L, 2_200L);
        one.intersect(other);
        for (int i = 2_000; i < 4_000; i++) {
            assertThat(one.mightContainHash(left[i])).isTrue();
        }
        // Its own promise is weaker than that of a filter of the intersection, never stronger.
        assertThat(one.load())
                .isGreaterThanOrEqualTo(
                        of(4_000, Arrays.copyOfRange(left, 2_000, 4_000)).load());
    }

    /**
     * A filter of 10^9 items stated 10^-15, and said "perhaps" for one value in 2 * 10^10, whose hash is that of an
     * item.
     */
    @Test
    void promisesNoErrorThatHashesOf64BitsCannotKeep() {
        List<FilterPlan.Fillable<String>> plans = List.of(
                BloomFilter.expecting(1_000_000_000),
                CountingBloom.expecting(1_000_000_000),
                ScalableBloom.expecting(1_000_000_000));
        for (FilterPlan.Fillable<String> plan : plans) {
            assertThatThrownBy(() -> plan.falsePositives(1e-15).sizing())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("falsePositives must be at least 5.42e-11 for 1,000,000,000 items, got ");
        }
        assertThat(plans.get(0).falsePositives(1e-10).sizing().error()).isBetween(0.5e-10, 1e-10);
        assertThat(BloomFilter.expecting(1_000).memoryBytes(1 << 20).sizing().error())
                .isEqualTo(1_000 * 0x1p-64);
    }

    @Test
    void namesTheFirstDifferenceThatForbidsAMerge() {
        BloomFilter<Long> filter = of(1_000);
        assertThat(filter.fits(of(1_000))).isTrue();
        assertThatThrownBy(() -> filter.merge(of(2_000))).hasMessageContaining("bits against");
        BloomFilter<Long> fewer = BloomFilter.expecting(1_000)
                .of(Key.longs())
                .bits(filter.bits())
                .hashes(3)
                .build();
        assertThatThrownBy(() -> filter.intersect(fewer)).hasMessageContaining("7 hashes against 3");
        BloomFilter<Long> salted =
                BloomFilter.expecting(10).of(Key.longs()).salt(9).build();
        assertThatThrownBy(() -> filter.intersect(salted))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("salt 0 against salt 9");
        assertThatThrownBy(() -> filter.estimateUnion(salted)).hasMessageContaining("salt 0 against salt 9");
    }

    @Test
    void worksWithOneHashAndWithMany() {
        for (int hashes : new int[] {1, 2, 3, 40, 255}) {
            BloomFilter<Long> filter = BloomFilter.expecting(100)
                    .of(Key.longs())
                    .bits(100_000)
                    .hashes(hashes)
                    .build();
            long[] items = Subject.hashes(100, hashes);
            filter.addHashes(items, 0, items.length);
            long[] answers = new long[2];
            assertThat(filter.mightContainHashes(items, 0, 100, answers)).isEqualTo(100);
            assertThat(filter.mightContainHashes(Subject.hashes(100, 999), 0, 100, answers))
                    .isLessThan(20);
        }
    }

    /** The three small filters of the sources, at the level of bit positions: what is set, and what is then answered. */
    @Test
    void answersTheGoldenExamplesOfTheSources() {
        // Copenhagen {7, 3} and Dublin {1, 3} in 10 bits: Rome {5, 6} is absent, Berlin {1, 7} a false positive.
        SmallBloom cities = new SmallBloom(10).add(7, 3).add(1, 3);
        assertThat(cities.has(5, 6)).isFalse();
        assertThat(cities.has(1, 7)).isTrue();
        // x mod 5 of 7, 13, 23, 42, 11: bits 0 1 1 1 0; 30 is absent, 23 present, 17 a false positive.
        SmallBloom lecture = new SmallBloom(5);
        for (int x : new int[] {7, 13, 23, 42, 11}) {
            lecture.add(x % 5);
        }
        assertThat(lecture.toString()).isEqualTo("01110");
        assertThat(lecture.has(30 % 5)).isFalse();
        assertThat(lecture.has(23 % 5)).isTrue();
        assertThat(lecture.has(17 % 5)).isTrue();
        // x {1, 5}, y {4, 6} in 8 bits give 0 1 0 0 1 1 1 0; z {4, 5} is a false positive.
        SmallBloom eight = new SmallBloom(8).add(1, 5).add(4, 6);
        assertThat(eight.toString()).isEqualTo("01001110");
        assertThat(eight.has(4, 5)).isTrue();
    }

    /** Positions by hand, bits by the array operations of the filter under test. */
    private static final class SmallBloom {
        private final long[] words = new long[1];
        private final int bits;

        SmallBloom(int bits) {
            this.bits = bits;
        }

        @CanIgnoreReturnValue
        SmallBloom add(int... positions) {
            for (int position : positions) {
                BloomKernel.setBit(words, position);
            }
            return this;
        }

        boolean has(int... positions) {
            return Arrays.stream(positions).allMatch(position -> BloomKernel.isSet(words, position));
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < bits; i++) {
                text.append(BloomKernel.isSet(words, i) ? '1' : '0');
            }
            return text.toString();
        }
    }

    @Test
    void saysAtLeastWhenEveryBitIsSet() {
        BloomFilter<Long> filter =
                BloomFilter.expecting(10).of(Key.longs()).bits(64).hashes(2).build();
        long[] many = Subject.hashes(10_000, 5);
        filter.addHashes(many, 0, many.length);
        assertThat(filter.load()).isEqualTo(1.0);
        assertThat(filter.errorNow()).isEqualTo(1.0);
        assertThat(filter.estimateDistinct()).isEqualTo(Math.round(32 * Math.log(64)));
        assertThat(filter.overfilled()).isTrue();
    }

    @Test
    void addressesMoreThanFourBillionBits() {
        BloomFilter<Long> filter = BloomFilter.expecting(1_000)
                .of(Key.longs())
                .bits(5_000_000_000L)
                .hashes(3)
                .build();
        long[] items = Subject.hashes(1_000, 6);
        filter.addHashes(items, 0, items.length);
        assertThat(filter.mightContainHashes(items, 0, 1_000, new long[16])).isEqualTo(1_000);
        assertThat(filter.estimateDistinct()).isBetween(999L, 1_001L);
    }

    @Test
    void canBeReadAgainWhenItsErrorIsTooSmallToWrite(@TempDir Path folder) throws Exception {
        BloomFilter<String> huge =
                BloomFilter.expecting(10).bits(1L << 24).hashes(60).build();
        huge.add("one");
        assertThat(huge.sizing().error()).isPositive();
        Path file = folder.resolve("huge");
        huge.save(file);
        assertThat(BloomFilter.open(file, Key.strings()).mightContain("one")).isTrue();
    }

    @Test
    void answersFromItsFileAsFromTheHeap(@TempDir Path folder) throws Exception {
        BloomFilter<Long> filter = of(5_000, Subject.hashes(5_000, 7));
        Path file = folder.resolve("filter");
        filter.save(file);
        HashFilter.Mapped<Long> mapped = BloomFilter.map(file, Key.longs());
        mapped.verify();
        for (long hash : Subject.hashes(20_000, 8)) {
            assertThat(mapped.mightContainHash(hash)).isEqualTo(filter.mightContainHash(hash));
        }
        assertThat(mapped.errorNow()).isEqualTo(filter.errorNow());
        assertThat(mapped.itemsNow()).isEqualTo(filter.itemsNow());
    }
}
