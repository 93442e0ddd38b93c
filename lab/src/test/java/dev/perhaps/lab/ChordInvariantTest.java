package dev.perhaps.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChordInvariantTest {
    @Test
    void theCorrectedProtocolHoldsAndTheOriginalBreaks() {
        Findings findings = new ChordInvariant().run(new Conditions(60, true, (doing, share) -> {}));
        assertThat(findings.expectations()).hasSize(4).allMatch(Expectation::held);
        assertThat(findings.tables()).extracting(Table::name).startsWith("histories", "lookups", "original", "same");
        Table history = findings.tables().get(3);
        assertThat(history.rows()).as("a short one").hasSizeLessThan(32);
        assertThat(history.title()).contains("inside the assumptions");
    }
}
