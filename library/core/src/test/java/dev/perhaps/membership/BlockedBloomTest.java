package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is a blocked Bloom filter's own. */
class BlockedBloomTest {
    @TempDir
    Path folder;

    private static BlockedBloom<Long> of(int planned, double error, long... hashes) {
        BlockedBloom<Long> filter = BlockedBloom.expecting(planned)
                .falsePositives(error)
                .of(Key.longs())
                .build();
        filter.addHashes(hashes, 0, hashes.length);
        return filter;
    }

    /** The goals: 0.55 % in 12 bits per item and 0.16 % in 16. n = 4 M absent keys; 4σ both sides is 1 in 16,000. */
    @ParameterizedTest
    @CsvSource({"12, 0.0055", "16, 0.0016"})
    void needsNoMoreBitsThanPromised(int bitsPerItem, double promised) {
        int items = 1_000_000;
        BlockedBloom<Long> filter = BlockedBloom.expecting(items)
                .memoryBytes(items * (long) bitsPerItem / 8)
                .of(Key.longs())
                .build();
        filter.addHashes(Subject.hashes(items, 1), 0, items);
        assertThat(filter.sizing().bitsPerItem()).isLessThanOrEqualTo(bitsPerItem);
        assertThat(filter.sizing().error()).isLessThanOrEqualTo(promised);
        assertThat(filter.errorNow()).isLessThanOrEqualTo(promised);
        assertMeasuresWhatItStates(filter, 4_000_000, 2);
    }

    /** The error is read off the bits, so it holds at any load, and after a merge. α as above, in each of ten cases. */
    @ParameterizedTest
    @ValueSource(doubles = {0.3, 0.1, 0.03, 0.005, 0.0003})
    void statesItsErrorHalfFullAndOverfilled(double error) {
        int items = 100_000;
        BlockedBloom<Long> filter = of(items, error, Subject.hashes(items / 2, 3));
        assertMeasuresWhatItStates(filter, 4_000_000, 4);
        BlockedBloom<Long> more = of(items, error, Subject.hashes(items, 5));
        filter.merge(more);
        assertThat(filter.overfilled()).isTrue();
        assertThat(filter.itemsNow()).isBetween((long) (items * 1.48), (long) (items * 1.52));
        assertMeasuresWhatItStates(filter, 4_000_000, 6);
    }

    private static void assertMeasuresWhatItStates(BlockedBloom<Long> filter, int asks, long seed) {
        long[] absent = Subject.hashes(asks, seed);
        int found = filter.mightContainHashes(absent, 0, asks, new long[(asks + 63) / 64]);
        double stated = filter.errorNow();
        double deviation = Math.sqrt(stated * (1 - stated) * asks);
        assertThat((double) found).isBetween(stated * asks - 4 * deviation, stated * asks + 4 * deviation);
    }

