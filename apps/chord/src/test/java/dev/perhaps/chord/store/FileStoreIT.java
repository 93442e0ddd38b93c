package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Relay;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What peers do with their files when nobody asks: heal, forget what was deleted, come back, and leave. */
@Timeout(600) // only ends a test that hangs
class FileStoreIT {
    @TempDir
    private Path folder;

    private StoreRing ring = new StoreRing(Path.of("."));

    @BeforeEach
    void inTheFolder() {
        ring = new StoreRing(folder);
    }

    @AfterEach
    void closeAll() {
        ring.close();
    }

    private static byte[] bytes(int seed) {
        byte[] bytes = new byte[70_000 + seed];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private void start(String... names) throws Exception {
        for (String name : names) {
            ring.start(name);
        }
        ring.awaitWhole();
    }

    private static void flip(Path file, int at) throws Exception {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void aCopyThatIsDamagedOnDiskHealsThoughNobodyReadsIt() throws Exception {
        start("a", "b", "c");
        Id id = ring.put(bytes(1), 3);
        Path file = ring.shelf("b").resolve(id.toString());
        byte[] good = Files.readAllBytes(file);
        flip(file, 69_000);
        ring.await("found", () -> ring.figure("b", "damaged") == 1);
        ring.await("healed", () -> Files.exists(file) && Arrays.equals(Files.readAllBytes(file), good));
        Path aside = ring.shelf("b").resolve(id + ".damaged");
        ring.await("the damaged one is gone", () -> !Files.exists(aside));
        Files.delete(file);
        ring.await("the file is back", () -> Files.exists(file));
        try (FileClient client = ring.client()) {
            client.name("n", id, 3);
        }
        Path name = ring.shelf("c").resolve(StoreEntry.keyOf("n").toString());
        byte[] goodName = Files.readAllBytes(name);
        flip(name, 40);
        ring.await("the name is written again", () -> Arrays.equals(Files.readAllBytes(name), goodName));
        assertThat(ring.figure("c", "damaged")).isEqualTo(1);
        assertThat(ring.figure("a", "damaged")).isZero();
        assertThat(ring.figure("a", "scrubbedHours")).isZero();
    }

    @Test
    void aFileWhoseOnlyCopyIsDamagedIsNotReachableUntilItIsPutAgain() throws Exception {
        start("a");
        Id id = ring.put(bytes(2), 1);
        flip(ring.shelf("a").resolve(id.toString()), 200);
        ring.await("found", () -> ring.figure("a", "damaged") == 1);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> ring.get(id))
                    .hasMessageContaining("is damaged, and no peer that responded has another");
            ring.crash("a");
            start("a");
        }
        ring.put(bytes(2), 1);
        assertThat(ring.get(id)).hasValue(bytes(2));
        assertThat(ring.shelf("a").resolve(id + ".damaged")).doesNotExist();
    }

    private long marks(String... names) throws Exception {
        long marks = 0;
        for (String name : names) {
            try (var files = Files.list(ring.shelf(name))) {
                for (Path file : files.filter(
                                path -> path.getFileName().toString().length() == 40)
                        .toList()) {
                    try (StoredCopy copy = StoredCopy.open(file)) {
                        marks += copy.entry().live() ? 0 : 1;
                    } catch (NoSuchFileException e) {
                        assert e.getMessage() != null; // it was dropped since the folder was listed
                    }
                }
            }
        }
        return marks;
    }

    @Test
    void marksGoWhenEverybodyAnswersAndAHigherGenerationFollows() throws Exception {
        start("a", "b", "c", "d");
        Id id = ring.put(bytes(3), 3);
        assertThat(ring.delete(id)).isTrue();
        assertThat(marks("a", "b", "c", "d")).isEqualTo(3);
        ring.await("no marks", () -> marks("a", "b", "c", "d") == 0);
        assertThat(ring.get(id)).isEmpty();
        ring.put(bytes(3), 3);
        ring.awaitWhole();
        assertThat(ring.get(id)).hasValue(bytes(3));
        try (StoredCopy copy = StoredCopy.open(holder(id, "a", "b", "c", "d"))) {
            assertThat(copy.entry().generation())
                    .as("higher than the mark, which somebody may still have")
                    .isEqualTo(2);
        }
    }

