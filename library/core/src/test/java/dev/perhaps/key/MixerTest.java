package dev.perhaps.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.hash.Mix;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.FuseFilter;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.QuotientFilter;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The quality of the hash of numbers, by itself and with the mix of a structure behind it. */
class MixerTest {
    private static final long STRUCTURE = 0x9FB21C651E98DF25L;
    private static final int MEMBERS = 20_000;
    private static final int ABSENT = 200_000;

    static Stream<Arguments> hashes() {
        return LongStream.of(0, 1, 0x9E3779B97F4A7C15L).boxed().flatMap(seed -> {
            Mixer mixer = new Mixer(seed);
            LongUnaryOperator alone = mixer::hash;
            LongUnaryOperator mixed = value -> Mix.with(STRUCTURE, mixer.hash(value));
            return Stream.of(
                    Arguments.of(Named.of("seed " + seed, alone), 0.0075),
                    Arguments.of(Named.of("seed " + seed + " and a mix", mixed), 0.005));
        });
    }

    /**
     * Each bit of the number flips each bit of the hash with chance 1/2. n = 2^18 random numbers per pair of bits: the bias
     * has σ = 0.00098, and 0.005 is 5.1 σ. α = 0.0015 for the 4,096 pairs of one hash.
     */
    @ParameterizedTest
    @MethodSource("hashes")
    void everyBitFlipsEveryBitOfTheHash(LongUnaryOperator hash) {
        SplittableRandom random = new SplittableRandom(1);
        long[] numbers = random.longs(1 << 18).toArray();
        for (int bit = 0; bit < 64; bit++) {
            assertThat(worstBias(hash, numbers, bit)).as("bit %d", bit).isLessThan(0.005);
        }
    }

    /**
     * The same for numbers in a row, at either end. Of two that differ only in the bit one is taken: n is 2^18 at the least, 0.005 is
     * 5.1 σ, and α = 0.003 for the two ends of one hash. Without a mix behind it, numbers of high bits only reach 0.0056, which the
     * mix of every structure removes.
     */
    @ParameterizedTest
    @MethodSource("hashes")
    void bitsOfCountersFlipEveryBitOfTheHash(LongUnaryOperator hash, double highBitsBias) {
        for (int shift : new int[] {0, 45}) {
            for (int bit = 0; bit < 64; bit++) {
                long one = 1L << bit;
                long[] numbers = LongStream.range(0, 1 << 19)
                        .map(i -> i << shift)
                        .filter(number -> (number & one) == 0)
                        .toArray();
                assertThat(worstBias(hash, numbers, bit))
                        .as("bit %d, shifted by %d", bit, shift)
                        .isLessThan(shift == 0 ? 0.005 : highBitsBias);
            }
        }
    }

    /** Counts the flips of eight bits of the hash at once, in the eight bytes of a long, which hold up to 255 of them. */
    private static double worstBias(LongUnaryOperator hash, long[] numbers, int bit) {
        long[] flips = new long[64];
        for (int from = 0; from < numbers.length; from += 255) {
            long[] ofBytes = new long[8];
            for (int n = from; n < Math.min(from + 255, numbers.length); n++) {
                long difference = hash.applyAsLong(numbers[n]) ^ hash.applyAsLong(numbers[n] ^ (1L << bit));
                for (int i = 0; i < 8; i++) {
                    ofBytes[i] += difference >>> i & 0x0101010101010101L;
                }
            }
            for (int i = 0; i < 64; i++) {
                flips[i] += ofBytes[i & 7] >>> (i & ~7) & 255;
            }
        }
        return Arrays.stream(flips)
                .mapToDouble(flip -> Math.abs((double) flip / numbers.length - 0.5))
                .max()
                .orElseThrow();
    }

    /**
     * Two seeds give hashes that differ in each bit with chance 1/2, whether the seeds are far from each other or differ by one bit
     * or by what the derivation of the two words adds. n = 2^18 numbers in a row; 5.5 σ, twice for 64 bits
     * and six pairs: 768 comparisons, α = 2.9e-5.
     */
    @Test
    void hashesOfTwoSeedsHaveNothingInCommon() {
        long golden = 0x9E3779B97F4A7C15L;
        long[][] seeds = {{0, 1}, {0, 1L << 63}, {0, golden}, {0, -golden}, {golden, 2 * golden}, {7, 1L << 32}};
        int n = 1 << 18;
        for (long[] pair : seeds) {
            Mixer one = new Mixer(pair[0]);
            Mixer other = new Mixer(pair[1]);
            int[] differ = new int[64];
            int[] differNext = new int[64];
            for (long i = 0; i < n; i++) {
                long difference = one.hash(i) ^ other.hash(i);
                long next = difference ^ one.hash(i + 1) ^ other.hash(i + 1);
                for (int bit = 0; bit < 64; bit++) {
                    differ[bit] += (int) (difference >>> bit & 1);
                    differNext[bit] += (int) (next >>> bit & 1);
                }
            }
            double far = 5.5 * Math.sqrt(n) / 2;
            for (int bit = 0; bit < 64; bit++) {
                assertThat((double) differ[bit]).as("bit %d of %s", bit, pair).isBetween(n / 2.0 - far, n / 2.0 + far);
                assertThat((double) differNext[bit]).isBetween(n / 2.0 - far, n / 2.0 + far);
            }
        }
    }

