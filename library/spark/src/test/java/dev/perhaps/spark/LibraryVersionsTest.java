package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
