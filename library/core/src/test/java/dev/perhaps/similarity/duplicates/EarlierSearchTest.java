package dev.perhaps.similarity.duplicates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.index.DocumentIndex;
import dev.perhaps.similarity.index.SimilarityIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs against an index of what earlier runs saw. */
class EarlierSearchTest {
    private static final double THRESHOLD = 0.7;
    private static final NearDuplicates SEARCH = NearDuplicates.atLeast(THRESHOLD);
    private static final String TIMES = "It was the best of times, it was the worst of times, it was the age of wisdom";

    @TempDir
    private Path folder;

    /** The clusters, as sets of names. */
    private static Set<Set<String>> partition(Map<String, String> clusterOf) {
        Map<String, Set<String>> clusters = new TreeMap<>();
        clusterOf.forEach((name, cluster) ->
                clusters.computeIfAbsent(cluster, c -> new TreeSet<>()).add(name));
        return new HashSet<>(clusters.values());
    }

    private static Set<Set<String>> partition(DocumentIndex index) {
        Map<String, String> clusterOf = new HashMap<>();
        index.forEach(entry -> clusterOf.put(entry.name(), entry.cluster()));
        return partition(clusterOf);
    }

    private static Set<Set<String>> partition(Clusters clusters) {
        Map<String, String> clusterOf = new HashMap<>();
        for (int i = 0; i < clusters.documents(); i++) {
            clusterOf.put("text " + i, "text " + clusters.clusterOf(i));
        }
        return partition(clusterOf);
    }

    /** One more run, over these of all texts, and its rules: who was kept stays, and no cluster is left without one. */
    private static void run(SimilarityIndex index, DocumentIndex asked, List<String> texts, List<Integer> part)
            throws IOException {
        Map<String, Boolean> before = new HashMap<>();
        index.forEach(entry -> before.put(entry.name(), entry.kept()));
        Clusters clusters = SEARCH.against(asked)
                .run(Documents.of(part.stream().map(texts::get).toList()));
        List<String> names = part.stream().map(text -> "text " + text).toList();
        clusters.addTo(index, names::get);
        Map<String, Integer> kept = new HashMap<>();
        Set<String> keptEarlier = new HashSet<>();
        index.forEach(entry -> {
            kept.merge(entry.cluster(), entry.kept() ? 1 : 0, Integer::sum);
            if (before.containsKey(entry.name())) {
                assertThat(entry.kept()).isEqualTo(before.get(entry.name()));
                if (entry.kept()) {
                    keptEarlier.add(entry.cluster());
                }
            }
        });
        index.forEach(entry -> {
            boolean isNew = !before.containsKey(entry.name());
            assertThat(isNew && entry.kept() && keptEarlier.contains(entry.cluster()))
                    .isFalse();
            assertThat(kept.get(entry.cluster())).isGreaterThanOrEqualTo(1);
            if (!keptEarlier.contains(entry.cluster())) {
                assertThat(kept.get(entry.cluster())).isOne();
            }
        });
        for (int i = 0; i < part.size(); i++) {
            if (!clusters.kept(i)) {
                assertMatchIsTrue(clusters, i, names, texts);
            }
        }
    }

    private static void assertMatchIsTrue(Clusters clusters, int document, List<String> names, List<String> texts) {
        assertThat(clusters.match(document)).hasValueSatisfying(edge -> {
            String other = edge.b() < clusters.documents() ? names.get(edge.b()) : clusters.earlierName(edge.b());
            double truth = NearDuplicatesTest.jaccard(text(texts, names.get(document)), text(texts, other));
            if (edge.exact()) {
                assertThat(edge.jaccard()).isEqualTo(truth);
            } else {
                assertThat(edge.jaccard()).isBetween(truth - 0.2, truth + 0.2);
            }
        });
    }

    private static String text(List<String> texts, String name) {
        return texts.get(Integer.parseInt(name.substring("text ".length())));
    }

