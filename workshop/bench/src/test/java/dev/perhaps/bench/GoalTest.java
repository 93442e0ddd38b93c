package dev.perhaps.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class GoalTest {
    private final Results results = new Results();

    GoalTest() {
        results.time("ours", Measure.HIT, new double[] {10, 10, 10, 10, 10});
        results.time("slow", Measure.HIT, new double[] {30, 35, 35, 40, 45});
        results.time("equal", Measure.HIT, new double[] {9, 9, 9.5, 10, 11});
        results.time("fast", Measure.HIT, new double[] {5, 5, 5, 5, 20});
        results.fact("ours", Fact.BITS, 9.6);
        results.fact("ours", Fact.ERROR, 0.01009);
    }

    private boolean met(Goal goal) {
        return goal.judge(results).orElseThrow().met();
    }

    @Test
    void isFasterByTheMedian() {
        assertThat(met(new Goal.Faster("ours", Measure.HIT, "slow", 3.5))).isTrue();
        assertThat(met(new Goal.Faster("ours", Measure.HIT, "slow", 3.6))).isFalse();
    }

    @Test
    void isLevelIfTheUpperQuartileReachesOne() {
        assertThat(met(new Goal.Level("ours", Measure.HIT, "slow"))).isTrue();
        assertThat(met(new Goal.Level("ours", Measure.HIT, "equal"))).isTrue();
        assertThat(met(new Goal.Level("ours", Measure.HIT, "fast"))).isFalse();
    }

    @Test
    void saysWhatWasMeasuredAndWhatWasWanted() {
        assertThat(new Goal.Faster("ours", Measure.HIT, "slow", 5).judge(results))
                .contains(new Goal.Verdict("ours, hit, against slow", "≥ 5.00 ×", "3.50 [3.50, 4.00]", false));
    }

    /** 10 million absent keys at 1 %: one standard deviation is 0.0031 %. */
    @Test
    void allowsAMeasuredErrorToSwingByThreeDeviations() {
        assertThat(met(new Goal.AtMost("ours", Fact.ERROR, 0.01))).isTrue();
        assertThat(met(new Goal.AtMost("ours", Fact.ERROR, 0.00999))).isFalse();
        assertThat(met(new Goal.AtMost("ours", Fact.BITS, 9.6))).isTrue();
        assertThat(met(new Goal.AtMost("ours", Fact.BITS, 9.59))).isFalse();
    }

    @Test
    void comparesFactsByTheirMedianOverTheSeeds() {
        results.fact("ours", Fact.MAX_OVER, new double[] {8, 9, 10, 11, 12});
        results.fact("theirs", Fact.MAX_OVER, new double[] {6, 8, 9, 10, 20});
        results.fact("less", Fact.MAX_OVER, new double[] {7, 8, 9, 9, 9});
        assertThat(met(new Goal.NoWorse("ours", Fact.MAX_OVER, "theirs"))).isTrue();
        assertThat(met(new Goal.NoWorse("ours", Fact.MAX_OVER, "less"))).isFalse();
        assertThat(met(new Goal.Less("less", Fact.MAX_OVER, "ours", 0.9))).isTrue();
        assertThat(met(new Goal.Less("less", Fact.MAX_OVER, "ours", 0.8))).isFalse();
        assertThat(new Goal.NoWorse("ours", Fact.MAX_OVER, "absent").judge(results))
                .isEmpty();
    }

    @Test
    void isNotJudgedIfARowTookNoPart() {
        assertThat(new Goal.Faster("ours", Measure.HIT, "absent", 1).judge(results))
                .isEqualTo(Optional.empty());
        assertThat(new Goal.Level("absent", Measure.HIT, "ours").judge(results)).isEmpty();
        assertThat(new Goal.AtMost("slow", Fact.BITS, 1).judge(results)).isEmpty();
    }
}
