package dev.perhaps.membership.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.membership.BloomFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The published and worked numbers; each fails if a formula changes. */
class BloomFormulasTest {
    private static final double MILLION = 1e6;

    /** Table 1 of the sources; it prints 0.0215 for (8, 6), which truncates 0.02158. */
    @ParameterizedTest
    @CsvSource({"6, 4, 0.0561", "8, 6, 0.0216", "12, 8, 0.00314", "16, 11, 0.000458"})
    void givesThePublishedErrors(double bitsPerItem, int hashes, double error) {
        double computed = BloomFormulas.falsePositives(bitsPerItem * MILLION, hashes, MILLION);
        assertThat(computed).isCloseTo(error, within(error * 0.0025));
    }

    @Test
    void growsToAThirdWhenTenTimesTooManyComeIn() {
        assertThat(BloomFormulas.falsePositives(24 * MILLION, 2, 10 * MILLION)).isCloseTo(0.32, within(0.005));
        assertThat(BloomFormulas.falsePositives(24 * MILLION, 2, MILLION)).isLessThan(0.0064);
    }

    @Test
    void needsAGigabyteForABillionAtTwoPercent() {
        assertThat(BloomFormulas.idealBits(1e9, 0.02)).isCloseTo(8.14e9, within(0.005e9));
        assertThat(BloomFormulas.idealBits(10, 0.01)).isCloseTo(95.85, within(0.005));
    }

    @Test
    void roundsHashesDownWhereTheDifferenceIsSmall() {
        assertThat(BloomFormulas.bestHashes(8)).isCloseTo(5.545, within(0.0005));
        assertThat(BloomFormulas.hashes(8)).isEqualTo(5);
        assertThat((int) BloomFormulas.bestHashes(9.5)).isEqualTo(6);
        assertThat(BloomFormulas.hashes(0.1)).isEqualTo(1);
    }

    @Test
    void needsAGoodTenBitsForOneIn128() {
        assertThat(BloomFormulas.falsePositives(10 * MILLION, 7, MILLION)).isCloseTo(0.0082, within(0.00005));
        assertThat(7 / Math.log(2)).isCloseTo(10.1, within(0.005));
        assertThat(BloomFormulas.bits(MILLION, 7, 1.0 / 128) / MILLION).isCloseTo(10.1, within(0.005));
    }

    /** 500 million URLs of 20 characters are 10 GB; 8 bits per key with 5 hashes are half a gigabyte. */
    @Test
    void keepsTheUrlsOfTheLectureInHalfAGigabyte() {
        BloomFilter.Plan<String> plan =
                BloomFilter.expecting(500_000_000).bits(4_000_000_000L).hashes(5);
        assertThat(plan.sizing().bytes()).isEqualTo(500_000_000);
        assertThat(plan.sizing().error()).isCloseTo(0.0217, within(0.0001));
    }

    /** One hash is the simple filter of the lecture: f = 1 − (1 − 1/m)^n. */
    @Test
    void isTheSimpleFilterWithOneHash() {
        assertThat(BloomFormulas.falsePositives(1000, 1, 100)).isCloseTo(1 - Math.pow(0.999, 100), within(1e-12));
    }

    @Test
    void boundsTheShareOfZeros() {
        for (double bits : new double[] {10, 1e3, 1e9}) {
            double perBit = 7 * (bits / 10) / bits;
            double zeros = BloomFormulas.zeros(bits, 7, bits / 10);
            assertThat(zeros).isBetween(Math.exp(-perBit / (1 - 1 / bits)) - 1e-12, Math.exp(-perBit) + 1e-12);
        }
    }

    @Test
    void givesTheFourthOfAnyThree() {
        long bits = 9_600_000;
        double error = BloomFormulas.falsePositives(bits, 7, MILLION);
        assertThat(BloomFormulas.bits(MILLION, 7, error)).isCloseTo(bits, within(1.0));
        assertThat(BloomFormulas.items(bits, 7, error)).isCloseTo(MILLION, within(0.5));
        assertThat(BloomFormulas.hashes(bits, 1_000_000, error)).isEqualTo(7);
        assertThat(BloomFormulas.hashes(bits, 1_000_000, error / 2)).isZero();
    }

    @Test
    void estimatesDistinctItemsFromSetBits() {
        assertThat(BloomFormulas.distinct(1000, 4, 0)).isZero();
        assertThat(BloomFormulas.distinct(1000, 4, 3)).isEqualTo(1);
        assertThat(BloomFormulas.distinct(1000, 4, 4)).isEqualTo(1);
        assertThat(BloomFormulas.distinct(1000, 4, 500)).isCloseTo(250 * Math.log(2), within(1e-9));
        double saturated = BloomFormulas.distinct(1000, 4, 1000);
        assertThat(saturated).isCloseTo(250 * Math.log(1000), within(1e-9));
        assertThat(saturated).isGreaterThanOrEqualTo(BloomFormulas.distinct(1000, 4, 999));
    }

    @Test
    void keepsOnePercentInLessThanNinePointSixBits() {
        assertThat(BloomFilter.expecting(1_000_000)
                        .falsePositives(0.01)
                        .sizing()
                        .bitsPerItem())
                .isBetween(9.585, 9.6);
    }
}