    /**
     * Of small filters at a low error 3 to 6 in 100 stated more than was asked, up to 5.9 times as much. n: 200 filters of
     * each size, of which the plan allows 2 to be above. α: 4.3σ above.
     */
    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.001, 1e-4, 1e-5, 1e-6, 1e-7})
    void statesHardlyEverMoreThanWasAskedOfFewItems(double asked) {
        for (int items : new int[] {1, 2, 3, 5, 10, 30, 100, 150, 300}) {
            BlockedBloom<Long> empty = BlockedBloom.expecting(items)
                    .falsePositives(asked)
                    .of(Key.longs())
                    .build();
            int above = 0;
            for (int seed = 0; seed < 200; seed++) {
                BlockedBloom<Long> filter = empty.copy();
                filter.addHashes(Subject.hashes(items, 500 + seed), 0, items);
                above += filter.errorNow() > asked ? 1 : 0;
            }
            assertThat(above).as("%d items", items).isLessThanOrEqualTo(8);
        }
    }

    @Test
    void isAfterAMergeTheFilterOfTheUnion() throws IOException {
        long[] all = Subject.hashes(6_000, 7);
        BlockedBloom<Long> left = of(6_000, 0.01);
        BlockedBloom<Long> right = of(6_000, 0.01);
        left.addHashes(all, 0, 3_500);
        right.addHashes(all, 2_500, 6_000);
        left.merge(right);
        assertThat(words(left)).isEqualTo(words(of(6_000, 0.01, all)));
    }

    @Test
    void namesTheFirstDifferenceThatForbidsAMerge() {
        BlockedBloom<Long> filter = of(10_000, 0.01);
        assertThat(filter.fits(of(10_000, 0.01))).isTrue();
        assertThatThrownBy(() -> filter.merge(of(20_000, 0.01)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lines against");
        BlockedBloom<Long> otherBits = BlockedBloom.expecting(100)
                .memoryBytes(filter.sizeBytes())
                .of(Key.longs())
                .build();
        assertThatThrownBy(() -> filter.merge(otherBits)).hasMessageContaining("bits per item against 11");
    }

    @Test
    void answersTheSameFromAMap() throws IOException {
        long[] hashes = Subject.hashes(30_000, 8);
        BlockedBloom<Long> filter = of(30_000, 0.01, hashes);
        Path file = folder.resolve("filter");
        filter.save(file);
        HashFilter.Mapped<Long> mapped = BlockedBloom.map(file, Key.longs());
        mapped.verify();
        for (long hash : hashes) {
            assertThat(mapped.mightContainHash(hash)).isTrue();
        }
        for (long hash : Subject.hashes(30_000, 9)) {
            assertThat(mapped.mightContainHash(hash)).isEqualTo(filter.mightContainHash(hash));
        }
        assertThat(mapped.errorNow()).isEqualTo(filter.errorNow());
        assertThat(mapped.itemsNow()).isEqualTo(filter.itemsNow());
        assertThat(mapped.load()).isEqualTo(filter.load());
        assertThat(mapped.sizing()).isEqualTo(filter.sizing());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        mapped.writeTo(out);
        assertThat(out.toByteArray()).isEqualTo(Files.readAllBytes(file));
    }

    @Test
    void tellsADamagedMapWhenVerified() throws IOException {
        Path file = folder.resolve("filter");
        of(1_000, 0.01, Subject.hashes(1_000, 10)).save(file);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 100] ^= 4;
        Files.write(file, bytes);
        HashFilter.Mapped<Long> mapped = BlockedBloom.map(file, Key.longs());
        assertThatThrownBy(mapped::verify).isInstanceOf(FormatException.class).hasMessageContaining("checksum");
    }

    @Test
    void refusesMemoryThatHoldsNoLine() {
        assertThatThrownBy(() -> BlockedBloom.expecting(10).memoryBytes(63))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("memoryBytes must be at least 64, got 63");
        assertThat(BlockedBloom.expecting(10).memoryBytes(64).sizing().bytes()).isEqualTo(64);
    }

    @Test
    void refusesAnErrorThatNoFilterReaches() {
        assertThatThrownBy(() ->
                        BlockedBloom.expecting(1_000).falsePositives(1e-15).sizing())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1,000 items")
                .hasMessageContaining("need more than the 268,435,454 lines");
    }

    /** docs/format.md, followed by other means: an item's bits are where the page says, in two words of one line. */
    @ParameterizedTest
    @ValueSource(doubles = {0.4, 0.1, 0.03, 0.005, 0.0005, 0.00005})
    void putsBitsWhereTheFormatSays(double error) throws IOException {
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 200; round++) {
            long hash = random.nextLong();
            BlockedBloom<Long> filter = of(1_000, error, hash);
            int b = (filter.hashes() + 1) / 2;
            long[] expected = new long[(int) filter.lines() * 8];
            long x = hash * 0xA0761D6478BD642FL;
            x ^= x >>> 32;
            long high = x >>> 32;
            long low = x & 0xFFFFFFFFL;
            int first = (int) (high * expected.length >>> 32);
            int second = first ^ (int) (4 + (low >>> 30));
            expected[first] = table(1, b)[(int) (low % 2048)];
            expected[second] = table(2, Math.max(1, b - 1))[(int) (low / 2048 % 2048)];
            assertThat(words(filter)).isEqualTo(expected);
            assertThat(first / 8).isEqualTo(second / 8);
            assertThat(Long.bitCount(expected[first]) + Long.bitCount(expected[second]))
                    .isEqualTo(filter.hashes());
        }
    }

    /** The JDK's own SplitMix64 deals the cards here. */
    private static long[] table(int word, int bits) {
        SplittableRandom random = new SplittableRandom(16L * word + bits);
        long[] masks = new long[2048];
        int row = 0;
        while (row < masks.length) {
            int[] cards = new int[64];
            for (int i = 0; i < 64; i++) {
                cards[i] = i;
            }
            for (int n = 63; n >= 1; n--) {
                int other = (int) ((random.nextLong() >>> 32) * (n + 1) >>> 32);
                int card = cards[n];
                cards[n] = cards[other];
                cards[other] = card;
            }
            for (int i = 0; i + bits <= 64 && row < masks.length; i += bits) {
                for (int j = i; j < i + bits; j++) {
                    masks[row] |= 1L << cards[j];
                }
                row++;
            }
        }
        return masks;
    }

    /** Files of version 1 stay as they are: the digest of one that was written when it was new. */
    @Test
    void writesVersionOneAsItAlwaysDid() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        of(1_000, 0.01, Subject.hashes(1_000, 12)).writeTo(out);
        // No CRC: over a frame, which ends with its own, that is the same for every payload.
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(out.toByteArray());
        assertThat(HexFormat.of().formatHex(digest, 0, 8)).isEqualTo("7f6a1e32d9f2cd14");
    }

    @Test
    void refusesImpossibleParameters() throws IOException {
        long error = Double.doubleToRawLongBits(0.01);
        assertRefused("lines 0", 64, 0, 4, 10, error);
        assertRefused("a payload of 64", 64, 2, 4, 10, error);
        assertRefused("bits in the first word 0", 64, 1, 0, 10, error);
        assertRefused("bits in the first word 7", 64, 1, 7, 10, error);
        assertRefused("planned items 0", 64, 1, 4, 0, error);
        assertRefused("planned error 2.0", 64, 1, 4, 10, Double.doubleToRawLongBits(2));
        assertRefused("at least 4 parameters", 64, 1, 4, 10);
    }

    private static void assertRefused(String message, int payloadBytes, long... parameters) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.BLOCKED, Key.longs(), payloadBytes, parameters)
                .write(out, payload -> payload.longs(new long[payloadBytes / 8]));
        ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
        assertThatThrownBy(() -> BlockedBloom.readFrom(in, Key.longs(), 1_000))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(message);
    }

    static long[] words(HashFilter<Long> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        FrameReader in = FrameReader.open(new ByteArrayInputStream(out.toByteArray()), Long.MAX_VALUE);
        return in.longs(in.frame().payloadBytes() / Long.BYTES);
    }
}
