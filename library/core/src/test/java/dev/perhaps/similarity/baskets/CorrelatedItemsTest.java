package dev.perhaps.similarity.baskets;

import static dev.perhaps.similarity.baskets.CorrelatedItemsProperty.allPairs;
import static dev.perhaps.similarity.baskets.CorrelatedItemsProperty.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CorrelatedItemsTest {
    /** Baskets as in a shop: habits that go together, and whatever else; a few come many times. */
    private static List<List<String>> shop(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<List<String>> baskets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<String> basket = new ArrayList<>();
            int habit = (int) (300 * Math.pow(random.nextDouble(), 2));
            for (int member = 0; member < 4; member++) {
                if (random.nextDouble() < 0.9) {
                    basket.add("habit " + habit + "." + member);
                }
            }
            for (int other = random.nextInt(6); other > 0; other--) {
                basket.add("item " + (int) (5_000 * Math.pow(random.nextDouble(), 3)));
            }
            if (random.nextInt(50) == 0) {
                for (int rare = random.nextInt(12); rare > 0; rare--) {
                    basket.add("once " + i + "." + rare);
                }
            }
            baskets.add(basket);
            if (random.nextInt(10) == 0) {
                baskets.add(List.copyOf(basket));
            }
        }
        return baskets;
    }

    /** Some thousand true pairs at J ≥ 0.5, each found with chance 0.99 at least; all that is told is exact. */
    @Test
    void findsWhatComparingAllPairsFinds() throws IOException {
        List<List<String>> lists = shop(8_000, 1);
        Baskets.Listed baskets = Baskets.of(lists);
        List<CorrelatedItemsProperty.Told> expected = allPairs(lists, 0.5);
        Correlations found = CorrelatedItems.atLeast(0.5).run(baskets);
        assertThat(expected).hasSizeGreaterThan(2_000);
        assertThat(new HashSet<>(expected)).containsAll(told(found, baskets));
        assertThat((double) found.count() / expected.size()).isGreaterThan(0.99);
        assertThat(found.missedShare()).isBetween(0.0, 0.004);
    }

    /**
     * Items whose baskets are variants of the same 60, so that pairs lie on both sides of the threshold: n is more than 10,000 true
     * pairs, of which 1 % may be missed. Not all pairs of a bucket of 3,000 are looked at; 9 % of them were found once.
     */
    @ParameterizedTest
    @CsvSource({"10, 600, 0.7", "200, 15, 0.5", "1000, 1, 0.7", "3000, 1, 0.9"})
    void findsThePairsOfLargeGroups(int size, int groups, double threshold) throws IOException {
        long[][] members = variants(size, groups, threshold);
        List<List<String>> lists = new ArrayList<>();
        for (int basket = 0; basket < 60 * groups; basket++) {
            lists.add(new ArrayList<>(List.of("basket " + basket)));
        }
        int expected = 0;
        for (int a = 0; a < members.length; a++) {
            int group = a / size;
            for (int basket = 0; basket < 60; basket++) {
                if ((members[a][0] >>> basket & 1) != 0) {
                    lists.get(60 * group + basket).add("item " + a);
                }
            }
            for (long own = 0; own < members[a][1]; own++) {
                lists.add(List.of("item " + a, "own " + a + "." + own));
            }
            for (int b = a + 1; b < (group + 1) * size; b++) {
                int common = Long.bitCount(members[a][0] & members[b][0]);
                long either = Long.bitCount(members[a][0] | members[b][0]) + members[a][1] + members[b][1];
                expected += common >= threshold * either ? 1 : 0;
            }
        }
        Correlations found = CorrelatedItems.atLeast(threshold).run(Baskets.of(lists));
        assertThat(expected).isGreaterThan(10_000);
        // What only names a basket comes once, with items that come often: it is in no pair.
        assertThat((double) found.count() / expected).isBetween(0.99, 1.0);
    }

    /** Of each item the common baskets it is in, as bits, and the number of baskets that only it is in. */
    private static long[][] variants(int size, int groups, double threshold) {
        SplittableRandom random = new SplittableRandom(size);
        double kept = Math.sqrt(2 * threshold / (1 + threshold));
        long[][] members = new long[size * groups][2];
        for (long[] member : members) {
            for (int basket = 0; basket < 60; basket++) {
                if (random.nextDouble() < kept) {
                    member[0] |= 1L << basket;
                } else {
                    member[1]++;
                }
            }
        }
        return members;
    }

    @Test
    void answersTheSameForAnyOrderOfBasketsAndItemsAndAnyThreads() throws IOException {
        List<List<String>> lists = shop(3_000, 2);
        // Bands that miss many: which ones they miss must not change either.
        CorrelatedItems search = CorrelatedItems.atLeast(0.6).components(40).lecture();
        Baskets.Listed baskets = Baskets.of(lists);
        List<CorrelatedItemsProperty.Told> expected = told(search.threads(1).run(baskets), baskets);
        assertThat((double) expected.size() / allPairs(lists, 0.6).size()).isBetween(0.5, 0.999);
        for (int run = 0; run < 4; run++) {
            Random random = new Random(run);
            List<List<String>> shuffled = new ArrayList<>();
            for (List<String> basket : lists) {
                List<String> items = new ArrayList<>(basket);
                items.addAll(basket.subList(0, Math.min(basket.size(), run)));
                Collections.shuffle(items, random);
                shuffled.add(items);
            }
            Collections.shuffle(shuffled, random);
            Baskets.Listed other = Baskets.of(shuffled);
            assertThat(told(search.threads(1 + run % 3).run(other), other)).isEqualTo(expected);
        }
    }

    /**
     * n = 1,500 pairs of items with J exactly at the threshold, in {@code only} baskets each alone and {@code both} together: the
     * number found lies within 4.5 standard deviations (α < 10⁻⁵ a side) of what the bands promise. Small sets may be found
     * more often, up to the spare: their components are dealt without replacement.
     */
    @ParameterizedTest
    @CsvSource({"0.8, 100, 20, 160, 0.03", "0.8, 100, 50, 400, 0.03", "0.5, 128, 100, 200, 0.01", "0.25, 64, 6, 4, 0.05"
    })
    void findsPairsAtTheThresholdWithThePromisedChance(double threshold, int k, int only, int both, double spare)
            throws IOException {
        int pairs = 1_500;
        List<List<String>> lists = new ArrayList<>();
        for (int pair = 0; pair < pairs; pair++) {
            for (int basket = 0; basket < 2 * only + both; basket++) {
                List<String> items = new ArrayList<>();
                if (basket >= only) {
                    items.add("a" + pair);
                }
                if (basket < only + both) {
                    items.add("b" + pair);
                }
                lists.add(items);
            }
        }
        assertThat((double) both / (2 * only + both)).isEqualTo(threshold);
        CorrelatedItems search =
                CorrelatedItems.atLeast(threshold).components(k).lecture();
        double chance = search.banding().chance(threshold);
        double deviation = 4.5 * Math.sqrt(chance * (1 - chance) / pairs);
        Baskets.Listed baskets = Baskets.of(lists);
        Correlations found = search.run(baskets);
        long together = found.pairs()
                .filter(pair -> baskets.name(pair.a()).startsWith("a")
                        && baskets.name(pair.b())
                                .equals("b" + baskets.name(pair.a()).substring(1)))
                .count();
        assertThat((double) together / pairs).isBetween(chance - deviation, chance + deviation + spare);
    }

    /** 200,000 items in one basket and nowhere else have 2·10¹⁰ pairs: they are counted at once, and read as far as one likes. */
    @Test
    @Timeout(60)
    void tellsPairsOfItemsThatAreAlwaysTogetherOneByOne() throws IOException {
        List<String> large = IntStream.range(0, 200_000)
                .mapToObj(i -> String.format("i%06d", i))
                .toList();
        Baskets.Listed baskets = Baskets.of(List.of(large, List.of("x", "y"), List.of("y")));
        Correlations found = CorrelatedItems.atLeast(0.5).run(baskets);
        assertThat(found.count()).isEqualTo(200_000L * 199_999 / 2 + 1);
        assertThat(found.candidates()).isEqualTo(1);
        assertThat(found.pairs().limit(2).map(pair -> baskets.name(pair.b()))).containsExactly("i000001", "i000002");
        assertThat(found.pairs().skip(199_999).findFirst())
                .hasValueSatisfying(pair -> assertThat(baskets.name(pair.a())).isEqualTo("i000001"));

        Baskets.Listed fewer = Baskets.of(List.of(large.subList(0, 2_000), List.of("x", "y"), List.of("y")));
        Correlations all = CorrelatedItems.atLeast(0.5).run(fewer);
        assertThat(all.pairs().filter(pair -> pair.jaccard() == 1).count()).isEqualTo(2_000L * 1_999 / 2);
        assertThat(all.pairs().reduce((pair, last) -> last)).hasValue(new Correlations.Pair(2_000, 2_001, 1, 1, 2));
    }

    /**
     * A basket of 20,000 items that each come once more, and one that comes only there: more than any bucket holds, and bands
     * would find few of these 40,000 pairs. They are joined exactly.
     */
    @ParameterizedTest
    @CsvSource({"128, 20000", "3, 2000"})
    @Timeout(120)
    void missesNoPairOfItemsThatComeFewTimes(int components, int count) throws IOException {
        List<List<String>> lists = new ArrayList<>();
        List<String> large = new ArrayList<>(List.of("only here"));
        for (int i = 0; i < count; i++) {
            large.add("i" + i);
            lists.add(List.of("i" + i, "alone " + i));
        }
        lists.add(large);
        Correlations found =
                CorrelatedItems.atLeast(0.5).components(components).lecture().run(Baskets.of(lists));
        assertThat(found.count()).isEqualTo(2L * count);
        assertThat(found.pairs()).allMatch(pair -> pair.jaccard() == 0.5);
        assertThat(found.missedShare()).isZero();
        assertThat(found.candidates()).isEqualTo(2L * count);
    }

    /** Sets of one to four baskets of six, at thresholds of every kind: all pairs, even with bands that find next to nothing. */
    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.2, 0.25, 1.0 / 3, 0.4, 0.5, 0.6, 2.0 / 3, 0.75, 0.9})
    void joinsFewBasketsExactly(double threshold) throws IOException {
        SplittableRandom random = new SplittableRandom(9);
        List<List<String>> lists = new ArrayList<>();
        for (int basket = 0; basket < 6; basket++) {
            lists.add(new ArrayList<>());
        }
        for (int item = 0; item < 150; item++) {
            for (int i = random.nextInt(4); i >= 0; i--) {
                lists.get(random.nextInt(6)).add("i" + item);
            }
        }
        Baskets.Listed baskets = Baskets.of(lists);
        CorrelatedItems search =
                CorrelatedItems.atLeast(threshold).components(4).lecture();
        assertThat(told(search.run(baskets), baskets)).isEqualTo(allPairs(lists, threshold));
    }

    @Test
    void takesBasketsWithoutItemsForNone() throws IOException {
        Correlations none = CorrelatedItems.atLeast(0.5).run(Baskets.of(List.of()));
        assertThat(none.pairs()).isEmpty();
        assertThat(none.missedShare()).isZero();
        Correlations found =
                CorrelatedItems.atLeast(1).run(Baskets.of(List.of(List.of(), List.of("b", "a", "b"), List.of())));
        assertThat(found.pairs()).containsExactly(new Correlations.Pair(1, 0, 1, 1, 1));
        assertThat(found).hasToString("1 pairs of 2 items in 1 baskets");
    }

    @ParameterizedTest
    @CsvSource({"a b|a b,a b|a", "a b,a b|a b", "a b|c,a b|d", "a b|c,a|b c"})
    void noticesThatTheBasketsHaveChanged(String first, String second) {
        List<Baskets.Listed> passes = new ArrayList<>(List.of(listed(first), listed(second)));
        Baskets changing = new Baskets() {
            @Override
            public void read(Sink sink) throws IOException {
                // Numbers by first letter, so that they agree.
                Listed baskets = passes.remove(0);
                baskets.read((items, from, to) -> sink.take(
                        IntStream.range(from, to)
                                .map(i -> baskets.name(items[i]).charAt(0) - 'a')
                                .toArray(),
                        0,
                        to - from));
            }

            @Override
            public long hash(int item) {
                return item;
            }

            @Override
            public int compare(int a, int b) {
                return Integer.compare(a, b);
            }
        };
        assertThatIllegalStateException()
                .isThrownBy(() -> CorrelatedItems.atLeast(0.5).run(changing))
                .withMessageContaining("not the same when read a second time");
    }

    private static Baskets.Listed listed(String baskets) {
        return Baskets.of(List.of(baskets.split("\\|")).stream()
                .map(basket -> List.of(basket.split(" ")))
                .toList());
    }

    @Test
    void plansBandsByRecallOrByTheLectures() {
        CorrelatedItems search = CorrelatedItems.atLeast(0.8).components(100);
        assertThat(search.lecture().banding().rows()).isEqualTo(10);
        assertThat(search.banding().chance(0.8)).isGreaterThan(0.99);
        assertThat(search.lecture().recall(0.9).banding().rows()).isLessThan(10);
        assertThat(search.lecture()).hasToString("correlated items at 0.800, 10 bands of 10 rows, finds 67.9 % at 0.8");
    }

    @Test
    void refusesWhatCannotBeHad() {
        for (double threshold : new double[] {0, -1, 1.5, Double.NaN}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> CorrelatedItems.atLeast(threshold))
                    .withMessage("threshold must be in (0, 1], got " + threshold);
        }
        CorrelatedItems search = CorrelatedItems.atLeast(0.5);
        assertThatIllegalArgumentException().isThrownBy(() -> search.components(0));
        assertThatIllegalArgumentException().isThrownBy(() -> search.threads(0));
        assertThatIllegalArgumentException().isThrownBy(() -> search.recall(1));
    }
}
