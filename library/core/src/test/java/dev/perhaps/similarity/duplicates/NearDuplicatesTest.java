package dev.perhaps.similarity.duplicates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.Signature;
import dev.perhaps.similarity.search.DistinctTexts;
import dev.perhaps.similarity.search.ShingleSource;
import dev.perhaps.similarity.search.ShortSignatures;
import dev.perhaps.similarity.search.UnionFind;
import dev.perhaps.similarity.search.Verification;
import dev.perhaps.similarity.text.SetBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NearDuplicatesTest {
    private static final double THRESHOLD = 0.7;

    /** Families of texts: an original and edited copies of it, some exact, some beyond the threshold. */
    static List<String> corpus(int families, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> texts = new ArrayList<>(List.of("", "", "short", "short", "shorter"));
        for (int family = 0; family < families; family++) {
            String original = text(random, 20 + random.nextInt(400));
            texts.add(original);
            for (int copy = random.nextInt(5); copy > 0; copy--) {
                StringBuilder edited = new StringBuilder(original);
                for (int edit = random.nextInt(6); edit > 0; edit--) {
                    edited.insert(random.nextInt(edited.length()), text(random, random.nextInt(8)));
                }
                texts.add(edited.toString());
            }
        }
        return texts;
    }

    private static String text(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    static double jaccard(String a, String b) {
        return jaccard(set(a), set(b));
    }

    private static double jaccard(Set<Long> left, Set<Long> right) {
        Set<Long> both = new HashSet<>(left);
        both.retainAll(right);
        return (double) both.size() / (left.size() + right.size() - both.size());
    }

    private static Set<Long> set(String text) {
        Set<Long> set = new HashSet<>();
        for (long hash : Shingles.codePoints().hashes(text)) {
            set.add(hash);
        }
        return set;
    }

    /**
     * Against all pairs. Every edge is one, with its exact similarity; of some 150 true pairs of different texts, each found
     * with chance 0.99 at least, 97 % are (α < 0.02 if all were at the threshold; most lie well above).
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void findsWhatComparingAllPairsFinds(long seed) throws IOException {
        List<String> texts = corpus(45, seed);
        Clusters clusters = NearDuplicates.atLeast(THRESHOLD).run(Documents.of(texts));
        UnionFind components = new UnionFind(texts.size());
        clusters.edges().forEach(edge -> {
            assertThat(edge.jaccard()).isEqualTo(jaccard(texts.get(edge.a()), texts.get(edge.b())));
            assertThat(edge.jaccard()).isGreaterThanOrEqualTo(THRESHOLD);
            components.unite(edge.a(), edge.b());
        });
        List<Set<Long>> sets = texts.stream().map(NearDuplicatesTest::set).toList();
        int pairs = 0;
        int together = 0;
        for (int i = 0; i < texts.size(); i++) {
            for (int j = i + 1; j < texts.size(); j++) {
                boolean linked = components.find(i) == components.find(j);
                if (linked != (clusters.clusterOf(i) == clusters.clusterOf(j))) {
                    fail("clusters are not what edges connect, at %d and %d", i, j);
                }
                if (jaccard(sets.get(i), sets.get(j)) >= THRESHOLD) {
                    pairs++;
                    together += clusters.clusterOf(i) == clusters.clusterOf(j) ? 1 : 0;
                }
            }
        }
        assertThat(pairs).isGreaterThan(60);
        assertThat((double) together / pairs).isGreaterThan(0.97);
        assertThat(clusters.missed()).isBetween(0.0, pairs * 0.01 + 1);
        assertThat(clusters.missedShare()).isBetween(0.0, 0.01 + 1.0 / pairs);
        assertKeepsTheLongestOfEachCluster(clusters, texts);
    }

    private static void assertKeepsTheLongestOfEachCluster(Clusters clusters, List<String> texts) {
        Map<Integer, Integer> longest = new HashMap<>();
        int kept = 0;
        for (int i = 0; i < texts.size(); i++) {
            longest.merge(clusters.clusterOf(i), texts.get(i).length(), Math::max);
            kept += clusters.kept(i) ? 1 : 0;
        }
        assertThat(kept).isEqualTo(longest.size()).isEqualTo(clusters.keptCount());
        assertThat(clusters.groups()).isEqualTo((int) IntStream.range(0, texts.size())
                .filter(document -> !clusters.kept(document))
                .map(clusters::clusterOf)
                .distinct()
                .count());
        longest.forEach((document, length) -> {
            assertThat(clusters.kept(document)).isTrue();
            assertThat(texts.get(document)).hasSize(length);
        });
        for (int i = 0; i < texts.size(); i++) {
            int document = i;
            if (!clusters.kept(i)) {
                assertThat(clusters.match(i)).hasValueSatisfying(match -> {
                    assertThat(match.a()).isEqualTo(document);
                    assertThat(match.jaccard()).isEqualTo(jaccard(texts.get(document), texts.get(match.b())));
                    assertThat(clusters.clusterOf(match.b())).isEqualTo(clusters.clusterOf(document));
                });
            }
        }
    }

    /** The result for each text, by text: which is kept, what it matched and how closely. */
    private static Map<String, String> told(Clusters clusters, List<String> texts) {
        Map<String, String> told = new TreeMap<>();
        for (int i = 0; i < texts.size(); i++) {
            String match = clusters.match(i)
                    .map(edge -> texts.get(edge.b()) + " " + edge.jaccard())
                    .orElse("");
            told.merge(
                    texts.get(i),
                    texts.get(clusters.clusterOf(i)) + " " + (clusters.kept(i) ? "" : match),
                    (one, other) -> one.compareTo(other) < 0 ? one + other : other + one);
        }
        return told;
    }

    @Test
    void answersTheSameForAnyOrderAndNumberOfThreads() throws IOException {
        List<String> texts = corpus(60, 3);
        NearDuplicates plan = NearDuplicates.atLeast(THRESHOLD);
        Clusters expected = plan.threads(1).run(Documents.of(texts));
        List<Clusters.Edge> edges = expected.edges().toList();
        for (int threads : new int[] {2, 5}) {
            assertThat(plan.threads(threads).run(Documents.of(texts)).edges().toList())
                    .isEqualTo(edges);
        }
        for (int run = 0; run < 4; run++) {
            List<String> shuffled = new ArrayList<>(texts);
            Collections.shuffle(shuffled, new Random(run));
            Clusters clusters = plan.threads(1 + run % 2).run(Documents.of(shuffled));
            assertThat(told(clusters, shuffled)).isEqualTo(told(expected, texts));
            assertThat(clusters.edges().count()).isEqualTo(edges.size());
        }
    }

    @Test
    void keepsTheFirstOnRequest() throws IOException {
        List<String> texts = corpus(60, 4);
        Clusters clusters = NearDuplicates.atLeast(THRESHOLD).keepFirst().run(Documents.of(texts));
        for (int i = 0; i < texts.size(); i++) {
            assertThat(clusters.clusterOf(i)).isLessThanOrEqualTo(i);
        }
    }

    @Test
    void ranksEqualTextsByName() throws IOException {
        String[] names = {"b", "c", "a"};
        Documents named = new Documents() {
            @Override
            public int count() {
                return 3;
            }

            @Override
            public byte[] utf8(int document) {
                return "the same text in three files".getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public int compare(int a, int b) {
                return names[a].compareTo(names[b]);
            }
        };
        Clusters clusters = NearDuplicates.atLeast(0.9).run(named);
        assertThat(clusters.kept(2)).isTrue();
        assertThat(clusters.keptCount()).isOne();
        assertThat(clusters.match(2)).map(Clusters.Edge::b).hasValue(0);
        assertThat(clusters.match(1)).map(Clusters.Edge::b).hasValue(2);
    }

    @Test
    @Timeout(180)
    void staysLinearInIdenticalDocuments() throws IOException {
        List<String> texts = Collections.nCopies(20_000, text(new SplittableRandom(5), 2_000));
        Clusters clusters = NearDuplicates.atLeast(0.8).run(Documents.of(texts));
        assertThat(clusters.keptCount()).isOne();
        assertThat(clusters.distinct()).isOne();
        assertThat(clusters.candidates()).isZero();
        assertThat(clusters.edges().count()).isEqualTo(19_999);
        assertThat(clusters.kept(0)).isTrue();
    }

    /**
     * A header of 600 characters, and bodies of their own that leave J at 0.6 and at 0.2: no two belong together. Among them
     * 50 pairs that also share half of a body, at J above 0.8: those are found as if the header were not there.
     */
    @ParameterizedTest
    @ValueSource(ints = {200, 1_400})
    @Timeout(180)
    void staysLinearInDocumentsThatShareAHeader(int body) throws IOException {
        SplittableRandom random = new SplittableRandom(6);
        String header = text(random, 600);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            texts.add(header + text(random, body));
        }
        for (int i = 0; i < 50; i++) {
            int shared = body == 200 ? 740 : 1_860;
            texts.add(texts.get(i).substring(0, shared) + text(random, 600 + body - shared));
        }
        double jaccard = jaccard(texts.get(0), texts.get(20_000));
        assertThat(jaccard).isBetween(0.8, 0.9);
        Clusters clusters = NearDuplicates.atLeast(0.8).run(Documents.of(texts));
        assertThat(clusters.keptCount()).isBetween(20_000, 20_001);
        assertThat(clusters.edges()).allMatch(edge -> Math.abs(edge.a() - edge.b()) == 20_000);
        assertThat(clusters.candidates()).isLessThan(20_000L * 10);
    }

    /** Thousands that all resemble each other: one cluster, and far fewer comparisons than pairs. */
    @Test
    @Timeout(180)
    void staysLinearInOneLargeCluster() throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        String header = text(random, 1_000);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < 1_500; i++) {
            texts.add(header + text(random, 40));
        }
        Clusters clusters = NearDuplicates.atLeast(0.8).run(Documents.of(texts));
        assertThat(clusters.keptCount()).isOne();
        assertThat(clusters.candidates()).isLessThan(1_500L * 100);
    }

    @Test
    void comparesShortTextsAsAWhole() throws IOException {
        List<String> texts = List.of("", "tiny", "", "tiny!", "tiny", " ", "nine char");
        Clusters clusters = NearDuplicates.atLeast(0.1).run(Documents.of(texts));
        assertThat(IntStream.range(0, 7).mapToObj(clusters::clusterOf).toList()).containsExactly(0, 1, 0, 3, 1, 5, 6);
        assertThat(clusters.match(3)).isEmpty();
        assertThat(NearDuplicates.atLeast(0.5).run(Documents.of(List.of())).keptCount())
                .isZero();
    }

    @Test
    void comparesWhatTheShinglesSay() throws IOException {
        List<String> texts =
                List.of("It was the best of times", "it  was the BEST of times\n", "It was the worst of it");
        NearDuplicates plan = NearDuplicates.atLeast(0.9);
        assertThat(plan.run(Documents.of(texts)).keptCount()).isEqualTo(3);
        Clusters evened = plan.shingles(Shingles.words(2).normalised()).run(Documents.of(texts));
        assertThat(evened.keptCount()).isEqualTo(2);
        assertThat(evened.distinct()).isEqualTo(2);
        // The longer of the two that are the same once evened out.
        assertThat(evened.kept(1)).isTrue();
    }

    @Test
    void takesHashesInPlaceOfTexts() throws IOException {
        List<String> texts = corpus(60, 8);
        List<long[]> hashes = texts.stream().map(Shingles.codePoints()::hashes).toList();
        Clusters byText = NearDuplicates.atLeast(THRESHOLD).run(Documents.of(texts));
        Clusters byHash = NearDuplicates.atLeast(THRESHOLD).runOnHashes(hashes);
        assertThat(byHash.keptCount()).isEqualTo(byText.keptCount());
        assertThat(byHash.edges().mapToDouble(Clusters.Edge::jaccard).sorted().toArray())
                .isEqualTo(byText.edges()
                        .mapToDouble(Clusters.Edge::jaccard)
                        .sorted()
                        .toArray());
    }

    /** The graph of the lectures: an edge for every pair with enough hits, labelled with their number. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void drawsTheDocumentGraph(boolean classic) throws IOException {
        List<String> texts = corpus(60, 9);
        NearDuplicates plan = NearDuplicates.documentGraph(60);
        Clusters graph = (classic ? plan.classic() : plan).run(Documents.of(texts));
        Set<Integer> firsts = new HashSet<>();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < texts.size(); i++) {
            if (seen.add(texts.get(i))) {
                firsts.add(i);
            }
        }
        MinHash<CharSequence> minHash = (classic ? MinHash.classic(100) : MinHash.of(100))
                .of(Shingles.codePoints().key());
        List<Signature> signatures = texts.stream()
                .map(Shingles.codePoints()::hashes)
                .map(hashes -> minHash.sign(hashes, 0, hashes.length))
                .toList();
        Set<List<Integer>> expected = new HashSet<>();
        for (int i : firsts) {
            for (int j : firsts) {
                int hits = signatures.get(i).hits(signatures.get(j));
                if (i < j && hits >= 60) {
                    expected.add(List.of(i, j, hits));
                }
            }
        }
        Set<List<Integer>> drawn = new HashSet<>();
        graph.edges()
                .filter(edge -> firsts.contains(edge.a()) && firsts.contains(edge.b()))
                .forEach(edge ->
                        drawn.add(List.of(Math.min(edge.a(), edge.b()), Math.max(edge.a(), edge.b()), edge.hits())));
        assertThat(drawn).isEqualTo(expected).hasSizeGreaterThan(30);
    }

    @Test
    void passesOnWhatGoesWrongInReading() {
        Documents broken = new Documents() {
            @Override
            public int count() {
                return 100;
            }

            @Override
            public byte[] utf8(int document) throws IOException {
                if (document == 57) {
                    throw new IOException("disk on fire");
                }
                return new byte[20];
            }
        };
        assertThatThrownBy(() -> NearDuplicates.atLeast(0.8).threads(2).run(broken))
                .isInstanceOf(IOException.class)
                .hasMessage("disk on fire");
    }

    /** The order of documents, threads and where signatures are kept: nothing of it changes the answer. */
    @Test
    void answersTheSameWithSignaturesOnDisk(@TempDir Path folder) throws IOException {
        List<String> texts = corpus(60, 9);
        NearDuplicates inMemory = NearDuplicates.atLeast(THRESHOLD);
        for (NearDuplicates search : List.of(inMemory, inMemory.components(50), NearDuplicates.documentGraph(60))) {
            Clusters expected = search.run(Documents.of(texts));
            Clusters spilled = search.spillTo(folder).run(Documents.of(texts));
            assertThat(spilled.edges().toList()).isEqualTo(expected.edges().toList());
            for (int i = 0; i < texts.size(); i++) {
                assertThat(spilled.clusterOf(i)).isEqualTo(expected.clusterOf(i));
                assertThat(spilled.match(i)).isEqualTo(expected.match(i));
            }
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    /** So little memory that every text is compared in parts, some in more parts than it has shingles. */
    @Test
    void comparesLargeTextsPartByPart() throws IOException {
        List<String> texts = corpus(20, 4);
        for (Shingles shingles :
                List.of(Shingles.codePoints(), Shingles.codePoints(7).normalised())) {
            MinHash<CharSequence> family = MinHash.of(128).of(shingles.key());
            ShingleSource source = ShingleSource.texts(Documents.of(texts), shingles, family);
            DistinctTexts contents =
                    DistinctTexts.read(source, 128, false, 1, ShortSignatures.Store.inMemory(texts.size()));
            long[] pairs = new long[contents.count() * (contents.count() - 1) / 2];
            int count = 0;
            for (int a = 0; a < contents.count(); a++) {
                for (int b = a + 1; b < contents.count(); b++) {
                    pairs[count++] = (long) a << 32 | b;
                }
            }
            double[] whole = new Verification(source, contents, THRESHOLD, 1 << 20).jaccards(pairs, 2);
            assertThat(Arrays.stream(whole).filter(jaccard -> jaccard >= 0).count())
                    .isGreaterThan(10);
            assertThat(new Verification(source, contents, THRESHOLD, 100).jaccards(pairs, 2))
                    .isEqualTo(whole);
            assertThat(new Verification(source, contents, THRESHOLD, 3_000).jaccards(pairs, 1))
                    .isEqualTo(whole);
        }
    }

    @Test
    void saysWhereSignaturesCouldNotBeWritten(@TempDir Path folder) {
        Path none = folder.resolve("none");
        assertThatThrownBy(() -> NearDuplicates.atLeast(0.8).spillTo(none).run(Documents.of(List.of("a"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("none");
    }

    @Test
    void refusesWhatCannotBe() {
        for (double threshold : new double[] {0, -1, 1.5, Double.NaN}) {
            assertThatThrownBy(() -> NearDuplicates.atLeast(threshold)).hasMessageContaining("got " + threshold);
        }
        assertThatThrownBy(() -> NearDuplicates.atLeast(0.8).threads(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> NearDuplicates.atLeast(0.8).recall(1)).hasMessageContaining("got 1.0");
        assertThatThrownBy(() -> NearDuplicates.documentGraph(101)).hasMessageContaining("got 101");
        assertThatThrownBy(() -> NearDuplicates.documentGraph(60).components(59))
                .hasMessageContaining("got 59");
    }

    /** Random sets of many sizes, with repetitions, some of them very frequent; and numbers that are no hashes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 20, 40})
    void buildsSetsLikeASortedSet(int zeros) {
        SplittableRandom random = new SplittableRandom(10);
        SetBuilder builder = new SetBuilder();
        for (int count : new int[] {0, 1, 127, 128, 129, 40_000, 1_000, 5_000, 32_767, 32_768, 32_769, 100_000, 300}) {
            long[] hashes = random.longs(count).map(hash -> hash >>> zeros).toArray();
            for (int i = 0; i < count; i += 3) {
                hashes[i] = i % 2 == 0 ? 42 : 43;
            }
            long[] expected = Arrays.stream(hashes).sorted().distinct().toArray();
            assertThat(builder.build(hashes, count)).isEqualTo(expected);
        }
    }

    /** Where the filter cuts: Pr[X < h] is at most the tail, and Pr[X < h + 1] is above it. */
    @Test
    void knowsTheBinomialTail() {
        assertThat(Binomial.quantile(10, 0.5, 0.011)).isEqualTo(2);
        assertThat(Binomial.quantile(10, 0.5, 0.010)).isEqualTo(1);
        assertThat(Binomial.quantile(10, 1, 0.01)).isEqualTo(10);
        assertThat(Binomial.quantile(16_384, 0.8, 1e-5)).isBetween(12_880, 12_895);
    }
}
