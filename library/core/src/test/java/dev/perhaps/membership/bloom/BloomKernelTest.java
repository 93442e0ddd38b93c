package dev.perhaps.membership.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.hash.Mix;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BloomKernelTest {
    private static final int VALUES = 2_000;
    private static final long STAGE = 0xF1357AEA2E62A9C5L;

    @ParameterizedTest
    @ValueSource(longs = {64, 1_000, BloomKernel.SMALL_BITS - 1, BloomKernel.SMALL_BITS, BloomKernel.SMALL_BITS + 100})
    void aLookupAsksAllPositionsAndNoOther(long bits) {
        SplittableRandom random = new SplittableRandom(bits);
        for (int hashes = 1; hashes <= 20; hashes++) {
            long[] words = new long[BloomKernel.wordsFor(bits)];
            for (int value = 0; value < VALUES / hashes; value++) {
                long x = random.nextLong();
                BloomKernel.set(words, bits, hashes, x);
                assertThat(BloomKernel.allSet(words, bits, hashes, x)).isTrue();
                for (long missing : positions(x, bits, hashes)) {
                    words[(int) (missing >>> 6)] &= ~(1L << missing);
                    assertThat(BloomKernel.allSet(words, bits, hashes, x))
                            .as("position %d of %d bits, %d hashes", missing, bits, hashes)
                            .isFalse();
                    BloomKernel.setBit(words, missing);
                }
                long other = random.nextLong();
                assertThat(BloomKernel.allSet(words, bits, hashes, other))
                        .isEqualTo(oneByOne(words, bits, hashes, other));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 13})
    void aBatchIsAnsweredAsItsHashesOneByOne(int hashes) {
        long bits = 100_000;
        SplittableRandom random = new SplittableRandom(hashes);
        for (double present : new double[] {0, 0.3, 0.95, 1}) {
            long[] words = new long[BloomKernel.wordsFor(bits)];
            long[] asked = random.longs(64).toArray();
            for (long hash : asked) {
                if (random.nextDouble() < present) {
                    BloomKernel.set(words, bits, hashes, Mix.with(BloomKernel.MIX, hash) * STAGE);
                }
            }
            long expected = 0;
            for (int i = 0; i < asked.length; i++) {
                long x = Mix.with(BloomKernel.MIX, asked[i]) * STAGE;
                expected |= oneByOne(words, bits, hashes, x) ? 1L << i : 0;
            }
            long answers = BloomKernel.ask64(
                    words, BloomKernel.MIX, STAGE, bits, hashes, asked, 0, asked.length, BloomKernel.all(asked.length));
            assertThat(answers).isEqualTo(expected);
        }
    }

    private static boolean oneByOne(long[] words, long bits, int hashes, long x) {
        return LongStream.of(positions(x, bits, hashes)).allMatch(position -> BloomKernel.isSet(words, position));
    }

    /** As docs/format.md states them. */
    private static long[] positions(long x, long bits, int hashes) {
        return LongStream.iterate(x, y -> y * BloomKernel.STEP)
                .map(y -> BloomKernel.position(y, bits))
                .limit(hashes)
                .toArray();
    }
}
