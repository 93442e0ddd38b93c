package dev.perhaps.membership.counting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.membership.bloom.BloomKernel;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompactCountersTest {
    @ParameterizedTest
    @ValueSource(longs = {100, 5_000, BloomKernel.SMALL_BITS - 1, BloomKernel.SMALL_BITS + 100})
    void aLookupAsksAllCountersAndNoOther(long size) {
        SplittableRandom random = new SplittableRandom(size);
        for (int hashes = 1; hashes <= 8; hashes++) {
            CompactCounters counters =
                    CompactCounters.empty(size, hashes, CompactCounters.overflowFor(size, hashes, 1_000));
            for (int value = 0; value < 40; value++) {
                long x = random.nextLong();
                long y = x;
                for (int i = 0; i < hashes; i++) {
                    counters.increment(BloomKernel.position(y, size));
                    y *= BloomKernel.STEP;
                }
                assertThat(counters.holds(x)).isTrue();
            }
            for (int value = 0; value < 400; value++) {
                long x = random.nextLong();
                assertThat(counters.holds(x)).isEqualTo(oneByOne(counters, size, hashes, x));
            }
            long x = random.nextLong();
            long y = x;
            for (int i = 0; i < hashes; i++) {
                assertThat(counters.holds(x)).isEqualTo(oneByOne(counters, size, hashes, x));
                counters.increment(BloomKernel.position(y, size));
                y *= BloomKernel.STEP;
            }
            assertThat(counters.holds(x)).isTrue();
        }
    }

    private static boolean oneByOne(CompactCounters counters, long size, int hashes, long x) {
        long y = x;
        for (int i = 0; i < hashes; i++) {
            if (counters.low(BloomKernel.position(y, size)) == 0) {
                return false;
            }
            y *= BloomKernel.STEP;
        }
        return true;
    }
}
