package dev.perhaps.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
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
    void makesTheFileThatALinkPointsToAndIsNotThereYet() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("middle"));
        Files.createSymbolicLink(folder.resolve("middle"), folder.resolve("behind"));
        WholeFile.check(link);
        WholeFile.write(link, out -> out.write(1));
        assertThat(folder.resolve("behind")).hasBinaryContent(new byte[] {1});
        assertThat(link).isSymbolicLink();

        Path nowhere = Files.createSymbolicLink(folder.resolve("nowhere"), Path.of("missing/behind"));
        assertThatThrownBy(() -> WholeFile.check(nowhere))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("it links to a folder that does not exist");
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
        assertThatThrownBy(() -> WholeFile.check(loop)).isInstanceOf(FileSystemLoopException.class);
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

    /** A secret's copy lay open to all users of the machine while it was written. */
    @Test
    void isNeverMoreReadableThanWhatItReplaces() throws IOException {
        assumeThat(Files.getFileStore(file).supportsFileAttributeView("posix")).isTrue();
        for (String mode : List.of("rw-------", "rw-r-----", "rw-rw-rw-")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            WholeFile.write(file, out -> {
                for (Path beside : filesLeft()) {
                    assertThat(PosixFilePermissions.fromString(mode))
                            .containsAll(Files.getPosixFilePermissions(beside));
                }
            });
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo(mode);
        }
    }

    @Test
    void keepsOwnerAndGroupWhereItMay() throws IOException {
        assumeThat(System.getProperty("user.name"))
                .as("only root may give files away")
                .isEqualTo("root");
        Files.setAttribute(file, "unix:uid", 65_534);
        Files.setAttribute(file, "unix:gid", 65_533);
        WholeFile.write(file, out -> out.write(1));
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(65_534);
        assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(65_533);
    }

    /** As another user, in a process of its own, which sees a copy of the one class it needs. */
    @Test
    void tellsAnotherUserWhatItMayNotDo() throws Exception {
        assumeThat(System.getProperty("user.name"))
                .as("only root may become another")
                .isEqualTo("root");
        assumeThat(Files.isExecutable(Path.of("/usr/bin/setpriv"))).isTrue();
        Path classes = folder.resolve("classes/dev/perhaps/io");
        Files.createDirectories(classes);
        for (Class<?> needed : List.of(WholeFile.class, WriteAs.class)) {
            Path from = Path.of(needed.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .resolve("dev/perhaps/io");
            try (Stream<Path> all = Files.list(from)) {
                for (Path one : all.toList()) {
                    if (one.getFileName().toString().startsWith("WholeFile")) {
                        Files.copy(one, classes.resolve(one.getFileName()));
                    }
                }
            }
        }
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path shared = Files.createDirectory(folder.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path theirs = Files.writeString(shared.resolve("theirs"), "yesterday");
        assertThat(written(file)).isEqualTo(file + ": this user may not write it");
        assertThat(written(theirs)).isEqualTo(theirs + ": this user may not write it");
        Path fresh = folder.resolve("fresh");
        assertThat(written(fresh)).isEqualTo(fresh + ": this user may not create files in its folder, " + folder);
        assertThat(written(shared.resolve("mine"))).isEqualTo("written");
        assertThat(file).hasContent("yesterday");
        assertThat(theirs).hasContent("yesterday");
        // In a folder of all, a file of another group: what only that group may read stays so.
        Path groups = Files.writeString(shared.resolve("groups"), "yesterday");
        Files.setAttribute(groups, "unix:uid", 65_534);
        Files.setPosixFilePermissions(groups, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(written(groups)).isEqualTo("written");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(groups)))
                .isEqualTo("rw-------");
    }

    private String written(Path place) throws Exception {
        Process process = new ProcessBuilder(
                        "/usr/bin/setpriv",
                        "--reuid=65534",
                        "--regid=65534",
                        "--clear-groups",
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-Xshare:auto",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        folder.resolve("classes").toString(),
                        WriteAs.class.getName(),
                        place.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    /** Writes the file that it is told to, and says what came of it. */
    static final class WriteAs {
        private WriteAs() {}

        public static void main(String[] arguments) throws IOException {
            try {
                WholeFile.write(Path.of(arguments[0]), out -> out.write(1));
                System.out.println("written");
            } catch (AccessDeniedException e) {
                System.out.println(e.getFile() + ": " + e.getReason());
            }
        }
    }

    /** What is behind a link such as /dev/fd/63 is called pipe:[1234], and there is no such file. */
    @Test
    void writesIntoAPipeByTheNameOfItsDescriptor() throws Exception {
        assumeThat(Files.exists(Path.of("/dev/fd"))).isTrue();
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        try (RandomAccessFile both = new RandomAccessFile(pipe.toFile(), "rw")) {
            Path link = Files.createSymbolicLink(folder.resolve("link"), pipe);
            WholeFile.write(link, out -> out.write("today".getBytes(UTF_8)));
            byte[] read = new byte[5];
            both.readFully(read);
            assertThat(read).isEqualTo("today".getBytes(UTF_8));
        }
        assertThat(Files.isRegularFile(pipe)).isFalse();
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
