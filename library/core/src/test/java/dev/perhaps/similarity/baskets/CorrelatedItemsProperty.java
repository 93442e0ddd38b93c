package dev.perhaps.similarity.baskets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Against all pairs, counted one by one. */
class CorrelatedItemsProperty {
    private static final double[] THRESHOLDS = {0.2, 0.5, 0.8, 1};

    /** A pair as it is told. */
    record Told(String a, String b, double jaccard, int common, int supportA, int supportB) {}

    static List<Told> told(Correlations found, Baskets.Listed baskets) {
        return found.pairs()
                .map(pair -> new Told(
                        baskets.name(pair.a()),
                        baskets.name(pair.b()),
                        pair.jaccard(),
                        pair.common(),
                        pair.supportA(),
                        pair.supportB()))
                .toList();
    }

    static List<Told> allPairs(List<? extends List<String>> baskets, double threshold) {
        Map<String, Integer> supports = new HashMap<>();
        Map<List<String>, Integer> commons = new HashMap<>();
        for (List<String> basket : baskets) {
            List<String> items = List.copyOf(new TreeSet<>(basket));
            for (int i = 0; i < items.size(); i++) {
                supports.merge(items.get(i), 1, Integer::sum);
                for (String other : items.subList(i + 1, items.size())) {
                    commons.merge(List.of(items.get(i), other), 1, Integer::sum);
                }
            }
        }
        List<Told> pairs = new ArrayList<>();
        commons.forEach((pair, common) -> {
            int supportA = supports.getOrDefault(pair.get(0), 0);
            int supportB = supports.getOrDefault(pair.get(1), 0);
            double jaccard = (double) common / (supportA + supportB - common);
            if (jaccard >= threshold) {
                pairs.add(new Told(pair.get(0), pair.get(1), jaccard, common, supportA, supportB));
            }
        });
        pairs.sort(Comparator.comparingDouble((Told pair) -> -pair.jaccard)
                .thenComparing(Told::a)
                .thenComparing(Told::b));
        return pairs;
    }

    @Provide
    Arbitrary<List<List<String>>> baskets() {
        Arbitrary<String> items = Arbitraries.integers().between(0, 20).map(String::valueOf);
        return items.list().ofMaxSize(8).list().ofMaxSize(40);
    }

    /** Bands that miss a pair with chance 2·10⁻⁵ at most, so that with a fixed seed none of the some 10⁴ is. */
    @Property(tries = 200, seed = "4")
    void tellsWhatCountingAllPairsTells(@ForAll("baskets") List<List<String>> lists) throws IOException {
        Baskets.Listed baskets = Baskets.of(lists);
        for (double threshold : THRESHOLDS) {
            Correlations found = CorrelatedItems.atLeast(threshold)
                    .components(256)
                    .recall(0.99999)
                    .threads(1)
                    .run(baskets);
            List<Told> expected = allPairs(lists, threshold);
            assertThat(told(found, baskets)).isEqualTo(expected);
            assertThat(found.count()).isEqualTo(expected.size());
            assertThat(found.baskets()).isEqualTo((int)
                    lists.stream().filter(list -> !list.isEmpty()).count());
        }
    }
}
