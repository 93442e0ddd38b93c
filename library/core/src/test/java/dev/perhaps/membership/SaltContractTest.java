package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Mergeable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a salt promises of every kind of filter: filters that hold the same keys err independently of each other if their
 * salts differ, and nothing else changes.
 */
class SaltContractTest {
    private static final int ITEMS = 20_000;
    private static final int ABSENT = 200_000;
    private static final double ERROR = 0.08;
    private static final long[] ABSENT_KEYS = Subject.hashes(ABSENT, 31);
    private static final long[][] SHARDS = {shard(0), shard(58)};
    private static final int[] SALTS = {0, 1, 2, 1_000, -1};

    @TempDir
    Path folder;

    static Stream<Subject> subjects() {
        return Subject.all();
    }

    static Stream<Subject> mergeable() {
        return Subject.all().filter(subject -> subject.full(ERROR, 1, 2, 3) instanceof Mergeable<?>);
    }

    static Stream<Arguments> mappable() {
        return Stream.of(
                Arguments.of(Kind.BLOOM, (Mapping) BloomFilter::map),
                Arguments.of(Kind.BLOCKED, (Mapping) BlockedBloom::map),
                Arguments.of(Kind.FUSE, (Mapping) FuseFilter::map));
    }

    /** How a kind is mapped. */
    private interface Mapping {
        HashFilter.Mapped<Long> map(Path file, Key<Long> key) throws IOException;
    }

    /**
     * Lift: the share of A's false positives that are B's too, over B's share of all absent keys. n = 200,000 absent keys, of
     * which at least 1,000 are false positives of each; joint ones within 4σ both sides of what independence gives, so α is
     * 1 in 16,000 per pair. The seeds are fixed.
     */
    @ParameterizedTest
    @MethodSource("subjects")
    void errIndependentlyWithDifferentSaltsAndTheSameKeys(Subject subject) {
        long[] keys = Subject.hashes(ITEMS, 30);
        long[][] errors = new long[SALTS.length][];
        for (int i = 0; i < SALTS.length; i++) {
            errors[i] = falsePositives(salted(subject, SALTS[i], keys));
        }
        for (int i = 0; i < SALTS.length; i++) {
            for (int j = 0; j < i; j++) {
                assertIndependent(SALTS[i] + " and " + SALTS[j], errors[i], errors[j]);
            }
        }
    }

    /** As above, where half of the keys are in both, and one filter is planned for twice as many as the other. */
    @ParameterizedTest
    @MethodSource("subjects")
    void errIndependentlyWithDifferentSaltsAndKeysInCommon(Subject subject) {
        long[] small = Subject.hashes(ITEMS, 32);
        long[] large = LongStream.concat(
                        Arrays.stream(small, 0, ITEMS / 2), Arrays.stream(Subject.hashes(ITEMS * 3 / 2, 33)))
                .toArray();
        assertIndependent(
                "levels 1 and 2", falsePositives(salted(subject, 1, small)), falsePositives(salted(subject, 2, large)));
    }

    /** The test above would notice if a salt did nothing. */
    @ParameterizedTest
    @MethodSource("subjects")
    void errTogetherWithTheSameSaltAndTheSameKeys(Subject subject) {
        long[] keys = Subject.hashes(ITEMS, 30);
        for (int salt : new int[] {0, 1}) {
            long[] one = falsePositives(salted(subject, salt, keys));
            long[] other = falsePositives(salted(subject, salt, keys));
            assertThat(lift(one, other)).isGreaterThan(2);
        }
    }

