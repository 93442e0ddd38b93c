package dev.perhaps.lab.filters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.key.Key;
import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.ResultTable;
import dev.perhaps.membership.QuotientSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class BloomAgainstQuotientTest {
    @Test
    void measuresAllKindsAtAllLoadsTheyReach() {
        Findings findings = new BloomAgainstQuotient().run(new Conditions(0, true, (doing, share) -> {}));
        assertThat(findings.expectations()).hasSize(10);
        // Times of a machine that does other things are not judged here.
        assertThat(findings.expectations())
                .filteredOn(expectation -> !expectation.claim().contains("insertion"))
                .hasSize(9)
                .allMatch(Expectation::held);
        for (ResultTable table : findings.tables().subList(0, 3)) {
            assertThat(table.rows()).hasSize(19);
            List<Object> last = table.rows().get(18);
            assertThat((double) last.get(0)).isCloseTo(95, within(1e-9));
            assertThat((double) last.get(1)).as("Bloom").isPositive();
            assertThat((double) last.get(3)).as("quotient, full at 90 %").isNaN();
            assertThat((double) last.get(4)).as("cuckoo").isPositive();
        }
    }

    @Test
    void runsAreAsLongAsBallsInBinsSay() {
        QuotientSet<String> filter =
                QuotientSet.expecting(90_000).load(0.9).falsePositives(1e-6).build();
        int added = (int) (filter.slots() / 2);
        for (int i = 0; i < added; i++) {
            filter.addHash(Key.longs().hash(i));
        }
        var lengths = BloomAgainstQuotient.Lengths.of(filter);
        // Half a ball a bin: bins that are not empty hold 0.5/(1 − e^−0.5) = 1.271, over 39,000 bins ± 0.003.
        assertThat(lengths.meanRun()).isCloseTo(1.271, within(0.013));
        assertThat(lengths.longestRun()).isBetween(4L, 12L);
        assertThat(lengths.longestCluster()).isGreaterThan(lengths.longestRun());
        assertThat(lengths.meanCluster()).isBetween(lengths.meanRun(), 3.0);
    }
}