    private Path holder(Id id, String... names) {
        for (String name : names) {
            if (Files.exists(ring.shelf(name).resolve(id.toString()))) {
                return ring.shelf(name).resolve(id.toString());
            }
        }
        throw new AssertionError("nobody has " + id);
    }

    @Test
    void aPeerThatIsSilentKeepsAllMarksUntilItIsForgottenAndBringsNothingBack() throws Exception {
        start("a", "b", "c", "d");
        List<Id> ids = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            ids.add(ring.put(bytes(i), 3));
        }
        ring.awaitWhole();
        String address = ring.address("d");
        ring.crash("d");
        for (int i = 0; i < 6; i++) {
            assertThat(ring.delete(ids.get(i))).isTrue();
        }
        ring.awaitWhole();
        assertThatThrownBy(() -> ring.get(Id.hashOf("never put"))).hasMessageContaining("not reachable");
        Thread.sleep(2 * StoreRing.MARK_MILLIS); // time enough to drop marks, which must not happen
        assertThat(marks("a", "b", "c")).isEqualTo(18);
        assertThat(ring.ring().silent()).containsExactly(address);

        try (FileClient client = ring.client()) {
            assertThatThrownBy(() -> client.forget(HostPort.of(ring.address("b"))))
                    .hasMessageContaining("the peer at " + ring.address("b") + " responds to ");
            assertThatThrownBy(() -> client.forget(HostPort.of("127.0.0.1:1")))
                    .hasMessage("no peer of this ring remembers a peer at 127.0.0.1:1");
            client.forget(HostPort.of(address));
        }
        assertThat(ring.get(Id.hashOf("never put"))).isEmpty();
        assertThat(ring.ring().gone()).containsEntry(address, "forgotten");
        ring.await("no marks", () -> marks("a", "b", "c") == 0);

        ring.crash("b");
        start("b");
        assertThat(ring.get(Id.hashOf("never put")))
                .as("what was forgotten stays so over a restart")
                .isEmpty();

