package dev.perhaps.lab.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.lab.Conditions;
import dev.perhaps.lab.Expectation;
import dev.perhaps.lab.Findings;
import dev.perhaps.lab.ResultTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiskDictionaryTest {
    @Test
    void whatTheGuardReportsIsWhatWasReallyAvoided() {
        Findings findings = new DiskDictionary().run(new Conditions(0, true, (doing, share) -> {}));
        assertThat(findings.expectations()).hasSizeGreaterThan(10).allMatch(Expectation::held);
        ResultTable guard = findings.tables().get(0);
        assertThat((long) guard.rows().get(0).get(1))
                .as("off, every question is a query")
                .isEqualTo(3_000);
        assertThat((long) guard.rows().get(0).get(2))
                .as("on, without hits: 1 in 100, and probes")
                .isBetween(1L, 300L);
        assertThat(findings.tables())
                .extracting(ResultTable::name)
                .containsExactly("guard", "stack-errors", "stack-reads");
    }

    @Test
    void findsInATableOnDiskWhatIsThereAndCountsThePagesItReads() {
        long[] keys = new long[20_000];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = i * 0x9E3779B97F4A7C15L;
        }
        try (DiskTables tables = DiskTables.of(List.of(keys, new long[] {5}))) {
            assertThat(tables.find(1, 5)).isPresent();
            assertThat(tables.find(0, 5)).isEmpty();
            double before = DiskTables.pagesRead();
            for (int i = 0; i < 1_000; i++) {
                assertThat(tables.find(0, keys[i * 20])).isPresent();
            }
            assertThat(tables.queries()).isEqualTo(1_002);
            if (Files.exists(Path.of("/proc/thread-self/io"))) {
                // 20,000 keys on some 700 leaves, 100 pages kept: most lookups read their leaf, none much more.
                assertThat(DiskTables.pagesRead() - before).isBetween(500.0, 2_500.0);
            }
        }
    }
}
