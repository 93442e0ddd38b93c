package dev.perhaps.lab.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.Lab;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The experiments on rings at rest and under churn, in their quick form. */
class ChordExperimentsTest {
    private static final Conditions QUICK = new Conditions(0, true, (doing, share) -> {});

    @ParameterizedTest
    @ValueSource(strings = {"chord-paths", "chord-load", "chord-failures", "chord-joins", "chord-churn"})
    void findsWhatWasPublished(String name) {
        Findings findings = Lab.experiment(name).run(QUICK);
        assertThat(findings.expectations()).hasSizeGreaterThanOrEqualTo(2).allMatch(Expectation::held, "held");
        assertThat(findings.tables()).isNotEmpty();
    }

    @Test
    void tellsTheSameHistoryTwice() {
        List<Expectation> expectations = new ChordMillion().run(QUICK).expectations();
        // How fast it is says the full run: here other tests share the cores.
        assertThat(expectations)
                .hasSize(4)
                .filteredOn(expectation -> !expectation.claim().contains("per second"))
                .hasSize(3)
                .allMatch(Expectation::held, "held");
    }

    @Test
    void boundsWhatWasSeenByPoisson() {
        // Half of the 95 % quantile of χ² with 2, 12 and 202 degrees of freedom.
        assertThat(ChordChurn.upperBound(0)).isCloseTo(2.996, within(0.03));
        assertThat(ChordChurn.upperBound(5)).isCloseTo(10.513, within(0.01));
        assertThat(ChordChurn.upperBound(100)).isCloseTo(118.08, within(0.05));
    }
}
