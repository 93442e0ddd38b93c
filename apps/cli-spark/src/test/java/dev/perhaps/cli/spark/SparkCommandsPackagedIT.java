package dev.perhaps.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.spark.Installation.Result;
import dev.perhaps.cli.spark.Installation.Running;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands with {@code --engine spark}, as users type them: the files of one machine, one-line errors, nothing left behind. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@EnabledForJreRange(max = JRE.JAVA_21)
class SparkCommandsPackagedIT {
    /** Half of the time of a process that lives for seconds goes into the second compiler otherwise. */
    private static final String ON_SPARK =
            " --engine spark --spark-conf spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1";

    /** Many tasks for small inputs. */
    private static final String IN_SMALL_SPLITS = ON_SPARK + " --spark-conf spark.perhaps.splitBytes=20000";

    @TempDir
    Path folder;

    private Installation installed;

    @BeforeAll
    static void fetchSpark(@TempDir Path other) throws Exception {
        Files.writeString(other.resolve("lines"), "a\nb\n");
        Result first = new Installation(other).run(words("distinct lines" + ON_SPARK));
        assertThat(first.code()).as(first.err()).isZero();
        try (Stream<Path> fetched = Files.list(Installation.CACHE.resolve("perhaps"))) {
            assertThat(fetched.map(file -> file.getFileName().toString()).filter(name -> name.contains("spark")))
                    .containsExactly("spark-4.0.1");
        }
    }

