package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.similarity.baskets.Baskets;
import dev.perhaps.similarity.baskets.CorrelatedItems;
import dev.perhaps.similarity.baskets.Correlations;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pairs, similarities and numbers of baskets are those of one machine, whatever the partitions and the order. */
@EnabledForJreRange(max = JRE.JAVA_21)
class CorrelatedItemSearchTest {
    private static final SparkSession SPARK = TestSession.spark();
    private static final StructType TYPE = new StructType().add("cart", "array<string>");

    /** Habits that go together, whatever else, items that come once or a few times, and baskets that are the same. */
    private static List<List<String>> shop(int count) {
        SplittableRandom random = new SplittableRandom(3);
        List<List<String>> baskets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<String> basket = new ArrayList<>();
            int habit = random.nextInt(40);
            for (int item = 0; item < 6; item++) {
                if (random.nextInt(10) < 9) {
                    basket.add("habit " + habit + " item " + item);
                }
            }
            basket.add("any " + random.nextInt(200));
            if (i % 7 == 0) {
                basket.add("rare " + i / 21);
                basket.add("rarer " + i / 21);
                basket.add("once " + i);
            }
            baskets.add(basket);
            if (i % 5 == 0) {
                baskets.add(List.copyOf(basket));
            }
        }
        for (int i = 0; i < 30; i++) {
            baskets.add(List.of("\uFB01sh", "chips", "chips"));
            baskets.add(List.of());
        }
        baskets.add(List.of("chips", ""));
        return baskets;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8})
    void aShopHasThePairsOfOneMachine(int partitions) throws IOException {
        assertSame(shop(2_000), partitions, search -> search.threshold(0.5), CorrelatedItems.atLeast(0.5));
    }

    /** More than 2,048 items that share most of their baskets: buckets of which not all pairs are looked at. */
    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void bucketsOfThousands(int partitions) throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        List<List<String>> baskets = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            baskets.add(new ArrayList<>());
        }
        for (int item = 0; item < 2_600; item++) {
            for (int i = 0; i < 12; i++) {
                if (i < 9 ? random.nextInt(40) > 0 : random.nextInt(3) == 0) {
                    baskets.get(i).add("i" + item);
                }
            }
            if (item % 2 == 0) {
                baskets.add(List.of("i" + item, "i" + (item + random.nextInt(2))));
            }
        }
        assertSame(baskets, partitions, search -> search.threshold(0.9), CorrelatedItems.atLeast(0.9));
    }

    @Test
    void everyOptionIsThatOfTheLibrary() throws IOException {
        assertSame(
                shop(600),
                4,
                search -> search.threshold(0.3).recall(0.8).components(48),
                CorrelatedItems.atLeast(0.3).components(48).recall(0.8));
        assertSame(
                shop(600),
                4,
                search -> search.threshold(0.7).recall(0.5).components(3),
                CorrelatedItems.atLeast(0.7).components(3).recall(0.5));
        assertSame(
                shop(600),
                4,
                search -> search.threshold(0.6).lecture(),
                CorrelatedItems.atLeast(0.6).lecture());
    }

    /** Bytes that are no text differ, and stay what they are. */
    @Test
    void namesMayBeBytes() {
        Dataset<Row> baskets = SPARK.sql("SELECT array(X'FC', X'FD61', X'FC', NULL) AS cart"
                + " UNION ALL SELECT array(X'FC', X'FD61') UNION ALL SELECT array(X'FE', X'FD61', X'FC')");
        try (CorrelatedItemSearch.Result found =
                CorrelatedItemSearch.of(baskets, "cart").run()) {
            assertThat(shown(found.pairs().selectExpr("hex(a)", "hex(b)", "common")))
                    .containsExactly("[FC,FD61,3]");
            assertThat(found.items()).isEqualTo(3);
        }
        Dataset<Row> rows = baskets.selectExpr("hash(cart) AS cart", "explode(cart) AS item");
        try (CorrelatedItemSearch.Result found =
                CorrelatedItemSearch.of(rows, "cart", "item").run()) {
            assertThat(shown(found.pairs().selectExpr("hex(a)", "hex(b)", "common")))
                    .containsExactly("[FC,FD61,3]");
        }
    }

    @Test
    void nullsAreNoItemsAndNoBaskets() {
        Dataset<Row> baskets = SPARK.createDataFrame(
                Arrays.asList(
                        RowFactory.create((Object) new String[] {"a", null, "b"}),
                        RowFactory.create((Object) null),
                        RowFactory.create((Object) new String[] {null})),
                TYPE);
        try (CorrelatedItemSearch.Result found =
                CorrelatedItemSearch.of(baskets, "cart").run()) {
            assertThat(shown(found.pairs())).containsExactly("[a,b,1.0,1,1,1]");
        }
        try (CorrelatedItemSearch.Result none =
                CorrelatedItemSearch.of(baskets.limit(0), "cart").run()) {
            assertThat(none.pairs().count()).isZero();
        }
    }

    @Test
    void rowsOfOneItemAreTheSameBaskets() {
        List<List<String>> lists = shop(300);
        List<Row> rows = new ArrayList<>();
        for (int basket = 0; basket < lists.size(); basket++) {
            for (String item : lists.get(basket)) {
                rows.add(RowFactory.create(basket, item));
            }
            rows.add(RowFactory.create(null, "nowhere"));
            rows.add(RowFactory.create(null, "never"));
            rows.add(RowFactory.create(basket, null));
        }
        Collections.shuffle(rows, new Random(7));
        Dataset<Row> sold = SPARK.createDataFrame(
                        rows, new StructType().add("receipt", "int").add("item", "string"))
                .repartition(3);
        List<Row> carts = lists.stream()
                .map(basket -> RowFactory.create((Object) basket.toArray(String[]::new)))
                .toList();
        try (CorrelatedItemSearch.Result found = CorrelatedItemSearch.of(sold, "receipt", "item")
                        .threshold(0.5)
                        .run();
                CorrelatedItemSearch.Result same = CorrelatedItemSearch.of(SPARK.createDataFrame(carts, TYPE), "cart")
                        .threshold(0.5)
                        .run()) {
            assertThat(shown(found.pairs())).isNotEmpty().isEqualTo(shown(same.pairs()));
        }
    }

    @Test
    void refusesWhatItCannotSearch() {
        Dataset<Row> baskets = SPARK.range(3).selectExpr("id", "array(id) AS ids", "array('a') AS cart");
        assertThatThrownBy(() -> CorrelatedItemSearch.of(baskets, "ids"))
                .hasMessage("the items 'ids' must be an array of strings, got ARRAY<BIGINT>: "
                        + "cast it, or name the column of the basket too, if a row is one item");
        assertThatThrownBy(() -> CorrelatedItemSearch.of(baskets, "nothing"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("nothing");
        assertThatThrownBy(() -> CorrelatedItemSearch.of(baskets, "id", "id"))
                .hasMessage("the item 'id' must be a string, got BIGINT: cast it");
        assertThatThrownBy(() -> CorrelatedItemSearch.of(baskets, "nothing", "cart"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("nothing");
        assertThatThrownBy(() -> CorrelatedItemSearch.of(baskets, "cart").threshold(1.5))
                .hasMessage("threshold must be in (0, 1], got 1.5");
        assertThatThrownBy(() -> CorrelatedItemSearch.of(baskets, "cart").recall(1))
                .hasMessage("recall must be in (0, 1), got 1.0");
        assertThatThrownBy(() ->
                        CorrelatedItemSearch.of(baskets, "cart").components(2).run())
                .hasMessageStartingWith("2 components find a pair at 0.8 with chance ");
    }

    private static void assertSame(
            List<List<String>> lists, int partitions, UnaryOperator<CorrelatedItemSearch> plan, CorrelatedItems search)
            throws IOException {
        List<List<String>> shuffled = new ArrayList<>(lists);
        Collections.shuffle(shuffled, new Random(partitions));
        List<Row> rows = shuffled.stream()
                .map(basket -> RowFactory.create((Object) basket.toArray(String[]::new)))
                .toList();
        Dataset<Row> table = SPARK.createDataFrame(rows, TYPE).repartition(partitions);
        Baskets.Listed baskets = Baskets.of(lists);
        Correlations correlations = search.run(baskets);
        List<String> expected = correlations
                .pairs()
                .map(pair -> RowFactory.create(
                                baskets.name(pair.a()),
                                baskets.name(pair.b()),
                                pair.jaccard(),
                                pair.supportA(),
                                pair.supportB(),
                                pair.common())
                        .toString())
                .sorted()
                .toList();
        assertThat(expected).isNotEmpty();
        try (CorrelatedItemSearch.Result found =
                plan.apply(CorrelatedItemSearch.of(table, "cart")).run()) {
            assertThat(shown(found.pairs())).isEqualTo(expected);
            assertThat(found.items()).isEqualTo(correlations.items());
            assertThat(found.pairCount())
                    .isEqualTo(new CorrelatedItemSearch.PairCount(correlations.count(), correlations.missedShare()));
        }
        assertThat(SPARK.sparkContext().getPersistentRDDs().size())
                .as("nothing is held")
                .isZero();
    }

    private static List<String> shown(Dataset<Row> rows) {
        return rows.collectAsList().stream().map(Row::toString).sorted().toList();
    }
}
