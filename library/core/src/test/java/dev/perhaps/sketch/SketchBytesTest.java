package dev.perhaps.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import org.junit.jupiter.api.Test;

/** Structures larger than the window are compared in several passes. */
class SketchBytesTest {
    @Test
    void findsADifferenceInAnyWindow() {
        BloomFilter<Long> one = filter();
        for (int windowBytes : new int[] {1, 7, 64, 100, 1 << 20}) {
            byte[] window = new byte[(int) Math.min(windowBytes, one.fileBytes())];
            assertThat(SketchBytes.same(one, filter(), one.fileBytes(), window)).isTrue();
            for (long item = 0; item < 40; item++) {
                BloomFilter<Long> other = filter();
                boolean changed = other.add(item).isNew();
                assertThat(SketchBytes.same(one, other, one.fileBytes(), window))
                        .isNotEqualTo(changed);
            }
        }
    }

    private static BloomFilter<Long> filter() {
        BloomFilter<Long> filter = BloomFilter.expecting(60).of(Key.longs()).build();
        for (long item = 100; item < 130; item++) {
            filter.add(item);
        }
        return filter;
    }
}
