package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.Golden;
import dev.perhaps.Perhaps;
import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.membership.quotient.QuotientCursor;
import dev.perhaps.membership.quotient.QuotientModel;
import dev.perhaps.membership.quotient.QuotientTable;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is a quotient filter's own, with keys. Its bits are tested in QuotientTableTest and QuotientTableProperty. */
class QuotientFilterTest {
    @TempDir
    Path folder;

    private static QuotientFilter.Plan<Long> plan(long items) {
        return QuotientFilter.expecting(items).falsePositives(0.01).of(Key.longs());
    }

    private static QuotientFilter<Long> filled(QuotientFilter.Plan<Long> plan, long... hashes) {
        QuotientFilter<Long> filter = plan.build();
        assertThat(filter.addHashes(hashes, 0, hashes.length)).isEqualTo(hashes.length);
        return filter;
    }

    @Test
    void takesExactlyThreeBitsMoreThanTheRemainderASlot() {
        for (long items : new long[] {1, 1_000, 123_456}) {
            QuotientFilter<Long> filter = plan(items).build();
            assertThat(filter.sizeBytes() * 8).isEqualTo(filter.slots() * (filter.remainderBits() + 3));
            assertThat(filter.range()).isEqualTo(filter.slots() << filter.remainderBits());
        }
        assertThat(plan(1_000_000).sizing().bitsPerItem()).isCloseTo(13.33, within(0.005));
        assertThat(plan(1_000_000).load(0.9).sizing().bitsPerItem()).isCloseTo(11.11, within(0.005));
    }

    @Test
    void countsAndForgetsEveryCopy() {
        QuotientFilter<Long> filter = plan(1_000).build();
        assertThat(filter.add(7L)).isEqualTo(Added.ADDED);
        assertThat(filter.add(7L)).isEqualTo(Added.PRESENT);
        assertThat(filter.add(7L)).isEqualTo(Added.PRESENT);
        assertThat(filter.add(8L)).isEqualTo(Added.ADDED);
        assertThat(filter.count(7L)).isEqualTo(3);
        assertThat(filter.itemsNow()).isEqualTo(4);
        assertThat(filter.distinctFingerprints()).isEqualTo(2);
        assertThat(filter.remove(7L)).isTrue();
        assertThat(filter.count(7L)).isEqualTo(2);
        assertThat(filter.remove(7L)).isTrue();
        assertThat(filter.remove(7L)).isTrue();
        assertThat(filter.remove(7L)).isFalse();
        assertThat(filter.mightContain(7L)).isFalse();
        assertThat(filter.count(8L)).isEqualTo(1);
    }

    @Test
    void isAfterRemovingAsIfItHadNeverBeenAdded() throws IOException {
        long[] kept = Subject.hashes(5_000, 1);
        long[] gone = Subject.hashes(2_000, 2);
        QuotientFilter<Long> filter = filled(plan(7_000), gone);
        filter.addHashes(kept, 0, kept.length);
        for (long hash : gone) {
            assertThat(filter.removeHash(hash)).isTrue();
        }
        assertThat(bytes(filter)).isEqualTo(bytes(filled(plan(7_000), kept)));
    }

    @Test
    void answersFullAtNineTenthsAndChangesNothing() throws IOException {
        QuotientFilter<Long> filter = plan(1_000).build();
        long[] hashes = Subject.hashes(2_000, 3);
        int taken = filter.addHashes(hashes, 0, hashes.length);
        assertThat(taken).isEqualTo(filter.slots() - (filter.slots() + 9) / 10).isBetween(1_200, 1_300);
        assertThat(filter.load()).isCloseTo(0.9, within(0.001));
        byte[] before = bytes(filter);
        assertThat(filter.addHash(hashes[0])).isEqualTo(Added.FULL);
        assertThat(bytes(filter)).isEqualTo(before);
        // A set needs no room for what it has.
        QuotientSet<Long> set = plan(1_000).asSet().build();
        int takenBySet = set.addHashes(hashes, 0, hashes.length);
        assertThat(set.addHash(hashes[0])).isEqualTo(Added.PRESENT);
        assertThat(set.addHash(hashes[takenBySet])).isEqualTo(Added.FULL);
    }

