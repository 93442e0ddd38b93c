package dev.perhaps.cli.engine.process;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.options.UserFolders;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where Spark is: the installation that {@code SPARK_HOME} names, or its jars in the user's cache. These are fetched once, by
 * the Maven of the user and hence with its settings, compared with the checksums in this program, and only then put in place.
 */
final class SparkHome {
    static final String VERSION = "4.0.1";
    private static final String SCALA = "2.13";
    private static final String PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
    private static final String CHECKSUMS = "spark-jars.sha256";
    private static final int SUM_CHARS = 64;
    private static final int LINES_TOLD = 20;
    private static final String POM = """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>dev.perhaps</groupId>
          <artifactId>spark-jars</artifactId>
          <version>1</version>
          <packaging>pom</packaging>
          <dependencies>
            <dependency>
              <groupId>org.apache.spark</groupId>
              <artifactId>spark-sql_%s</artifactId>
              <version>%s</version>
            </dependency>
          </dependencies>
        </project>
        """.formatted(SCALA, VERSION);

    private SparkHome() {}

    /** Returns the user's own script that starts Spark; null if there is none. */
    static @Nullable Path submit(@Nullable String home) {
        if (home == null || home.isEmpty()) {
            return null;
        }
        Path submit = Path.of(home, "bin", "spark-submit");
        if (!Files.isExecutable(submit)) {
            throw new BadInput("SPARK_HOME is '" + home + "', and there is no bin/spark-submit in it: set it to an"
                    + " installation of Spark 4, or unset it");
        }
        return submit;
    }

    /** The folder of Spark's jars, which are fetched if they are not there. */
    static Path jars() throws IOException {
        Path home = UserFolders.cache("spark-" + VERSION);
        Path jars = home.resolve("jars");
        if (Files.isDirectory(jars)) {
            return jars;
        }
        Path making;
        try {
            Files.createDirectories(home.getParent());
            making = Files.createTempDirectory(home.getParent(), "spark-" + VERSION + ".making");
        } catch (FileSystemException e) {
            throw new BadInput("Spark's jars have no place: " + home.getParent() + " cannot be written; set"
                    + " XDG_CACHE_HOME to a folder that can, or SPARK_HOME to an installation of Spark 4");
        }
        Leftovers leftovers = new Leftovers(making);
        try {
            fetch(making, leftovers);
            Map<String, String> expected = checksums();
            String problem = problem(making.resolve("jars"), expected);
            if (!problem.isEmpty()) {
                throw new BadInput("the jars of Spark that Maven fetched do not match their checksums: " + problem
                        + "; look at the repository that your Maven uses, or set SPARK_HOME");
            }
            try {
                Files.move(making, home, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileSystemException e) {
                if (!Files.isDirectory(jars)) { // otherwise another process was faster
                    throw e;
                }
            }
            return jars;
        } finally {
            leftovers.close();
        }
    }

    private static void fetch(Path making, Leftovers leftovers) throws IOException {
        Path maven = onPath("mvn");
        if (maven == null) {
            throw new BadInput("Spark was not found, and neither was Maven, which can fetch it: set SPARK_HOME to an"
                    + " installation of Spark 4, or install Maven");
        }
        Console.say("perhaps: fetching Spark " + VERSION + " by Maven, 270 MB, once ...");
        Path pom = Files.writeString(making.resolve("pom.xml"), POM);
        Process process = new ProcessBuilder(
                        maven.toString(),
                        "-B",
                        "-Dstyle.color=never",
                        "-f",
                        pom.toString(),
                        PLUGIN,
                        "-DincludeScope=runtime",
                        "-DoutputDirectory=" + making.resolve("jars"))
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .start();
        leftovers.process(process);
        Deque<String> last = new ArrayDeque<>();
        int files = 0;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains("ERROR") && last.size() < LINES_TOLD) {
                    last.add(line.replaceFirst("^\\[ERROR\\] *", ""));
                }
                if (line.contains("Downloaded from") && Console.isWatched()) {
                    System.err.print("\r\033[Kfetching Spark  " + ++files + " files");
                }
            }
        }
        if (files > 0) {
            System.err.print("\r\033[K");
        }
        if (SparkProcess.await(process) != 0) {
            throw new BadInput("Maven could not fetch Spark " + VERSION + ": "
                    + (last.isEmpty() ? "it did not say why" : last.getFirst())
                    + "; set SPARK_HOME to an installation of Spark 4 to do without");
        }
    }

    private static @Nullable Path onPath(String program) {
        String path = System.getenv("PATH");
        for (String folder : path == null ? new String[0] : path.split(File.pathSeparator, -1)) {
            Path file = Path.of(folder, program);
            if (!folder.isEmpty() && Files.isExecutable(file) && !Files.isDirectory(file)) {
                return file;
            }
        }
        return null;
    }

    /** By the name of each jar, its checksum. */
    static Map<String, String> checksums() throws IOException {
        Map<String, String> sums = new TreeMap<>();
        try (InputStream in = SparkHome.class.getResourceAsStream(CHECKSUMS)) {
            String list = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
            list.lines().forEach(line -> sums.put(line.substring(SUM_CHARS + 2), line.substring(0, SUM_CHARS)));
        }
        return sums;
    }

    /** The first difference between a folder of jars and what is expected, or an empty string. */
    static String problem(Path jars, Map<String, String> expected) throws IOException {
        List<Path> found = new ArrayList<>();
        if (Files.isDirectory(jars)) {
            try (Stream<Path> files = Files.list(jars)) {
                files.sorted().forEach(found::add);
            }
        }
        Map<String, String> missing = new TreeMap<>(expected);
        for (Path jar : found) {
            String name = jar.getFileName().toString();
            String sum = missing.remove(name);
            if (sum == null) {
                return name + " is not one of them";
            }
            String actual = sha256(jar);
            if (!actual.equals(sum)) {
                return name + " has the SHA-256 checksum " + actual + ", not " + sum;
            }
        }
        return missing.isEmpty() ? "" : missing.keySet().iterator().next() + " is missing";
    }

    private static String sha256(Path file) throws IOException {
        try (DigestInputStream in =
                new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
            byte[] buffer = new byte[1 << 16];
            int count = in.read(buffer);
            while (count >= 0) {
                count = in.read(buffer);
            }
            return HexFormat.of().formatHex(in.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
