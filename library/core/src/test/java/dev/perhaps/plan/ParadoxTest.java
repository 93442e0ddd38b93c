package dev.perhaps.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ParadoxTest {
    /** The published bounds at ten bits per item: 0.0081, 0.0016 and 0.000082 for alpha 1, 5 and 100. */
    @Test
    void beginsWhereThePaperSays() {
        assertThat(Paradox.boundAt(1, 10)).isCloseTo(0.0081, within(0.00005));
        assertThat(Paradox.boundAt(5, 10)).isCloseTo(0.0016, within(0.00005));
        assertThat(Paradox.boundAt(100, 10)).isCloseTo(0.000082, within(0.0000005));
    }

    @Test
    void saysTheSameByErrorAsByBits() {
        double error = Math.pow(2, -Math.log(2) * 10);
        assertThat(Paradox.bound(5, error)).isCloseTo(Paradox.boundAt(5, 10), within(1e-12));
    }

    @Test
    void holdsLessOftenWhereAWrongNoCostsMore() {
        assertThat(new Paradox(0.001, 5).holds(0.01)).isTrue();
        assertThat(new Paradox(0.001, 100).holds(0.01)).isFalse();
    }

    @Test
    void turnsAtTheHighestUsefulError() {
        Paradox odds = new Paradox(0.001, 9);
        double turn = odds.highestUsefulError();
        assertThat(odds.holds(turn * 1.0001)).isTrue();
        assertThat(odds.holds(turn * 0.9999)).isFalse();
        assertThat(odds.verdict(0.02))
                .startsWith("Do not use this filter")
                .contains("It pays from an error of 0.901 %");
        assertThat(odds.verdict(0.001)).startsWith("A filter pays");
    }

    @Test
    void refusesWhatIsNoProbabilityOrCost() {
        assertThatThrownBy(() -> new Paradox(1.1, 5)).hasMessage("prior must be in [0, 1], got 1.1");
        assertThatThrownBy(() -> new Paradox(Double.NaN, 5)).hasMessageContaining("NaN");
        assertThatThrownBy(() -> new Paradox(0.1, 0)).hasMessage("alpha must be above 0, got 0.0");
    }
}
