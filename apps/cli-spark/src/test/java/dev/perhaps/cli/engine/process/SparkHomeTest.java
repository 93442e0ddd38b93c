package dev.perhaps.cli.engine.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command line knows of Spark without having it: version, jars, options of the JVM. */
class SparkHomeTest {
    private static final String SUM_OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @Test
    void startsTheJvmAsSparkDoes() {
        List<String> options = Arrays.stream(
                        JavaModuleOptions.defaultModuleOptions().split(" ", -1))
                .filter(option -> !option.isEmpty() && !option.equals("--add-modules=jdk.incubator.vector"))
                .toList();

        assertThat(SparkProcess.JVM_OPTIONS).containsExactlyElementsOf(options);
    }

    @Test
    void fetchesTheVersionThatItIsBuiltWith() throws Exception {
        assertThat(SparkHome.VERSION).isEqualTo(System.getProperty("perhaps.spark.version"));
        assertThat(SparkHome.checksums())
                .hasSizeGreaterThan(100)
                .containsKey("spark-sql_2.13-" + SparkHome.VERSION + ".jar");
    }

    @Test
    void namesTheJarThatIsNotWhatItShouldBe(@TempDir Path jars) throws Exception {
        Map<String, String> expected = Map.of("a.jar", SUM_OF_NOTHING);
        assertThat(SparkHome.problem(jars, expected)).isEqualTo("a.jar is missing");
        Path jar = Files.createFile(jars.resolve("a.jar"));
        assertThat(SparkHome.problem(jars, expected)).isEmpty();
        Files.writeString(jar, "other");
        assertThat(SparkHome.problem(jars, expected)).startsWith("a.jar has the SHA-256 checksum ");
        Files.delete(jar);
        Files.createFile(jars.resolve("b.jar"));
        assertThat(SparkHome.problem(jars, expected)).isEqualTo("b.jar is not one of them");
    }

    @Test
    void tellsTheLineThatMatters() {
        assertThat(SparkProcess.reason("WARNING: x\nException in thread \"main\" a.B: no such thing\n\tat c.D\n"))
                .isEqualTo("a.B: no such thing");
        assertThat(SparkProcess.reason("one\ntwo\n\n")).isEqualTo("two");
    }
}
