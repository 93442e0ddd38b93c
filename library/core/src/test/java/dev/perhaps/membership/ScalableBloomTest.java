package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BloomShape;
import dev.perhaps.membership.bloom.BloomStage;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is the scalable filter's own: growing without breaking its promise. */
class ScalableBloomTest {
    private static ScalableBloom.Plan<Long> plan(long items, boolean guessed) {
        ScalableBloom.Plan<Long> plan = ScalableBloom.expecting(items).of(Key.longs());
        return guessed ? plan.guessed() : plan;
    }

    /** α: 4σ both sides. n: 1,000,000 absent keys at each size, of which the promise allows 10,000. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsItsPromiseHoweverManyItemsCome(boolean guessed) {
        long[] hashes = Subject.hashes(300_000, 1);
        long[] absent = Subject.hashes(1_000_000, 2);
        ScalableBloom<Long> filter = plan(1_000, guessed).falsePositives(0.01).build();
        int added = 0;
        for (int until : new int[] {1_000, 3_000, 10_000, 100_000, 300_000}) {
            filter.addHashes(hashes, added, until);
            added = until;
            for (int i = 0; i < added; i++) {
                assertThat(filter.mightContainHash(hashes[i])).isTrue();
            }
            double stated = filter.errorNow();
            assertThat(stated).isLessThanOrEqualTo(0.01);
            double deviation = Math.sqrt(stated * absent.length);
            long found = filter.mightContainHashes(absent, 0, absent.length, new long[absent.length / 64 + 1]);
            assertThat((double) found)
                    .isBetween(stated * absent.length - 4 * deviation, stated * absent.length + 4 * deviation);
            assertThat((double) filter.itemsNow()).isBetween(added * 0.97, added * 1.03);
            assertThat(filter.overfilled()).isFalse();
        }
        assertThat(filter.stages()).isEqualTo(9);
        assertThat(filter.errorPromised()).isEqualTo(0.01);
    }

    /** n: 50 filters of every size; the plan leaves room for all but one in a million. */
    @Test
    void takesItsPlannedItemsInOneStage() {
        for (int items : new int[] {1, 2, 3, 5, 10, 30, 100, 1_000, 5_000}) {
            for (double error : new double[] {0.9, 0.5, 0.1, 0.01, 0.000_01, 1e-9, 1e-15}) {
                for (int seed = 0; seed < 50; seed++) {
                    ScalableBloom<Long> filter =
                            plan(items, false).falsePositives(error).build();
                    filter.addHashes(Subject.hashes(items, seed), 0, items);
                    assertThat(filter.stages())
                            .as("%d items at %s", items, error)
                            .isOne();
                    assertThat(filter.errorNow()).isLessThanOrEqualTo(error);
                }
            }
        }
    }

    @Test
    void opensTheNextStageSoonAfterThePlannedItems() {
        ScalableBloom<Long> filter = plan(10_000, false).build();
        long[] hashes = Subject.hashes(11_000, 3);
        filter.addHashes(hashes, 0, 10_000);
        assertThat(filter.stages()).isOne();
        filter.addHashes(hashes, 10_000, 11_000);
        assertThat(filter.stages()).isEqualTo(2);
        assertThat(filter.sizing()).isEqualTo(plan(10_000, false).sizing());
    }

    @Test
    void addsNothingTwice() {
        ScalableBloom<Long> filter = plan(100, false).build();
        long[] hashes = Subject.hashes(5_000, 4);
        filter.addHashes(hashes, 0, hashes.length);
        double load = filter.load();
        for (long hash : hashes) {
            assertThat(filter.addHash(hash)).isEqualTo(Added.PRESENT);
        }
        assertThat(filter.load()).isEqualTo(load);
    }

    /** The figures of the class opening, stages filled to the end. */
    @Test
    void takesTheBitsThatItSays() {
        assertThat(plan(1_000_000, false).falsePositives(0.01).sizing().bitsPerItem())
                .isBetween(9.7, 9.8);
        assertThat(plan(1_000_000, true).falsePositives(0.01).sizing().bitsPerItem())
                .isBetween(11.0, 11.1);
        assertThat(bitsPerItem(3, false)).isBetween(15.2, 15.8);
        assertThat(bitsPerItem(15, false)).isBetween(18.2, 18.9);
        assertThat(bitsPerItem(15, true)).isBetween(14.3, 14.9);
    }

