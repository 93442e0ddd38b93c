package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisBloomTest {
    private static byte[] item(int i) {
        return ("item-" + i).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(RedisBloom filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    /**
     * n = 100,000 absent items at a planned error of 1 %: the share stays below 1 % + 4 standard deviations (α = 3·10⁻⁵), and
     * above a quarter of it, because the filter is as full as planned.
     */
    @Test
    void aChainKeepsItsErrorAndForgetsNothing() {
        RedisBloom filter = RedisBloom.expecting(1_000).falsePositives(0.01).build();
        for (int i = 0; i < 60_000; i++) {
            filter.add(item(i));
        }
        for (int i = 0; i < 60_000; i++) {
            assertThat(filter.mightContain(item(i))).isTrue();
        }
        int n = 100_000;
        long found = 0;
        for (int i = 0; i < n; i++) {
            found += filter.mightContain(item(1_000_000 + i)) ? 1 : 0;
        }
        assertThat(filter.links()).hasSize(6);
        assertThat((double) found / n).isBetween(0.0025, 0.01 + 4 * Math.sqrt(0.01 * 0.99 / n));
    }

    @Test
    void aFullOneThatDoesNotGrowChangesNothing() throws IOException {
        RedisBloom filter = RedisBloom.expecting(3).expansion(0).build();
        for (int i = 0; i < 3; i++) {
            assertThat(filter.add(item(i))).isEqualTo(Added.ADDED);
        }
        byte[] before = bytes(filter);
        assertThat(filter.growthBytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(filter.add(item(9))).isEqualTo(Added.FULL);
        assertThat(filter.add(item(1))).isEqualTo(Added.PRESENT);
        assertThat(bytes(filter)).isEqualTo(before);
    }

    @Test
    void growthIsKnownBeforeItIsAllocated() {
        RedisBloom filter = RedisBloom.expecting(10).build();
        for (int i = 0; i < 10_000; i++) {
            long growth = filter.growthBytes();
            long before = filter.dataBytes();
            if (filter.add(item(i)) == Added.ADDED) {
                assertThat(filter.dataBytes() - before).isEqualTo(growth);
            }
        }
    }

    @Test
    void bytesGoOutAndComeBack() throws IOException {
        RedisBloom filter = RedisBloom.expecting(100).build();
        for (int i = 0; i < 1_000; i++) {
            filter.add(item(i));
        }
        byte[] bytes = bytes(filter);
        assertThat(bytes).hasSize((int) filter.fileBytes());
        RedisBloom read = RedisBloom.readFrom(new ByteArrayInputStream(bytes), filter.dataBytes());
        assertThat(bytes(read)).isEqualTo(bytes);
        assertThat(bytes(filter.copy())).isEqualTo(bytes);
        assertThatThrownBy(() -> RedisBloom.readFrom(new ByteArrayInputStream(bytes), filter.dataBytes() - 1))
                .isInstanceOf(FormatException.class);
        for (int length = 0; length < bytes.length; length += 37) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> RedisBloom.readFrom(new ByteArrayInputStream(cut), Long.MAX_VALUE))
                    .isInstanceOf(FormatException.class);
        }
    }

    @Test
    void chunksOfAnyLengthAreTheSameBytes() {
        RedisBloom filter = RedisBloom.expecting(50).build();
        for (int i = 0; i < 300; i++) {
            filter.add(item(i));
        }
        for (int most : new int[] {1, 3, 8, 13, 1_000}) {
            RedisBloom copy;
            try {
                copy = RedisBloom.ofHeader(filter.header(), Long.MAX_VALUE);
            } catch (FormatException e) {
                throw new AssertionError(e);
            }
            long at = 0;
            for (byte[] chunk = filter.chunk(at, most); chunk.length > 0; chunk = filter.chunk(at, most)) {
                assertThat(copy.load(at, chunk)).isEqualTo(RedisBloom.Load.LOADED);
                at += chunk.length;
            }
            assertThat(at).isEqualTo(filter.dataBytes());
            for (int i = 0; i < 300; i++) {
                assertThat(copy.mightContain(item(i))).isTrue();
            }
            assertThat(copy.load(at, new byte[1])).isEqualTo(RedisBloom.Load.NO_LINK);
            assertThat(copy.load(at - 1, new byte[2])).isEqualTo(RedisBloom.Load.TOO_LONG);
        }
    }

    private static RedisBloom of(RedisBloom.Plan plan, int from, int to) {
        RedisBloom filter = plan.build();
        for (int i = from; i < to; i++) {
            filter.add(item(i));
        }
        return filter;
    }

    /** n = 100,000 absent items: the share is within 4 standard deviations of what the bits say (α = 6·10⁻⁵). */
    @Test
    void theErrorNowIsTheOneThatIsMeasured() {
        RedisBloom filter = of(RedisBloom.expecting(1_000).falsePositives(0.05), 0, 2_500);
        int n = 100_000;
        int found = 0;
        for (int i = 0; i < n; i++) {
            found += filter.mightContain(item(1_000_000 + i)) ? 1 : 0;
        }
        double error = filter.errorNow();
        assertThat((double) found / n).isCloseTo(error, within(4 * Math.sqrt(error * (1 - error) / n)));
        assertThat(filter.errorPlanned()).isEqualTo(0.05);
        assertThat(filter.load()).isBetween(0.3, 0.55);
    }

    @Test
    void aUnionOfSmallFiltersOfOneShapeTakesNoMemory() throws IOException {
        RedisBloom.Plan plan = RedisBloom.expecting(1_000).falsePositives(0.01);
        RedisBloom union = of(plan, 0, 400);
        RedisBloom other = of(plan, 300, 700);
        assertThat(union.mergeBytes(other)).isZero();
        union.merge(other);
        assertThat(union.links()).hasSize(1);
        for (int i = 0; i < 700; i++) {
            assertThat(union.mightContain(item(i))).isTrue();
        }
        // 700 items in about 11,000 bits: the estimate has a standard deviation of about 6.
        assertThat(union.count()).isBetween(670L, 730L);
        byte[] before = bytes(union);
        union.merge(union);
        assertThat(bytes(union)).isEqualTo(before);
    }

    @Test
    void aUnionOfAnyOtherFiltersAppendsLinksAndStillGrows() throws IOException {
        RedisBloom union = of(RedisBloom.expecting(100).falsePositives(0.01), 0, 250);
        RedisBloom other = of(RedisBloom.expecting(5_000).falsePositives(0.001).expansion(0), 1_000, 4_000);
        long bytes = union.mergeBytes(other);
        long before = union.dataBytes();
        long items = union.count();
        union.merge(other);
        assertThat(union.dataBytes() - before).isEqualTo(bytes).isEqualTo(other.dataBytes());
        assertThat(union.count()).isEqualTo(items + other.count());
        for (int i = 2_000_000; i < 2_001_000; i++) {
            union.add(item(i));
        }
        for (int i = 1_000; i < 4_000; i++) {
            assertThat(union.mightContain(item(i))).isTrue();
        }
        for (int i = 2_000_000; i < 2_001_000; i++) {
            assertThat(union.mightContain(item(i))).isTrue();
        }
        byte[] written = bytes(union);
        assertThat(bytes(RedisBloom.readFrom(new ByteArrayInputStream(written), 1 << 20)))
                .isEqualTo(written);
    }

    @Test
    void commonItemsAreEstimatedFromFiltersOfOneShape() {
        RedisBloom.Plan plan = RedisBloom.expecting(10_000).falsePositives(0.01);
        RedisBloom a = of(plan, 0, 6_000);
        RedisBloom b = of(plan, 4_000, 10_000);
        RedisBloom c = of(plan, 5_000, 9_000);
        assertThat(RedisBloom.estimateIntersection(List.of(a)).orElseThrow()).isBetween(5_900L, 6_100L);
        assertThat(RedisBloom.estimateIntersection(List.of(a, b)).orElseThrow()).isBetween(1_800L, 2_200L);
        assertThat(RedisBloom.estimateIntersection(List.of(a, b, c)).orElseThrow())
                .isBetween(750L, 1_250L);
        RedisBloom none = of(plan, 50_000, 56_000);
        assertThat(RedisBloom.estimateIntersection(List.of(a, none)).orElseThrow())
                .isLessThan(200);
        assertThat(RedisBloom.estimateIntersection(List.of(a, of(RedisBloom.expecting(9_000), 0, 9))))
                .isEmpty();
        assertThat(RedisBloom.estimateIntersection(List.of(a, of(plan, 0, 11_000))))
                .isEmpty();
        assertThatThrownBy(() -> RedisBloom.estimateIntersection(List.of(a, a, a, a, a)))
                .hasMessageContaining("got 5");
    }
}