    private static List<List<Integer>> split(int texts, int parts, long seed) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < texts; i++) {
            order.add(i);
        }
        Collections.shuffle(order, new Random(seed));
        List<List<Integer>> split = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            split.add(order.subList(part * texts / parts, (part + 1) * texts / parts));
        }
        return split;
    }

    /** Whatever the split and the order, an exact index ends with the clusters of one run; saved between, mapped, or not. */
    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 3", "10, 4", "40, 5", "205, 6"})
    void givesTheClustersOfOneRun(int parts, long seed) throws IOException {
        List<String> texts = NearDuplicatesTest.corpus(60, seed);
        Clusters once = SEARCH.run(Documents.of(texts));
        SimilarityIndex index = SEARCH.index().exact().build();
        for (List<Integer> part : split(texts.size(), parts, seed)) {
            run(index, index, texts, part);
            if (parts < 20) {
                Path file = folder.resolve("index");
                index.save(file);
                index = SimilarityIndex.open(file, Shingles.codePoints().key());
                assertThat(partition(
                                SimilarityIndex.map(file, Shingles.codePoints().key())))
                        .isEqualTo(partition(index));
            }
        }
        assertThat(index.size()).isEqualTo(texts.size());
        assertThat(partition(index)).isEqualTo(partition(once));
    }

    /**
     * Without sets, edges to the index are estimates. Of some 300 pairs that belong together 9 of 10 end together, and of those that
     * end together 9 of 10 belong: pairs within two standard errors (0.08) of the threshold may fall to either side, and
     * a few of the corpus are.
     */
    @ParameterizedTest
    @CsvSource({"2, 2", "10, 4"})
    void staysCloseToOneRunWithoutSets(int parts, long seed) throws IOException {
        List<String> texts = NearDuplicatesTest.corpus(120, seed);
        SimilarityIndex index = SEARCH.index().build();
        for (List<Integer> part : split(texts.size(), parts, seed)) {
            run(index, index, texts, part);
        }
        Set<String> truth = pairs(partition(SEARCH.run(Documents.of(texts))));
        Set<String> found = pairs(partition(index));
        Set<String> both = new HashSet<>(truth);
        both.retainAll(found);
        assertThat(truth.size()).isGreaterThan(200);
        assertThat((double) both.size() / truth.size()).as("recall").isGreaterThan(0.9);
        assertThat((double) both.size() / found.size()).as("precision").isGreaterThan(0.9);
    }

    private static Set<String> pairs(Collection<Set<String>> clusters) {
        Set<String> pairs = new HashSet<>();
        for (Set<String> cluster : clusters) {
            for (String a : cluster) {
                for (String b : cluster) {
                    if (a.compareTo(b) < 0) {
                        pairs.add(a + " " + b);
                    }
                }
            }
        }
        return pairs;
    }

    @CanIgnoreReturnValue
    private static Clusters add(SimilarityIndex index, String... namesAndTexts) throws IOException {
        List<String> names = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < namesAndTexts.length; i += 2) {
            names.add(namesAndTexts[i]);
            texts.add(namesAndTexts[i + 1]);
        }
        Clusters clusters = SEARCH.against(index).run(Documents.of(texts));
        clusters.addTo(index, names::get);
        return clusters;
    }

    @Test
    void joinsTwoOldClustersAndKeepsBothThatWereKept() throws IOException {
        String left = TIMES + ", it was the age of foolishness";
        String right = "He said: " + TIMES + " and of wit";
        SimilarityIndex index = SEARCH.index().exact().build();
        add(index, "left", left, "right", right);
        assertThat(partition(index)).hasSize(2);
        Clusters clusters = add(index, "middle", TIMES);
        assertThat(clusters.kept(0)).isFalse();
        assertThat(clusters.matchedEarlier()).isOne();
        assertThat(clusters.earlierName(clusters.clusterOf(0))).isEqualTo("left");
        assertThat(partition(index)).hasSize(1);
        assertThat(index.entry("left").orElseThrow().kept()).isTrue();
        assertThat(index.entry("right").orElseThrow().kept()).isTrue();
        assertThat(index.entry("right").orElseThrow().cluster()).isEqualTo("left");
    }

    /** A cluster whose kept document is removed from the index keeps one new document, the next time one comes. */
    @Test
    void keepsANewOneWhereNoneIsLeft() throws IOException {
        SimilarityIndex index = SEARCH.index().build();
        add(index, "long", TIMES + "!", "short", TIMES, "other", "Something else altogether, unlike all others here");
        assertThat(index.entry("short").orElseThrow().cluster()).isEqualTo("long");
        assertThat(index.remove("long")).isTrue();
        assertThat(index.entry("short").orElseThrow())
                .isEqualTo(new DocumentIndex.Entry("short", TIMES.length(), "short", false));
        Clusters clusters = add(index, "new", TIMES + "?", "newer", TIMES + "?!");
        assertThat(clusters.kept(0)).isFalse();
        assertThat(clusters.kept(1)).isTrue();
        assertThat(index.entry("short").orElseThrow().cluster()).isEqualTo("newer");
        assertThat(index.entry("new").orElseThrow().cluster()).isEqualTo("newer");
        assertThat(add(index, "newest", TIMES + "?!").kept(0)).isFalse();
        assertThat(index.removeAll(List.of("new", "newer", "newest", "nobody"))).isEqualTo(3);
        index.save(folder.resolve("index"));
        assertThat(SimilarityIndex.open(
                        folder.resolve("index"), Shingles.codePoints().key()))
                .extracting(DocumentIndex.Entry::cluster)
                .containsExactly("short", "other");
    }

    @Test
    void knowsTheSameTextExactlyAndOthersByEstimate() throws IOException {
        SimilarityIndex index = SEARCH.index().build();
        add(index, "old", TIMES, "twin", TIMES);
        Clusters clusters = SEARCH.against(index).run(Documents.of(List.of(TIMES, TIMES + "!", "elsewhere")));
        assertThat(clusters.match(0)).hasValue(new Clusters.Edge(0, 3, 1, 128, true));
        assertThat(clusters.match(1)).hasValueSatisfying(edge -> {
            assertThat(clusters.earlierName(edge.b())).isEqualTo("old");
            assertThat(edge.exact()).isFalse();
        });
        assertThat(clusters.match(2)).isEmpty();
        assertThat(clusters.edges().filter(edge -> edge.b() >= 3)).hasSize(2);
        assertThat(clusters.edges().filter(edge -> !edge.exact())).hasSize(1);
        assertThat(clusters.matchedEarlier()).isEqualTo(2);
        assertThat(clusters.keptCount()).isOne();
        assertThat(clusters.earlierName(3)).isEqualTo("old");
    }

    @Test
    void refusesAnotherIndexAndNamesThatAreTaken() throws IOException {
        Documents documents = Documents.of(List.of(TIMES));
        SimilarityIndex index = SEARCH.index().build();
        Map<NearDuplicates, String> others = new HashMap<>();
        others.put(NearDuplicates.atLeast(0.8), "threshold 0.7 against 0.8");
        others.put(SEARCH.components(64), "128 components against 64");
        others.put(SEARCH.classic(), "minhash against classic minhash");
        others.put(SEARCH.lectureBands(), "bands of 4 rows against 7");
        others.put(
                SEARCH.shingles(Shingles.codePoints(7)), "key shingles:10 with seed 0 against shingles:7 with seed 0");
        others.put(
                SEARCH.shingles(Shingles.codePoints().seeded(9)),
                "key shingles:10 with seed 0 against shingles:10 with seed 9");
        others.forEach((other, difference) -> {
            assertThatThrownBy(() -> other.against(index).run(documents))
                    .hasMessage("the index was made for something else: " + difference);
            assertThatThrownBy(() -> other.run(documents).addTo(index, i -> "one"))
                    .hasMessage("the index was made for something else: " + difference);
        });
        assertThatThrownBy(() -> NearDuplicates.documentGraph(60).against(index))
                .hasMessageContaining("use a threshold");
        Clusters two = SEARCH.run(Documents.of(List.of("one text", "another")));
        assertThatThrownBy(() -> two.addTo(index, i -> "same")).hasMessageContaining("two documents are named 'same'");
        // Half of a pair of surrogates is '?' in UTF-8, whichever it is: a file with both would be refused.
        assertThatThrownBy(() -> two.addTo(index, i -> "half " + (char) (0xD800 + i)))
                .hasMessageContaining("two documents are named");
        assertThat(index.size()).isZero();
        add(index, "one", TIMES);
        assertThatThrownBy(() -> add(index, "one", "other")).hasMessageContaining("a document named 'one' already");
        assertThatThrownBy(() -> two.addTo(index, i -> "text " + i))
                .hasMessageContaining("it had 0 documents, and has 1");
        assertThat(index.size()).isOne();
    }

    /** 3,000 copies of one text in the index, and 3,000 that come: every one is known, in no time. */
    @Test
    @Timeout(60)
    void staysLinearWhereAllAreTheSame() throws IOException {
        SimilarityIndex index = SEARCH.index().build();
        String[] old = new String[6_000];
        for (int i = 0; i < old.length; i += 2) {
            old[i] = "old " + i;
            old[i + 1] = TIMES;
        }
        add(index, old);
        List<String> more = new ArrayList<>(Collections.nCopies(3_000, TIMES));
        more.addAll(Collections.nCopies(3_000, TIMES + "!"));
        Clusters clusters = SEARCH.against(index).run(Documents.of(more));
        assertThat(clusters.keptCount()).isZero();
        assertThat(clusters.matchedEarlier()).isEqualTo(6_000);
    }

    /** Each removed one has an edge to its kept one, no two kept ones have one, and order changes nothing. */
    @Test
    void starsRemoveOnlyWhatIsNextToAKeptOne() throws IOException {
        List<String> texts = NearDuplicatesTest.corpus(80, 9);
        Clusters stars = SEARCH.stars().run(Documents.of(texts));
        Set<List<Integer>> edges = new HashSet<>();
        stars.edges().forEach(edge -> {
            edges.add(List.of(edge.a(), edge.b()));
            edges.add(List.of(edge.b(), edge.a()));
            assertThat(stars.kept(edge.a()) && stars.kept(edge.b())).isFalse();
        });
        for (int i = 0; i < texts.size(); i++) {
            int document = i;
            if (!stars.kept(i)) {
                Clusters.Edge match = stars.match(i).orElseThrow();
                String head = texts.get(stars.clusterOf(i));
                assertThat(stars.kept(stars.clusterOf(i))).isTrue();
                assertThat(NearDuplicatesTest.jaccard(texts.get(document), head))
                        .isGreaterThanOrEqualTo(THRESHOLD);
                assertThat(edges).contains(List.of(match.a(), match.b()));
            }
        }
        assertThat(stars.keptCount())
                .isGreaterThanOrEqualTo(SEARCH.run(Documents.of(texts)).keptCount());
        List<String> shuffled = new ArrayList<>(texts);
        Collections.shuffle(shuffled, new Random(4));
        assertThat(keptTexts(SEARCH.stars().threads(3).run(Documents.of(shuffled)), shuffled))
                .isEqualTo(keptTexts(stars, texts));
        SimilarityIndex index = SEARCH.index().exact().build();
        stars.addTo(index, i -> "text " + i);
        Clusters again = SEARCH.stars().against(index).run(Documents.of(shuffled));
        assertThat(again.keptCount()).isZero();
        for (int i = 0; i < shuffled.size(); i++) {
            String head = text(texts, again.earlierName(again.clusterOf(i)));
            assertThat(NearDuplicatesTest.jaccard(shuffled.get(i), head)).isGreaterThanOrEqualTo(THRESHOLD);
        }
    }

    private static Set<String> keptTexts(Clusters clusters, List<String> texts) {
        Set<String> kept = new TreeSet<>();
        for (int i = 0; i < texts.size(); i++) {
            if (clusters.kept(i)) {
                kept.add(texts.get(i));
            }
        }
        return kept;
    }
}