    private static double bitsPerItem(int times, boolean guessed) {
        int items = 20_000;
        ScalableBloom<Long> filter = plan(items, guessed).falsePositives(0.01).build();
        filter.addHashes(Subject.hashes(items * times, 5), 0, items * times);
        return filter.sizeBytes() * 8.0 / (items * times);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void goesOnGrowingAfterSavingAndOpening(boolean guessed) throws IOException {
        long[] hashes = Subject.hashes(50_000, 6);
        ScalableBloom<Long> filter = plan(1_000, guessed).build();
        filter.addHashes(hashes, 0, 20_000);
        ScalableBloom<Long> opened = read(bytes(filter));
        ScalableBloom<Long> copy = filter.copy();
        filter.addHashes(hashes, 20_000, 50_000);
        opened.addHashes(hashes, 20_000, 50_000);
        copy.addHashes(hashes, 20_000, 50_000);
        assertThat(bytes(opened)).isEqualTo(bytes(filter));
        assertThat(bytes(copy)).isEqualTo(bytes(filter));
    }

    @Test
    void answersABatchOverAllStagesAsOneByOne() {
        long[] hashes = Subject.hashes(30_000, 7);
        ScalableBloom<Long> filter = plan(500, false).falsePositives(0.05).build();
        filter.addHashes(hashes, 0, 20_000);
        long[] answers = new long[(hashes.length + 63) / 64];
        int found = filter.mightContainHashes(hashes, 0, hashes.length, answers);
        int expected = 0;
        for (int i = 0; i < hashes.length; i++) {
            boolean single = filter.mightContainHash(hashes[i]);
            assertThat((answers[i >>> 6] >>> i & 1) == 1).isEqualTo(single);
            expected += single ? 1 : 0;
        }
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void saysFullAfterItsLastStageAndChangesNothing() throws IOException {
        ScalableBloom.Promise promise = new ScalableBloom.Promise(0.5, 0.5);
        List<BloomStage> stages = new ArrayList<>();
        for (int i = 0; i < ScalableBloom.MAX_STAGES; i++) {
            stages.add(BloomStage.empty(i, new BloomShape(64, 5), 0.005));
        }
        Sizing sizing = new Sizing(Kind.SCALABLE, 4, 0.1, 8, 0);
        ScalableBloom<Long> filter = new ScalableBloom<>(Key.longs(), 0, sizing, promise, stages);
        long[] hashes = Subject.hashes(1_000, 8);
        int taken = filter.addHashes(hashes, 0, hashes.length);
        assertThat(taken).isLessThan(100);
        byte[] before = bytes(filter);
        assertThat(filter.addHash(hashes[taken])).isEqualTo(Added.FULL);
        assertThat(bytes(filter)).isEqualTo(before);
        assertThat(filter.stages()).isEqualTo(64);
    }

    @Test
    void saysFullWhereNoErrorIsLeftToShare() throws IOException {
        BloomShape shape = new BloomShape(8_192, 255);
        List<BloomStage> stages = new ArrayList<>(List.of(BloomStage.empty(0, shape, 9e-321)));
        Sizing sizing = new Sizing(Kind.SCALABLE, 1, 1e-320, 1_024, 0);
        ScalableBloom<Long> filter =
                new ScalableBloom<>(Key.longs(), 0, sizing, new ScalableBloom.Promise(1e-320, 15.0 / 16), stages);
        long[] hashes = Subject.hashes(10_000, 9);
        assertThat(filter.addHashes(hashes, 0, hashes.length)).isBetween(1, hashes.length);
        assertThat(filter.errorNow()).isLessThanOrEqualTo(1e-320);
        assertThat(bytes(read(bytes(filter)))).isEqualTo(bytes(filter));
    }

    /** 1,000 items in 1 MiB: the promise came out as 0, and after one add everything was "perhaps". */
    @Test
    void isUsefulWithGenerousMemory() throws IOException {
        ScalableBloom<Long> filter = plan(1_000, false).memoryBytes(1 << 20).build();
        long[] hashes = Subject.hashes(3_000, 10);
        filter.addHashes(hashes, 0, 1);
        assertThat(filter.mightContainHashes(Subject.hashes(100_000, 11), 0, 100_000, new long[1_563]))
                .isZero();
        filter.addHashes(hashes, 1, 1_000);
        assertThat(filter.stages()).isOne();
        assertThat(filter.sizeBytes()).isEqualTo(1 << 20);
        assertThat(filter.errorNow()).isGreaterThan(0).isLessThanOrEqualTo(filter.errorPromised());
        assertThat(filter.errorPromised()).isLessThan(1e-15);
        filter.addHashes(hashes, 1_000, 3_000);
        assertThat(bytes(read(bytes(filter)))).isEqualTo(bytes(filter));
    }

    /** 1 item in 8 bytes opened a second stage, and wrote a file that was refused. n: 50 filters of each size. */
    @Test
    void takesItsPlannedItemsInOneStageOfAnyMemory() throws IOException {
        for (int items : new int[] {1, 2, 3, 10, 100}) {
            for (long bytes : new long[] {8, 16, 24, 40, 64, 100, 512, 4_096, 70_000}) {
                if (bytes < items) {
                    continue;
                }
                for (int seed = 0; seed < 50; seed++) {
                    ScalableBloom<Long> filter =
                            plan(items, seed % 2 == 0).memoryBytes(bytes).build();
                    filter.addHashes(Subject.hashes(items, seed), 0, items);
                    assertThat(filter.stages()).isOne();
                    assertThat(filter.sizeBytes()).isLessThanOrEqualTo(bytes);
                    assertThat(filter.errorNow()).isBetween(0.0, filter.errorPromised());
                    assertThat(bytes(read(bytes(filter)))).isEqualTo(bytes(filter));
                }
            }
        }
    }

    /** Items that an older stage takes for its own are counted too. n: 100,000 items in 8 stages at 10 %. α: 5σ of 0.6 %. */
    @Test
    void estimatesItsItemsAtAHighError() {
        ScalableBloom<Long> filter = plan(1_000, false).falsePositives(0.1).build();
        filter.addHashes(Subject.hashes(100_000, 12), 0, 100_000);
        assertThat((double) filter.itemsNow()).isBetween(97_000.0, 103_000.0);
    }

    @Test
    void refusesMemoryThatIsTooSmall() {
        assertThatThrownBy(() -> plan(1_000_000, false).memoryBytes(8).sizing())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8 bytes are too few for a scalable for 1,000,000 items");
    }

    @Test
    void refusesFilesThatNoFilterCanHaveWritten() {
        long error = Double.doubleToRawLongBits(0.01);
        long half = Double.doubleToRawLongBits(0.5);
        assertRefused(new long[] {3, error, half, half}, new long[0], "parameters 4");
        assertRefused(new long[] {3, error, half, half, 64, 2}, new long[1], "parameters 6");
        assertRefused(new long[] {0, error, half, half, 64, 2, 40}, new long[1], "planned items 0");
        assertRefused(new long[] {3, error, half, half, 64, 2, 50}, new long[1], "error by its stages");
        assertRefused(new long[] {3, error, half, half, 64, 2, 40, 64, 2, 40}, new long[2], "error by its stages");
        assertRefused(new long[] {3, error, half, half, 64, 2, 1}, new long[1], "limit of set bits 1");
        assertRefused(new long[] {3, error, half, half, 64, 2, 10}, new long[] {0x7FF}, "set bits 11");
        assertRefused(new long[] {3, error, half, half, 60, 2, 10}, new long[] {1L << 60}, "beyond bit 60");
        assertRefused(new long[] {3, error, 0, half, 64, 2, 10}, new long[1], "promised error");
        assertRefused(new long[] {3, error, half, 0, 64, 2, 10}, new long[1], "first part");
        assertRefused(new long[] {3, error, half, half, 1L << 40, 2, 10}, new long[1], "bits");
    }

    /** The next stage is made for a multiple of them: 276 bytes took all memory with the first add. */
    @Test
    void refusesFewBytesThatAnnounceManyItems() {
        long error = Double.doubleToRawLongBits(0.01);
        long half = Double.doubleToRawLongBits(0.5);
        assertRefused(new long[] {1L << 40, error, half, half, 64, 2, 40}, new long[1], "planned items 1099511627776");
        assertRefused(new long[] {200, error, half, half, 64, 2, 40}, new long[1], "planned items 200");
        long[] small = new long[4 + 3 * 40];
        System.arraycopy(new long[] {2, error, half, half}, 0, small, 0, 4);
        for (int at = 4; at < small.length; at += 3) {
            System.arraycopy(new long[] {64, 12, 32}, 0, small, at, 3);
        }
        assertRefused(small, new long[40], "planned items 2");
        long almostAll = Double.doubleToRawLongBits(Math.nextDown(1.0));
        assertRefused(new long[] {3, error, half, almostAll, 64, 2, 10}, new long[1], "first part");
    }

    private static void assertRefused(long[] parameters, long[] payload, String why) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThatThrownBy(() -> {
                    Frame.of(Kind.SCALABLE, Key.longs(), payload.length * 8L, parameters)
                            .write(out, to -> to.longs(payload));
                    read(out.toByteArray());
                })
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(why);
    }

    private static ScalableBloom<Long> read(byte[] bytes) throws IOException {
        return ScalableBloom.readFrom(new ByteArrayInputStream(bytes), Key.longs(), 1 << 24);
    }

    private static byte[] bytes(HashFilter<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    @Test
    void itStaysWithinALimitOfMemory() {
        ScalableBloom<Long> filter =
                ScalableBloom.expecting(1_000).of(Key.longs()).build();
        long most = 3 * filter.sizeBytes() + 1_000;
        long added = 0;
        while (filter.addHash(Key.longs().hash(added), most) != Added.FULL) {
            added++;
        }
        assertThat(filter.sizeBytes()).isLessThanOrEqualTo(most);
        assertThat(filter.addHash(Key.longs().hash(added))).isEqualTo(Added.ADDED);
        assertThat(filter.sizeBytes()).isGreaterThan(most);
    }
}