    @Test
    void growsAsOftenAsItWasPlannedToAndKeepsTheErrorAskedFor() {
        QuotientFilter<Long> filter = plan(1_000).growingTo(8_000).build();
        assertThat(filter.spareBits()).isEqualTo(3);
        long[] hashes = Subject.hashes(8_000, 4);
        int added = 0;
        int grown = 0;
        while (added < hashes.length) {
            added += filter.addHashes(hashes, added, hashes.length);
            if (added < hashes.length) {
                double error = filter.errorNow();
                assertThat(filter.grow()).isTrue();
                assertThat(filter.errorNow()).isEqualTo(error);
                grown++;
                assertThat(filter.sizing().items()).isEqualTo(1_000L << grown);
            }
        }
        assertThat(grown).isEqualTo(3);
        assertThat(filter.errorNow()).isLessThanOrEqualTo(0.01).isGreaterThan(0.005);
        assertThat(filter.spareBits()).isZero();
        long[] before = filter.table().words;
        assertThat(filter.grow()).isFalse();
        assertThat(filter.table().words).isSameAs(before);
        for (long hash : hashes) {
            assertThat(filter.mightContainHash(hash)).isTrue();
        }
        assertThat(filter.overfilled()).isFalse();
    }

    @Test
    void doesNotGrowUnlessPlanned() {
        assertThat(plan(1_000).build().grow()).isFalse();
        assertThat(plan(1_000).growingTo(1_000).build().spareBits()).isZero();
        assertThat(plan(1_000).growingTo(1_001).build().spareBits()).isEqualTo(1);
        assertThat(plan(1_000).growingTo(2_001).build().spareBits()).isEqualTo(2);
    }

    @Test
    void shrinksWhenMostIsGoneAndGrowsAgain() throws IOException {
        long[] hashes = Subject.hashes(4_000, 5);
        QuotientFilter<Long> filter = filled(plan(4_000), hashes);
        byte[] before = bytes(filter);
        assertThat(filter.shrink()).isFalse();
        assertThat(bytes(filter)).isEqualTo(before);
        for (int i = 1_500; i < hashes.length; i++) {
            filter.removeHash(hashes[i]);
        }
        long size = filter.sizeBytes();
        assertThat(filter.shrink()).isTrue();
        assertThat(filter.sizeBytes()).isLessThan(size * 3 / 5);
        assertThat(filter.sizing().items()).isEqualTo(2_000);
        for (int i = 0; i < 1_500; i++) {
            assertThat(filter.countHash(hashes[i])).isPositive();
        }
        assertThat(filter.grow()).isTrue();
        assertThat(bytes(filter)).isEqualTo(bytes(filled(plan(4_000), Arrays.copyOf(hashes, 1_500))));
    }

    @Test
    void handsOutItsFingerprintsInOrder() {
        long[] hashes = Subject.hashes(3_000, 6);
        QuotientFilter<Long> filter = filled(plan(3_000), hashes);
        filter.addHash(hashes[0]);
        long[] expected =
                Arrays.stream(hashes).map(filter::fingerprint).sorted().toArray();
        PrimitiveIterator.OfLong walk = filter.fingerprints();
        int seen = 0;
        boolean repeated = false;
        while (walk.hasNext()) {
            long fingerprint = walk.nextLong();
            if (!repeated
                    && seen > 0
                    && fingerprint == filter.fingerprint(hashes[0])
                    && fingerprint == expected[seen - 1]) {
                repeated = true;
            } else {
                assertThat(fingerprint).isEqualTo(expected[seen++]);
            }
        }
        assertThat(repeated).isTrue();
        assertThat(seen).isEqualTo(expected.length);
        assertThatThrownBy(walk::nextLong).isInstanceOf(NoSuchElementException.class);
        assertThat(plan(10).build().fingerprints().hasNext()).isFalse();
    }