    @Test
    void differentNumbersHaveDifferentHashes() {
        LongUnaryOperator hash = new Mixer(3)::hash;
        long[] hashes = LongStream.concat(
                        LongStream.range(-500_000, 500_000),
                        LongStream.range(1, 500_000).map(i -> i << 40))
                .map(hash)
                .sorted()
                .toArray();
        assertThat(Arrays.stream(hashes).distinct().count())
                .isEqualTo(1_000_000
                        + LongStream.range(1, 500_000)
                                .map(i -> i << 40)
                                .distinct()
                                .count());
    }

    /** Numbers such as programs have; the i-th of each form. */
    private enum Pattern {
        SEQUENTIAL,
        NEGATIVE,
        HIGH_BITS_ONLY,
        MULTIPLES_OF_4_GIB,
        GRAY_CODES,
        SPARSE,
        DENSE,
        OF_ONE_SHARD,
        OF_ONE_PARTITION;

        long[] numbers(int count, Key.Longs key) {
            return switch (this) {
                case SEQUENTIAL -> LongStream.range(0, count).toArray();
                case NEGATIVE -> LongStream.range(0, count).map(i -> -i).toArray();
                case HIGH_BITS_ONLY ->
                    LongStream.range(0, count).map(i -> i << 46).toArray();
                case MULTIPLES_OF_4_GIB ->
                    LongStream.range(0, count).map(i -> i << 32).toArray();
                case GRAY_CODES ->
                    LongStream.range(0, count).map(i -> i ^ i >>> 1).toArray();
                case SPARSE -> sparse(count);
                case DENSE -> Arrays.stream(sparse(count)).map(i -> ~i).toArray();
                case OF_ONE_SHARD -> those(i -> key.hash(i) >>> 60 == 5, count);
                case OF_ONE_PARTITION -> those(i -> Long.remainderUnsigned(key.hash(i), 16) == 5, count);
            };
        }

        private static long[] those(LongPredicate wanted, int count) {
            return LongStream.range(0, Long.MAX_VALUE)
                    .filter(wanted)
                    .limit(count)
                    .toArray();
        }

        /** Numbers of one to four set bits, in ascending order of the highest. */
        private static long[] sparse(int count) {
            return LongStream.range(0, 64)
                    .flatMap(a -> LongStream.rangeClosed(0, a)
                            .flatMap(b -> LongStream.rangeClosed(0, b)
                                    .flatMap(c -> LongStream.rangeClosed(0, c)
                                            .map(d -> 1L << a | 1L << b | 1L << c | 1L << d))))
                    .distinct()
                    .limit(count)
                    .toArray();
        }
    }

    /**
     * Filters of numbers of one form, asked for others of the same form, err as often as they state: within 4 σ for n = 200,000
     * absent numbers. 100 filters, α = 0.006 for all.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 7})
    void filtersOfRegularNumbersErrAsTheyState(long seed) {
        Key.Longs key = Key.longs().seeded(seed);
        for (Pattern pattern : Pattern.values()) {
            long[] numbers = pattern.numbers(MEMBERS + ABSENT, key);
            long[] shuffled = shuffled(numbers, seed);
            long[] members = Arrays.copyOf(shuffled, MEMBERS);
            long[] absent = Arrays.copyOfRange(shuffled, MEMBERS, shuffled.length);
            for (HashFilter<Long> filter : filters(key, members)) {
                long wrong = Arrays.stream(absent)
                        .filter(number -> filter.mightContainHash(key.hash(number)))
                        .count();
                double expected = filter.errorNow() * absent.length;
                double allowed = 4 * Math.sqrt(expected);
                assertThat((double) wrong)
                        .as("%s of %s", filter.getClass().getSimpleName(), pattern)
                        .isBetween(expected - allowed, expected + allowed);
                assertThat(Arrays.stream(members)).allMatch(number -> filter.mightContainHash(key.hash(number)));
            }
        }
    }

    private static long[] shuffled(long[] numbers, long seed) {
        long[] shuffled = numbers.clone();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = shuffled.length; i > 1; i--) {
            int j = random.nextInt(i);
            long moved = shuffled[i - 1];
            shuffled[i - 1] = shuffled[j];
            shuffled[j] = moved;
        }
        return shuffled;
    }

    private static Iterable<HashFilter<Long>> filters(Key.Longs key, long[] members) {
        BloomFilter<Long> bloom = BloomFilter.expecting(MEMBERS).of(key).build();
        BlockedBloom<Long> blocked = BlockedBloom.expecting(MEMBERS).of(key).build();
        CuckooFilter<Long> cuckoo = CuckooFilter.expecting(MEMBERS).of(key).build();
        QuotientFilter<Long> quotient =
                QuotientFilter.expecting(MEMBERS).of(key).build();
        for (long member : members) {
            long hash = key.hash(member);
            bloom.addHash(hash);
            blocked.addHash(hash);
            cuckoo.addHash(hash);
            quotient.addHash(hash);
        }
        FuseFilter<Long> fuse =
                FuseFilter.of(key, Arrays.stream(members).boxed().toList());
        return List.of(bloom, blocked, cuckoo, quotient, fuse);
    }
}
