package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BloomFormulas;
import dev.perhaps.membership.counting.OverflowTable;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is the counting filters' own: removing, counting, sticking, overflowing. */
class CountingBloomTest {
    private static final int ITEMS = 20_000;

    private static CountingBloom.Plan<Long> plan(boolean compact, long items) {
        CountingBloom.Plan<Long> plan = CountingBloom.expecting(items).of(Key.longs());
        return compact ? plan.compact() : plan;
    }

    private static CountingBloom<Long> filled(boolean compact, long... hashes) {
        CountingBloom<Long> filter = plan(compact, hashes.length).build();
        assertThat(filter.addHashes(hashes, 0, hashes.length)).isEqualTo(hashes.length);
        return filter;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isEmptyAgainWhenAllIsRemoved(boolean compact) throws IOException {
        long[] hashes = Subject.hashes(ITEMS, 1);
        CountingBloom<Long> filter = filled(compact, hashes);
        for (long hash : hashes) {
            assertThat(filter.removeHash(hash)).isTrue();
        }
        assertThat(filter.itemsNow()).isZero();
        assertThat(bytes(filter)).isEqualTo(bytes(plan(compact, ITEMS).build()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsTheOthersWhenHalfIsRemoved(boolean compact) {
        long[] hashes = Subject.hashes(ITEMS, 2);
        CountingBloom<Long> filter = filled(compact, hashes);
        for (int i = 0; i < ITEMS; i += 2) {
            filter.removeHash(hashes[i]);
        }
        for (int i = 1; i < ITEMS; i += 2) {
            assertThat(filter.mightContainHash(hashes[i])).isTrue();
        }
        // Half as many items in as many counters: the error falls as in a Bloom filter of as many bits.
        double expected = BloomFormulas.falsePositives(filter.counters(), filter.hashes(), ITEMS / 2.0);
        assertThat(filter.errorNow()).isBetween(expected * 0.9, expected * 1.1);
        assertThat((double) filter.estimateDistinct()).isBetween(ITEMS * 0.48, ITEMS * 0.52);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesToRemoveWhatIsCertainlyNotThere(boolean compact) throws IOException {
        CountingBloom<Long> filter = filled(compact, Subject.hashes(ITEMS, 3));
        byte[] before = bytes(filter);
        int refused = 0;
        for (long hash : Subject.hashes(1_000, 4)) {
            if (!filter.mightContainHash(hash)) {
                assertThat(filter.removeHash(hash)).isFalse();
                refused++;
            }
        }
        assertThat(refused).isBetween(960, 1_000);
        assertThat(bytes(filter)).isEqualTo(before);
    }

    /** Counts above the truth are as likely as false positives: 1 % of 20,000, give or take 4σ. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void countsHowOftenAnItemIsThere(boolean compact) {
        long[] hashes = Subject.hashes(ITEMS, 5);
        CountingBloom<Long> filter = filled(compact, hashes);
        for (int times = 2; times <= 10; times++) {
            filter.addHash(hashes[0]);
            assertThat(filter.countHash(hashes[0])).isBetween((long) times, times + 2L);
        }
        int above = 0;
        for (int i = 1; i < ITEMS; i++) {
            assertThat(filter.countHash(hashes[i])).isPositive();
            above += filter.countHash(hashes[i]) > 1 ? 1 : 0;
        }
        double expected = filter.errorNow() * ITEMS;
        assertThat((double) above).isLessThan(expected + 4 * Math.sqrt(expected));
        assertThat(filter.itemsNow()).isEqualTo(ITEMS + 9);
        assertThat(filter.overfilled()).isFalse();
    }

    @Test
    void sticksAtSixteenAndIsNeverForgottenAgain() {
        CountingBloom<Long> filter = plan(false, 1_000).build();
        for (int i = 0; i < 16; i++) {
            filter.addHash(42);
        }
        assertThat(filter.countHash(42)).isEqualTo(16);
        assertThat(filter.stuck()).isEqualTo(filter.hashes());
        filter.addHash(42);
        for (int i = 0; i < 100; i++) {
            filter.removeHash(42);
        }
        assertThat(filter.mightContainHash(42)).isTrue();
        assertThat(filter.countHash(42)).isEqualTo(16);
        assertThat(filter.itemsNow()).isZero();
        assertThat(filter.describe().toString()).contains("stuck").contains("sticking chance");
    }

    @Test
    void forgetsExactlyWhatIsThereFifteenTimes() {
        CountingBloom<Long> filter = plan(false, 1_000).build();
        for (int i = 0; i < 15; i++) {
            filter.addHash(42);
        }
        for (int i = 0; i < 15; i++) {
            assertThat(filter.removeHash(42)).isTrue();
        }
        assertThat(filter.mightContainHash(42)).isFalse();
        assertThat(filter.load()).isZero();
    }

    @Test
    void opensAFilterWithStuckCountersAgain() throws IOException {
        CountingBloom<Long> filter = plan(false, 1_000).build();
        for (int i = 0; i < 40; i++) {
            filter.addHash(42);
        }
        for (int i = 0; i < 10; i++) {
            filter.removeHash(42);
        }
        CountingBloom<Long> opened = read(bytes(filter));
        assertThat(opened.itemsNow()).isEqualTo(30);
        assertThat(opened.stuck()).isEqualTo(filter.stuck());
    }

    @Test
    void countsOnInACompactFilterAndStopsAtItsEnd() throws IOException {
        CountingBloom<Long> filter = plan(true, 1_000).build();
        int most = 3 + OverflowTable.MAX_EXCESS;
        for (int i = 0; i < most; i++) {
            assertThat(filter.addHash(42)).isNotEqualTo(Added.FULL);
        }
        byte[] before = bytes(filter);
        assertThat(filter.addHash(42)).isEqualTo(Added.FULL);
        assertThat(bytes(filter)).isEqualTo(before);
        assertThat(filter.countHash(42)).isEqualTo(16_386);
        for (int i = 0; i < most; i++) {
            assertThat(filter.removeHash(42)).isTrue();
        }
        assertThat(filter.mightContainHash(42)).isFalse();
    }

    @Test
    void saysFullWhenTheOverflowTableIsAndChangesNothing() throws IOException {
        CountingBloom<Long> filter = plan(true, ITEMS).build();
        long[] hashes = Subject.hashes(2 * ITEMS, 6);
        int taken = filter.addHashes(hashes, 0, hashes.length);
        assertThat(taken).isBetween((int) (ITEMS * 1.04), (int) (ITEMS * 1.2));
        byte[] before = bytes(filter);
        int full = 0;
        for (int i = taken; i < hashes.length; i++) {
            CountingBloom<Long> copy = filter.copy();
            if (copy.addHash(hashes[i]) == Added.FULL) {
                assertThat(bytes(copy)).isEqualTo(before);
                full++;
            }
            if (full == 50) {
                break;
            }
        }
        assertThat(full).isEqualTo(50);
        for (int i = 0; i < taken; i++) {
            assertThat(filter.removeHash(hashes[i])).isTrue();
        }
        assertThat(filter.load()).isZero();
    }

    /** n: 300 filters of every size; the plan leaves six standard deviations. */
    @Test
    void hasRoomForWhatItWasPlannedFor() {
        for (int items : new int[] {1, 2, 3, 7, 20, 100, 1_000}) {
            for (double error : new double[] {0.3, 0.01, 0.000_01}) {
                for (int seed = 0; seed < 100; seed++) {
                    CountingBloom<Long> filter =
                            plan(true, items).falsePositives(error).build();
                    assertThat(filter.addHashes(Subject.hashes(items, seed), 0, items))
                            .isEqualTo(items);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void addsUpInAMerge(boolean compact) throws IOException {
        long[] hashes = Subject.hashes(ITEMS, 7);
        CountingBloom<Long> all = plan(compact, ITEMS).build();
        CountingBloom<Long> left = plan(compact, ITEMS).build();
        CountingBloom<Long> right = plan(compact, ITEMS).build();
        for (int i = 0; i < ITEMS; i++) {
            all.addHash(hashes[i]);
            (i % 3 == 0 ? left : right).addHash(hashes[i]);
        }
        assertThat(left.fits(right)).isTrue();
        left.merge(right);
        assertThat(left.itemsNow()).isEqualTo(ITEMS);
        for (long hash : hashes) {
            assertThat(left.countHash(hash)).isEqualTo(all.countHash(hash));
        }
        assertThat(read(bytes(left)).errorNow()).isEqualTo(all.errorNow());
        for (long hash : hashes) {
            assertThat(left.removeHash(hash)).isTrue();
        }
        assertThat(left.load()).isZero();
    }

    @Test
    void sticksInAMergeThatGoesBeyondSixteen() {
        CountingBloom<Long> left = plan(false, 1_000).build();
        CountingBloom<Long> right = plan(false, 1_000).build();
        for (int i = 0; i < 8; i++) {
            left.addHash(42);
            right.addHash(42);
        }
        left.merge(right);
        assertThat(left.countHash(42)).isEqualTo(16);
        assertThat(left.stuck()).isEqualTo(left.hashes());
    }

    @Test
    void refusesAMergeThatHasNoRoomAndChangesNothing() throws IOException {
        CountingBloom<Long> left = filled(true, Subject.hashes(ITEMS, 8));
        CountingBloom<Long> right = filled(true, Subject.hashes(ITEMS, 9));
        byte[] before = bytes(left);
        assertThat(left.fits(right)).isFalse();
        assertThatThrownBy(() -> left.merge(right))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no room for both");
        assertThat(bytes(left)).isEqualTo(before);
    }

    @Test
    void refusesAMergeOfAnotherShape() {
        CountingBloom<Long> filter = plan(false, 100).build();
        assertThatThrownBy(() -> filter.merge(plan(true, 100).build()))
                .hasMessageContaining("counting against counting2");
        assertThatThrownBy(() -> filter.merge(plan(false, 200).build())).hasMessageContaining("counters against");
        assertThatThrownBy(() -> filter.merge(
                        plan(false, 100).counters(filter.counters()).hashes(2).build()))
                .hasMessageContaining("hashes against 2");
        assertThat(filter.fits(plan(false, 200).build())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void handsOutTheBloomFilterOfWhatIsThere(boolean compact) throws IOException {
        long[] hashes = Subject.hashes(ITEMS, 10);
        CountingBloom<Long> filter = filled(compact, hashes);
        for (int i = ITEMS / 2; i < ITEMS; i++) {
            filter.removeHash(hashes[i]);
        }
        BloomFilter<Long> plain = BloomFilter.expecting(ITEMS)
                .of(Key.longs())
                .bits(filter.counters())
                .hashes(filter.hashes())
                .build();
        plain.addHashes(hashes, 0, ITEMS / 2);
        assertThat(bytes(filter.toBloom())).isEqualTo(bytes(plain));
    }

    @Test
    void takesFiveBitsACounterOrALittleMoreThanTwo() {
        assertThat(plan(false, 1_000_000).falsePositives(0.01).sizing().bitsPerItem())
                .isBetween(47.9, 48.2);
        assertThat(plan(true, 1_000_000).falsePositives(0.01).sizing().bitsPerItem())
                .isBetween(21.5, 22.1);
    }

    @Test
    void findsTheMostCountersThatFitTheMemory() {
        for (boolean compact : new boolean[] {false, true}) {
            for (long bytes : new long[] {10_000, 23_456, 50_000, 1_000_000}) {
                Sizing sizing = plan(compact, ITEMS).memoryBytes(bytes).sizing();
                assertThat(sizing.bytes()).isBetween(bytes * 9 / 10 - 100, bytes);
            }
        }
        assertThatThrownBy(() -> plan(false, ITEMS).memoryBytes(8).sizing())
                .hasMessageContaining("at most 8 are allowed");
    }

    @Test
    void refusesCountersAndHashesThatCannotBe() {
        assertThatThrownBy(() -> plan(false, 1).counters(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> plan(false, 1).hashes(256)).hasMessageContaining("got 256");
    }

    @Test
    void refusesFilesThatNoFilterCanHaveWritten() {
        long error = Double.doubleToRawLongBits(0.01);
        // A sticky filter of 64 counters and 1 hash: one word of bits, four of counts.
        assertRefused(Kind.COUNTING, new long[] {64, 1, 10, error, 1}, new long[] {0, 0, 0, 0, 0}, "items 1");
        assertRefused(
                Kind.COUNTING, new long[] {64, 1, 10, error, 2}, new long[] {1, 0x10, 0, 0, 0}, "without its bit");
        assertRefused(Kind.COUNTING, new long[] {60, 1, 10, error, 1}, new long[] {1L << 61, 0, 0, 0, 0}, "beyond");
        assertRefused(Kind.COUNTING, new long[] {64, 0, 10, error, 0}, new long[5], "hashes 0");
        assertRefused(Kind.COUNTING, new long[] {64, 1, 10, error, -1}, new long[5], "items -1");
        assertRefused(Kind.COUNTING, new long[] {65, 1, 10, error, 0}, new long[5], "words of payload");
        assertRefused(Kind.COUNTING, new long[] {64, 1, 10, error}, new long[5], "parameters");

        // A compact filter of 32 counters and 1 hash: one word of counters, eight of 16 slots; slot 1 is home of 2 and
        // 3.
        long three = 3L << 4;
        long entry = 1L << 32;
        assertRead(new long[] {32, 1, 10, error, 4, 2, 16}, new long[] {three, entry, 0, 0, 0, 0, 0, 0, 0});
        assertRefused(
                Kind.COUNTING2,
                new long[] {32, 1, 10, error, 3, 2, 16},
                new long[] {2L << 4, entry, 0, 0, 0, 0, 0, 0, 0},
                "slot 1");
        long strayed = (1L << 14 | 1) << 32;
        assertRefused(
                Kind.COUNTING2,
                new long[] {32, 1, 10, error, 4, 2, 16},
                new long[] {3, strayed << 32, strayed, 0, 0, 0, 0, 0, 0},
                "slot 3");
        assertRefused(
                Kind.COUNTING2,
                new long[] {32, 1, 10, error, 3, 2, 16},
                new long[] {three, 1L << 63, 0, 0, 0, 0, 0, 0, 0},
                "empty overflow slot 1");
        assertRefused(Kind.COUNTING2, new long[] {32, 1, 10, error, 0, 1, 16}, new long[9], "overflow slots 16");
        assertRefused(Kind.COUNTING2, new long[] {32, 1, 10, error, 0, 257, 16}, new long[9], "reach of 257");
    }

    private static void assertRefused(Kind kind, long[] parameters, long[] payload, String why) {
        assertThatThrownBy(() -> read(file(kind, parameters, payload)))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(why);
    }

    private static void assertRead(long[] parameters, long[] payload) {
        try {
            assertThat(read(file(Kind.COUNTING2, parameters, payload)).load()).isPositive();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] file(Kind kind, long[] parameters, long[] payload) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(kind, Key.longs(), payload.length * 8L, parameters).write(out, to -> to.longs(payload));
        return out.toByteArray();
    }

    private static CountingBloom<Long> read(byte[] bytes) throws IOException {
        return CountingBloom.readFrom(new ByteArrayInputStream(bytes), Key.longs(), 1 << 24);
    }

    private static byte[] bytes(HashFilter<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }
}
