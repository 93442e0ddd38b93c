package dev.perhaps.lab.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.ResultTable;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GuardPhasesTest {
    @Test
    void theGuardKeepsUpWithTheBestFixedAction() {
        Findings findings = new GuardPhases().run(new Conditions(1, true, (doing, share) -> {}));
        int workloads = PhasedWorkload.all().size();
        assertThat(findings.expectations()).hasSize(workloads).allMatch(Expectation::held);
        assertThat(findings.plots()).hasSize(workloads);
        ResultTable costs = findings.tables().get(0);
        assertThat(costs.rows())
                .filteredOn(row -> row.get(0).equals("cold throughout"))
                .singleElement()
                .satisfies(row -> {
                    assertThat((double) row.get(1))
                            .as("never asks the origin each time")
                            .isEqualTo(2);
                    assertThat((double) row.get(3))
                            .as("first looks without success each time")
                            .isBetween(2.99, 3.0);
                    assertThat((double) row.get(4))
                            .as("the guard pays for probes")
                            .isBetween(2.0, 2.1);
                });
    }

    @Test
    void asksForWhatIsThereAsOftenAsThePhaseSays() {
        for (PhasedWorkload workload : PhasedWorkload.all()) {
            for (PhasedWorkload.Phase phase : workload.phases()) {
                SplittableRandom random = new SplittableRandom(3);
                int there = 0;
                for (int i = 0; i < 20_000; i++) {
                    there += PhasedWorkload.isThere(workload.next(phase, random)) ? 1 : 0;
                }
                double prior = phase.priors().stream()
                        .mapToDouble(Double::doubleValue)
                        .average()
                        .orElse(0);
                // Five standard deviations of a share of 20,000, and at most one stray key.
                double tolerance = 5 * Math.sqrt(prior * (1 - prior) / 20_000) + 1.0 / 20_000;
                assertThat(there / 20_000.0).as(workload.name()).isBetween(prior - tolerance, prior + tolerance);
            }
        }
    }
}
