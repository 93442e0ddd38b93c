package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of every released version, at least one of every kind: they must always be readable, and the newest is written to the byte. */
public final class Golden {
    private static final Path FOLDER = Path.of("src/test/resources/golden");

    private Golden() {}

    /**
     * Reads the golden file of this name, without its ending, and returns what it holds: what was built must write the file's
     * bytes, and what is read must write them again. With {@code -Dgolden.write} a file that is missing is written first; a new
     * version of a kind adds a file and deletes none.
     */
    public static Sketch check(String name, Sketch built) throws IOException {
        Path file = FOLDER.resolve(name + ".perhaps");
        byte[] bytes = built.toBytes();
        if (System.getProperty("golden.write") != null && !Files.exists(file)) {
            Files.write(file, bytes);
        }
        assertThat(file).hasBinaryContent(bytes);
        Sketch read = Perhaps.open(file);
        assertThat(read.toBytes()).isEqualTo(bytes);
        return read;
    }

    /** All golden files, in the order of their names. */
    public static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".perhaps"))
                    .sorted()
                    .toList();
        }
    }
}
