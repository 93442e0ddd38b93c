package dev.perhaps.lab.filters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Plot;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DeletionExperimentTest {
    @Test
    void findsTheFaultOfEachScheme() {
        Findings findings = new DeletionExperiment().run(new Conditions(0, true, (doing, share) -> {}));
        assertThat(findings.expectations()).hasSize(11).allMatch(Expectation::held);
        assertThat(findings.plots()).extracting(Plot::name).containsExactly("found", "missed", "overflow");
        assertThat(findings.tables().get(0).rows())
                .as("seven schemes, three times each")
                .hasSize(21);
    }

    @Test
    void aCounterThatSticksKeepsKeysAndOneThatFallsLosesThem() {
        for (SmallCounters.Full full : SmallCounters.Full.values()) {
            SmallCounters one = new SmallCounters(1, 1, 2, full);
            for (long i = 0; i < 5; i++) {
                one.add(i);
            }
            for (long i = 0; i < 4; i++) {
                one.remove(i);
            }
            assertThat(one.mightContain(4)).as("%s", full).isEqualTo(full == SmallCounters.Full.STICKS);
        }
    }

    @Test
    void keysComeAndGoAsTheyAreTold() {
        Churn churn = new Churn(100, 0.2, new SplittableRandom(1), Key.longs());
        Set<Long> cached = new HashSet<>();
        for (long hash : churn.cached()) {
            cached.add(hash);
        }
        assertThat(cached).hasSize(100);
        Set<Long> everGone = new HashSet<>();
        int returned = 0;
        for (int step = 1; step <= 5_000; step++) {
            churn.step();
            assertThat(cached.remove(churn.gone())).isTrue();
            everGone.add(churn.gone());
            assertThat(cached.add(churn.came())).isTrue();
            returned += everGone.contains(churn.came()) ? 1 : 0;
        }
        // 5,000 draws of 0.2: 1,000 with a standard deviation of 28; five of them, once in a million.
        assertThat(returned).isBetween(860, 1_140);
        for (long hash : churn.cached()) {
            assertThat(cached).contains(hash);
        }
        assertThat(churn.away(5_000)).isNotEmpty().doesNotContainAnyElementsOf(cached);
    }
}
