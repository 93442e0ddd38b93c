package dev.perhaps.similarity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.hash.Mix;
import dev.perhaps.similarity.duplicates.Pairs;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AngleTest {
    /** The bits that a plain loop over counters finds, ties by the rounds of docs/format.md. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7, 8, 9, 14, 64, 66, 255, 256, 257, 1_000, 1_001})
    void countsLikeAPlainLoop(int items) {
        long[] hashes = new SplittableRandom(items).longs(items).toArray();
        long[] mixed = LongStream.of(hashes)
                .map(hash -> Mix.with(0x8FB6F28ED28D4CA7L, hash))
                .toArray();
        long most = items <= 64 ? -1 : Long.divideUnsigned(-1, items) * 64;
        long[] voters = LongStream.of(mixed)
                .filter(x -> Long.compareUnsigned(x, most) <= 0)
                .toArray();
        Signature all = SimHash.of(100).sign(hashes, 0, items);
        for (int i = 0; i < 100; i++) {
            int lead = lead(mixed, i);
            for (int round = 1; lead == 0 && round <= 16; round++) {
                lead = lead(voters, i + round * 16_384);
            }
            assertThat(all.component(i)).isEqualTo(lead > 0 ? 1 : 0);
        }
    }

    /** By how many items more bit i is 1 than 0. */
    private static int lead(long[] mixed, int i) {
        int lead = 0;
        for (long x : mixed) {
            lead += (Mix.finish(x + (i >>> 6) * 0x9E3779B97F4A7C15L) >>> i & 1) == 1 ? 1 : -1;
        }
        return lead;
    }

    /**
     * Pairs of disjoint sets of two items: half of all bits are ties. 12,800 bits agree with chance ½ within 4.4 standard
     * errors (α = 1.1·10⁻⁵); answering every tie with 1 would give 5/8.
     */
    @Test
    void doesNotFindDisjointSetsAlikeByTies() {
        SimHash<String> simHash = SimHash.of(128);
        int hits = 0;
        for (int run = 0; run < 100; run++) {
            Pairs pair = Pairs.of(2, 0, run);
            hits += simHash.sign(pair.a(), 0, 2).hits(simHash.sign(pair.b(), 0, 2));
        }
        assertThat(hits / 12_800.0).isBetween(0.5 - 4.4 * 0.5 / Math.sqrt(12_800), 0.5 + 4.4 * 0.5 / Math.sqrt(12_800));
    }

    /**
     * Sets of even and of odd size, of a few and of more items than decide ties. 400 pairs, k = 1,024: the standard
     * deviation is known to 3.5 % of itself, and is within four of those of what is stated (α = 6·10⁻⁵ per case); the mean
     * is within the stated bias and 4.4 of its standard errors (α = 1.1·10⁻⁵). With one item that decided all ties the
     * deviation was 16 times as large for two items, 5 times for ten.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 0",
        "2, 2, 0",
        "2, 2, 1",
        "3, 3, 2",
        "4, 4, 2",
        "4, 5, 4",
        "6, 6, 5",
        "9, 9, 6",
        "10, 10, 5",
        "10, 10, 9",
        "10, 11, 10",
        "11, 11, 10",
        "12, 20, 8",
        "31, 31, 16",
        "32, 32, 16",
        "49, 49, 40",
        "50, 50, 0",
        "50, 50, 40",
        "64, 64, 60",
        "66, 66, 33",
        "66, 66, 63",
        "100, 100, 80",
        "128, 130, 126",
        "300, 300, 270"
    })
    void keepsItsStatedErrorForEvenAndOddSets(int sizeA, int sizeB, int shared) {
        int runs = 400;
        SimHash<String> simHash = SimHash.of(1_024);
        SplittableRandom random = new SplittableRandom(sizeA * 1_000L + shared);
        double sum = 0;
        double squares = 0;
        for (int run = 0; run < runs; run++) {
            long[] all = random.longs(sizeA + sizeB - shared).toArray();
            double share =
                    simHash.similarity(simHash.sign(all, 0, sizeA), simHash.sign(all, sizeA - shared, all.length));
            sum += share;
            squares += share * share;
        }
        double mean = sum / runs;
        double deviation = Math.sqrt((squares - runs * mean * mean) / (runs - 1));
        double exact = 1 - Math.acos(shared / Math.sqrt((double) sizeA * sizeB)) / Math.PI;
        double stated = simHash.standardError(mean);
        assertThat(deviation / stated).isBetween(0.86, 1.14);
        double bias = 0.082 / Math.sqrt(Math.min(sizeA, sizeB)) + 4.4 * stated / Math.sqrt(runs);
        assertThat(mean).isBetween(exact - bias, exact + bias);
    }

    /** Ties are half of all bits of two items, and a fifth of fourteen. */
    @ParameterizedTest
    @ValueSource(ints = {2, 14, 64, 66, 1_000})
    void signsAnEvenSetAlikeInWhateverOrderItComes(int items) {
        SimHash<String> simHash = SimHash.of(640);
        long[] hashes = new SplittableRandom(items).longs(items).toArray();
        Signature signed = simHash.sign(hashes, 0, items);
        long[] turned = new long[items];
        for (int i = 0; i < items; i++) {
            turned[(i + items / 2) % items] = hashes[i];
        }
        assertThat(simHash.sign(turned, 0, items)).isEqualTo(signed);
    }

    /** Hashes that all lie above the range of those that may vote: ties are still decided, and half of them by 1. */
    @Test
    void decidesTiesOfHashesThatCrowd() {
        SimHash<String> simHash = SimHash.of(1_024);
        // The mix of 0 is 0, and that of a hash whose product has a high half of ones is above any 64/n of the range.
        long inverse = 1;
        for (int i = 0; i < 6; i++) {
            inverse *= 2 - 0x8FB6F28ED28D4CA7L * inverse;
        }
        long[] hashes = new long[100];
        for (int i = 0; i < hashes.length; i++) {
            hashes[i] = inverse * (0xFFFFFFFF00000000L + 1_000 + i);
        }
        int ones = 0;
        Signature signed = simHash.sign(hashes, 0, hashes.length);
        for (int i = 0; i < 1_024; i++) {
            ones += (int) signed.component(i);
        }
        assertThat(ones).isBetween(512 - 71, 512 + 71); // 4.4 standard errors of 16
    }

    /**
     * 400 pairs at cosine 0.6, k = 512. The root mean square of the errors is known to 3.5 % of itself: within four of
     * those of what is stated for the cosine.
     */
    @Test
    void derivesTheCosineWithItsError() {
        SimHash<String> simHash = SimHash.of(512);
        double squares = 0;
        for (int run = 0; run < 400; run++) {
            Pairs pair = Pairs.of(200, 120, run);
            double cosine = simHash.cosine(simHash.sign(pair.a(), 0, 200), simHash.sign(pair.b(), 0, 200));
            squares += Math.pow(cosine - 0.6, 2);
        }
        assertThat(Math.sqrt(squares / 400) / simHash.cosineError(0.6)).isBetween(0.86, 1.14);
    }

    @Test
    void signsDenseAndSparseVectorsAlike() {
        Hyperplanes planes = Hyperplanes.of(200);
        Signature dense = planes.sign(new double[] {0, 2, 0, 0, -1.5});
        assertThat(planes.sign(new long[] {1, 4}, new double[] {2, -1.5})).isEqualTo(dense);
        assertThat(planes.sign(new float[] {0, 2, 0, 0, -1.5f})).isEqualTo(dense);
        assertThat(planes.sign(new double[] {0, 2e300, 0, 0, -1.5e300})).isEqualTo(dense);
        assertThat(planes.angle(dense, planes.sign(new double[] {0, -2, 0, 0, 1.5})))
                .isEqualTo(Math.PI, within(1e-12));
        assertThat(planes.seeded(1).sign(new double[] {0, 2, 0, 0, -1.5}).words())
                .isNotEqualTo(dense.words());
    }

    /** The known quantiles, and both tails. */
    @Test
    void knowsTheNormalDistribution() {
        assertThat(Normal.quantile(0.5)).isZero();
        assertThat(Normal.quantile(0.975)).isEqualTo(1.959963985, within(1e-8));
        assertThat(Normal.quantile(0.001)).isEqualTo(-3.090232306, within(1e-8));
        assertThat(Normal.quantile(0.999)).isEqualTo(3.090232306, within(1e-8));
        assertThat(Normal.quantile(-1L)).isBetween(7.9, 8.4);
    }

    @Test
    void refusesWhatHasNoAngle() {
        Hyperplanes planes = Hyperplanes.of(8);
        assertThatThrownBy(() -> planes.sign(new double[3])).hasMessageContaining("vector of zeros");
        assertThatThrownBy(() -> planes.sign(new double[] {1, Double.NaN})).hasMessageContaining("got NaN");
        assertThatThrownBy(() -> planes.sign(new long[] {1}, new double[0])).hasMessageContaining("got 0 and 1");
        assertThatThrownBy(() -> planes.cosineError(1.1)).hasMessageContaining("got 1.1");
        assertThatThrownBy(() -> planes.angleError(4)).hasMessageContaining("got 4");
        assertThatThrownBy(() -> planes.angle(
                        planes.sign(new double[] {1}), SimHash.of(8).sign(List.of("a"))))
                .hasMessageContaining("simhash of vectors against simhash of sets");
    }

    @Test
    void refusesVectorsOfAnotherLength() {
        BitSample sample = BitSample.of(64).dimensions(100);
        assertThatThrownBy(() -> sample.sign(new long[3])).hasMessageContaining("got 3");
        assertThatThrownBy(() -> BitSample.of(64).dimensions(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> sample.hammingError(101)).hasMessageContaining("got 101");
        Signature zeros = sample.sign(new long[2]);
        assertThat(sample.hamming(zeros, sample.sign(new long[] {-1, -1}))).isEqualTo(100);
        assertThat(sample.hammingError(50)).isEqualTo(6.25);
        assertThat(sample.fits(BitSample.of(64).dimensions(101))).isFalse();
    }
}
