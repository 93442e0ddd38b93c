package dev.perhaps.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void fileOfYesterday() throws IOException {
        file = folder.resolve("file");
        Files.writeString(file, "yesterday");
    }

    @Test
    void replacesTheFileWhole() throws IOException {
        WholeFile.write(file, out -> {
            out.write("today".getBytes(UTF_8));
            out.flush();
            assertThat(file).as("until all is written").hasContent("yesterday");
        });
        assertThat(file).hasContent("today");
        assertThat(filesLeft()).containsExactly(file);
    }

    @Test
    void writesAFileThatIsNotThereYet() throws IOException {
        Path fresh = folder.resolve("fresh");
        WholeFile.write(fresh, out -> out.write(1));
        assertThat(fresh).hasBinaryContent(new byte[] {1});
    }

    @Test
    void replacesFilesThatBelongTogetherAllOrNone() throws IOException {
        Path other = folder.resolve("other");
        Map<Path, WholeFile.Contents> files = new LinkedHashMap<>();
        files.put(other, out -> out.write("today".getBytes(UTF_8)));
        files.put(file, out -> {
            assertThat(other).as("until all are written").doesNotExist();
            throw new IOException("the sky fell");
        });
        assertThatThrownBy(() -> WholeFile.writeAll(files)).hasMessage(file + ": the sky fell");
        assertThat(file).hasContent("yesterday");
        assertThat(filesLeft()).containsExactly(file);

        files.put(file, out -> out.write("today too".getBytes(UTF_8)));
        WholeFile.writeAll(files);
        assertThat(file).hasContent("today too");
        assertThat(other).hasContent("today");
        assertThat(filesLeft()).containsExactlyInAnyOrder(file, other);
    }

    @Test
    void leavesTheOldFileIfWritingFails() throws IOException {
        assertThatThrownBy(() -> WholeFile.write(file, out -> {
                    out.write(new byte[1 << 20]);
                    throw new IOException("the sky fell");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": the sky fell");
        assertThatThrownBy(() -> WholeFile.write(file, out -> {
                    throw new IllegalStateException("a defect");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(file).hasContent("yesterday");
        assertThat(filesLeft()).as("no unfinished file is left").containsExactly(file);
    }

    @Test
    void discardsWhatIsUnfinishedWhenStopped() throws IOException {
        assertThatThrownBy(() -> WholeFile.write(file, out -> {
                    out.write(1);
                    assertThat(filesLeft()).hasSize(2);
                    WholeFile.discardUnfinished();
                    assertThat(filesLeft()).containsExactly(file);
                }))
                .isInstanceOf(IOException.class);
        assertThat(file).hasContent("yesterday");
    }

    @Test
    void writesBehindALink() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("file"));
        WholeFile.write(link, out -> out.write("today".getBytes(UTF_8)));
        assertThat(link).isSymbolicLink();
        assertThat(file).isRegularFile().hasContent("today");
    }

    @Test
    void keepsThePermissions() throws IOException {
        assumeThat(Files.getFileStore(file).supportsFileAttributeView("posix")).isTrue();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        WholeFile.write(file, out -> out.write(1));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
    }

    @Test
    void refusesWhatCanBeNoFile() {
        assertThatThrownBy(() -> WholeFile.write(folder, out -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage(folder + " is a directory, not a file");
        Path nowhere = folder.resolve("nowhere/file");
        for (Path place : List.of(nowhere, file.resolve("below"))) {
            assertThatThrownBy(() -> WholeFile.check(place))
                    .isInstanceOf(NoSuchFileException.class)
                    .hasMessageContaining(place + ": its folder does not exist");
        }
    }

    /** A device is written to and never renamed onto; a full disk is an error, here as everywhere. */
    @Test
    void writesDirectlyToADevice() throws IOException {
        Path full = Path.of("/dev/full");
        assumeThat(Files.exists(full)).isTrue();
        Path link = Files.createSymbolicLink(folder.resolve("link"), full);
        for (Path place : List.of(full, link)) {
            assertThatThrownBy(() -> WholeFile.write(place, out -> out.write(new byte[1 << 20])))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(place + ": ");
            assertThat(Files.isRegularFile(full)).isFalse();
        }
        WholeFile.write(Path.of("/dev/null"), out -> out.write(new byte[1 << 20]));
        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
    }

    private List<Path> filesLeft() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
