package dev.perhaps.similarity.duplicates;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.Shingles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who takes the steps of the rule, with maps for buckets and in any order, has the edges and clusters of a search. */
class DuplicateRuleTest {
    private record Case(String name, NearDuplicates search, List<String> texts) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        List<String> mixed = new ArrayList<>(LargeGroups.smallGroups(1_000, 6, 3));
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 500; i++) {
            mixed.add(LargeGroups.text(random, 5 + random.nextInt(300)));
        }
        mixed.addAll(List.of("", "short", "short!", "a"));
        return Stream.of(
                new Case("small groups", NearDuplicates.atLeast(0.9), mixed),
                new Case("stars", NearDuplicates.atLeast(0.85).stars(), mixed),
                new Case("header", NearDuplicates.atLeast(0.8), LargeGroups.header(800, 10)),
                new Case("variants", NearDuplicates.atLeast(0.7), LargeGroups.variants(2, 300, 10, 12, 8)),
                new Case("cut buckets", NearDuplicates.atLeast(0.9), LargeGroups.variants(1, 2_600, 0, 6, 8)),
                new Case(
                        "words, lecture bands",
                        NearDuplicates.atLeast(0.5)
                                .shingles(Shingles.words(1).normalised())
                                .lectureBands(),
                        List.of("One two three four", "one  two three four five", "five six seven", "ONE TWO", "")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theStepsGiveTheEdgesOfASearch(Case given) throws IOException {
        List<String> texts = new ArrayList<>(new HashSet<>(given.texts));
        Collections.shuffle(texts, new Random(5));
        Clusters expected = given.search.run(Documents.of(texts));
        Clusters found = new Steps(given.search.rule(), texts).clusters();
        assertThat(found.edges().map(edge -> shown(texts, edge)))
                .containsExactlyElementsOf(
                        expected.edges().map(edge -> shown(texts, edge)).toList());
        for (int document = 0; document < texts.size(); document++) {
            assertThat(found.clusterOf(document)).isEqualTo(expected.clusterOf(document));
            assertThat(found.match(document)).isEqualTo(expected.match(document));
        }
    }

    private static String shown(List<String> texts, Clusters.Edge edge) {
        return texts.get(edge.a()) + " | " + texts.get(edge.b()) + " | " + edge.jaccard() + " | " + edge.hits();
    }

    @Test
    void refusesWhatHasNoSteps() {
        assertThatThrownBy(() -> NearDuplicates.documentGraph(50).rule())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("use a threshold");
        NearDuplicates search = NearDuplicates.atLeast(0.8);
        assertThatThrownBy(() -> search.against(search.index().build()).rule())
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** The engine: documents are numbered in any order, and so are the members of buckets. */
    private static final class Steps {
        private final DuplicateRule rule;
        private final List<String> texts;
        private final long[][] fingerprints;
        private final int[][] signatures;
        private final Set<Long> met = new TreeSet<>();
        private final Set<Long> chosen = new TreeSet<>();

        Steps(DuplicateRule rule, List<String> texts) throws IOException {
            this.rule = rule;
            this.texts = texts;
            this.fingerprints = new long[texts.size()][];
            this.signatures = new int[texts.size()][];
            DuplicateRule.Reader reader = rule.reader();
            for (int i = 0; i < signatures.length; i++) {
                byte[] text = texts.get(i).getBytes(StandardCharsets.UTF_8);
                reader.read(text);
                assertThat(reader.length()).isEqualTo(text.length);
                fingerprints[i] = new long[] {reader.high(), reader.low()};
                signatures[i] = reader.signature();
            }
        }

        Clusters clusters() throws IOException {
            Set<Integer> crowd = new HashSet<>();
            Map<List<Integer>, List<int[]>> hot = new HashMap<>();
            for (int pass = 0; pass < DuplicateRule.passes(); pass++) {
                pass(pass, crowd, hot);
            }
            Map<Integer, long[]> fine = new HashMap<>();
            Map<Integer, List<Integer>> sharing = new HashMap<>();
            Set<Integer> cut = new HashSet<>();
            hot.values()
                    .forEach(buckets -> buckets.stream()
                            .filter(bucket -> DuplicateRule.isCut(bucket.length))
                            .forEach(bucket -> Arrays.stream(bucket).forEach(cut::add)));
            DuplicateRule.Reader reader = rule.reader();
            for (List<int[]> buckets : hot.values()) {
                for (int member : buckets.stream().flatMapToInt(Arrays::stream).toArray()) {
                    if (!fine.containsKey(member)) {
                        reader.read(texts.get(member).getBytes(StandardCharsets.UTF_8));
                        fine.put(member, reader.fineSignature());
                        char[] values = reader.fineValues();
                        for (int i = 0; cut.contains(member) && i < values.length; i++) {
                            sharing.computeIfAbsent(i << 16 | values[i], key -> new ArrayList<>())
                                    .add(member);
                        }
                    }
                }
            }
            hot.forEach((pass, buckets) -> buckets.forEach(bucket -> choose(pass.get(0), pass.get(1), bucket, fine)));
            sharing.values().stream()
                    .filter(members -> DuplicateRule.areFew(members.size()))
                    .forEach(members -> forEachPair(members, (a, b) -> {
                        if (rule.areClose(requireNonNull(fine.get(a)), requireNonNull(fine.get(b)))) {
                            chosen.add(DuplicateRule.pair(a, b));
                        }
                    }));
            return rule.compare(Documents.of(texts), array(met), array(chosen));
        }

        private void pass(int pass, Set<Integer> crowd, Map<List<Integer>, List<int[]>> hot) {
            Map<List<Long>, List<Integer>> buckets = new HashMap<>();
            for (int i = 0; i < signatures.length; i++) {
                long[] keys = rule.keys(signatures[i], pass);
                for (int band = 0; (pass == 0 || crowd.contains(i)) && band < keys.length; band++) {
                    buckets.computeIfAbsent(List.of((long) band, keys[band]), key -> new ArrayList<>())
                            .add(i);
                }
            }
            buckets.forEach((key, members) -> {
                if (pass == 0 && DuplicateRule.isCrowd(members.size())) {
                    crowd.addAll(members);
                }
                if (!DuplicateRule.isHot(members.size())) {
                    forEachPair(members, (a, b) -> met.add(DuplicateRule.pair(a, b)));
                } else if (!DuplicateRule.isWithoutHot(pass)) {
                    hot.computeIfAbsent(List.of(pass, key.get(0).intValue()), band -> new ArrayList<>())
                            .add(members.stream().mapToInt(i -> i).toArray());
                }
            });
        }

        private void choose(int pass, int band, int[] bucket, Map<Integer, long[]> fine) {
            int[] members = Arrays.stream(bucket)
                    .boxed()
                    .sorted((a, b) -> {
                        int byHigh = Long.compareUnsigned(fingerprints[a][0], fingerprints[b][0]);
                        return byHigh != 0 ? byHigh : Long.compareUnsigned(fingerprints[a][1], fingerprints[b][1]);
                    })
                    .mapToInt(i -> i)
                    .toArray();
            rule.hotPairs(
                    pass,
                    band,
                    Arrays.stream(members).mapToObj(i -> signatures[i]).toArray(int[][]::new),
                    Arrays.stream(members).mapToObj(fine::get).toArray(long[][]::new),
                    (a, b) -> chosen.add(DuplicateRule.pair(members[a], members[b])));
        }

        private static void forEachPair(List<Integer> members, DuplicateRule.Sink sink) {
            for (int i = 0; i < members.size(); i++) {
                for (int j = i + 1; j < members.size(); j++) {
                    sink.pair(members.get(i), members.get(j));
                }
            }
        }

        private static long[] array(Set<Long> pairs) {
            return pairs.stream().mapToLong(pair -> pair).toArray();
        }
    }
}
