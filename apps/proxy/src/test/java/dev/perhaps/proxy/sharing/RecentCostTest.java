package dev.perhaps.proxy.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentCostTest {
    private static RecentCost of(double... costs) {
        RecentCost cost = new RecentCost();
        for (double each : costs) {
            cost.add(each);
        }
        return cost;
    }

    @Test
    void knowsNothingBeforeEightSamples() {
        assertThat(of().isKnown()).isFalse();
        assertThat(of().mean()).isZero();
        assertThat(of(1, 1, 1, 1, 1, 1, 1).isKnown()).isFalse();
        assertThat(of(1, 1, 1, 1, 1, 1, 1, 1).isKnown()).isTrue();
    }

    @Test
    void leavesOutTheLargestOfEight() {
        assertThat(of(1_000, 1, 2, 3, 4, 5, 6, 7).mean()).isEqualTo(4);
        assertThat(of(1_000, 1_000, 1, 1, 1, 1, 1, 1).mean()).isGreaterThan(100);
    }

    @Test
    void forgetsWhatIsOlderThanSixteen() {
        RecentCost cost = of(9, 9, 9, 9, 9, 9, 9, 9);
        for (int i = 0; i < 16; i++) {
            cost.add(2);
        }
        assertThat(cost.mean()).isEqualTo(2);
        cost.clear();
        assertThat(cost.isKnown()).isFalse();
        assertThat(cost.mean()).isZero();
    }
}
