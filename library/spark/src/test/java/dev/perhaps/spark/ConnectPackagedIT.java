package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.spark.TestProcesses.Started;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** A client of Spark Connect uses the functions: the jar is on the class path of the server, and not on the client's. */
@EnabledForJreRange(max = JRE.JAVA_21)
class ConnectPackagedIT {
    private static final Path ALL = Path.of(System.getProperty("perhaps.spark.all", ""));
    private static final Path CONNECT = Path.of(System.getProperty("perhaps.spark.connect", ""));
    private static final String VERSION = "_2.13-" + System.getProperty("perhaps.spark.version", "") + ".jar";

    /** What a client must not have: the classes of the driver. */
    private static final Pattern DRIVER =
            Pattern.compile("spark-(sql|sql-api|catalyst|core|connect)" + Pattern.quote(VERSION));

    @TempDir
    private static Path folder;

    private static TestProcesses processes;
    private static String url;

    @BeforeAll
    static void startTheServer() throws IOException {
        processes = new TestProcesses(folder);
        List<String> path = spark();
        for (String jar : List.of("spark-connect", "spark-mllib", "spark-mllib-local")) {
            path.add(CONNECT.resolve(jar + VERSION).toString());
        }
        path.add(ALL.toString());
        Started server = processes.start(
                "-Xmx1g",
                path,
                List.of(
                        "-Dspark.master=local[2]",
                        "-Dspark.ui.enabled=false",
                        "-Dspark.driver.host=127.0.0.1",
                        "-Dspark.driver.bindAddress=127.0.0.1",
                        "-Dspark.sql.shuffle.partitions=3",
                        "-Dspark.sql.warehouse.dir=" + folder.resolve("warehouse"),
                        "-Dspark.connect.grpc.binding.address=127.0.0.1",
                        "-Dspark.connect.grpc.binding.port=0",
                        "org.apache.spark.sql.connect.service.SparkConnectServer"));
        Matcher started = Pattern.compile("127\\.0\\.0\\.1:(\\d+)")
                .matcher(server.awaitLine("Spark Connect server started at: "));
        assertThat(started.find()).isTrue();
        url = "sc://127.0.0.1:" + started.group(1);
    }

    @AfterAll
    static void end() {
        processes.close();
    }

    /** The jars of the test that are not ours. */
    private static List<String> spark() {
        List<String> path = new ArrayList<>();
        for (String entry : TestProcesses.classPath()) {
            String name = Path.of(entry).getFileName().toString();
            if (name.endsWith(".jar") && !name.startsWith("perhaps-") && !name.startsWith("hash4j-")) {
                path.add(entry);
            }
        }
        return path;
    }

    private static List<String> client(String part, String... more) throws Exception {
        List<String> path = new ArrayList<>(
                List.of(CONNECT.resolve("spark-connect-client-jvm" + VERSION).toString()));
        path.add(CONNECT.resolve("spark-connect-shims_2.13-4.0.0.jar").toString());
        for (String entry : spark()) {
            if (!DRIVER.matcher(Path.of(entry).getFileName().toString()).matches()) {
                path.add(entry);
            }
        }
        path.add(TestProcesses.classPath().stream()
                .filter(entry -> entry.endsWith("test-classes"))
                .findFirst()
                .orElseThrow());
        path.addAll(List.of(more));
        return processes
                .start("-Xmx512m", path, List.of(ConnectQueries.class.getName(), url, part))
                .awaitEnd(ConnectQueries.RESULT);
    }

    @Test
    void aClientWithoutAnyClassOfOursUsesTheFunctions() throws Exception {
        List<String> results = client("names");
        assertThat(results)
                .startsWith(
                        "session org.apache.spark.sql.connect.SparkSession",
                        "no library",
                        "sql [true,10]",
                        "subquery [4000]",
                        "call_function 4000",
                        "grouped [[true]]")
                .hasSize(8);
        assertThat(results.get(6)).contains("falsePositives must be in (0, 1), got 1.5");
        assertThat(results.get(7)).contains("not a Perhaps file");
    }

    @Test
    void methodsThatNameTheFunctionsWorkAndJobsAreRefused() throws Exception {
        List<String> results = client("methods", ALL.toString());
        assertThat(results.get(0)).isEqualTo("methods 4000");
        assertThat(results.subList(1, results.size()))
                .containsExactlyElementsOf(Stream.of(
                                "ColumnarAggregate",
                                "BloomJoin",
                                "FilterFile",
                                "NearDuplicateSearch",
                                "CorrelatedItemSearch",
                                "CorrelatedItemSearch",
                                "UnseenRows")
                        .map(call -> call + " needs a session in the process of the driver, got a"
                                + " org.apache.spark.sql.connect.Dataset: from a client of Spark Connect use the"
                                + " functions of SQL")
                        .toList());
    }
}
