package dev.perhaps.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EvidenceTest {
    /**
     * 400 runs of 3,000 trials. The interval of two standard errors holds the truth in about 95 %; decayed counts swing
     * less than they seem to, so 92 % at least, and a wide interval that always does would not be one: its width is held,
     * too.
     */
    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.1, 0.5, 0.95})
    void holdsTheTruthInItsInterval(double truth) {
        int held = 0;
        for (int run = 0; run < 400; run++) {
            Evidence evidence = new Evidence();
            SplittableRandom random = new SplittableRandom(run);
            for (int i = 0; i < 3_000; i++) {
                evidence.add(1, random.nextDouble() < truth ? 1 : 0);
            }
            held += evidence.low(2) <= truth && truth <= evidence.high(2) ? 1 : 0;
            double width = evidence.high(2) - evidence.low(2);
            assertThat(width).isLessThan(8 * Math.sqrt(truth * (1 - truth) / 1_024) + 0.01);
        }
        assertThat(held).isGreaterThanOrEqualTo(368);
    }

    /** 50 runs: after the 32 trials of the short memory and 30 hits, the share is known at least to a third. */
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.3, 0.9})
    void knowsAfterAHandfulThatAColdGroupIsWarm(double warm) {
        for (int seed = 0; seed < 50; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Evidence evidence = new Evidence();
            for (int i = 0; i < 5_000; i++) {
                evidence.add(1, 0);
            }
            int trials = 0;
            while (evidence.share() < warm / 3) {
                evidence.add(1, random.nextDouble() < warm ? 1 : 0);
                trials++;
            }
            assertThat(trials).isLessThan((int) (32 + 30 / warm));
        }
    }

    /** 200 runs of 5,000 trials that do not change: no more than one in fifty is taken for a change. */
    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.05, 0.5, 0.99})
    void isSeldomDeceivedByChance(double steady) {
        int alarms = 0;
        for (int run = 0; run < 200; run++) {
            SplittableRandom random = new SplittableRandom(run);
            Evidence evidence = new Evidence();
            for (int i = 0; i < 5_000; i++) {
                alarms += evidence.add(1, random.nextDouble() < steady ? 1 : 0) ? 1 : 0;
            }
        }
        assertThat(alarms).isLessThanOrEqualTo(4);
    }

    @Test
    void knowsNothingAtFirst() {
        Evidence evidence = new Evidence();
        assertThat(evidence.low(2)).isZero();
        assertThat(evidence.high(2)).isEqualTo(1);
        assertThat(evidence.share()).isEqualTo(0.5);
        assertThat(evidence.share(0.01, 32)).isEqualTo(0.01);
    }
}
