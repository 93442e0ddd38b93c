package dev.perhaps.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class RedisCountMinTest {
    private static final byte[] A = "a".getBytes(UTF_8);
    private static final byte[] B = "b".getBytes(UTF_8);

    /** The total had reached its limit, so it is less than the sum of a row: taking everything back made it negative. */
    @Test
    void aTotalThatReachedItsLimitIsNeverNegative() throws IOException {
        RedisCountMin counts = RedisCountMin.of(100, 3, 8);
        assertThat(counts.add(A, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(counts.add(B, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(counts.total()).isEqualTo(Long.MAX_VALUE);
        assertThat(counts.add(A, -Long.MAX_VALUE)).isZero();
        assertThat(counts.add(B, -1)).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(counts.total()).isZero();

        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        counts.writeTo(bytes);
        RedisCountMin read = RedisCountMin.readFrom(new ByteArrayInputStream(bytes.toByteArray()), 1 << 20);
        assertThat(read.estimate(B)).isEqualTo(Long.MAX_VALUE - 1);
    }

    @Test
    void sketchesWhoseTotalsReachedTheLimitCanBeTakenFromEachOther() {
        RedisCountMin counts = of(A, Long.MAX_VALUE, B, Long.MAX_VALUE);
        RedisCountMin merged = RedisCountMin.of(100, 3, 8);
        RedisCountMin[] sources = {counts, of(A, Long.MAX_VALUE, A, 0), of(B, 7, B, 0)};
        assertThat(merged.merge(sources, new long[] {1, -1, -1})).isTrue();
        assertThat(merged.estimate(A)).isZero();
        assertThat(merged.estimate(B)).isEqualTo(Long.MAX_VALUE - 7);
        assertThat(merged.total()).isZero();
    }

    private static RedisCountMin of(byte[] first, long count, byte[] second, long other) {
        RedisCountMin counts = RedisCountMin.of(100, 3, 8);
        assertThat(counts.add(first, count)).isEqualTo(count);
        assertThat(counts.add(second, other)).isNotNegative();
        return counts;
    }
}
