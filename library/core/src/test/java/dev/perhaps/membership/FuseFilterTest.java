package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Golden;
import dev.perhaps.hash.Mix;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.fuse.FuseBuild;
import dev.perhaps.membership.fuse.FuseIntake;
import dev.perhaps.membership.fuse.FuseShape;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FuseFilterTest {
    @TempDir
    Path folder;

    static IntStream everyWidth() {
        return IntStream.rangeClosed(1, 32);
    }

    private static FuseFilter<Long> filter(int width, long... hashes) {
        return FuseFilter.expecting(Math.max(1, hashes.length))
                .fingerprintBits(width)
                .of(Key.longs())
                .buildFrom(Hashes.of(hashes));
    }

    @Test
    void answersForTheValuesItIsMadeOf() {
        FuseFilter<String> known = FuseFilter.of(Key.strings(), List.of("Lisbon", "Oslo", "Rome"));
        assertThat(known.mightContain("Lisbon")).isTrue();
        assertThat(known.mightContain("Oslo")).isTrue();
        assertThat(known.mightContain("Rome")).isTrue();
        assertThat(known.mightContain("Berlin")).isFalse();
        assertThat(known.errorNow()).isEqualTo(1.0 / 256);
        assertThat(FuseFilter.of(Key.strings(), List.<String>of()).itemsNow()).isZero();
    }

    @ParameterizedTest
    @MethodSource("everyWidth")
    void answersTheSameInMemoryAndMappedForEveryWidth(int width) throws IOException {
        long[] hashes = Subject.hashes(3_000, width);
        FuseFilter<Long> filter = filter(width, hashes);
        Path file = folder.resolve("fuse");
        filter.save(file);
        FuseFilter<Long> opened = FuseFilter.open(file, Key.longs());
        HashFilter.Mapped<Long> mapped = FuseFilter.map(file, Key.longs());
        mapped.verify();
        for (long hash : hashes) {
            assertThat(filter.mightContainHash(hash)).isTrue();
            assertThat(opened.mightContainHash(hash)).isTrue();
            assertThat(mapped.mightContainHash(hash)).isTrue();
        }
        for (long hash : Subject.hashes(20_000, 99)) {
            boolean answer = filter.mightContainHash(hash);
            assertThat(opened.mightContainHash(hash)).isEqualTo(answer);
            assertThat(mapped.mightContainHash(hash)).isEqualTo(answer);
        }
        assertThat(mapped.errorNow()).isEqualTo(filter.errorNow()).isEqualTo(Math.pow(2, -width));
        assertThat(mapped.itemsNow()).isEqualTo(3_000);
        assertThat(mapped.load()).isEqualTo(filter.load());
        assertThat(mapped.sizing()).isEqualTo(filter.sizing());
        assertThat(bytes(mapped)).isEqualTo(bytes(filter));
    }

    /** α: 4σ both sides, 1 in 16,000 a case. n: enough absent hashes to expect 400 wrong answers, and 400,000 at least. */
    @ParameterizedTest
    @CsvSource({"1, 20", "1, 100000", "4, 100000", "8, 1000", "8, 100000", "8, 1000000", "13, 100000", "16, 100000"})
    void isWrongAsOftenAsItsFingerprintsSay(int width, int items) {
        FuseFilter<Long> filter = filter(width, Subject.hashes(items, 1));
        long asks = Math.max(400_000, 400L << width);
        long[] answers = new long[1 << 10];
        long asked = 0;
        long found = 0;
        for (; asked < asks; asked += 1 << 16) {
            found += filter.mightContainHashes(Subject.hashes(1 << 16, asked + 2), 0, 1 << 16, answers);
        }
        double expected = asked * filter.errorNow();
        double deviation = Math.sqrt(expected * (1 - filter.errorNow()));
        assertThat((double) found).isBetween(expected - 4 * deviation, expected + 4 * deviation);
    }

    /**
     * With fingerprints of 32 bits, a wrong answer cannot be waited for; but then every group of 10 of the 32 bits must agree by chance in
     * 1 of 1,024 cases. α: 4σ both sides for each of three groups.
     */
    @ParameterizedTest
    @CsvSource({"0", "11", "22"})
    void spreadsTheWholeLongFingerprint(int shift) {
        FuseShape shape = FuseShape.of(100_000, 32);
        FuseBuild.Solution found = FuseBuild.solve(shape, 0, Hashes.of(Subject.hashes(100_000, 1)), 100_000);
        int asks = 2_000_000;
        int agree = 0;
        for (long hash : Subject.hashes(asks, 2)) {
            agree += (difference(shape, found, hash) >>> shift & 1023) == 0 ? 1 : 0;
        }
        double expected = asks / 1024.0;
        assertThat((double) agree).isBetween(expected - 4 * Math.sqrt(expected), expected + 4 * Math.sqrt(expected));
    }

    private static int difference(FuseShape shape, FuseBuild.Solution found, long hash) {
        long x = Mix.with(FuseShape.multiplier(0, found.tries), hash);
        int first = FuseShape.first(x, shape.starts());
        return FuseShape.packedWide(found.fingerprints, first, 32)
                ^ FuseShape.packedWide(found.fingerprints, FuseShape.second(x, first, shape.segment()), 32)
                ^ FuseShape.packedWide(found.fingerprints, FuseShape.third(x, first, shape.segment()), 32)
                ^ FuseShape.fingerprint(x, 32);
    }

    /**
     * In small filters the slots of a value say much about its hash, and must say nothing about its fingerprint. n: 32
     * filters are asked for 2^18 absent hashes each. α: 4σ both sides over all, 5σ above for each filter.
     */
    @ParameterizedTest
    @CsvSource({"7, 10", "8, 10", "12, 1", "12, 10", "12, 50", "14, 10"})
    void errsNoMoreInSmallFiltersThanItsFingerprintsSay(int width, int items) {
        int filters = 32;
        int asks = 1 << 18;
        long[] absent = Subject.hashes(asks, 31);
        long[] answers = new long[asks / Long.SIZE];
        double expected = Math.scalb((double) asks, -width);
        long all = 0;
        for (int seed = 0; seed < filters; seed++) {
            long found = filter(width, Subject.hashes(items, 100 + seed)).mightContainHashes(absent, 0, asks, answers);
            assertThat((double) found).as("filter %d", seed).isLessThan(expected + 5 * Math.sqrt(expected));
            all += found;
        }
        double deviation = Math.sqrt(filters * expected);
        assertThat((double) all).isBetween(filters * expected - 4 * deviation, filters * expected + 4 * deviation);
    }

    /**
     * With fingerprints of 32 bits, a wrong answer cannot be waited for, so hashes are made that have a given fingerprint. The sums of
     * three slots take D different values, each the fingerprint of 2^32 hashes; the error is 2^−32 if of all those hashes
     * 1 in D has slots with that sum. n: 2^20 hashes for each of 16 filters. α: 4σ both sides.
     */
    @ParameterizedTest
    @CsvSource({"32, 5", "32, 20", "32, 50", "26, 50"})
    void errsNoMoreWithLongFingerprintsThanTheySay(int width, int items) {
        FuseShape shape = FuseShape.of(items, width);
        int filters = 16;
        int asks = 1 << 20;
        double ratio = 0;
        double variance = 0;
        for (int seed = 0; seed < filters; seed++) {
            FuseBuild.Solution found = FuseBuild.solve(shape, 0, Hashes.of(Subject.hashes(items, 200 + seed)), items);
            int[] sums = sums(shape, found);
            double hits = hits(shape, found, sums, asks, new SplittableRandom(300 + seed));
            ratio += hits * sums.length / asks / filters;
            variance += (double) sums.length / asks / filters / filters;
        }
        assertThat(ratio).isBetween(1 - 4 * Math.sqrt(variance), 1 + 4 * Math.sqrt(variance));
    }

    /** Of hashes with one of these sums as fingerprint, the number that have it as the sum of their slots. */
    private static int hits(FuseShape shape, FuseBuild.Solution found, int[] sums, int asks, SplittableRandom random) {
        int width = shape.fingerprintBits();
        long inverse = inverse(FuseShape.FINGERPRINT);
        int hits = 0;
        for (int i = 0; i < asks; i++) {
            int sum = sums[random.nextInt(sums.length)];
            long above = width == 32 ? 0 : random.nextLong() << 32 + width;
            long x = (above | (sum & 0xFFFFFFFFL) << 32 | random.nextLong() >>> 32) * inverse;
            if ((FuseShape.fingerprint(x, width) & shape.mask()) != sum) {
                throw new AssertionError("not a hash of this fingerprint");
            }
            hits += sum(shape, found, FuseShape.first(x, shape.starts()), x) == sum ? 1 : 0;
        }
        return hits;
    }

    /** Each sum of three slots that some hash has, once. */
    private static int[] sums(FuseShape shape, FuseBuild.Solution found) {
        int places = shape.segment() * shape.segment();
        int[] sums = new int[(int) shape.starts() * places];
        for (int i = 0; i < sums.length; i++) {
            long second = i / shape.segment() % shape.segment();
            long third = i % shape.segment();
            long x = second << FuseShape.SECOND_SHIFT | third << FuseShape.THIRD_SHIFT;
            sums[i] = sum(shape, found, i / places, x);
        }
        return Arrays.stream(sums).distinct().toArray();
    }

    private static int sum(FuseShape shape, FuseBuild.Solution found, int first, long x) {
        int width = shape.fingerprintBits();
        int sum = FuseShape.packedWide(found.fingerprints, first, width)
                ^ FuseShape.packedWide(found.fingerprints, FuseShape.second(x, first, shape.segment()), width)
                ^ FuseShape.packedWide(found.fingerprints, FuseShape.third(x, first, shape.segment()), width);
        return sum & shape.mask();
    }

    private static long inverse(long odd) {
        long inverse = odd;
        for (int rightBits = 3; rightBits < Long.SIZE; rightBits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }

    /**
     * What one filter is wrong about says nothing of a filter of other items that was planned alike. n: 40 pairs of filters
     * with 6 bits, 2^17 absent hashes each, 1 in 4,096 of which both have wrong; of the K triples of slots that there
     * are, 1 in 64 has the same sum in both, give or take. α: 4σ both sides.
     */
    @ParameterizedTest
    @CsvSource({"1", "5", "50"})
    void errsIndependentlyOfAFilterOfOtherItems(int items) {
        int pairs = 40;
        int asks = 1 << 17;
        long[] absent = Subject.hashes(asks, 32);
        long both = 0;
        for (int pair = 0; pair < pairs; pair++) {
            FuseFilter<Long> one = filter(6, Subject.hashes(items, 400 + 2 * pair));
            FuseFilter<Long> other = filter(6, Subject.hashes(items, 401 + 2 * pair));
            for (long hash : absent) {
                both += one.mightContainHash(hash) && other.mightContainHash(hash) ? 1 : 0;
            }
        }
        FuseShape shape = FuseShape.of(items, 6);
        double triples = shape.starts() * Math.scalb(1.0, 2 * shape.segmentBits());
        double expected = pairs * asks / 4096.0;
        double deviation = Math.sqrt(expected + pairs * Math.pow(asks / 64.0, 2) / 64 / triples);
        assertThat((double) both).isBetween(expected - 4 * deviation, expected + 4 * deviation);
    }

    @Test
    void buildsTheSmallestSets() {
        for (int items = 0; items <= 60; items++) {
            for (int seed = 0; seed < 20; seed++) {
                long[] hashes = Subject.hashes(items, seed);
                FuseFilter<Long> filter = filter(8, hashes);
                assertThat(filter.itemsNow()).isEqualTo(items);
                for (long hash : hashes) {
                    assertThat(filter.mightContainHash(hash)).isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"500", "5000", "100000"})
    void takesRepeatedItemsAsOne(int items) {
        long[] once = Subject.hashes(items, 3);
        byte[] expected = bytes(filter(8, once));
        FuseFilter.Plan<Long> plan =
                FuseFilter.expecting(items).fingerprintBits(8).of(Key.longs());

        long[] allTwice = Arrays.copyOf(once, 2 * items);
        System.arraycopy(once, 0, allTwice, items, items);
        assertThat(bytes(plan.buildFrom(Hashes.of(allTwice)))).isEqualTo(expected);

        long[] oneOften = Arrays.copyOf(once, items + 1_000);
        Arrays.fill(oneOften, items, oneOften.length, once[7]);
        FuseFilter<Long> filter = plan.buildFrom(Hashes.of(oneOften));
        assertThat(bytes(filter)).isEqualTo(expected);
        assertThat(filter.itemsNow()).isEqualTo(items);
    }

    /** The look before the first try sees only a sample: repeated hashes beyond it make the try fail, and are found then. */
    @Test
    void findsRepeatedItemsWherever() {
        long[] once = Subject.hashes(100_000, 4);
        FuseFilter.Plan<Long> plan = FuseFilter.expecting(110_000).of(Key.longs());
        byte[] expected = bytes(plan.buildFrom(Hashes.of(once)));
        for (int repeated = 0; repeated < 5; repeated++) {
            long[] hashes = Arrays.copyOf(once, once.length + 2);
            hashes[once.length] = once[repeated];
            hashes[once.length + 1] = once[repeated];
            assertThat(bytes(plan.buildFrom(Hashes.of(hashes)))).isEqualTo(expected);
        }
    }

    /** Counters of a byte would come round to 1: three hashes, each an odd number of times, 257 in all. */
    @Test
    void isNotMisledByManyRepetitions() {
        long[] three = Subject.hashes(3, 5);
        long[] hashes = new long[257];
        for (int i = 0; i < hashes.length; i++) {
            hashes[i] = three[i < 85 ? 0 : i < 170 ? 1 : 2];
        }
        FuseFilter<Long> filter = FuseFilter.expecting(3).of(Key.longs()).buildFrom(Hashes.of(hashes));
        assertThat(filter.itemsNow()).isEqualTo(3);
        for (long hash : three) {
            assertThat(filter.mightContainHash(hash)).isTrue();
        }
    }

    @Test
    void writesTheSameBytesInAnyOrderOnAnyNumberOfThreads() {
        for (int width : new int[] {7, 8, 16, 29}) {
            long[] hashes = Subject.hashes(200_000, 6);
            byte[] expected = bytes(filter(width, hashes));
            Random random = new Random(7);
            for (int threads : new int[] {1, 2, 3, 8}) {
                for (int i = hashes.length - 1; i > 0; i--) {
                    int j = random.nextInt(i + 1);
                    long swapped = hashes[i];
                    hashes[i] = hashes[j];
                    hashes[j] = swapped;
                }
                ForkJoinPool pool = new ForkJoinPool(threads);
                try {
                    byte[] bytes =
                            pool.submit(() -> bytes(filter(width, hashes))).join();
                    assertThat(bytes).as("%d threads", threads).isEqualTo(expected);
                } finally {
                    pool.shutdown();
                }
            }
        }
    }

    /** One set in fifty needs a second multiplier, small ones more often. */
    @Test
    void startsOverWithTheNextMultiplier() {
        FuseShape shape = FuseShape.of(10, 8);
        int over = 0;
        for (int seed = 0; seed < 2_000; seed++) {
            long[] hashes = Subject.hashes(10, seed);
            FuseBuild.Solution found = FuseBuild.solve(shape, 0, Hashes.of(hashes), 10);
            if (found.tries > 0) {
                over++;
                FuseFilter<Long> filter = filter(8, hashes);
                for (long hash : hashes) {
                    assertThat(filter.mightContainHash(hash)).isTrue();
                }
            }
        }
        assertThat(over).isBetween(20, 600);
    }

    /** In segments of one slot all items have the same three slots. */
    @Test
    void givesUpOnWhatCannotBeSolved() {
        FuseShape oneSlotSegments = new FuseShape(0, 3, 8);
        assertThatThrownBy(() -> FuseBuild.solve(oneSlotSegments, 0, Hashes.of(1, 2), 2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("for 2 hashes in 64 tries");
        assertThat(FuseBuild.solve(oneSlotSegments, 0, Hashes.of(1, 1), 2).items)
                .isEqualTo(1);
    }

    @Test
    void takesFewerItemsThanPlannedAndRefusesMore() {
        long[] hashes = Subject.hashes(1_000, 8);
        FuseFilter<Long> roomy = FuseFilter.expecting(5_000).of(Key.longs()).buildFrom(Hashes.of(hashes));
        assertThat(roomy.itemsNow()).isEqualTo(1_000);
        assertThat(roomy.sizeBytes()).isEqualTo(roomy.sizing().bytes());
        for (long hash : hashes) {
            assertThat(roomy.mightContainHash(hash)).isTrue();
        }
        assertThatThrownBy(() -> FuseFilter.expecting(999).of(Key.longs()).buildFrom(Hashes.of(hashes)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("planned for 999 items and was given at least 1000 different ones");
    }

    /** A source may only guess how many come: {@code count} is no promise. */
    @Test
    void takesMoreOrFewerHashesThanAnnounced() {
        long[] hashes = Subject.hashes(10_000, 10);
        FuseFilter.Plan<Long> plan = FuseFilter.expecting(10_000).of(Key.longs());
        byte[] expected = bytes(plan.buildFrom(Hashes.of(hashes)));
        for (long announced : new long[] {0, 1, 9_999, 1_000_000_000_000L}) {
            assertThat(bytes(plan.buildFrom(announcing(announced, 1, hashes)))).isEqualTo(expected);
        }
    }

    /** One hundred times each: what is taken in is at most twice what was planned. */
    @Test
    void throwsOutRepeatedItemsOnTheWay() {
        long[] hashes = Subject.hashes(10_000, 11);
        FuseFilter.Plan<Long> plan = FuseFilter.expecting(10_000).of(Key.longs());
        byte[] expected = bytes(plan.buildFrom(Hashes.of(hashes)));
        assertThat(bytes(plan.buildFrom(announcing(1_000_000, 100, hashes)))).isEqualTo(expected);
        FuseIntake intake = FuseIntake.of(announcing(1_000_000, 100, hashes), 10_000);
        assertThat(intake.hashes()).hasSize(20_000);
        assertThatThrownBy(() -> FuseFilter.expecting(4_000).buildFrom(announcing(1_000_000, 100, hashes)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("planned for 4000 items and was given at least 8000 different ones");
    }

    private static Hashes announcing(long count, int times, long... hashes) {
        return new Hashes() {
            @Override
            public long count() {
                return count;
            }

            @Override
            public void replay(Sink sink) {
                for (int i = 0; i < times; i++) {
                    sink.take(hashes, 0, hashes.length);
                }
            }
        };
    }

    @Test
    void refusesWhatItCannotPromise() {
        assertThatThrownBy(() -> FuseFilter.expecting(100).falsePositives(1e-12).sizing())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs fingerprints of 40 bits")
                .hasMessageContaining("at most 32");
        assertThatThrownBy(() -> FuseFilter.expecting(2_000_000_000).sizing())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2,000,000,000 items need more slots");
        assertThatThrownBy(() ->
                        FuseFilter.expecting(1_000_000_000).falsePositives(1e-6).sizing())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fingerprints of 20 bits need");
        assertThatThrownBy(() -> FuseFilter.expecting(100).fingerprintBits(33))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fingerprintBits must be in [1, 32], got 33");
        assertThatThrownBy(() -> FuseFilter.expecting(1_000).memoryBytes(100).sizing())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 100 are allowed");
        assertThat(FuseFilter.expecting(1_800_000_000)
                        .fingerprintBits(8)
                        .sizing()
                        .bytes())
                .isGreaterThan(1L << 30);
    }

    @Test
    void verifiesAMappedFile() throws IOException {
        Path file = folder.resolve("fuse");
        filter(8, Subject.hashes(1_000, 9)).save(file);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 100] ^= 1;
        Files.write(file, bytes);
        HashFilter.Mapped<Long> mapped = FuseFilter.map(file, Key.longs());
        assertThatThrownBy(mapped::verify).isInstanceOf(FormatException.class).hasMessageContaining("checksum");
        assertThatThrownBy(() -> FuseFilter.open(file, Key.longs())).isInstanceOf(FormatException.class);
        assertThatThrownBy(() -> FuseFilter.map(file, Key.strings()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("written with key 'int64'");
    }

    /** Version 1 on disk: 1,000 hashes with 12 bits. It must always be readable, and what is built today is the same. */
    @Test
    void readsItsFirstVersion() throws IOException {
        long[] hashes = Subject.hashes(1_000, 20);
        FuseFilter<?> read = (FuseFilter<?>) Golden.check("fuse-1", filter(12, hashes));
        for (long hash : hashes) {
            assertThat(read.mightContainHash(hash)).isTrue();
        }
    }

    private static byte[] bytes(HashFilter<Long> filter) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            filter.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
