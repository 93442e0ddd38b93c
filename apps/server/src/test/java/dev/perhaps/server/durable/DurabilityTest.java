package dev.perhaps.server.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.server.command.Change;
import dev.perhaps.server.command.Users;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.sketch.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a data directory does when something goes wrong, without sockets and processes. */
@Timeout(120)
class DurabilityTest {
    private final RecordingDisk disk = new RecordingDisk();

    private static String state(Map<String, byte[]> content) throws Exception {
        try (TestServer server = new TestServer(new RecordingDisk(content))) {
            return server.state();
        }
    }

    private static String only(Map<String, byte[]> content, String kind) {
        List<String> names =
                content.keySet().stream().filter(name -> name.startsWith(kind)).toList();
        return names.get(names.size() - 1);
    }

    private static Map<String, byte[]> with(Map<String, byte[]> content, String name, byte[] bytes) {
        Map<String, byte[]> changed = new TreeMap<>(content);
        changed.put(name, bytes);
        return changed;
    }

    // What clients see

    @Test
    void nobodySeesAChangeThatACrashCouldUndo() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            server.run("SET a 1");
            disk.failsToSync(true);
            assertThat(server.begin("INCR a")).isEqualTo(":2\r\n");
            // Another client, which has changed nothing itself.
            var written = Objects.requireNonNull(server.database.beforeReply(0));
            assertThatThrownBy(() -> written.get(60, TimeUnit.SECONDS)).hasMessageContaining("MISCONF");
            disk.failsToSync(false);
            server.directory.save().get(60, TimeUnit.SECONDS);
            server.directory.sync().get(60, TimeUnit.SECONDS);
            assertThat(server.database.beforeReply(0)).isNull();
        }
        try (TestServer server = new TestServer(disk)) {
            assertThat(server.begin("GET a")).isEqualTo("$1\r\n2\r\n");
        }
    }

    @Test
    void readersDoNotWaitWhenChangesAreSyncedLater() throws Exception {
        try (TestServer server = new TestServer(disk, "everysec").start()) {
            server.begin("SET a 1");
            assertThat(server.database.beforeReply(0)).isNull();
        }
    }

    // A full disk

    @Test
    void aFullDiskRefusesChangesAndLosesNothing() throws Exception {
        String before;
        try (TestServer server = new TestServer(disk).start()) {
            assertThat(server.run("INCR a")).isEqualTo(":1\r\n");
            disk.freeBytes(7);
            // Half of its record is on the disk; its outcome is not known to the client.
            assertThat(server.run("INCR a")).isEqualTo("not written");
            for (String change : List.of("INCR a", "BF.ADD seen x", "DEL a", "CONFIG SET bf-initial-size 7")) {
                assertThat(server.run(change)).startsWith("-MISCONF Errors writing to the AOF file: ");
            }
            assertThat(server.begin("GET a")).isEqualTo("$1\r\n2\r\n");
            assertThat(server.complaints).hasSize(1);
            disk.freeBytes(Long.MAX_VALUE);
            String reply = server.run("INCR a");
            for (int i = 0; i < 1_000 && reply.startsWith("-MISCONF"); i++) {
                Thread.sleep(20);
                reply = server.run("INCR a");
            }
            assertThat(reply).isEqualTo(":3\r\n");
            assertThat(server.complaints).hasSize(2);
            before = server.state();
        }
        assertThat(state(disk.content())).isEqualTo(before);
    }

    @Test
    void aSyncThatFailedIsRepairedByASnapshot() throws Exception {
        String before;
        try (TestServer server = new TestServer(disk).start()) {
            server.run("INCR a");
            disk.failsToSync(true);
            assertThat(server.run("INCR a")).isEqualTo("not written");
            assertThat(server.run("INCR a")).startsWith("-MISCONF");
            disk.failsToSync(false);
            // The next sync would say that all is well: only what is written again can be believed.
            assertThat(server.run("INCR a")).startsWith("-MISCONF");
            server.directory.saveIfDue();
            String reply = server.run("INCR a");
            for (int i = 0; i < 1_000 && reply.startsWith("-MISCONF"); i++) {
                Thread.sleep(20);
                reply = server.run("INCR a");
            }
            assertThat(reply).isEqualTo(":3\r\n");
            before = server.state();
        }
        assertThat(state(disk.content())).isEqualTo(before);
    }

    // Files

    @Test
    void usersThatAreKeptWhileASnapshotEndsAreKept() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            disk.onCreate(name -> {
                if (name.startsWith(StateFiles.USERS)) {
                    server.directory.save().join();
                }
            });
            assertThat(server.run("ACL SETUSER ann on >secret ~a* +get")).isEqualTo("+OK\r\n");
        }
        try (TestServer server = new TestServer(disk)) {
            assertThat(server.begin("ACL LIST")).contains("user ann on");
        }
    }

    /** Each command had fewer than 10,000 rules, but their line had more, and the next start said that users was damaged. */
    @Test
    void aUserHasNoMoreRulesThanCanBeReadAgain() throws Exception {
        String before;
        try (TestServer server = new TestServer(disk).start()) {
            server.run("ACL SETUSER ann on" + patterns("a", 9_998));
            assertThat(server.run("ACL SETUSER ann" + patterns("b", 1))).isEqualTo("+OK\r\n");
            assertThat(server.run("ACL SETUSER ann" + patterns("c", 9_000)))
                    .isEqualTo("-ERR a user has at most 10000 rules, got 19000\r\n");
            before = server.state();
        }
        assertThat(state(disk.content())).isEqualTo(before);
    }

    private static String patterns(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> " ~" + name + i).collect(Collectors.joining());
    }

    /** Names of files were written with the digits of the language, and not found at the next start: the keys were gone. */
    @Test
    void keysAreThereAgainWhereNumbersHaveOtherDigits() throws Exception {
        Locale usual = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            String before;
            try (TestServer server = new TestServer(disk).start()) {
                server.run("SET a 1");
                assertThat(server.run("SAVE")).isNotEqualTo("not written");
                server.run("SET b 2");
                assertThat(server.run("CONFIG SET bf-error-rate 2")).contains("in the range (0.000000, 1.000000)");
                before = server.state();
            }
            assertThat(state(disk.content())).isEqualTo(before);
        } finally {
            Locale.setDefault(usual);
        }
    }

    @Test
    void aRecordThatCannotBeMadeDoesNotEndTheLog() throws Exception {
        String before;
        try (TestServer server = new TestServer(disk).start()) {
            server.run("INCR a");
            byte[][] words = {"SET".getBytes(StandardCharsets.US_ASCII), new byte[3], null};
            assertThatThrownBy(() -> server.directory.append(0, List.of(new Change(words, null))))
                    .isInstanceOf(NullPointerException.class);
            server.run("INCR a");
            before = server.state();
        }
        assertThat(state(disk.content())).isEqualTo(before);
    }

    @Test
    void manyStartsDoNotLeaveManyFiles() throws Exception {
        for (int i = 0; i < 120; i++) {
            try (TestServer server = new TestServer(disk).start()) {
                server.run("INCR a");
                if (i > 100) {
                    server.directory.saveIfDue();
                    for (int j = 0; j < 1_000 && server.directory.isSaving(); j++) {
                        Thread.sleep(10);
                    }
                }
            }
        }
        assertThat(disk.names()).hasSizeLessThan(40);
        try (TestServer server = new TestServer(disk)) {
            assertThat(server.begin("GET a")).isEqualTo("$3\r\n120\r\n");
        }
    }

    @Test
    void theLogIsReadWhereverItIsCut() throws Exception {
        List<String> states = new java.util.ArrayList<>();
        try (TestServer server = new TestServer(disk).start()) {
            server.run("BF.RESERVE seen 0.01 100");
            server.run("INCR n");
            server.directory.save().get(60, TimeUnit.SECONDS);
            server.run("INCR n");
            states.add(server.state());
            for (String line :
                    List.of("BF.ADD seen a", "SET text 0123456789", "CMS.INITBYDIM c 4 2", "CMS.INCRBY c x 3")) {
                server.run(line);
                states.add(server.state());
            }
        }
        Map<String, byte[]> content = disk.content();
        String name = only(content, LogFiles.LOG);
        byte[] log = Objects.requireNonNull(content.get(name));
        int lastState = states.size() - 1;
        for (int length = log.length; lastState >= 0; length--) {
            String state = state(with(content, name, java.util.Arrays.copyOf(log, length)));
            if (!state.equals(states.get(lastState))) {
                lastState--;
                if (lastState >= 0) {
                    assertThat(state).as("cut at " + length).isEqualTo(states.get(lastState));
                }
            }
        }
    }

    @Test
    void aFlippedByteIsNoticedOrCutsWhatWasNeverSynced() throws Exception {
        List<String> states = new java.util.ArrayList<>();
        try (TestServer server = new TestServer(disk).start()) {
            states.add(server.state());
            server.run("INCR n");
            states.add(server.state());
            server.run("BF.ADD seen a");
            states.add(server.state());
            server.directory.save().get(60, TimeUnit.SECONDS);
            server.run("INCR n");
            states.add(server.state());
            server.run("INCR n");
            states.add(server.state());
        }
        Map<String, byte[]> content = disk.content();
        int refused = 0;
        int cut = 0;
        for (Map.Entry<String, byte[]> file : content.entrySet()) {
            for (int i = 0; i < file.getValue().length; i++) {
                byte[] changed = file.getValue().clone();
                changed[i] ^= 0x41;
                try {
                    // Only the last record may be taken as one that was being written.
                    assertThat(states.subList(3, 5))
                            .as(file.getKey() + " at " + i)
                            .contains(state(with(content, file.getKey(), changed)));
                    cut++;
                } catch (FormatException e) {
                    assertThat(e).hasMessageNotContaining("null");
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(300);
        assertThat(cut).isBetween(10, 60);
    }

    @Test
    void aMissingFileIsNoticed() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            server.run("INCR n");
            server.directory.save().get(60, TimeUnit.SECONDS);
            server.run("INCR n");
        }
        Map<String, byte[]> content = disk.content();
        for (String name :
                List.of(StateFiles.IDENTITY, only(content, LogFiles.SNAPSHOT), only(content, LogFiles.LOG))) {
            Map<String, byte[]> without = new TreeMap<>(content);
            without.remove(name);
            RecordingDisk left = new RecordingDisk(without);
            assertThatThrownBy(() -> new TestServer(left)).as(name).isInstanceOf(FormatException.class);
            assertThat(left.content().keySet()).isEqualTo(without.keySet());
        }
    }

    @Test
    void bytesThatLookLikeRecordsNeitherHangNorTakeMemory() throws Exception {
        try (TestServer server = new TestServer(disk).start()) {
            server.run("INCR n");
        }
        Map<String, byte[]> content = disk.content();
        String name = only(content, LogFiles.LOG);
        byte[] log = Objects.requireNonNull(content.get(name));
        ByteBuffer forged = ByteBuffer.allocate(log.length + (48 << 20)).order(ByteOrder.LITTLE_ENDIAN);
        forged.put(log);
        int marks = 0;
        for (int at = forged.position(); forged.remaining() > 40; at += 13, marks++) {
            int rest = forged.capacity() - at - Records.HEAD_BYTES;
            forged.position(at)
                    .put(Records.MARK_0)
                    .put(Records.MARK_1)
                    .putInt(rest)
                    .putInt(marks)
                    .put((byte) 100)
                    .put((byte) 1);
        }
        // Every mark says that it is a record of 48 MB after the torn one: that is more than anybody would sum.
        RecordingDisk left = new RecordingDisk(with(content, name, forged.array()));
        assertThatThrownBy(() -> new TestServer(left)).hasMessageContaining("is damaged at byte");
        assertThat(left.content().keySet()).isEqualTo(content.keySet());
    }

    // Directories

    @Test
    void aDirectoryOfOthersIsRefusedAsItIs(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("thesis.txt"), "mine");
        assertThatThrownBy(() -> open(folder)).hasMessageContaining("but there is 'thesis.txt'");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(folder.resolve("thesis.txt"));
        }
    }

    @Test
    void aFileSystemOfItsOwnIsAnEmptyDirectory(@TempDir Path folder) throws Exception {
        Files.createDirectory(folder.resolve("lost+found"));
        open(folder).close();
        open(folder).close();
    }

    private static DataDirectory open(Path folder) throws java.io.IOException {
        return DataDirectory.open(folder, new Keyspace(1), new Users(), line -> {});
    }
}
