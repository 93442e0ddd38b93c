package dev.perhaps.membership.counting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The worked numbers of counting Bloom filters. */
class CountingFormulasTest {
    @Test
    void boundsTheChanceThatFourBitsOverflow() {
        assertThat(CountingFormulas.overflow(1, 16)).isEqualTo(1.37e-15, within(0.005e-15));
        assertThat(CountingFormulas.overflow(1e9, 16)).isEqualTo(1.37e-6, within(0.005e-6));
    }

    @Test
    void boundsItForAnyNumberOfHashes() {
        double counters = 7_000_000 / Math.log(2);
        assertThat(CountingFormulas.overflow(counters, 7, 1_000_000, 16) / CountingFormulas.overflow(counters, 16))
                .isEqualTo(1, within(1e-9));
        assertThat(CountingFormulas.overflow(10, 10, 1_000, 16)).isEqualTo(1);
    }

    @Test
    void countsTheCountersAboveAThreshold() {
        double counters = 1_000 / Math.log(2);
        assertThat(CountingFormulas.countersAtLeast(counters, 1, 1_000, 0)).isEqualTo(counters, within(1e-6));
        assertThat(CountingFormulas.countersAtLeast(counters, 1, 1_000, 1)).isEqualTo(counters / 2, within(1e-6));
        assertThat(CountingFormulas.countersAtLeast(counters, 1, 1_000, 4) / counters)
                .isEqualTo(0.00556, within(0.00001));
        assertThat(CountingFormulas.countersAtLeast(100, 10, 1_000, 4)).isEqualTo(100, within(1e-6));
        assertThat(CountingFormulas.countersAtLeast(100, 100, 100_000, 4)).isEqualTo(100, within(1e-6));
    }
}
