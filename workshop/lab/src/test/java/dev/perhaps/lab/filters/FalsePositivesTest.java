package dev.perhaps.lab.filters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.ResultTable;
import org.junit.jupiter.api.Test;

class FalsePositivesTest {
    private static final Conditions QUICK = new Conditions(0, true, (doing, share) -> {});

    @Test
    void holdsOnFiltersThatKeepToTheFormula() {
        Findings findings = new FalsePositives().run(QUICK);
        assertThat(findings.expectations()).hasSize(8).allMatch(Expectation::held);
        ResultTable best = findings.tables().get(0);
        assertThat(best.rows()).hasSize(19);
        assertThat(best.rows().get(6).get(1)).as("hashes at 8 bits per item").isEqualTo(5);
        assertThat((double) best.rows().get(0).get(3))
                .as("measured at 2 bits per item")
                .isBetween(0.38, 0.41);
        assertThat(findings.plots()).hasSize(2);
    }

    @Test
    void saysTheSameEveryTime() {
        assertThat(new FalsePositives().run(QUICK).text())
                .isEqualTo(new FalsePositives().run(QUICK).text());
    }
}