    @BeforeEach
    void install() throws IOException {
        installed = new Installation(folder);
        List<String> lines = new ArrayList<>();
        List<String> numbers = new ArrayList<>();
        StringBuilder table = new StringBuilder("name,amount\n");
        for (int i = 0; i < 10_000; i++) {
            lines.add("key-" + i * 7919 % 2500 + " " + i % 13);
            numbers.add(Integer.toString(i));
            table.append("\"a\nb").append(i % 100).append("\",").append(i % 7).append(".5\n");
        }
        // A line that begins with what is a byte order mark at the start of a file, and no newline at the end.
        lines.add(3_000, "\uFEFFmarked 1");
        Files.writeString(folder.resolve("lines"), String.join("\n", lines));
        Files.write(folder.resolve("numbers"), numbers);
        Files.writeString(folder.resolve("table.csv"), table);
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("numbers.gz")))) {
            Files.copy(folder.resolve("numbers"), out);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "filter build lines numbers.gz",
        "filter build lines --kind blocked --items 1e4 --fpp 0.001",
        "filter build lines numbers --kind counting",
        "filter build lines --kind cuckoo --set",
        "filter build numbers --kind fuse --format int64",
        "count build lines --epsilon 0.01 --format word:1",
        "count build table.csv --format csv:name --by amount",
        "count build numbers --ranges",
        "distinct lines numbers.gz --error 0.01",
    })
    void writesTheBytesOfOneMachine(String command) throws Exception {
        Result here = installed.run(words(command + " -o here"));
        Result there = installed.run(words(command + " -o there" + IN_SMALL_SPLITS));

        assertThat(there.err()).isEqualTo(here.err().replace("wrote here", "wrote there"));
        assertThat(there.out()).isEqualTo(here.out());
        assertThat(there.code()).isEqualTo(here.code()).isZero();
        assertThat(folder.resolve("there")).hasSameBinaryContentAs(folder.resolve("here"));
        assertThat(folder.resolve("temporary")).isEmptyDirectory();
    }

    /** Also where Spark is set up with another serializer, as many installations are. */
    @Test
    void printsTheSameTopList() throws Exception {
        Result here = installed.run("top", "lines", "--format", "word:2", "-k", "5");
        Result there = installed.run(words("top lines --format word:2 -k 5" + IN_SMALL_SPLITS
                + " --spark-conf spark.serializer=org.apache.spark.serializer.KryoSerializer"));

        assertThat(there).isEqualTo(here);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--threshold 0.7", "--format jsonl:text --id name --skip-bad --keep first --cluster star"})
    void findsTheClustersOfOneMachine(String options) throws Exception {
        Random random = new Random(7);
        List<String> documents = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            StringBuilder text = new StringBuilder();
            Random words = new Random(random.nextInt(40));
            for (int w = 0; w < 40; w++) {
                text.append(words.nextInt(1_000)).append(random.nextInt(60) == 0 ? "x " : " ");
            }
            documents.add(
                    options.contains("jsonl")
                            ? "{\"name\": \"n" + i * 7919 % 300 + "\", \"text\": \"" + text + "\"}"
                            : text.toString());
            if (options.contains("jsonl") && i % 100 == 50) {
                documents.addAll(List.of("", "{bad", documents.get(documents.size() - 1)));
            }
        }
        Files.write(folder.resolve("documents"), documents);

        String command = "dedup documents " + options;
        Result here = installed.run(words(command + " -o here --clusters here.clusters --pairs here.pairs"));
        Result there =
                installed.run(words(command + " -o there --clusters there.clusters --pairs there.pairs" + ON_SPARK));

        assertThat(there).isEqualTo(here);
        assertThat(folder.resolve("there")).hasSameBinaryContentAs(folder.resolve("here"));
        assertThat(folder.resolve("there.clusters")).hasSameBinaryContentAs(folder.resolve("here.clusters"));
        assertThat(Files.readAllLines(folder.resolve("there.pairs")))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(Files.readAllLines(folder.resolve("here.pairs")));
    }

    /** The same lines in the same order, names that are not UTF-8 as they came, and the same report. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "carts --separator , --threshold 0.5 --report",
                "carts --separator , carts --threshold 0.6 --bands lecture --top 100 --json --report",
                "carts.csv --format csv:cart,item --threshold 0.4 --recall 0.9 --components 64 --report",
                "carts.jsonl.gz --format jsonl:cart.items --threshold 0.5 --skip-bad --json --report",
            })
    void findsThePairsOfOneMachine(String options) throws Exception {
        Random random = new Random(3);
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        StringBuilder table = new StringBuilder("cart,item\n");
        StringBuilder objects = new StringBuilder();
        for (int i = 0; i < 2_000; i++) {
            List<String> items = new ArrayList<>();
            int habit = random.nextInt(60);
            for (int item = 0; item < 5; item++) {
                if (random.nextInt(10) < 9) {
                    items.add("Z\u00FCrich " + habit + "." + item);
                }
            }
            items.add("once " + i);
            items.add("rare " + i / 3);
            lines.write(String.join(",", items).getBytes(StandardCharsets.ISO_8859_1));
            lines.write(i % 40 == 0 ? "\n\n".getBytes(StandardCharsets.US_ASCII) : new byte[] {'\n'});
            items.forEach(item ->
                    table.append(items.hashCode()).append(",\"").append(item).append("\"\n"));
            objects.append("{\"cart\": {\"items\": [\"")
                    .append(String.join("\", \"", items))
                    .append("\"]}}\n");
            if (i % 400 == 7) {
                objects.append("{\"cart\": 1}\n");
            }
        }
        Files.write(folder.resolve("carts"), lines.toByteArray());
        Files.writeString(folder.resolve("carts.csv"), table);
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("carts.jsonl.gz")))) {
            out.write(objects.toString().getBytes(StandardCharsets.UTF_8));
        }

        String command = "baskets " + options;
        Result here = installed.run(words(command + " -o here"));
        Result there = installed.run(words(command + " -o there" + IN_SMALL_SPLITS));

        assertThat(here.err()).contains("baskets", "pairs");
        assertThat(there).isEqualTo(here);
        assertThat(folder.resolve("here")).isNotEmptyFile();
        assertThat(folder.resolve("there")).hasSameBinaryContentAs(folder.resolve("here"));
        assertThat(folder.resolve("temporary")).isEmptyDirectory();
    }

    @Test
    void tellsABadBasketInOneLine() throws Exception {
        Files.writeString(folder.resolve("carts"), "{\"items\": [\"a\\tb\"]}\n");

        Result refused = installed.run(words("baskets carts --format jsonl:items --threshold 0.5" + ON_SPARK));

        assertThat(refused.err())
                .startsWith("perhaps: carts line 1: the item 'a?b' has a tab or a line break in it")
                .hasLineCount(1);
        assertThat(refused.code()).isEqualTo(2);
        Result printed = installed.run(
                words("baskets carts lines --format jsonl:items --threshold 0.5 --skip-bad --top 1 --json" + ON_SPARK));
        assertThat(printed.err()).contains("skipped: lines line 1: ", "10,001 records were skipped");
        assertThat(printed.code()).isZero();
    }

    @Test
    void tellsABadRecordInOneLine() throws Exception {
        Files.writeString(folder.resolve("numbers"), "12\nx\n");
        String[] command = words("filter build numbers --format int64 --items 10 -o out" + ON_SPARK);

        Result refused = installed.run(command);

        assertThat(refused.err().lines().filter(line -> line.startsWith("perhaps: ")))
                .containsExactly("perhaps: numbers line 2: 'x' is not a whole number from -9223372036854775808 to"
                        + " 9223372036854775807; --skip-bad skips such records");
        assertThat(refused.err()).doesNotContain("Exception", "INFO", "WARN");
        assertThat(refused.code()).isEqualTo(2);
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "top --engine spark | standard input cannot be read by the tasks of Spark",
                "top lines --last 1h --engine spark | --last depends on the order of the records",
                "count build lines --conservative -o out --engine spark | --conservative depends on the order",
                "dedup lines --minimum-hits 50 --engine spark | --minimum-hits is not for Spark",
                "dedup lines --jobs 2 --engine spark | --jobs is not for Spark: use --master 'local[2]'",
                "baskets lines --threshold 0.5 --jobs 2 --engine spark | --jobs is not for Spark: use --master 'local[2]'",
                "baskets lines --threshold 2 --engine spark | --threshold must be in (0, 1], got 2.0",
                "baskets lines --threshold 0.01 --engine spark | 128 components find a pair at 0.01",
                "baskets lines --threshold 0.5 --format xml --engine spark | there is no format 'xml' of baskets",
                "baskets --threshold 0.5 --engine spark | standard input cannot be read by the tasks of Spark",
                "distinct lines --master local[2] | --master goes with --engine spark",
                "distinct lines --engine spark --spark-conf x=1 | --spark-conf must be spark.NAME=VALUE, got 'x=1'",
                "distinct lines -o lines --engine spark | lines is an input of this command",
                "distinct lines --engine spark --master nonsense | Spark did not start: ",
                "distinct lines --engine spark --spark-conf spark.driver.extraJavaOptions=-Xss1 | Spark did not start: The Java thread stack size",
                "distinct missing --engine spark | missing: there is no such file",
                "distinct /dev/zero --engine spark | /dev/zero is not a regular file",
            })
    void refusesInOneLine(String command, String reason) throws Exception {
        Result refused = installed.run(words(command));

        assertThat(refused.err()).startsWith("perhaps: " + reason).hasLineCount(1);
        assertThat(refused.code()).isEqualTo(2);
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @Test
    void saysWhereSparkCouldBeIfTheCacheCannotBeWritten() throws Exception {
        Result refused = installed.with("XDG_CACHE_HOME", "/dev/null").run(words("distinct lines --engine spark"));

        assertThat(refused.err())
                .isEqualTo(
                        "perhaps: Spark's jars have no place: /dev/null/perhaps cannot be written; set XDG_CACHE_HOME"
                                + " to a folder that can, or SPARK_HOME to an installation of Spark 4\n");
        assertThat(refused.code()).isEqualTo(2);
    }

    @Test
    void takesTheInstallationOfTheUserAndLeavesItsNoiseOut() throws Exception {
        Path submit = folder.resolve("spark home/bin/spark-submit");
        Files.createDirectories(submit.getParent());
        Files.writeString(submit, """
                #!/bin/sh
                echo "WARNING: noise of the installation" >&2
                exec "$JAVA_HOME/bin/java" %s -cp '%s/*' org.apache.spark.deploy.SparkSubmit "$@"
                """.formatted(
                        String.join(" ", Options.jvm()), Installation.CACHE.resolve("perhaps/spark-4.0.1/jars")));
        Installation.executable(submit);

        Result result = installed
                .with("SPARK_HOME", folder.resolve("spark home"))
                .run(words("distinct numbers --json --master local[1]" + ON_SPARK));

        assertThat(result.err()).doesNotContain("noise");
        assertThat(result.out()).contains("\"items\":10000");
        Result refused = installed.with("SPARK_HOME", folder).run(words("distinct numbers --engine spark"));
        assertThat(refused.err())
                .startsWith("perhaps: SPARK_HOME is '" + folder + "'")
                .hasLineCount(1);
    }

    @Test
    void leavesNothingBehindAfterCtrlC() throws Exception {
        Path log = folder.resolve("log");
        // 6,000 tasks, and so certainly not done when the first of them are.
        Running running = installed.start(words(
                "distinct lines -o out --engine spark --spark-log log" + " --spark-conf spark.perhaps.splitBytes=20"));
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        while (!(Files.exists(log) && Files.readString(log).contains("Finished task 9.0"))) {
            assertThat(running.process().isAlive() && System.nanoTime() < end)
                    .as(Files.readString(running.err()))
                    .isTrue();
            Thread.sleep(20);
        }
        List<ProcessHandle> children = running.process().descendants().toList();
        assertThat(children).isNotEmpty();

        new ProcessBuilder("kill", "-INT", Long.toString(running.process().pid()))
                .start()
                .waitFor();
        Result result = running.finish();

        assertThat(result.code()).isEqualTo(130);
        assertThat(result.err()).isEmpty();
        assertThat(children).noneMatch(ProcessHandle::isAlive);
        assertThat(folder.resolve("out")).doesNotExist();
        assertThat(folder.resolve("temporary")).isEmptyDirectory();
    }

    @Test
    void leavesNoProcessBehindIfItIsKilled() throws Exception {
        Path log = folder.resolve("log");
        Running running = installed.start(words(
                "distinct lines -o out --engine spark --spark-log log" + " --spark-conf spark.perhaps.splitBytes=20"));
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        while (!(Files.exists(log) && Files.readString(log).contains("Finished task 9.0"))) {
            assertThat(running.process().isAlive() && System.nanoTime() < end).isTrue();
            Thread.sleep(20);
        }
        List<ProcessHandle> children = running.process().descendants().toList();

        running.process().destroyForcibly();

        for (ProcessHandle child : children) {
            child.onExit().get(1, TimeUnit.MINUTES);
        }
        assertThat(folder.resolve("out")).doesNotExist();
    }

    private static String[] words(String command) {
        return command.split(" ", -1);
    }
}
