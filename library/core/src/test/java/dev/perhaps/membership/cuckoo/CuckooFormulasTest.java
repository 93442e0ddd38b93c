package dev.perhaps.membership.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.sketch.Sizing;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The worked numbers of the cuckoo filter, and the sizes that are planned. */
class CuckooFormulasTest {
    @Test
    void sizesABillionItemsAtTwoPercentWithTwoSlots() {
        assertThat(CuckooFormulas.fingerprintBits(2, 0.02)).isEqualTo(8);
        assertThat(CuckooFormulas.powerOfTwoBuckets(1_000_000_000, 2)).isEqualTo(1L << 29);
        assertThat(CuckooFormulas.bytes(1L << 29, 2, 8)).isEqualTo(1_073_741_824);
    }

    @Test
    void sizesABillionItemsAtTwoPercentWithOneSlot() {
        assertThat(CuckooFormulas.fingerprintBits(1, 0.02)).isEqualTo(7);
        assertThat(CuckooFormulas.powerOfTwoBuckets(1_000_000_000, 1)).isEqualTo(1L << 30);
        assertThat(CuckooFormulas.bytes(1L << 30, 1, 7)).isEqualTo(939_524_096);
    }

    @Test
    void wouldFillThoseTablesFurtherThanTheyCanBeFilled() {
        double load = 1e9 / (1L << 30);
        assertThat(load).isCloseTo(0.93, within(0.005));
        assertThat(CuckooFormulas.mostLoad(1)).isEqualTo(0.5).isLessThan(load);
        assertThat(CuckooFormulas.mostLoad(2)).isEqualTo(0.84).isLessThan(load);
        assertThat(CuckooFormulas.mostLoad(4)).isEqualTo(0.95);
        assertThat(CuckooFormulas.leastBuckets(1_000_000_000, 1)).isEqualTo(2_000_000_000);
        assertThat(CuckooFormulas.leastBuckets(1_000_000_000, 2)).isEqualTo(595_238_096);
        assertThat(CuckooFormulas.leastBuckets(1_000_000_000, 4)).isEqualTo(263_157_895);
    }

    @Test
    void statesTheErrorOfFullBuckets() {
        // 1 − (1 − 2^−8)^8 term by term: 1 − 0.99609375^8.
        assertThat(CuckooFormulas.falsePositives(4, 8)).isCloseTo(0.0308261, within(1e-7));
        assertThat(CuckooFormulas.falsePositives(2, 8)).isCloseTo(4.0 / 256, within(1e-4));
        assertThat(CuckooFormulas.falsePositives(4, 16)).isCloseTo(8.0 / 65_536, within(1e-8));
    }

    @Test
    void takesNoBitTooManyAtAPowerOfTwo() {
        assertThat(CuckooFormulas.fingerprintBits(4, 1.0 / 128)).isEqualTo(10);
        assertThat(CuckooFormulas.fingerprintBits(4, 1.0 / 129)).isEqualTo(11);
        assertThat(CuckooFormulas.fingerprintBits(1, 0.5)).isEqualTo(2);
        assertThat(CuckooFormulas.powerOfTwoBuckets(1, 4)).isEqualTo(1);
        assertThat(CuckooFormulas.powerOfTwoBuckets(8, 4)).isEqualTo(2);
        assertThat(CuckooFormulas.powerOfTwoBuckets(9, 4)).isEqualTo(4);
    }

    @Test
    void boundsTheBitsOfAnItem() {
        assertThat(CuckooFormulas.bitsPerItem(4, 0.01)).isCloseTo(10.526, within(0.001));
        assertThat(CuckooFormulas.bitsPerItem(2, 0.02)).isCloseTo(9.524, within(0.001));
        // Against 1.44·log2(1/f): more than a Bloom filter at 1 %, less below 0.3 %.
        assertThat(CuckooFormulas.bitsPerItem(4, 0.01)).isGreaterThan(BloomFormulas.idealBits(1, 0.01));
        assertThat(CuckooFormulas.bitsPerItem(4, 0.002)).isLessThan(BloomFormulas.idealBits(1, 0.002));
    }

