package dev.perhaps.spark.catalyst;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.apache.spark.TaskContext$;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** What a task does with a filter before a join, and what the filter does when there are too many keys. */
@EnabledForJreRange(max = JRE.JAVA_21)
class JoinProbeTest {
    private static final ColumnKey LONGS = ColumnKey.of(DataTypes.LongType, "", 0);

    private static JoinKeys keys(int most, long from, long to) {
        JoinKeys keys = new JoinKeys(LONGS, most);
        for (long key = from; key < to; key++) {
            keys.add(key);
        }
        return keys;
    }

    @Test
    void aTaskGivesUpWhenMostRowsPass() {
        byte[] frame = Objects.requireNonNull(keys(1 << 20, 0, 100).frame());
        JoinProbe.Lookup useless =
                new JoinProbe.Lookup(DataTypes.BinaryType, DataTypes.LongType, JoinProbe.Mode.GIVES_UP);
        JoinProbe.Lookup useful =
                new JoinProbe.Lookup(DataTypes.BinaryType, DataTypes.LongType, JoinProbe.Mode.GIVES_UP);
        for (int row = 0; row < 1 << 14; row++) {
            assertThat(useless.passesNumber(frame, row % 100)).isTrue();
            assertThat(useful.passesNumber(frame, row) || row >= 100).isTrue();
        }
        int passedOfUseless = 0;
        int passedOfUseful = 0;
        for (long key = 1_000_000; key < 1_001_000; key++) {
            passedOfUseless += useless.passesNumber(frame, key) ? 1 : 0;
            passedOfUseful += useful.passes(frame, key) ? 1 : 0;
        }
        assertThat(passedOfUseless).isEqualTo(1000);
        assertThat(passedOfUseful).isLessThan(50);
    }

    /** A join whose other rows bypass it needs the same result for equal keys, whatever came before. */
    @Test
    void aCountedLookupNeverGivesUp() {
        byte[] frame = Objects.requireNonNull(keys(1 << 20, 0, 100).frame());
        JoinProbe.Lookup lookup =
                new JoinProbe.Lookup(DataTypes.BinaryType, DataTypes.LongType, JoinProbe.Mode.UNCOUNTED);
        for (int row = 0; row < 1 << 15; row++) {
            assertThat(lookup.passesNumber(frame, row % 100)).isTrue();
        }
        int passed = 0;
        for (long key = 1_000_000; key < 1_001_000; key++) {
            passed += lookup.passesNumber(frame, key) ? 1 : 0;
        }
        assertThat(passed).isLessThan(50);
    }

    /** A map stage that is computed again returns the counts of its tasks again. */
    @Test
    void aPartitionThatIsComputedTwiceCountsOnce() {
        ProbeCounts driver = ProbeCounts.unregistered();
        assertThat(driver.isZero()).isTrue();
        driver.count(true); // not in a task
        assertThat(driver.value().asked()).isZero();
        assertThat(driver.isAskedWhilePlanning()).isTrue();
        TaskContext$.MODULE$.setTaskContext(TaskContext$.MODULE$.empty());
        try {
            for (int attempt = 0; attempt < 2; attempt++) {
                ProbeCounts task = ProbeCounts.unregistered();
                for (int row = 0; row < 10; row++) {
                    task.count(row < 3);
                }
                driver.merge(task);
                assertThat(driver.value()).isEqualTo(new ProbeCounts.Totals(10, 3, 0));
            }
        } finally {
            TaskContext$.MODULE$.unset();
        }
        driver.merge(ProbeCounts.unregistered());
        assertThat(driver.value().asked()).as("after a task without rows").isEqualTo(10);
        assertThat(driver.copyAndReset().isZero()).isTrue();
    }

    @Test
    void tooManyKeysMakeNoFilterAndNoFailure() {
        assertThat(keys(100, 0, 100).frame()).isNotNull();
        assertThat(keys(100, 0, 101).frame()).isNull();

        JoinKeys merged = keys(100, 0, 60);
        merged.merge(keys(100, 50, 90));
        assertThat(merged.frame()).isNotNull();
        merged.merge(keys(100, 80, 150));
        assertThat(merged.frame()).isNull();

        JoinKeys sent = new JoinKeys(LONGS, 100);
        sent.load(merged.toBytes());
        assertThat(sent.frame()).isNull();
        JoinKeys before = keys(100, 0, 60);
        before.merge(sent);
        assertThat(before.frame()).isNull();
    }
}
