package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** The one jar that users submit: complete beside Spark's own jars, and without a class under the name of another project. */
@EnabledForJreRange(max = JRE.JAVA_21)
class ShadedJarPackagedIT {
    private static final Path ALL = Path.of(System.getProperty("perhaps.spark.all", ""));

    @Test
    void hasOurClassesOnly() throws IOException {
        try (JarFile jar = new JarFile(ALL.toFile())) {
            List<String> classes = jar.stream()
                    .map(ZipEntry::getName)
                    .filter(name -> name.endsWith(".class"))
                    .toList();
            assertThat(classes)
                    .contains("dev/perhaps/Perhaps.class", "dev/perhaps/spark/PerhapsExtensions.class")
                    .anyMatch(name -> name.startsWith("dev/perhaps/spark/shaded/hash4j/"))
                    .allMatch(name -> name.startsWith("dev/perhaps/"))
                    .noneMatch(name -> name.endsWith("module-info.class"));
            ZipEntry services = jar.getEntry("META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider");
            assertThat(new String(jar.getInputStream(services).readAllBytes(), StandardCharsets.UTF_8))
                    .contains(PerhapsExtensions.class.getName());
            assertThat(jar.getEntry("META-INF/maven/dev.perhaps/perhaps-core/pom.properties"))
                    .as("the version of the library, which LibraryVersions compares")
                    .isNotNull();
        }
    }

    @Test
    void worksBesideSparkAlone() throws Exception {
        List<String> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            String name = Path.of(entry).getFileName().toString();
            boolean isOurs = !name.endsWith(".jar") || name.startsWith("perhaps-") || name.startsWith("hash4j-");
            if (!isOurs || entry.endsWith("test-classes")) {
                classPath.add(entry);
            }
        }
        classPath.add(ALL.toString());
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
        command.addAll(Arrays.asList(System.getProperty("perhaps.spark.jvm", "").split(" ", -1)));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), Query.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("found 100 of 100000");
    }

    /** A program of a user. */
    public static final class Query {
        private Query() {}

        public static void main(String[] arguments) throws IOException {
            try (SparkSession spark = SparkSession.builder()
                    .master("local[1]")
                    .config("spark.ui.enabled", "false")
                    .config("spark.driver.host", "127.0.0.1")
                    .config("spark.driver.bindAddress", "127.0.0.1")
                    .config("spark.sql.extensions", "dev.perhaps.spark.PerhapsExtensions") // and the service loader
                    .getOrCreate()) {
                long found = spark.sql("SELECT count(*) FROM range(100000) WHERE perhaps_might_contain("
                                + "(SELECT perhaps_filter(id, fpp => 1e-9) FROM range(100)), id)")
                        .head()
                        .getLong(0);
                System.out.println("found " + found + " of 100000");
            }
        }
    }
}