    /** The sum over all fingerprints, term by term, against the closed form. */
    @Test
    void weighsTheFingerprintThatStandsForTwoValues() {
        for (int bits : new int[] {4, 8, 12}) {
            int values = 1 << bits;
            double sum = 0;
            for (int v = 1; v < values; v++) {
                double chance = (v == 1 ? 2.0 : 1.0) / values;
                sum += chance * (1 - Math.pow(1 - 2 * chance / 100, 300));
            }
            assertThat(CuckooFormulas.falsePositives(100, bits, 300)).isCloseTo(sum, within(1e-12));
        }
        assertThat(CuckooFormulas.falsePositives(100, 8, 0)).isZero();
    }

    /** With the number of fingerprints that are kept of these items, both formulas say the same. */
    @Test
    void saysTheSameOfASetByWhatItKeeps() {
        for (int bits : new int[] {4, 8, 12, 20}) {
            for (int items : new int[] {1, 1_000, 350_000}) {
                double v = -Math.expm1(-2.0 * items / 1e5 / (1 << bits));
                double kept = 1e5 / 2 * (((1 << bits) - 2) * v + v * (2 - v));
                double expected = CuckooFormulas.falsePositives(1e5, bits, items);
                assertThat(CuckooFormulas.falsePositivesOfSet(1e5, bits, kept))
                        .isCloseTo(expected, within(expected * 1e-4));
            }
        }
        assertThat(CuckooFormulas.falsePositivesOfSet(100, 8, 0)).isZero();
    }

    /** One item has the fingerprint 1 in one of eight cases, 10,000 have about as many as expected. */
    @Test
    void leavesSmallFiltersRoomToSwing() {
        assertThat(CuckooFormulas.swing(1, 4)).isCloseTo(2 / 1.125, within(1e-9));
        assertThat(CuckooFormulas.swing(1, 12)).isEqualTo(1);
        assertThat(CuckooFormulas.swing(10_000, 8)).isBetween(1.001, 1.003);
    }

    @Test
    void plansAnyNumberOfBucketsAndNotAPowerOfTwo() {
        assertThat(CuckooFormulas.bucketsWithSpare(1_000_000_000, 4)).isEqualTo(263_157_908);
        Sizing sizing =
                CuckooFilter.expecting(1_000_000_000).falsePositives(0.02).sizing();
        assertThat(sizing.bitsPerItem()).isCloseTo(9 / 0.95, within(0.001));
        assertThat(sizing.bytes()).isEqualTo((263_157_908L * 36 + 63) / 64 * 8 + 8);
    }

    @Test
    void knowsHowManyItemsItsBucketsAreFor() {
        for (int slots : new int[] {1, 2, 4}) {
            for (long items : new long[] {1, 7, 100, 12_345, 1_000_000, 1_000_000_000}) {
                double buckets = CuckooFormulas.bucketsWithSpare(items, slots);
                assertThat(buckets % 2).isZero();
                assertThat((double) CuckooFormulas.itemsWithSpare(buckets, slots))
                        .isBetween(items - 1.0, items + 8.0 + items * 1e-9);
            }
        }
    }

    @Test
    void asksForLongFingerprintsWhereBucketsAreSmall() {
        Map<Integer, Integer> bits = new HashMap<>();
        for (int slots : new int[] {1, 2, 4}) {
            double buckets = CuckooFormulas.bucketsWithSpare(1_000_000, slots);
            bits.put(slots, CuckooFormulas.fewestBits(1_000_000, buckets, slots));
        }
        assertThat(bits).isEqualTo(Map.of(1, 19, 2, 10, 4, 6));
    }

    @Test
    void refusesOtherBuckets() {
        assertThatThrownBy(() -> CuckooFormulas.mostLoad(3)).hasMessage("a bucket has 1, 2 or 4 slots, got 3");
    }
}
