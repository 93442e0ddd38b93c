package dev.perhaps.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two versions of the library on one class path are one clear line, not a class that lacks a method. */
class LibraryVersionsTest {
    @TempDir
    Path folder;

    @Test
    void namesBothJars() throws IOException {
        Path one = jar("perhaps-core-1.0.jar", "1.0");
        Path other = jar("perhaps-spark-2.0-all.jar", "2.0");
        assertThat(problem(one, other))
                .isEqualTo("the class path has several versions of Perhaps, of which one must stay: 1.0 in file:" + one
                        + ", 2.0 in file:" + other);
    }

    @Test
    void theSameVersionTwiceIsNoProblem() throws IOException {
        assertThat(problem(jar("perhaps-core-1.0.jar", "1.0"), jar("perhaps-spark-1.0-all.jar", "1.0")))
                .isEmpty();
        assertThat(problem()).isEmpty();
        assertThat(LibraryVersions.problem(LibraryVersions.class.getClassLoader()))
                .isEmpty();
    }

    /** Not only the functions of SQL: the calls that plan jobs refuse as well. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "BloomJoin",
                "ColumnarAggregate",
                "CorrelatedItemSearch",
                "FilterFile",
                "NearDuplicateSearch",
                "UnseenRows"
            })
    @EnabledForJreRange(max = JRE.JAVA_21)
    void everyCallRefuses(String call) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(place).toUri().toURL());
        }
        urls.add(jar("perhaps-core-1.0.jar", "1.0").toUri().toURL());
        urls.add(jar("perhaps-core-2.0.jar", "2.0").toUri().toURL());
        Dataset<Row> rows = TestSession.spark().range(3).toDF("k");
        try (OwnClasses loader = new OwnClasses(urls)) {
            List<Method> entries = Stream.of(
                            loader.loadClass("dev.perhaps.spark." + call).getMethods())
                    .filter(method -> method.getName().equals("of"))
                    .toList();
            assertThat(entries).isNotEmpty();
            for (Method entry : entries) {
                Object[] arguments = Stream.of(entry.getParameterTypes())
                        .map(type -> argument(type, rows))
                        .toArray();
                assertThatThrownBy(() -> entry.invoke(null, arguments))
                        .cause()
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageStartingWith(
                                "the class path has several versions of Perhaps, of which one must stay: ")
                        .hasMessageContaining("perhaps-core-1.0.jar, 2.0 in file:");
            }
        }
    }

    private static Object argument(Class<?> type, Dataset<Row> rows) {
        if (type == long.class) {
            return 10L;
        }
        if (type == String.class) {
            return "k";
        }
        if (type == String[].class) {
            return new String[] {"k"};
        }
        return type == Column.class ? PerhapsFunctions.count(col("k"), 0.1, 0.9) : rows;
    }

    /** Loads the classes of the library once more. */
    private static final class OwnClasses extends URLClassLoader {
        OwnClasses(List<URL> urls) {
            super(urls.toArray(new URL[0]), LibraryVersionsTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Class<?> known = findLoadedClass(name);
            return known != null
                    ? known
                    : name.startsWith("dev.perhaps.") ? findClass(name) : super.loadClass(name, resolve);
        }
    }

    private static String problem(Path... jars) throws IOException {
        URL[] urls = new URL[jars.length];
        for (int i = 0; i < jars.length; i++) {
            urls[i] = jars[i].toUri().toURL();
        }
        try (URLClassLoader loader = new URLClassLoader(urls, null)) {
            return LibraryVersions.problem(loader);
        }
    }

    private Path jar(String name, String version) throws IOException {
        Path jar = folder.resolve(name);
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file)) {
            out.putNextEntry(new ZipEntry("META-INF/maven/dev.perhaps/perhaps-core/pom.properties"));
            out.write(("artifactId=perhaps-core\nversion=" + version + "\n").getBytes(StandardCharsets.ISO_8859_1));
        }
        return jar;
    }
}
