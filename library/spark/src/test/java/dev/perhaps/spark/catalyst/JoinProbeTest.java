package dev.perhaps.spark.catalyst;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

/** What a task does with a filter before a join, and what the filter does when there are too many keys. */
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
        JoinProbe.Lookup useless = new JoinProbe.Lookup(DataTypes.BinaryType, DataTypes.LongType);
        JoinProbe.Lookup useful = new JoinProbe.Lookup(DataTypes.BinaryType, DataTypes.LongType);
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
