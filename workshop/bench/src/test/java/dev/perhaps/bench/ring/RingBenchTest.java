package dev.perhaps.bench.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class RingBenchTest {
    @Test
    void aPercentileIsAValueThatWasMeasured() {
        double[] sorted = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        assertThat(RingBench.percentile(sorted, 50)).isEqualTo(5);
        assertThat(RingBench.percentile(sorted, 99)).isEqualTo(10);
        assertThat(RingBench.percentile(new double[] {7}, 1)).isEqualTo(7);
    }

    /** Of 30 peers 10 die: 10/30 · 9/29 · 8/28 for three copies. */
    @Test
    void knowsHowManyFilesACrashMayTake() {
        assertThat(RingBench.chanceOfLoss(30, 10, 3)).isEqualTo(720.0 / 24_360, within(1e-12));
        assertThat(RingBench.chanceOfLoss(30, 10, 11)).isZero();
        assertThat(RingBench.chanceOfLoss(3, 3, 3)).isEqualTo(1);
    }
}
