package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.duplicates.Clusters;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import dev.perhaps.similarity.index.SimilarityIndex;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against a table of earlier documents, run after run, everything is what the library finds against its index. */
@EnabledForJreRange(max = JRE.JAVA_21)
class NearDuplicateIndexTest {
    private static final SparkSession SPARK = TestSession.spark();
    private static final StructType TYPE =
            new StructType().add("name", "string").add("body", "string");

    @TempDir
    Path folder;

    private record Document(String name, String text) {}

    /** Families of texts with changed words, chains of small changes, copies, and some that are short, of three days. */
    private static List<List<Document>> days(int count) {
        SplittableRandom random = new SplittableRandom(11);
        List<List<Document>> days = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String text;
            if (i % 9 == 8) {
                text = texts.get(random.nextInt(texts.size()));
            } else if (i % 31 == 30) {
                text = "s".repeat(i % 12);
            } else if (i % 4 == 3) {
                text = changed(texts.get(texts.size() - 1), random, 40);
            } else {
                text = changed(words(random.nextInt(count / 12)), random, 25 + random.nextInt(30));
            }
            texts.add(text);
            days.get(random.nextInt(3)).add(new Document(String.format("d%04d", i * 7919 % 10_000), text));
        }
        return days;
    }

    private static String words(int family) {
        SplittableRandom random = new SplittableRandom(family);
        StringBuilder text = new StringBuilder();
        for (int word = 0; word < 90; word++) {
            text.append(random.nextInt(100_000)).append(' ');
        }
        return text.toString();
    }

    private static String changed(String text, SplittableRandom random, int oneIn) {
        StringBuilder changed = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            changed.append(random.nextInt(oneIn) == 0 ? "other " : word + " ");
        }
        return changed.toString().strip();
    }

    @ParameterizedTest
    @CsvSource({"1, true", "3, false", "8, true"})
    void everyDayIsThatOfOneMachine(int partitions, boolean exact) throws IOException {
        NearDuplicates search = NearDuplicates.atLeast(0.7);
        assertSame(days(260), partitions, exact, plan -> plan.threshold(0.7), search);
    }

    @Test
    void everyOptionIsThatOfTheLibrary() throws IOException {
        assertSame(
                days(200),
                2,
                true,
                plan -> plan.threshold(0.6)
                        .recall(0.95)
                        .components(96)
                        .shingles(Shingles.words(2).normalised())
                        .stars(),
                NearDuplicates.atLeast(0.6)
                        .components(96)
                        .recall(0.95)
                        .shingles(Shingles.words(2).normalised())
                        .stars());
    }

    /** The second day connects two clusters of the first; what is like one of them then belongs to the other. */
    @Test
    void clustersThatAreJoinedLater() throws IOException {
        String middle = words(1);
        String end = words(2).substring(0, 75);
        String start = words(3).substring(0, 75);
        List<List<Document>> days = List.of(
                List.of(new Document("b", middle + end), new Document("a", start + middle.substring(75))),
                List.of(new Document("c", middle), new Document("d", "something else")),
                List.of(new Document("e", middle + end + "!"), new Document("f", start + middle.substring(75) + "?")));
        assertSame(days, 2, true, plan -> plan.threshold(0.7), NearDuplicates.atLeast(0.7));
        assertThat(shown(SPARK.read()
                        .parquet(folder.resolve("index").toString())
                        .selectExpr("id", "run", "cluster", "signature IS NULL")))
                .containsExactly(
                        "[a,0,a,false]",
                        "[b,0,a,true]",
                        "[b,0,b,false]",
                        "[c,1,a,false]",
                        "[d,1,d,false]",
                        "[e,2,a,false]",
                        "[f,2,a,false]");
    }

    private void assertSame(
            List<List<Document>> days,
            int partitions,
            boolean exact,
            UnaryOperator<NearDuplicateSearch> plan,
            NearDuplicates search)
            throws IOException {
        String path = folder.resolve("index").toString();
        SimilarityIndex index = (exact ? search.index().exact() : search.index()).build();
        Dataset<Row> table = null;
        long toEarlier = 0;
        for (List<Document> day : days) {
            List<Document> sorted = new ArrayList<>(day);
            sorted.sort(Comparator.comparing(Document::name));
            Clusters expected = search.against(index).run(new Named(sorted));
            NearDuplicateSearch near = plan.apply(NearDuplicateSearch.of(shuffled(day, partitions), "name", "body"));
            near = exact && table == null ? near.exact() : near;
            near = table == null ? near : near.against(table.repartition(partitions));
            try (NearDuplicateSearch.Result found = near.run()) {
                assertSame(found, sorted, expected, table != null);
                found.index().write().mode(SaveMode.Append).parquet(path);
            }
            toEarlier += expected.matchedEarlier();
            expected.addTo(index, document -> sorted.get(document).name);
            table = SPARK.read().parquet(path);
        }
        assertThat(toEarlier).isGreaterThan(days.get(0).size() / 3);
        assertThat(SPARK.sparkContext().getPersistentRDDs().size())
                .as("nothing is held")
                .isZero();
    }

    private static void assertSame(
            NearDuplicateSearch.Result found, List<Document> documents, Clusters expected, boolean isAgainst) {
        List<String> clusters = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        for (int i = 0; i < documents.size(); i++) {
            Clusters.Edge match = expected.match(i).orElse(null);
            clusters.add(RowFactory.create(
                            documents.get(i).name,
                            name(documents, expected, expected.clusterOf(i)),
                            expected.kept(i),
                            match == null ? null : name(documents, expected, match.b()),
                            match == null ? null : match.jaccard())
                    .toString());
            if (expected.kept(i)) {
                kept.add(documents.get(i).name);
            }
        }
        assertThat(shown(found.clusters().select("id", "cluster", "kept", "match", "jaccard")))
                .containsExactlyElementsOf(clusters.stream().sorted().toList());
        assertThat(shown(found.edges()
                        .selectExpr(
                                "a",
                                "b",
                                "jaccard",
                                isAgainst ? "b_run IS NOT NULL" : "false",
                                isAgainst ? "exact" : "true")))
                .containsExactlyElementsOf(expected.edges()
                        .map(edge -> RowFactory.create(
                                        name(documents, expected, edge.a()),
                                        name(documents, expected, edge.b()),
                                        edge.jaccard(),
                                        edge.b() >= documents.size(),
                                        edge.exact())
                                .toString())
                        .sorted()
                        .toList());
        assertThat(found.kept().collectAsList().stream().map(row -> row.getString(0)))
                .containsExactlyInAnyOrderElementsOf(kept);
    }

    private static String name(List<Document> documents, Clusters clusters, int number) {
        return number < documents.size() ? documents.get(number).name : clusters.earlierName(number);
    }

    /** What is new does not depend on whether earlier documents came in one run or in two. */
    @Test
    void anIndexOfTwoRunsKnowsWhatAnIndexOfOneKnows() {
        List<List<Document>> days = days(200);
        List<Document> both = new ArrayList<>(days.get(0));
        both.addAll(days.get(1));
        Dataset<Row> first = written("two", days.get(0), null);
        Dataset<Row> two = written("two", days.get(1), first);
        Dataset<Row> one = written("one", both, null);
        try (NearDuplicateSearch.Result toTwo = search(days.get(2)).against(two).run();
                NearDuplicateSearch.Result toOne =
                        search(days.get(2)).against(one).run()) {
            assertThat(shown(toTwo.kept())).hasSizeLessThan(days.get(2).size()).isEqualTo(shown(toOne.kept()));
        }
    }

    private static NearDuplicateSearch search(List<Document> documents) {
        return NearDuplicateSearch.of(shuffled(documents, 2), "name", "body")
                .threshold(0.7)
                .exact();
    }

    private Dataset<Row> written(String name, List<Document> documents, @Nullable Dataset<Row> table) {
        String path = folder.resolve(name).toString();
        NearDuplicateSearch plan =
                table == null ? search(documents) : search(documents).against(table);
        try (NearDuplicateSearch.Result found = plan.run()) {
            found.index().write().mode(SaveMode.Append).parquet(path);
        }
        return SPARK.read().parquet(path);
    }

    /** More than 2,048 earlier documents share their bands with each new one; ids are numbers, and one text is null. */
    @Test
    void aBucketOfThousands() {
        SplittableRandom random = new SplittableRandom(4);
        String header = words(1);
        List<Row> rows = IntStream.range(0, 2_400)
                .mapToObj(i -> RowFactory.create((long) i, i == 7 ? null : header + " " + random.nextInt()))
                .toList();
        StructType type = new StructType().add("i", "long").add("t", "string");
        Dataset<Row> earlier = SPARK.createDataFrame(rows, type);
        try (NearDuplicateSearch.Result old =
                NearDuplicateSearch.of(earlier, "i", "t").threshold(0.8).run()) {
            Dataset<Row> table = old.index();
            assertThat(table.count()).isEqualTo(2_399);
            List<Row> fresh = List.of(
                    RowFactory.create(5_000L, header + " and more"),
                    RowFactory.create(5_001L, rows.get(3).getString(1)),
                    RowFactory.create(5_002L, words(2)),
                    RowFactory.create(5_003L, null));
            try (NearDuplicateSearch.Result found = NearDuplicateSearch.of(SPARK.createDataFrame(fresh, type), "i", "t")
                    .threshold(0.8)
                    .against(table)
                    .run()) {
                assertThat(shown(found.kept().select("i"))).containsExactly("[5002]", "[5003]");
                assertThat(shown(found.edges().where("a = 5001").selectExpr("b", "jaccard", "exact")))
                        .containsExactly("[3,1.0,true]");
                // 32 to the one cluster, and one to its kept document.
                assertThat(found.edges().where("a = 5000 AND b_run = 0").count())
                        .isBetween(32L, 33L);
            }
        }
    }

    @Test
    void refusesAnotherIndex() {
        Dataset<Row> documents = shuffled(List.of(new Document("a", words(1)), new Document("b", words(2))), 1);
        NearDuplicateSearch search = NearDuplicateSearch.of(documents, "name", "body");
        Dataset<Row> table;
        try (NearDuplicateSearch.Result found = search.run()) {
            found.index().write().parquet(folder.resolve("index").toString());
            table = SPARK.read().parquet(folder.resolve("index").toString());
        }
        String there = "the index was made for something else: it has version 1, threshold 0.8, 21 bands of 6 rows,"
                + " 128 components, shingles " + Shingles.codePoints().key().name() + ", seed "
                + Shingles.codePoints().seed() + ", estimated; this search has version 1, ";
        assertThatThrownBy(() -> search.threshold(0.7).against(table).run())
                .hasMessageStartingWith(there + "threshold 0.7, ")
                .hasMessageEndingWith(": search with the same, or build the index again");
        assertThatThrownBy(() -> search.components(96).against(table).run()).hasMessageContaining(", 96 components, ");
        assertThatThrownBy(() ->
                        search.shingles(Shingles.codePoints(7)).against(table).run())
                .hasMessageStartingWith(there);
        assertThatThrownBy(() -> search.shingles(
                                Shingles.named(Shingles.codePoints().key().name(), 5))
                        .against(table)
                        .run())
                .hasMessageStartingWith(there)
                .hasMessageContaining(", seed 5, ");
        assertThatThrownBy(() -> search.exact().against(table).run())
                .hasMessage("the index was made without exact(): leave it out, or build the index again");
        assertThatThrownBy(() -> search.against(table.drop("signature")))
                .hasMessage(
                        "the index must be a table of the rows that index() returned: its column 'signature' is missing");
        assertThatThrownBy(() -> search.against(table.withColumn("id", table.col("run"))))
                .hasMessageEndingWith("its column 'id' is INT, not STRING");
        Dataset<Row> mixed = table.union(table.selectExpr("'other' AS settings", "* EXCEPT (settings)"));
        assertThatThrownBy(() -> search.against(mixed).run())
                .hasMessageStartingWith("the index has documents of different searches: ");
        try (NearDuplicateSearch.Result again = search.against(table).run()) {
            assertThat(again.kept().count()).isZero();
            assertThatThrownBy(again::index)
                    .hasMessageMatching("the index has a document '[ab]' already: leave it out, or use another name");
        }
        try (NearDuplicateSearch.Result first = search.against(table.limit(0)).run()) {
            String[] columns = {"settings", "run", "id", "cluster", "kept", "high", "low", "hex(signature)"};
            assertThat(shown(first.index().selectExpr(columns))).isEqualTo(shown(table.selectExpr(columns)));
        }
    }

    private static Dataset<Row> shuffled(List<Document> documents, int partitions) {
        List<Row> rows = new ArrayList<>();
        documents.forEach(document -> rows.add(RowFactory.create(document.name, document.text)));
        Collections.shuffle(rows, new Random(partitions));
        return SPARK.createDataFrame(rows, TYPE).repartition(partitions);
    }

    private static List<String> shown(Dataset<Row> rows) {
        return rows.collectAsList().stream().map(Row::toString).sorted().toList();
    }

    private record Named(List<Document> texts) implements Documents {
        @Override
        public int count() {
            return texts.size();
        }

        @Override
        public byte[] utf8(int document) {
            return texts.get(document).text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public int compare(int a, int b) {
            return texts.get(a).name.compareTo(texts.get(b).name);
        }
    }
}