        start("d");
        ring.await("what others have counts again", () -> doubts("d") <= 6);
        Thread.sleep(1_500); // time enough to bring something back, which must not happen
        ring.awaitWhole();
        for (int i = 0; i < 12; i++) {
            for (String name : List.of("a", "d")) {
                if (i < 6) {
                    assertThat(ring.get(ids.get(i), ring.address(name))).isEmpty();
                } else {
                    assertThat(ring.get(ids.get(i), ring.address(name))).hasValue(bytes(i));
                }
            }
        }
        assertThat(ring.ring().gone()).isEmpty();
        ring.crash("d");
        assertThatThrownBy(() -> ring.get(Id.hashOf("never put")))
                .as("it was here again")
                .hasMessageContaining("not reachable");
    }

    private long doubts(String name) throws Exception {
        return ring.figure(name, "doubtful");
    }

    @Test
    void whoLeftBringsBackWhatOthersStillHaveAndNothingThatWasDeleted() throws Exception {
        start("a", "b", "c", "d");
        List<Id> kept = new ArrayList<>();
        List<Id> deleted = new ArrayList<>(); // six of which d has a copy, wherever it is on the ring
        Map<Id, byte[]> contents = new HashMap<>();
        for (int i = 0; kept.size() < 6 || deleted.size() < 6; i++) {
            Id id = ring.put(bytes(i), 3);
            contents.put(id, bytes(i));
            boolean held = Files.exists(ring.shelf("d").resolve(id.toString()));
            (held && deleted.size() < 6 ? deleted : kept).add(id);
        }
        String address = ring.address("d");
        ring.leave("d");
        ring.awaitWhole();
        ring.await("it has left", () -> ring.ring().gone().containsKey(address));
        assertThat(ring.ring().gone()).containsEntry(address, "left");
        assertThat(ring.ring().silent()).isEmpty();
        for (Id id : deleted) {
            assertThat(ring.delete(id)).isTrue();
        }
        ring.await("no marks", () -> marks("a", "b", "c") == 0);
        start("d");
        ring.await("the deleted ones are set aside", () -> doubts("d") == 6);
        ring.awaitWhole();
        for (Id id : deleted) {
            assertThat(ring.get(id)).isEmpty();
        }
        for (Id id : kept) {
            assertThat(ring.get(id)).hasValue(contents.get(id));
        }
        ring.crash("d");
        ring.start("d", FileStore.Limits.usual(), true);
        ring.awaitWhole();
        for (Id id : deleted) {
            assertThat(ring.get(id)).as("taken back on demand").hasValue(contents.get(id));
        }
    }

    @Test
    void aPeerThatLeavesTriesAgainUntilTheOthersAnswer() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (Relay relay = new Relay(0, "127.0.0.1:" + port, (fromOpener, number, frame) -> List.of(frame))) {
            String leaver = ring.start("a");
            ring.startBehind("b", "127.0.0.1:" + port, relay.address());
            ring.awaitWhole();
            Id id = ring.put(bytes(1), 2);
            relay.refuse(true);
            CompletableFuture<Void> left = CompletableFuture.runAsync(() -> {
                try {
                    ring.leave("a");
                } catch (Exception e) {
                    throw new CompletionException(e);
                }
            });
            long failures = ring.log().size();
            ring.await("many rounds have failed", () -> ring.log().size() > failures + 8 || left.isDone());
            relay.refuse(false);
            left.get(120, TimeUnit.SECONDS);
            assertThat(ring.ring().gone()).containsEntry(leaver, "left");
            assertThat(ring.get(id)).hasValue(bytes(1));
            assertThat(ring.get(Id.hashOf("never put"))).isEmpty();
        }
    }

    /** Each file that was put on it meanwhile kept it for as long as a promise holds, so that it never went in order. */
    @Test
    void aPeerLeavesInOrderThoughFilesArePutAndDeletedAllTheTime() throws Exception {
        start("a", "b", "c", "d", "e");
        String via = ring.address("a");
        AtomicBoolean isOver = new AtomicBoolean();
        List<String> refused = Collections.synchronizedList(new ArrayList<>());
        Map<Id, byte[]> written = new ConcurrentHashMap<>();
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            for (int i = 0; !isOver.get(); i++) {
                try (FileClient client = ring.client(via)) {
                    byte[] content = bytes(i);
                    Path file = Files.write(folder.resolve("put"), content);
                    Id id = FileClient.idOf(file);
                    client.put(file, id, 3, n -> {});
                    written.put(id, content);
                    if (i % 3 == 0) {
                        written.remove(id);
                        client.delete(id);
                    }
                } catch (IOException e) {
                    refused.add(String.valueOf(e.getMessage())); // while the ring changes; it is not acknowledged
                }
            }
        });
        ring.await("files are there", () -> written.size() >= 10);
        String leaver = ring.address("d");
        ring.leave("d");
        isOver.set(true);
        writer.get(120, TimeUnit.SECONDS);
        assertThat(ring.log())
                .as("puts refused meanwhile: %s", refused)
                .noneMatch(line -> line.contains("could not be handed over"));
        assertThat(ring.ring().gone()).containsEntry(leaver, "left");
        for (Map.Entry<Id, byte[]> file : written.entrySet()) {
            assertThat(ring.get(file.getKey())).hasValue(file.getValue());
        }
    }

    @Test
    void peersThatAllLeaveAtOnceLoseNothing() throws Exception {
        start("a", "b", "c");
        List<Id> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(ring.put(bytes(i), 3));
        }
        ring.leave("a", "b", "c");
        start("b", "a", "c");
        for (int i = 0; i < 5; i++) {
            assertThat(ring.get(ids.get(i))).hasValue(bytes(i));
        }
    }
}
