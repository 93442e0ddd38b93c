package dev.perhaps.membership.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.membership.QuotientFilter;
import dev.perhaps.sketch.Sizing;
import org.junit.jupiter.api.Test;

/** The published and worked numbers; each fails if a formula changes. */
class QuotientFormulasTest {
    private static final double BILLION = 1e9;

    @Test
    void needsOneAndAFifthGigabytesForABillionAtTwoPercent() {
        double slots = 1L << 30;
        assertThat(QuotientFormulas.remainderBits(BILLION, slots, 0.02)).isEqualTo(6);
        assertThat(QuotientFormulas.bits(slots, 6) / slots).isEqualTo(9);
        assertThat(QuotientFormulas.bits(slots, 6) / 8 / BILLION).isCloseTo(1.208, within(0.0005));
        assertThat(QuotientFormulas.falsePositives(BILLION, Math.scalb(1.0, 36)))
                .isLessThan(0.02)
                .isGreaterThan(0.01);
        // A load that is above the limit:
        assertThat(BILLION / slots).isCloseTo(0.93, within(0.005));
        assertThat(QuotientTable.limitFor(1L << 30)).isLessThan(1_000_000_000L);
    }

    @Test
    void needsTwiceTheSlotsUnderTheLimitIfTheyAreAPowerOfTwo() {
        double slots = 1L << 31;
        assertThat(QuotientTable.limitFor(1L << 31)).isGreaterThan(1_000_000_000L);
        assertThat(QuotientFormulas.remainderBits(BILLION, slots, 0.02)).isEqualTo(5);
        assertThat(QuotientFormulas.bits(slots, 5) / 8 / BILLION).isCloseTo(2.15, within(0.005));
    }

    @Test
    void plansABillionByTheLimitInLessThanAPowerOfTwoTakes() {
        Sizing sizing =
                QuotientFilter.expecting(1_000_000_000).falsePositives(0.02).sizing();
        assertThat(sizing.bytes()).isEqualTo(1_500_000_048L);
        assertThat(sizing.error()).isLessThanOrEqualTo(0.02).isGreaterThan(0.01);
        Sizing fuller = QuotientFilter.expecting(1_000_000_000)
                .falsePositives(0.02)
                .load(0.9)
                .sizing();
        assertThat(fuller.bytes() / BILLION).isCloseTo(1.25, within(0.0005));
    }

    @Test
    void statesTheErrorAsNOverTwoToTheP() {
        double range = Math.scalb(1.0, 20);
        assertThat(QuotientFormulas.falsePositives(1_000, range)).isCloseTo(1_000 / range, within(1e-6));
        assertThat(QuotientFormulas.falsePositives(1_000, range)).isLessThan(1_000 / range);
        // At load α it is about α · 2^−r.
        assertThat(QuotientFormulas.falsePositives(0.75 * (1 << 13), range)).isCloseTo(0.75 / 128, within(2e-5));
        assertThat(QuotientFormulas.falsePositives(range, range)).isCloseTo(1 - 1 / Math.E, within(1e-6));
    }
}