    @Test
    void isAfterAMergeTheFilterOfBothWithTheSumOfTheErrors() throws IOException {
        long[] left = Subject.hashes(5_000, 7);
        long[] right = Subject.hashes(5_000, 8);
        right[0] = left[0];
        long[] both = Arrays.copyOf(left, 10_000);
        System.arraycopy(right, 0, both, 5_000, 5_000);

        QuotientFilter<Long> roomy = filled(plan(10_000), left);
        roomy.merge(filled(plan(10_000), right));
        assertThat(bytes(roomy)).isEqualTo(bytes(filled(plan(10_000), both)));
        assertThat(roomy.countHash(left[0])).isEqualTo(2);

        // Each full already: the sum takes twice the slots, and a bit of the remainder that was not spare.
        QuotientFilter<Long> one = filled(plan(5_000), left);
        QuotientFilter<Long> other = filled(plan(5_000), right);
        double sum = one.errorNow() + other.errorNow();
        int bits = one.remainderBits();
        assertThat(one.fits(other)).isTrue();
        one.merge(other);
        assertThat(one.remainderBits()).isEqualTo(bits - 1);
        assertThat(one.errorNow()).isCloseTo(sum, within(sum * 0.02)).isLessThan(sum);
        assertThat(one.sizing().items()).isEqualTo(10_000);
        assertThat(other.itemsNow()).isEqualTo(5_000);
        for (long hash : both) {
            assertThat(one.mightContainHash(hash)).isTrue();
        }
    }

    @Test
    void mergesManyThatHaveGrownDifferently() throws IOException {
        QuotientFilter.Plan<Long> plan = plan(1_000).growingTo(16_000);
        QuotientFilter<Long> target = filled(plan, Subject.hashes(900, 10));
        QuotientFilter<Long> expected = filled(plan, Subject.hashes(900, 10));
        assertThat(expected.grow()).isTrue();
        assertThat(expected.grow()).isTrue();
        assertThat(expected.grow()).isTrue();
        List<QuotientFilter<Long>> others = List.of(
                filled(plan, Subject.hashes(1_000, 11)),
                plan.build(),
                plan.build(),
                filled(plan, Subject.hashes(5, 12)));
        assertThat(others.get(1).grow()).isTrue();
        others.get(1).addHashes(Subject.hashes(2_000, 13), 0, 2_000);
        assertThat(others.get(2).grow()).isTrue();
        assertThat(others.get(2).grow()).isTrue();
        others.get(2).addHashes(Subject.hashes(3_500, 14), 0, 3_500);
        target.mergeAll(others);
        for (int seed = 11; seed <= 14; seed++) {
            long[] hashes = Subject.hashes(new int[] {1_000, 5, 2_000, 3_500}[seed - 11], seed);
            expected.addHashes(hashes, 0, hashes.length);
        }
        assertThat(bytes(target)).isEqualTo(bytes(expected));
        target.mergeAll(List.of());
        assertThat(bytes(target)).isEqualTo(bytes(expected));
    }

    @Test
    void mergesSetsIntoTheUnionWithoutGrowingForWhatTheyShare() throws IOException {
        long[] hashes = Subject.hashes(6_000, 15);
        QuotientSet<Long> one = plan(4_000).asSet().build();
        QuotientSet<Long> other = plan(4_000).asSet().build();
        one.addHashes(hashes, 0, 3_800);
        other.addHashes(hashes, 200, 4_000);
        long slots = one.slots();
        one.merge(other);
        QuotientSet<Long> union = plan(4_000).asSet().build();
        union.addHashes(hashes, 0, 4_000);
        assertThat(bytes(one)).isEqualTo(bytes(union));
        QuotientSet<Long> third = plan(4_000).asSet().build();
        third.addHashes(hashes, 2_000, 6_000);
        one.merge(third);
        assertThat(one.slots()).isEqualTo(2 * slots);
        assertThat(one.itemsNow()).isEqualTo(one.distinctFingerprints()).isBetween(5_900L, 6_000L);
    }

