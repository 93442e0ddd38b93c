package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An output that cannot be written gets one clear line and exit code 2, and leaves everything as it was. */
class OutputFailuresIT {
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write(
                "lines.txt",
                IntStream.range(0, 50_000).mapToObj(i -> "line " + i).toArray(String[]::new));
        Files.createDirectory(folder.resolve("folder"));
    }

    @Test
    void aDirectoryIsNoOutput() throws Exception {
        new Refusals(shell)
                .of("filter build lines.txt -o folder", "folder is a directory, not a file")
                .of("count build lines.txt -o folder", "folder is a directory, not a file")
                .of("distinct lines.txt -o folder", "folder is a directory, not a file")
                .of("dedup lines.txt -o folder", "folder is a directory, not a file")
                .of("dedup lines.txt --clusters folder", "folder is a directory, not a file")
                .of("dedup lines.txt --pairs folder", "folder is a directory, not a file")
                .of("similar build lines.txt -o folder", "folder is a directory, not a file")
                .of("baskets --threshold 0.5 lines.txt -o folder", "folder is a directory, not a file")
                .of("get --via 127.0.0.1:1 --name x -o folder", "folder is a directory, not a file")
                .of("ring --via 127.0.0.1:1 --svg folder", "folder is a directory, not a file")
                .hold();
        assertThat(folder.resolve("folder")).isEmptyDirectory();
    }

    /** The kernel refuses the fifth block of 1,024 bytes, as a full disk would. */
    @Test
    void whatFindsNoRoomLeavesTheOldFileAndNothingBesideIt() throws Exception {
        shell.write("old", "what was there before");
        for (String command : List.of(
                "filter build lines.txt -o old --force",
                "count build lines.txt -o old --force",
                "dedup lines.txt -o old")) {
            Shell.Result result =
                    shell.bash("ulimit -f 4; perhaps " + command + " 2>&1 | tail -n 1; exit ${PIPESTATUS[0]}");
            assertThat(result.out()).as(command).isEqualTo("perhaps: old: File too large\n");
            assertThat(result.code()).as(command).isEqualTo(2);
            assertThat(folder.resolve("old")).hasContent("what was there before");
            assertThat(shell.files()).containsExactly("folder", "lines.txt", "old");
        }
    }

    @Test
    void aFolderThatIsAFileIsToldSo() throws Exception {
        shell.write("kept", "what was there before");
        new Refusals(shell)
                .of("peer --listen 127.0.0.1:0 --dir kept", "--dir kept is a file: use another folder")
                .of("serve --listen 127.0.0.1:0 --dir kept", "the data directory kept is a file: use another directory")
                .of("lab run disk-dictionary --quick -o kept", "kept is a file: -o needs a folder")
                .hold();
        assertThat(folder.resolve("kept")).hasContent("what was there before\n");
    }

    @Test
    void aNameThatJavaCannotReadIsNotReplacedByAnother() throws Exception {
        Shell.Result result = shell.bash("LC_ALL=C.UTF-8 perhaps filter build lines.txt -o $'n\\xffme'");
        assertThat(result.err())
                .startsWith("perhaps: the name of the output, 'n\uFFFDme', has bytes that are not UTF-8")
                .hasLineCount(1);
        assertThat(result.code()).isEqualTo(2);
        assertThat(shell.files()).containsExactly("folder", "lines.txt");
    }

    @Test
    void helpThatFindsNoRoomIsAFailureTooUnlessItsReaderHasSeenEnough() throws Exception {
        for (String command : List.of("", "--help", "help filter", "filter build --help", "--version", "version")) {
            Shell.Result full = shell.bash("perhaps " + command + " > /dev/full");
            assertThat(full.err()).as(command).isEqualTo("perhaps: standard output: No space left on device\n");
            assertThat(full.code()).as(command).isEqualTo(2);
            Shell.Result closed = shell.bash("perhaps " + command + " | true; exit ${PIPESTATUS[0]}");
            assertThat(closed.err()).as(command).isEmpty();
            assertThat(closed.code()).as(command).isZero();
        }
    }

    @Test
    void aUserWithoutThePermissionIsToldSoBeforeTheWorkBegins() throws Exception {
        boolean root = "root".equals(System.getProperty("user.name"));
        assumeThat(!root || Files.isExecutable(SETPRIV))
                .as("root may write everything, unless it can give that up")
                .isTrue();
        List<String> unprivileged =
                root ? List.of(SETPRIV.toString(), "--bounding-set=-dac_override,-dac_read_search") : List.of();
        shell.write("kept", "what was there before");
        Files.setPosixFilePermissions(folder.resolve("kept"), PosixFilePermissions.fromString("r--r--r--"));
        Files.setPosixFilePermissions(folder.resolve("folder"), PosixFilePermissions.fromString("r-xr-xr-x"));

        Shell.Result denied = shell.startAs(unprivileged, List.of(), "dedup", "lines.txt", "-o", "kept")
                .finish("");
        assertThat(denied.err()).isEqualTo("perhaps: kept: this user may not write it\n");
        assertThat(denied.code()).isEqualTo(2);
        Shell.Result closed = shell.startAs(unprivileged, List.of(), "filter", "build", "lines.txt", "-o", "folder/f")
                .finish("");
        assertThat(closed.err()).startsWith("perhaps: folder/f: this user may not create files in its folder, ");
        assertThat(closed.err().lines()).hasSize(1);
        assertThat(closed.code()).isEqualTo(2);

        Files.setPosixFilePermissions(folder.resolve("folder"), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(folder.resolve("kept")).hasContent("what was there before");
        assertThat(folder.resolve("folder")).isEmptyDirectory();
    }
}
