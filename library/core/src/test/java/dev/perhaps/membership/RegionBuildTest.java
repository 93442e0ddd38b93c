package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BloomKernel;
import dev.perhaps.membership.bloom.BloomRegions;
import dev.perhaps.membership.bloom.RegionBuild;
import dev.perhaps.sketch.Sizing;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Building from all hashes at once sets the bits that adding one by one sets. */
class RegionBuildTest {
    private static final long LARGE_BYTES = 20L << 20;
    /** As large an array is filled as a whole, not by regions. */
    private static final long SMALL_BYTES = 5L << 20;

    private static final int HASHES = 600_000;

    /** Hashes in batches of uneven sizes, and some of them twice. */
    private static Hashes hashes() {
        long[] all = Subject.hashes(HASHES, 1);
        System.arraycopy(all, 0, all, HASHES / 2, 1_000);
        return new Hashes() {
            @Override
            public long count() {
                return all.length;
            }

            @Override
            public void replay(Sink sink) {
                int size = 1;
                for (int at = 0; at < all.length; ) {
                    int end = Math.min(at + size, all.length);
                    long[] batch = Arrays.copyOfRange(all, at, end);
                    sink.take(batch, 0, batch.length);
                    Arrays.fill(batch, -1); // the array is the sender's again
                    at = end;
                    size = size * 3 % 99_991;
                }
            }
        };
    }

    @Test
    void givesABloomFilterTheBitsOfOneByOne() throws Exception {
        for (long bytes : new long[] {SMALL_BYTES, LARGE_BYTES}) {
            for (boolean concurrent : new boolean[] {false, true}) {
                BloomFilter.Plan<Long> plan =
                        BloomFilter.expecting(10_000_000).memoryBytes(bytes).of(Key.longs());
                BloomFilter<Long> expected = plan.build();
                hashes().replay(expected::addHashes);
                BloomFilter<Long> built = (concurrent ? plan.concurrent() : plan).buildFrom(hashes());
                assertThat(BlockedBloomTest.words(built)).isEqualTo(BlockedBloomTest.words(expected));
            }
        }
    }

    @Test
    void givesABlockedBloomTheBitsOfOneByOne() throws Exception {
        for (long bytes : new long[] {SMALL_BYTES, LARGE_BYTES}) {
            BlockedBloom.Plan<Long> plan =
                    BlockedBloom.expecting(10_000_000).memoryBytes(bytes).of(Key.longs());
            BlockedBloom<Long> expected = plan.build();
            hashes().replay(expected::addHashes);
            assertThat(BlockedBloomTest.words(plan.buildFrom(hashes()))).isEqualTo(BlockedBloomTest.words(expected));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 16})
    void setsTheSameBitsWithAnyNumberOfThreads(int threads) {
        for (long bytes : new long[] {SMALL_BYTES, LARGE_BYTES}) {
            for (int hashes : new int[] {5, BloomKernel.MAX_HASHES}) {
                long bits = bytes * 8 - 37;
                long[] expected = new long[(int) (bytes / 8)];
                new BloomRegions(expected, BloomKernel.MIX, bits, hashes).run(hashes(), 2);
                long[] words = new long[expected.length];
                new BloomRegions(words, BloomKernel.MIX, bits, hashes).run(hashes(), threads);
                assertThat(words).isEqualTo(expected);
            }
        }
    }

    @Test
    void isNotUsedWhereItLoses() {
        assertThat(RegionBuild.pays(1 << 20, 1_000_000)).isFalse();
        assertThat(RegionBuild.pays(LARGE_BYTES, 1_000)).isFalse();
        assertThat(RegionBuild.pays(LARGE_BYTES, 10_000_000)).isTrue();
    }

    @Test
    void statesTheMemoryItTakes() {
        assertThat(BlockedBloom.expecting(1_000_000).sizing().buildBytes()).isZero();
        assertThat(BloomFilter.expecting(1_000_000).sizing().buildBytes()).isZero();
        Sizing large = BlockedBloom.expecting(1_000_000_000).sizing();
        assertThat(large.buildBytes()).isEqualTo(64L << 20);
        assertThat(BloomFilter.expecting(20_000_000).sizing().buildBytes())
                .isPositive()
                .isLessThan(64L << 20);
    }

    @Test
    void passesOnWhatTheSupplierOfHashesThrows() {
        Hashes broken = new Hashes() {
            @Override
            public long count() {
                return 10_000_000;
            }

            @Override
            public void replay(Sink sink) {
                hashes().replay(sink);
                throw new IllegalStateException("the input ended early");
            }
        };
        assertThatThrownBy(() -> BlockedBloom.expecting(10_000_000)
                        .memoryBytes(LARGE_BYTES)
                        .buildFrom(broken))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the input ended early");
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("perhaps-build-"));
    }
}
