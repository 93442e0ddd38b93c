package dev.perhaps.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.plan.Paradox;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostsTest {
    /** The paper's example: cache 1, memory 10, alpha 9. */
    @Test
    void hasThePapersAlpha() {
        assertThat(Costs.lookup(1).origin(10).alpha()).isEqualTo(9);
        assertThat(Costs.lookup(2).filter(0.1).phi()).isEqualTo(0.05);
    }

    /** Without a cost of the filter the lower threshold is the bound of the paradox. */
    @ParameterizedTest
    @CsvSource({"1, 0.0081", "5, 0.0016", "100, 0.000082"})
    void agreesWithTheParadoxWhereTheFilterIsFree(double alpha, double published) {
        double error = Math.pow(2, -Math.log(2) * 10);
        Costs costs = Costs.lookup(1).origin(alpha + 1);
        assertThat(costs.neverBelow(error)).isCloseTo(Paradox.bound(alpha, error), within(1e-15));
        assertThat(costs.neverBelow(error)).isCloseTo(published, within(published * 0.03));
        assertThat(costs.alwaysAbove(error)).isEqualTo(1);
    }

    @Test
    void turnsAtBothThresholds() {
        Costs costs = Costs.lookup(1).filter(0.05).origin(10);
        double cold = costs.neverBelow(0.01);
        double hot = costs.alwaysAbove(0.01);
        assertThat(cold).isCloseTo(0.06 / 9.01, within(1e-12));
        assertThat(hot).isCloseTo(1 - 0.05 / 0.99, within(1e-12));
        assertThat(costs.cheapest(cold * 0.999, 0.01)).isEqualTo(Guard.Action.NEVER);
        assertThat(costs.cheapest(cold * 1.001, 0.01)).isEqualTo(Guard.Action.CONSULT);
        assertThat(costs.cheapest(hot * 0.999, 0.01)).isEqualTo(Guard.Action.CONSULT);
        assertThat(costs.cheapest(hot * 1.001, 0.01)).isEqualTo(Guard.Action.ALWAYS);
    }

    /** A filter as dear as the lookup is never consulted: NEVER and ALWAYS meet where p = lookup / origin. */
    @Test
    void leavesOutAFilterThatIsTooDear() {
        Costs costs = Costs.lookup(1).filter(1).origin(4);
        assertThat(costs.alwaysAbove(0.01)).isZero();
        assertThat(costs.cheapest(0.2499, 0.01)).isEqualTo(Guard.Action.NEVER);
        assertThat(costs.cheapest(0.2501, 0.01)).isEqualTo(Guard.Action.ALWAYS);
    }

    /** Two shares, two errors, four sets of costs: every difference between two actions is the true one. */
    @ParameterizedTest
    @CsvSource({"2, 1, 10", "1, 1, 10", "8, 0.5, 10", "3, 2, 4"})
    void tellsHitsFromMissesWithoutChangingAnyDifference(double hit, double miss, double origin) {
        Costs costs = Costs.apart(hit, miss, origin);
        for (double p : new double[] {0.01, 0.6}) {
            for (double f : new double[] {0.02, 0.9}) {
                double consult = p * hit + (1 - p) * (f * miss + origin);
                double always = p * hit + (1 - p) * (miss + origin);
                double never = costs.expected(Guard.Action.NEVER, p, f);
                assertThat(costs.expected(Guard.Action.CONSULT, p, f) - never)
                        .isCloseTo(consult - origin, within(1e-12));
                assertThat(costs.expected(Guard.Action.ALWAYS, p, f) - never).isCloseTo(always - origin, within(1e-12));
            }
        }
    }

    /** Above the share of "no"s at which looking them up pays, ALWAYS beats CONSULT: g·p·origin against (1 − p + g·p)·lookup. */
    @Test
    void looksAlwaysWhereAFilterDeniesTooMuch() {
        Costs costs = Costs.lookup(1).origin(10);
        assertThat(costs.expected(Guard.Action.CONSULT, 0.9, 0, 0.1)).isCloseTo(0.81 + 1.9, within(1e-12));
        assertThat(costs.expected(Guard.Action.CONSULT, 0.9, 0.02, 1)).isCloseTo(10.002, within(1e-12));
        double turns = 0.1 / 0.9 / 9;
        assertThat(costs.cheapest(0.9, 0, turns * 0.999)).isEqualTo(Guard.Action.CONSULT);
        assertThat(costs.cheapest(0.9, 0, turns * 1.001)).isEqualTo(Guard.Action.ALWAYS);
    }

    @Test
    void neverLooksWhereAHitIsDearerThanTheOrigin() {
        assertThat(Costs.apart(30, 1, 10).cheapest(0.9, 0.01)).isEqualTo(Guard.Action.NEVER);
        assertThatThrownBy(() -> Costs.apart(-1, 1, 10))
                .hasMessageContaining("hit")
                .hasMessageContaining("-1");
    }

    @Test
    void neverLeavesOutAStore() {
        Costs store = Costs.lookup(1).filter(0.05);
        assertThat(store.cheapest(0, 0.01)).isEqualTo(Guard.Action.CONSULT);
        assertThat(store.cheapest(0.99, 0.01)).isEqualTo(Guard.Action.ALWAYS);
    }

    @Test
    void leavesOutACacheThatIsDearerThanItsOrigin() {
        Costs costs = Costs.lookup(5).filter(0.05).origin(3);
        assertThat(costs.neverBelow(0.01)).isEqualTo(1);
        assertThat(costs.cheapest(0.99, 0.01)).isEqualTo(Guard.Action.NEVER);
    }

    @Test
    void refusesWhatIsNoCost() {
        assertThatThrownBy(() -> Costs.lookup(0))
                .hasMessage("the cost of a lookup must be finite and above 0, got 0.0");
        assertThatThrownBy(() -> Costs.lookup(1).filter(-1))
                .hasMessage("the cost of a filter must be finite and at least 0, got -1.0");
        assertThatThrownBy(() -> Costs.lookup(1).origin(Double.NaN)).hasMessageContaining("NaN");
        assertThatThrownBy(() -> Costs.lookup(Double.POSITIVE_INFINITY)).hasMessageContaining("Infinity");
    }
}
