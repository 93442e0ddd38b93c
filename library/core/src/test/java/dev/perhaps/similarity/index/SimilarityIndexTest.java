package dev.perhaps.similarity.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Golden;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.Signature;
import dev.perhaps.similarity.index.DocumentIndex.Match;
import dev.perhaps.similarity.segments.IndexSegment;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.similarity.text.SetBuilder;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimilarityIndexTest {
    private static final MinHash<Long> MIN_HASH = MinHash.of(128).of(Key.longs());

    @TempDir
    private Path folder;

    /** Families of 200 hashes each: member i differs from the family's set in about i of them. */
    private static long[] set(int family, int member) {
        long[] hashes = new SplittableRandom(family).longs(200).toArray();
        SplittableRandom own = new SplittableRandom(1_000_003L * family + member);
        for (int i = 0; i < member; i++) {
            hashes[own.nextInt(hashes.length)] = own.nextLong();
        }
        return hashes;
    }

    private static Signature signature(long[] set) {
        return MIN_HASH.sign(set, 0, set.length);
    }

    private static SimilarityIndex index(boolean exact) {
        SimilarityIndex.Plan plan = SimilarityIndex.of(MIN_HASH);
        return (exact ? plan.exact() : plan).build();
    }

    private static String name(int family, int member) {
        return "family " + family + "/" + member;
    }

    /** What is asked of a document: its sorted set, and its signature as the index has it. */
    private static final class Known {
        final long[] set;
        final long[] cut;

        Known(long[] hashes) {
            this.set = new SetBuilder().build(hashes, hashes.length);
            this.cut = IndexShape.cut(signature(hashes).words());
        }
    }

    /** All documents that share a band with the signature and reach the threshold, by comparing with each. */
    private static List<Match> expected(
            Map<String, Known> documents, Known asked, double threshold, int limit, Banding banding, boolean exact) {
        List<Match> matches = new ArrayList<>();
        documents.forEach((name, other) -> {
            boolean shared = false;
            for (int band = 0; band < banding.bands(); band++) {
                shared |= IndexSegment.bandKey(asked.cut, band, banding.rows())
                        == IndexSegment.bandKey(other.cut, band, banding.rows());
            }
            double jaccard = exact
                    ? SetBuilder.jaccard(asked.set, other.set, 0)
                    : IndexShape.estimate(IndexShape.hits(asked.cut, other.cut, 128), 128);
            if (shared && jaccard >= threshold) {
                matches.add(new Match(name, jaccard, exact));
            }
        });
        matches.sort(Comparator.comparingDouble(Match::jaccard).reversed().thenComparing(Match::name));
        return matches.subList(0, Math.min(limit, matches.size()));
    }

    /** Adds and removes at random, through many segments, against a map; opened and mapped it answers the same. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void answersAsComparingWithEachDoes(boolean exact) throws IOException {
        SimilarityIndex index = index(exact);
        Map<String, Known> model = new TreeMap<>();
        SplittableRandom random = new SplittableRandom(7);
        for (int step = 0; step < 3_000; step++) {
            int family = random.nextInt(200);
            int member = random.nextInt(30);
            String name = name(family, member);
            if (random.nextInt(4) > 0) {
                assertThat(index.add(name, set(family, member))).isEqualTo(!model.containsKey(name));
                model.put(name, new Known(set(family, member)));
            } else {
                assertThat(index.remove(name)).isEqualTo(model.remove(name) != null);
            }
            if (step == 1_500) {
                Path file = folder.resolve("half");
                index.save(file);
                index = SimilarityIndex.open(file, Key.longs());
            }
        }
        assertThat(index.size()).isEqualTo(model.size());
        Path file = folder.resolve("index");
        index.save(file);
        assertThat(Files.size(file)).isEqualTo(index.fileBytes());
        SimilarityIndex opened = SimilarityIndex.open(file, Key.longs());
        DocumentIndex mapped = SimilarityIndex.map(file, Key.longs());
        mapped.verify();
        for (DocumentIndex each : List.of(index, opened, mapped)) {
            for (int family = 0; family < 200; family += 19) {
                long[] asked = set(family, 5);
                assertThat(each.query(asked, 0.7, 10))
                        .isEqualTo(expected(model, new Known(asked), 0.7, 10, each.banding(), exact));
                assertThat(each.query(signature(asked), 3))
                        .isEqualTo(expected(model, new Known(asked), 0.001, 3, each.banding(), false));
            }
            List<String> names = new ArrayList<>();
            each.forEach(entry -> names.add(entry.name()));
            assertThat(names).hasSameElementsAs(model.keySet()).hasSize(each.size());
            assertThat(each.contains("family 1000/1")).isFalse();
            for (String name : model.keySet()) {
                assertThat(each.entry(name)).hasValueSatisfying(entry -> {
                    assertThat(entry.cluster()).isEqualTo(name);
                    assertThat(entry.kept()).isTrue();
                });
            }
        }
        assertThat(bytes(opened)).isEqualTo(bytes(mapped)).isEqualTo(Files.readAllBytes(file));
        assertThat(opened.describe()).isEqualTo(mapped.describe());
    }

    /** 388 bytes and the name, as the class says; exact, 8 for each hash and 16 for the set. */
    @Test
    void takesTheBytesThatItSays() throws IOException {
        SimilarityIndex index = index(false);
        SimilarityIndex exact = index(true);
        long nameBytes = 0;
        for (int i = 0; i < 2_000; i++) {
            nameBytes += name(i, 0).length();
            index.add(name(i, 0), set(i, 0));
            exact.add(name(i, 0), set(i, 0));
        }
        double each = (index.fileBytes() - nameBytes) / 2_000.0;
        assertThat(each).isBetween(388.0, 388.2);
        assertThat((exact.fileBytes() - index.fileBytes()) / 2_000.0).isEqualTo(16 + 8 * 200);
        index.save(folder.resolve("index"));
        assertThat(SimilarityIndex.open(folder.resolve("index"), Key.longs()).sizeBytes())
                .isBetween(2_000 * 388 + nameBytes, 2_000 * 388 + nameBytes + 8);
    }

    @Test
    void aDocumentOfTheIndexIsAskedForByItsNameAndLeftOut() {
        for (boolean isExact : new boolean[] {false, true}) {
            SimilarityIndex index = index(isExact);
            for (int i = 0; i < 600; i++) {
                index.add(name(i, 0), set(i, 0));
            }
            index.add("again", set(7, 0));
            index.add("twice", set(7, 0));
            assertThat(index.query("again", 0.9, 10))
                    .extracting(DocumentIndex.Match::name)
                    .containsExactly(name(7, 0), "twice");
            assertThat(index.query(name(7, 0), 0.9, 1))
                    .extracting(DocumentIndex.Match::name)
                    .containsExactly("again");
            assertThat(index.query("nobody", 0.9, 10)).isEmpty();
            index.remove("again");
            assertThat(index.clusters(0.9, any -> {})).isEqualTo(List.of(List.of(name(7, 0), "twice")));
            assertThat(index.removed()).isOne();
            SimilarityIndex copy = index.copy();
            assertThat(copy.removed()).isZero();
            assertThat(copy.toBytes()).isEqualTo(index.toBytes());
            assertThat(copy.sizeBytes()).isLessThanOrEqualTo(index.sizeBytes());
            copy.add("again", set(7, 0));
            assertThat(index.contains("again")).isFalse();
            assertThat(index(isExact).copy().size()).isZero();
        }
    }

    /** Who is told the work may end it: a query before it compares, a search for groups after as many documents as it allows. */
    @Test
    void workIsToldBeforeItIsDone() {
        for (boolean isExact : new boolean[] {false, true}) {
            SimilarityIndex index = index(isExact);
            for (int i = 0; i < 600; i++) {
                index.add(name(i, 0), set(i / 300, 0));
            }
            long[] steps = new long[1];
            assertThat(index.query(set(0, 0), 0.9, 10, more -> steps[0] += more))
                    .hasSize(10);
            long words =
                    IndexShape.signatureWords(index.banding().components()) + (isExact ? 2L * set(0, 0).length : 0);
            assertThat(steps[0]).isBetween(300 * words, 2_000 * words);
            assertThat(index.query(name(0, 0), 0.9, 10, any -> {})).isEqualTo(index.query(name(0, 0), 0.9, 10));
            steps[0] = 0;
            assertThat(index.clusters(0.9, more -> steps[0] += more)).hasSize(2);
            assertThat(steps[0]).isGreaterThan(600 * 300 * words);
            LongConsumer refuses = more -> {
                steps[0] -= more;
                if (steps[0] < 0) {
                    throw new UnsupportedOperationException("too much");
                }
            };
            steps[0] = 1_000;
            assertThatThrownBy(() -> index.query(set(0, 0), 0.9, 10, refuses)).hasMessage("too much");
            steps[0] = 100_000;
            assertThatThrownBy(() -> index.clusters(0.9, refuses)).hasMessage("too much");
        }
    }

    /** What additions allocate is known before, also that of parts that are joined, and these can be limited. */
    @Test
    void additionsTakeNoMoreThanTheySay() {
        for (boolean isExact : new boolean[] {false, true}) {
            SimilarityIndex index = index(isExact);
            SimilarityIndex limited = index(isExact);
            limited.maxJoinedBytes(1_000_000);
            long most = 0;
            for (int i = 0; i < 5_000; i++) {
                long[] set = set(i, 0);
                String name = name(i, 0);
                long addition = index.additionBytes(name.length(), set.length);
                long size = index.sizeBytes() + addition;
                long growth = index.growthBytes(name.length(), set.length);
                assertThat(growth).isGreaterThanOrEqualTo(addition);
                if (i % 256 == 255) {
                    assertThat(growth).isGreaterThan(256 * addition / 2);
                }
                most = Math.max(most, limited.growthBytes(name.length(), set.length));
                index.add(name, set);
                limited.add(name, set);
                assertThat(index.sizeBytes())
                        .isLessThanOrEqualTo(
                                size + (long) Long.BYTES * index.banding().bands());
            }
            // The last 256 documents, twice, and what they are joined to.
            assertThat(most).isLessThan(1_000_000 + 2 * 256 * index.additionBytes(10, set(0, 0).length));
            assertThat(limited.toBytes()).isEqualTo(index.toBytes());
            assertThat(limited.copy().toBytes()).isEqualTo(index.toBytes());
            assertThat(limited.query(set(7, 0), 0.9, 10)).isEqualTo(index.query(set(7, 0), 0.9, 10));
            assertThatThrownBy(() -> limited.maxJoinedBytes(-1)).hasMessage("maxJoinedBytes must be 0 or more, got -1");
        }
    }

    /** Pairs that connect a chain: its ends are less alike than the threshold, and are in one group. */
    @Test
    void groupsAreWhatPairsConnectTheLargestFirst() {
        SimilarityIndex index = index(true);
        for (int i = 0; i < 300; i++) {
            long[] set = new long[200];
            for (int j = 0; j < set.length; j++) {
                set[j] = 1_000_000L * (i / 100) + i % 100 * (i < 100 ? 10L : 1_000L) + j;
            }
            index.add("d" + i, set);
        }
        List<List<String>> clusters = index.clusters(0.8, any -> {});
        assertThat(clusters).hasSize(1);
        assertThat(clusters.get(0)).hasSize(100).startsWith("d0").endsWith("d99");
    }

    /**
     * 2,000 pairs of sets at J = 0.8: found by a band with chance 0.998 (n = 2,000, 4 misses expected, more than 12 with
     * chance below 0.001); the estimate's error has the standard error of MinHash, within 10 % (α < 0.01).
     */
    @Test
    void findsAndEstimatesAsPlanned() {
        SimilarityIndex index = index(false);
        SplittableRandom random = new SplittableRandom(11);
        long[][] asked = new long[2_000][];
        for (int i = 0; i < asked.length; i++) {
            // 360 in both, 45 in each: J = 360 / 450.
            long[] all = random.longs(450).toArray();
            index.add("document " + i, Arrays.copyOfRange(all, 0, 405));
            asked[i] = Arrays.copyOfRange(all, 45, 450);
        }
        int found = 0;
        double squares = 0;
        for (int i = 0; i < asked.length; i++) {
            List<Match> matches = index.query(signature(asked[i]), 2);
            if (!matches.isEmpty() && matches.get(0).name().equals("document " + i)) {
                found++;
                squares += Math.pow(matches.get(0).jaccard() - 0.8, 2);
            }
        }
        assertThat(found).isBetween(1_988, 2_000);
        assertThat(Math.sqrt(squares / found))
                .isBetween(0.75 * MIN_HASH.standardError(0.8), 1.1 * MIN_HASH.standardError(0.8));
        assertThat(index.banding().chance(0.5)).isLessThan(0.4);
    }

    /** 20,000 copies of one document and 5,000 that share most of a template: a query stays short, and finds its like. */
    @Test
    @Timeout(60)
    void staysShortWhereThousandsAreAlike() {
        SimilarityIndex index = index(false);
        Signature same = signature(set(1, 0));
        for (int i = 0; i < 20_000; i++) {
            index.add("copy " + i, same);
        }
        for (int i = 0; i < 5_000; i++) {
            index.add("filled in " + i, set(2, 40 + i));
        }
        long start = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            assertThat(index.query(same, 0.8, 5))
                    .hasSize(5)
                    .allSatisfy(match -> assertThat(match.jaccard()).isOne());
            String name = "filled in " + 47 * i;
            assertThat(index.query(set(2, 40 + 47 * i), 0.8, 1)).containsExactly(new Match(name, 1, false));
        }
        assertThat((System.nanoTime() - start) / 1e9).as("seconds").isLessThan(20);
    }

    @Test
    void refusesWhatItCannotHold() {
        SimilarityIndex index = index(false);
        assertThat(index.add("one", set(1, 0))).isTrue();
        assertThat(index.add("one", set(2, 0))).isFalse();
        assertThat(index.remove("two")).isFalse();
        assertThatThrownBy(() -> index.add("", set(1, 0)))
                .hasMessage("a document's name must have 1 to 65535 bytes, got 0");
        assertThatThrownBy(
                        () -> index.add("other", MinHash.of(64).of(Key.longs()).sign(List.of(1L))))
                .hasMessageContaining("128 components against 64");
        assertThatThrownBy(() -> index.query(MinHash.of(128).sign(List.of("a")), 0.8, 1))
                .hasMessageContaining("key int64 with seed 0 against utf8 with seed 0");
        for (double threshold : new double[] {0, -1, 1.5, Double.NaN}) {
            assertThatThrownBy(() -> index.query(signature(set(1, 0)), threshold, 1))
                    .hasMessage("threshold must be in (0, 1], got " + threshold);
        }
        assertThatThrownBy(() -> index.query(signature(set(1, 0)), 0)).hasMessage("limit must be at least 1, got 0");
        assertThatThrownBy(() -> index(true).add("one", signature(set(1, 0))))
                .hasMessage("an exact index needs the hashes of 'one', not its signature");
        assertThat(index.size()).isOne();
        assertThat(index.query(signature(set(1, 0)), 1, 9)).containsExactly(new Match("one", 1, false));
    }

    private static SimilarityIndex small() {
        SimilarityIndex index = SimilarityIndex.of(MinHash.of(18).of(Key.longs()))
                .threshold(0.7)
                .recall(0.9)
                .exact()
                .build();
        for (int i = 0; i < 5; i++) {
            index.add("Zürich " + i, Arrays.copyOf(set(i / 2, i % 2), 12));
        }
        return index;
    }

    @Test
    void readsAndWritesTheFirstVersion() throws IOException {
        SimilarityIndex opened = (SimilarityIndex) Golden.check("similar-1", small());
        assertThat(opened.query(Arrays.copyOf(set(1, 0), 12), 0.9, 2)).contains(new Match("Zürich 2", 1, true));
    }

    @Test
    void refusesADamagedMap() throws IOException {
        byte[] whole = bytes(small());
        Path file = folder.resolve("damaged");
        for (int i = 0; i < whole.length; i += 7) {
            byte[] damaged = whole.clone();
            damaged[i] ^= 0x10;
            Files.write(file, damaged);
            assertThatThrownBy(() -> SimilarityIndex.map(file, Key.longs()).verify())
                    .isInstanceOf(FormatException.class);
        }
        for (int length = 0; length < whole.length; length += 11) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> SimilarityIndex.map(file, Key.longs())).isInstanceOf(FormatException.class);
        }
    }

    /** A map that nobody verified: it answers, or says that it is damaged, and neither hangs nor fails otherwise. */
    @Test
    @Timeout(60)
    void answersFromADamagedMapOrSaysThatItIs() throws IOException {
        SimilarityIndex index = index(true);
        for (int i = 0; i < 100; i++) {
            index.add(name(i / 3, i % 3), set(i / 3, i % 3));
        }
        byte[] whole = bytes(index);
        SplittableRandom random = new SplittableRandom(5);
        Path file = folder.resolve("damaged");
        int damaged = 0;
        for (int round = 0; round < 300; round++) {
            byte[] bytes = whole.clone();
            for (int i = 0; i < 40; i++) {
                bytes[256 + random.nextInt(whole.length - 260)] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(file, bytes);
            DocumentIndex mapped = SimilarityIndex.map(file, Key.longs());
            try {
                assertThat(mapped.query(set(round % 33, 1), 0.5, 10)).isNotNull();
                mapped.forEach(
                        entry -> assertThat(mapped.contains(entry.name())).isIn(true, false));
                assertThat(mapped.describe()).isNotNull();
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("the index is damaged: verify() it, and build it again");
                damaged++;
            }
        }
        assertThat(damaged).isBetween(10, 300);
    }

    @Test
    void refusesAnotherKeyAndAnotherSeed() throws IOException {
        Path file = folder.resolve("index");
        small().save(file);
        for (Key<?> other : List.of(
                Key.strings(), Key.longs().seeded(7), Shingles.codePoints(9).key())) {
            assertThatThrownBy(() -> SimilarityIndex.open(file, other))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("written with key 'int64' and seed 0, not with key '" + other.name());
            assertThatThrownBy(() -> SimilarityIndex.map(file, other)).isInstanceOf(FormatException.class);
        }
    }

    private static byte[] bytes(DocumentIndex index) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        index.writeTo(out);
        return out.toByteArray();
    }
}