    /** Also of keys that a shard has chosen by their hash. 4σ both sides, α 1 in 16,000 per case. */
    @ParameterizedTest
    @MethodSource("subjects")
    void keepItsErrorWithAnySalt(Subject subject) {
        for (int shard = 0; shard < SHARDS.length; shard++) {
            long[] keys = Arrays.copyOf(SHARDS[shard], ITEMS);
            long[] absent = Arrays.copyOfRange(SHARDS[shard], ITEMS, SHARDS[shard].length);
            for (int salt : new int[] {1, 2, Integer.MIN_VALUE}) {
                HashFilter<Long> filter = salted(subject, salt, keys);
                assertThat(positives(filter, keys)).isEqualTo(keys.length);
                double stated = filter.errorNow();
                double expected = stated * absent.length;
                double deviation = Math.sqrt(expected * (1 - stated));
                assertThat((double) positives(filter, absent))
                        .as("salt %d, shard %d", salt, shard)
                        .isBetween(expected - 4 * deviation, expected + 4 * deviation);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void isStoredInTheFileAndShown(Subject subject) throws IOException {
        long[] keys = Subject.hashes(1_000, 37);
        for (int salt : new int[] {0, 5, -1}) {
            HashFilter<Long> filter = salted(subject, salt, keys);
            assertThat(filter.salt()).isEqualTo(salt);
            assertThat(filter.describe().toString()).containsPattern("(?m)^salt +" + salt + "$");
            assertThat(filter.copy().salt()).isEqualTo(salt);
            byte[] bytes = bytes(filter);
            HashFilter<?> read = (HashFilter<?>) Perhaps.readFrom(new ByteArrayInputStream(bytes), bytes.length);
            assertThat(read.salt()).isEqualTo(salt);
            assertThat(bytes(read)).isEqualTo(bytes);
            assertThat(falsePositives(read)).isEqualTo(falsePositives(filter));
            assertThat(positives(read, keys)).isEqualTo(keys.length);
        }
    }

    @ParameterizedTest
    @MethodSource("mappable")
    void isKeptWhereTheFileIsMapped(Kind kind, Mapping mapping) throws IOException {
        long[] keys = Subject.hashes(1_000, 39);
        HashFilter<Long> filter = salted(Subject.of(kind.word(), kind, 0), 5, keys);
        Path file = folder.resolve("filter");
        filter.save(file);
        HashFilter.Mapped<Long> mapped = mapping.map(file, Key.longs());
        assertThat(mapped.salt()).isEqualTo(5);
        assertThat(falsePositives(mapped)).isEqualTo(falsePositives(filter));
        assertThat(positives(mapped, keys)).isEqualTo(keys.length);
        assertThat(bytes(mapped)).isEqualTo(bytes(filter));
    }

    @ParameterizedTest
    @MethodSource("mergeable")
    void refusesToMergeDifferentSaltsAndStaysAsItIs(Subject subject) throws IOException {
        HashFilter<Long> one = salted(subject, 3, Subject.hashes(1_000, 41));
        HashFilter<Long> other = salted(subject, 4, Subject.hashes(1_000, 42));
        byte[] before = bytes(one);
        assertThat(fits(one, other)).isFalse();
        assertThatThrownBy(() -> merge(one, other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("salt 3 against salt 4");
        assertThat(bytes(one)).isEqualTo(before);
    }

    private static HashFilter<Long> salted(Subject subject, int salt, long... hashes) {
        return subject.plan()
                .apply(hashes.length)
                .falsePositives(ERROR)
                .salt(salt)
                .buildFrom(Hashes.of(hashes));
    }

    /** Which absent keys it says "perhaps" to, a bit each. */
    private static long[] falsePositives(HashFilter<?> filter) {
        long[] perhaps = new long[(ABSENT + 63) / 64];
        int found = filter.mightContainHashes(ABSENT_KEYS, 0, ABSENT, perhaps);
        assertThat(BitSet.valueOf(perhaps).cardinality()).isEqualTo(found);
        return perhaps;
    }

    private static void assertIndependent(String which, long[] one, long[] other) {
        double a = count(one);
        double b = count(other);
        double expected = a * b / ABSENT;
        double deviation = Math.sqrt(expected * (1 - a / ABSENT) * (1 - b / ABSENT));
        assertThat(Math.min(a, b)).as(which).isGreaterThan(1_000);
        assertThat((double) count(both(one, other)))
                .as("%s: lift %.3f", which, lift(one, other))
                .isBetween(expected - 4 * deviation, expected + 4 * deviation);
    }

    private static double lift(long[] one, long[] other) {
        return (double) count(both(one, other)) * ABSENT / ((double) count(one) * count(other));
    }

    private static long[] both(long[] one, long[] other) {
        long[] both = one.clone();
        for (int i = 0; i < both.length; i++) {
            both[i] &= other[i];
        }
        return both;
    }

    private static long count(long[] bits) {
        return Arrays.stream(bits).map(Long::bitCount).sum();
    }

    /** Hashes that have the same six bits from bit {@code shift} on. */
    private static long[] shard(int shift) {
        return Arrays.stream(Subject.hashes(2 * ITEMS, 35))
                .map(hash -> hash & ~(63L << shift) | 17L << shift)
                .toArray();
    }

    private static long positives(HashFilter<?> filter, long[] hashes) {
        return filter.mightContainHashes(hashes, 0, hashes.length, new long[(hashes.length + 63) / 64]);
    }

    @SuppressWarnings("unchecked") // every Mergeable filter merges with its own kind
    private static void merge(HashFilter<Long> into, HashFilter<Long> other) {
        ((Mergeable<HashFilter<Long>>) into).merge(other);
    }

    @SuppressWarnings("unchecked") // as above
    private static boolean fits(HashFilter<Long> into, HashFilter<Long> other) {
        return ((Mergeable<HashFilter<Long>>) into).fits(other);
    }

    private static byte[] bytes(HashFilter<?> filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }
}