    @Test
    void namesTheFirstDifferenceThatForbidsAMerge() {
        QuotientFilter<Long> filter = plan(1_000).build();
        assertThat(filter.fits(plan(1_000).build())).isTrue();
        QuotientFilter<Long> wider = plan(2_000).build();
        assertThat(filter.fits(wider)).isFalse();
        assertThatThrownBy(() -> filter.merge(wider))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fingerprints below " + filter.range() + " against " + wider.range());
        QuotientFilter<Long> seeded = plan(1_000).of(Key.longs().seeded(3)).build();
        assertThatThrownBy(() -> filter.merge(seeded)).hasMessageContaining("seed 3");

        // No bit of the remainder is left to make room with.
        QuotientFilter.Plan<Long> coarse =
                QuotientFilter.expecting(48).falsePositives(0.4).of(Key.longs());
        QuotientFilter<Long> full = filled(coarse, Subject.hashes(57, 16));
        assertThat(full.remainderBits()).isEqualTo(1);
        assertThatThrownBy(() -> full.merge(filled(coarse, Subject.hashes(57, 17))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("114 fingerprints together");
        assertThat(full.itemsNow()).isEqualTo(57);
    }

    @Test
    void refusesImpossiblePlans() {
        assertThatThrownBy(() -> plan(1_000).growingTo(999))
                .hasMessageContaining("growingTo must be at least the 1000 items expected, got 999");
        for (double load : new double[] {0, -1, 0.91, Double.NaN}) {
            assertThatThrownBy(() -> plan(1_000).load(load))
                    .hasMessageContaining("load must be in (0, 0.9], got " + load);
        }
        assertThatThrownBy(() -> plan(1_000_000).falsePositives(1e-15).sizing())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("accept a higher error");
        assertThatThrownBy(() -> plan(1L << 40).sizing())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("split the set");
        assertThatThrownBy(() -> plan(1L << 20).growingTo(Long.MAX_VALUE).sizing())
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** α: 4σ both sides is 1 in 16,000. After growing twice; n: a million absent keys. */
    @Test
    void statesTheErrorThatIsMeasuredAfterGrowing() {
        QuotientFilter<Long> filter = filled(plan(20_000).growingTo(80_000), Subject.hashes(20_000, 18));
        assertThat(filter.grow()).isTrue();
        assertThat(filter.grow()).isTrue();
        filter.addHashes(Subject.hashes(60_000, 19), 0, 60_000);
        int asks = 1_000_000;
        double stated = filter.errorNow();
        double found = filter.mightContainHashes(Subject.hashes(asks, 20), 0, asks, new long[asks / 64 + 1]);
        assertThat(found).isCloseTo(stated * asks, within(4 * Math.sqrt(stated * (1 - stated) * asks)));
    }

    @Test
    void opensAsWhatItWas() throws IOException {
        Path filter = folder.resolve("filter");
        Path set = folder.resolve("set");
        filled(plan(100).growingTo(1_000), 1, 2, 3).save(filter);
        plan(100).asSet().build().save(set);
        assertThat(QuotientFilter.open(filter, Key.longs()).spareBits()).isEqualTo(4);
        assertThat(QuotientFilter.open(filter, Key.longs()).grow()).isTrue();
        assertThat(Perhaps.openFilter(filter, Key.longs())).isInstanceOf(HashFilter.Removes.class);
        assertThat(Perhaps.openFilter(set, Key.longs())).isNotInstanceOf(HashFilter.Removes.class);
        assertThatThrownBy(() -> QuotientFilter.open(set, Key.longs()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("open it as a QuotientSet");
        assertThatThrownBy(() -> QuotientSet.open(filter, Key.longs()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("open it as a QuotientFilter");
    }

    @Test
    void readsAndWritesTheFirstVersion() throws IOException {
        long[] hashes = Subject.hashes(100, 24);
        QuotientFilter<Long> written = filled(plan(100).growingTo(300), hashes);
        written.addHash(hashes[0]);
        QuotientFilter<?> read = (QuotientFilter<?>) Golden.check("quotient-1", written);
        assertThat(read.countHash(hashes[0])).isEqualTo(2);
        assertThat(read.spareBits()).isEqualTo(2);
    }

    /** Checksums are right, metadata is not: each must be refused, and none may run forever. */
    @Test
    void refusesCraftedTables() throws IOException {
        QuotientFilter<Long> filter = filled(plan(150), Subject.hashes(160, 21));
        QuotientTable table = filter.table();
        SplittableRandom random = new SplittableRandom(22);
        int refused = 0;
        for (int round = 0; round < 10_000; round++) {
            long[] words = table.words.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                words[random.nextInt(words.length)] ^= 1L << random.nextInt(64);
            }
            try {
                QuotientTable accepted = crafted(filter, table.range, table.used(), table.distinct(), words)
                        .table();
                // What passes must be a table like any other: the one that its own fingerprints make.
                QuotientModel model = new QuotientModel(table.range);
                new QuotientCursor(accepted).forEachRemaining((long each) -> model.add(each));
                model.assertIs(accepted, true);
            } catch (FormatException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(5_000);
    }

    @Test
    void refusesCraftedParameters() throws IOException {
        QuotientFilter<Long> filter = filled(plan(150), Subject.hashes(160, 23));
        QuotientTable table = filter.table();
        long[] words = table.words;
        crafted(filter, table.range, table.used(), table.distinct(), words);
        assertRefused("slots in use", filter, table.range, table.used() + 1, table.distinct(), words);
        assertRefused("slots in use", filter, table.range, table.slots, table.distinct(), words);
        assertRefused("different fingerprints", filter, table.range, table.used(), table.distinct() - 1, words);
        assertRefused("a range of", filter, -1, table.used(), table.distinct(), words);
        assertRefused("a payload of", filter, table.range * 2, table.used(), table.distinct(), words);
        long[] full = new long[words.length];
        Arrays.fill(full, -1);
        assertRefused("slots in use", filter, table.range, table.slots, 1, full);
        // A range that is not a multiple of 2^r: the last slots of the last block do not exist, the last quotient is
        // cut.
        assertRefused("", filter, table.range - (20L << table.remainderBits), table.used(), table.distinct(), words);
    }

    private static void assertRefused(
            String message, QuotientFilter<Long> like, long range, long used, long distinct, long[] words) {
        assertThatThrownBy(() -> crafted(like, range, used, distinct, words))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(message);
    }

    @CanIgnoreReturnValue
    private static Quotient<Long> crafted(QuotientFilter<Long> like, long range, long used, long distinct, long[] words)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(
                        Kind.QUOTIENT,
                        like.key(),
                        words.length * 8L,
                        range,
                        like.remainderBits(),
                        0,
                        0,
                        used,
                        distinct,
                        100,
                        Double.doubleToRawLongBits(0.01))
                .write(out, payload -> payload.longs(words));
        return QuotientFilter.readFrom(new ByteArrayInputStream(out.toByteArray()), Key.longs(), 1 << 20);
    }

    private static byte[] bytes(HashFilter<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    @Test
    void theMemoryOfGrowingAndMergingIsKnownBefore() {
        QuotientFilter.Plan<Long> plan =
                QuotientFilter.expecting(1_000).growingTo(4_000).of(Key.longs());
        QuotientFilter<Long> one = plan.build();
        QuotientFilter<Long> other = plan.build();
        for (long i = 0; i < 1_000; i++) {
            one.add(i);
            other.add(i + 1_000);
        }
        QuotientFilter<Long> grown = one.copy();
        long bytes = grown.grownBytes();
        assertThat(grown.grow()).isTrue();
        assertThat(grown.sizeBytes()).isEqualTo(bytes).isGreaterThan(one.sizeBytes());
        assertThat(grown.grow()).isTrue();
        assertThat(grown.grownBytes()).isZero();
        assertThat(grown.grow()).isFalse();
        long merged = one.mergedBytes(List.of(other));
        one.merge(other);
        assertThat(one.sizeBytes()).isEqualTo(merged);
    }
}
