package dev.perhaps.spark;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.duplicates.Clusters;
import dev.perhaps.similarity.duplicates.NearDuplicates;
import dev.perhaps.spark.duplicates.DuplicateJob;
import dev.perhaps.spark.duplicates.DuplicateSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.exchange.Exchange;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/** Clusters, kept documents and edges are those of one machine, whatever the partitions and the order. */
@EnabledForJreRange(max = JRE.JAVA_21)
class NearDuplicateSearchTest {
    private static final SparkSession SPARK = TestSession.spark();
    private static final StructType TYPE =
            new StructType().add("name", "string").add("body", "string");

    private record Document(String name, @Nullable String text) {}

    /** The files of the library, and some of them a second time: the same, and with lines left out. */
    private static List<Document> files() throws IOException {
        List<Document> files = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(Path.of("..", "core", "src"))) {
            for (Path path : paths.filter(path -> path.toString().endsWith(".java"))
                    .sorted()
                    .toList()) {
                String text = Files.readString(path);
                files.add(new Document(path.toString(), text));
                if (files.size() % 3 == 0) {
                    List<String> lines = new ArrayList<>(text.lines().toList());
                    lines.remove(lines.size() / 2);
                    files.add(new Document(path + "~", String.join("\n", lines)));
                }
                if (files.size() % 11 == 0) {
                    files.add(new Document(path + " copy", text));
                }
            }
        }
        return files;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8})
    void realTextsHaveTheClustersOfOneMachine(int partitions) throws IOException {
        List<Document> files = files();
        assertThat(files).hasSizeGreaterThan(400);
        assertSame(files, partitions, search -> search.threshold(0.5), NearDuplicates.atLeast(0.5));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8})
    void textsThatAreEmptyShortNullOrTheSame(int partitions) throws IOException {
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            documents.add(new Document("same " + i, "It was the best of times, it was the worst of times"));
            documents.add(new Document("empty " + i, ""));
            documents.add(new Document("short " + i, "a".repeat(i % 12)));
            documents.add(new Document("null " + i, null));
            documents.add(new Document("\uD83D\uDE00" + i, "an astral name \uD83D\uDE00 sorts as Java sorts it"));
            documents.add(new Document("\uFB01" + i, "an astral name \uD83D\uDE00 sorts as Java sorts it"));
        }
        assertSame(documents, partitions, search -> search, NearDuplicates.atLeast(0.8));
    }

    /** Buckets of more than 64: a header that all share, which hot buckets are for. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 8})
    void aSharedHeader(int partitions) throws IOException {
        assertSame(named(header(600, 10)), partitions, search -> search.threshold(0.7), NearDuplicates.atLeast(0.7));
    }

    /** Buckets of more than 2,048, which are cut into blocks, and whose members meet by rare values too. */
    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void aGroupOfThousands(int partitions) throws IOException {
        assertSame(named(variants(3_000, 8)), partitions, search -> search.threshold(0.9), NearDuplicates.atLeast(0.9));
    }

    @Test
    void everyOptionIsThatOfTheLibrary() throws IOException {
        List<Document> files = files();
        assertSame(
                files,
                4,
                search -> search.threshold(0.6)
                        .recall(0.95)
                        .components(96)
                        .shingles(Shingles.words(2).normalised())
                        .stars(),
                NearDuplicates.atLeast(0.6)
                        .components(96)
                        .recall(0.95)
                        .shingles(Shingles.words(2).normalised())
                        .stars());
        files.sort((a, b) -> a.name.compareTo(b.name));
        assertSame(
                files,
                4,
                search -> search.threshold(0.5).keepFirst(),
                NearDuplicates.atLeast(0.5).keepFirst());
    }

    @Test
    void idsMayBeNumbersAndTextsBinary() {
        Dataset<Row> documents =
                SPARK.range(10).selectExpr("id AS i", "encode(concat('text of ', id % 3), 'UTF-8') AS t");
        try (NearDuplicateSearch.Result found =
                NearDuplicateSearch.of(documents, "i", "t").run()) {
            assertThat(found.kept().selectExpr("i").collectAsList().stream().map(row -> row.getLong(0)))
                    .containsExactlyInAnyOrder(0L, 1L, 2L);
            assertThat(found.clusters().count()).isEqualTo(10);
            assertThat(found.edges().count()).isEqualTo(7);
        }
        try (NearDuplicateSearch.Result none =
                NearDuplicateSearch.of(documents.where("i < 0"), "i", "t").run()) {
            assertThat(none.clusters().count()).isZero();
            assertThat(none.edges().count()).isZero();
        }
    }

    @Test
    void refusesWhatItCannotCompare() {
        Dataset<Row> documents = SPARK.range(3).selectExpr("id", "CAST(id AS DOUBLE) AS d", "'text' AS t");
        assertThatThrownBy(() -> NearDuplicateSearch.of(documents, "d", "t"))
                .hasMessage("the id 'd' must be a string or an integer, got DOUBLE");
        assertThatThrownBy(() -> NearDuplicateSearch.of(documents, "id", "id"))
                .hasMessage("the text 'id' must be a string or binary, got BIGINT");
        assertThatThrownBy(() -> NearDuplicateSearch.of(documents, "id", "nothing"))
                .hasMessageContaining("nothing");
        assertThatThrownBy(() -> NearDuplicateSearch.of(documents, "id", "t").threshold(1.5))
                .hasMessage("threshold must be in (0, 1], got 1.5");
        assertThatThrownBy(() -> NearDuplicateSearch.of(documents, "id", "t").recall(1))
                .hasMessage("recall must be in (0, 1), got 1.0");
        Dataset<Row> nameless = documents.selectExpr("IF(id = 1, NULL, id) AS id", "t");
        assertThatThrownBy(() -> NearDuplicateSearch.of(nameless, "id", "t").run())
                .hasStackTraceContaining("a document has no id: the id must not be null");
    }

    /** Bands travel with sketches of 64 bytes; the one shuffle of texts is that to their components. */
    @Test
    void noTextIsShuffledButToItsComponent() {
        List<Row> rows = named(header(300, 10)).stream()
                .map(document -> RowFactory.create(document.name, document.text))
                .toList();
        DuplicateJob job = new DuplicateJob(
                SPARK.createDataFrame(rows, TYPE).selectExpr("name AS id", "CAST(body AS BINARY) AS text"),
                DuplicateSettings.of(0.8));
        DuplicateJob.Found found = job.run();
        assertThat(found.clusters().count()).isEqualTo(300);
        found.free();
        Set<String> exchanges = new TreeSet<>();
        job.plans().forEach(plan -> exchanges(plan, exchanges));
        assertThat(exchanges).contains("high, low, id, length, signature", "key, band, high, low, sketch");
        assertThat(exchanges.stream().filter(columns -> columns.contains("text") || columns.contains("body")))
                .containsExactly("mark, high, low, otherHigh, otherLow, chosen, id, text");
    }

    /** The columns of everything that is shuffled or broadcast. */
    private static void exchanges(SparkPlan plan, Set<String> found) {
        if (plan instanceof Exchange) {
            found.add(CollectionConverters.asJava(plan.output()).stream()
                    .map(Attribute::name)
                    .collect(Collectors.joining(", ")));
        }
        if (plan instanceof AdaptiveSparkPlanExec adaptive) {
            exchanges(adaptive.executedPlan(), found);
        } else if (plan instanceof QueryStageExec stage) {
            exchanges(stage.plan(), found);
        } else if (plan instanceof ReusedExchangeExec reused) {
            exchanges(reused.child(), found);
        }
        CollectionConverters.asJava(plan.children()).forEach(child -> exchanges(child, found));
    }

    private static List<Document> named(List<String> texts) {
        return IntStream.range(0, texts.size())
                .mapToObj(i -> new Document(String.format("d%06d", i), texts.get(i)))
                .toList();
    }

    private static String text(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    private static List<String> header(int members, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String header = text(random, 600);
        List<String> texts = new ArrayList<>();
        for (int member = 0; member < members; member++) {
            if (member % 4 == 3) {
                int shared = 710 + random.nextInt(60);
                texts.add(texts.get(random.nextInt(member)).substring(0, shared) + text(random, 800 - shared));
            } else {
                texts.add(header + text(random, 200));
            }
        }
        return texts;
    }

    private static List<String> variants(int members, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String original = text(random, 500);
        List<String> texts = new ArrayList<>();
        for (int member = 0; member < members; member++) {
            StringBuilder text = new StringBuilder(original);
            for (int edit = random.nextInt(5); edit > 0; edit--) {
                text.setCharAt(random.nextInt(text.length()), (char) ('A' + random.nextInt(26)));
            }
            texts.add(text.toString());
        }
        return texts;
    }

    private static void assertSame(
            List<Document> documents, int partitions, UnaryOperator<NearDuplicateSearch> plan, NearDuplicates search)
            throws IOException {
        List<Document> shuffled = new ArrayList<>(documents);
        Collections.shuffle(shuffled, new Random(partitions));
        List<Row> rows = shuffled.stream()
                .map(document -> RowFactory.create(document.name, document.text))
                .toList();
        Dataset<Row> table = SPARK.createDataFrame(rows, TYPE).repartition(partitions);
        try (NearDuplicateSearch.Result found =
                plan.apply(NearDuplicateSearch.of(table, "name", "body")).run()) {
            List<Document> texts =
                    documents.stream().filter(document -> document.text != null).toList();
            Clusters clusters = search.run(new Named(texts));
            TreeSet<String> expected = new TreeSet<>();
            TreeSet<String> kept = new TreeSet<>();
            for (int i = 0; i < texts.size(); i++) {
                Clusters.Edge match = clusters.match(i).orElse(null);
                expected.add(RowFactory.create(
                                texts.get(i).name,
                                texts.get(clusters.clusterOf(i)).name,
                                clusters.kept(i),
                                match == null ? null : texts.get(match.b()).name,
                                match == null ? null : match.jaccard())
                        .toString());
                if (clusters.kept(i)) {
                    kept.add(texts.get(i).name);
                }
            }
            documents.stream().filter(document -> document.text == null).forEach(document -> {
                expected.add(RowFactory.create(document.name, document.name, true, null, null)
                        .toString());
                kept.add(document.name);
            });
            assertThat(shown(found.clusters())).containsExactlyElementsOf(expected);
            assertThat(shown(found.edges()))
                    .containsExactlyElementsOf(clusters.edges()
                            .map(edge -> RowFactory.create(
                                            texts.get(edge.a()).name, texts.get(edge.b()).name, edge.jaccard())
                                    .toString())
                            .sorted()
                            .toList());
            assertThat(found.kept().collectAsList().stream().map(row -> row.getString(0)))
                    .containsExactlyInAnyOrderElementsOf(kept);
            assertThat(clusters.edges().count()).as("edges").isPositive();
        }
        assertThat(SPARK.sparkContext().getPersistentRDDs().size())
                .as("nothing is held")
                .isZero();
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
            return requireNonNull(texts.get(document).text).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public int compare(int a, int b) {
            return texts.get(a).name.compareTo(texts.get(b).name);
        }
    }

    /** The id may be a field of a struct, or have a name with dots; kept rows have the columns where they were. */
    @ParameterizedTest
    @ValueSource(strings = {"meta.name", "`my.name`", "NAME", "name"})
    void anyColumnMayBeTheId(String id) {
        Dataset<Row> documents = SPARK.range(0, 9, 1, 2)
                .selectExpr(
                        "concat('the text of the documents with the number ', id % 3) AS body",
                        "named_struct('name', id) AS meta", "concat('d', id) AS `my.name`", "id AS name");
        int before = SPARK.sparkContext().getPersistentRDDs().size();
        try (NearDuplicateSearch.Result found = NearDuplicateSearch.of(documents, id, "body")
                .threshold(1)
                .keepFirst()
                .run()) {
            assertThat(found.kept().columns()).isEqualTo(documents.columns());
            assertThat(found.kept().orderBy("name").select("name").collectAsList())
                    .hasToString("[[0], [1], [2]]");
        }
        assertThat(SPARK.sparkContext().getPersistentRDDs().size()).isEqualTo(before);
    }
}
