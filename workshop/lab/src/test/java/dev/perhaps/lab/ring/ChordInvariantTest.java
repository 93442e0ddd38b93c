package dev.perhaps.lab.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.ResultTable;
import org.junit.jupiter.api.Test;

class ChordInvariantTest {
    @Test
    void theCorrectedProtocolHoldsAndTheOriginalBreaks() {
        Findings findings = new ChordInvariant().run(new Conditions(60, true, (doing, share) -> {}));
        assertThat(findings.expectations()).hasSize(4).allMatch(Expectation::held);
        assertThat(findings.tables())
                .extracting(ResultTable::name)
                .startsWith("histories", "lookups", "original", "same");
        ResultTable history = findings.tables().get(3);
        assertThat(history.rows()).as("a short one").hasSizeLessThan(32);
        assertThat(history.title()).contains("inside the assumptions");
    }
}
