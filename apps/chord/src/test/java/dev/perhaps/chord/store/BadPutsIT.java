package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.Relay;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Puts that are wrong, break off or do not fit: a clear answer, nothing kept, nothing lost, nobody hangs. */
@Timeout(600) // only ends a test that hangs
class BadPutsIT {
    private static final byte[] CONTENT = new byte[200_000];

    static {
        new Random(1).nextBytes(CONTENT);
    }

    private static final Id ID = Id.hashOf(CONTENT);

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

    private void startThree() throws Exception {
        for (String name : List.of("a", "b", "c")) {
            ring.start(name);
        }
        ring.awaitWhole();
    }

    private SocketFrameStream stream(String name) throws IOException {
        return SocketFrameStream.open(HostPort.of(ring.address(name)), Cluster.open(), 20_000, 60_000);
    }

    /** Begins to put; the chunks are for the caller to send. */
    private SocketFrameStream begin(String name, Id id) throws IOException {
        return begin(stream(name), id);
    }

    private static SocketFrameStream begin(SocketFrameStream stream, Id id) throws IOException {
        stream.send(new FrameWriteBuffer().id(id).i64(CONTENT.length).u8(3).frame(FrameTypes.PUT));
        assertThat(Failure.check(stream.receive()).type()).isEqualTo(FrameTypes.READY);
        return stream;
    }

    private static WireFrame chunk(int number) {
        int from = number * Shelf.CHUNK_BYTES;
        return new WireFrame(
                FrameTypes.CHUNK,
                Arrays.copyOfRange(CONTENT, from, Math.min(CONTENT.length, from + Shelf.CHUNK_BYTES)));
    }

    private void awaitNothingKept() throws Exception {
        for (String name : List.of("a", "b", "c")) {
            ring.await("nothing is kept at " + name, () -> {
                try (var files = Files.list(ring.shelf(name))) {
                    return files.findAny().isEmpty() && ring.figure(name, "usedBytes") == 0;
                }
            });
        }
    }

    @Test
    void whatIsNotWhatItsIdSaysIsRefusedAndNothingIsKept() throws Exception {
        startThree();
        try (SocketFrameStream stream = begin("a", Id.hashOf("another file"))) {
            for (int i = 0; i < 4; i++) {
                stream.send(chunk(i));
            }
            stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
            assertThatThrownBy(() -> Failure.check(stream.receive()))
                    .isInstanceOf(Failure.class)
                    .hasMessageContaining("checksum mismatch: expected " + Id.hashOf("another file") + ", got " + ID);
        }
        awaitNothingKept();
        byte[] damaged = chunk(1).body().clone();
        damaged[5] ^= 1;
        try (SocketFrameStream stream = begin("b", ID)) {
            stream.send(chunk(0));
            stream.send(new WireFrame(FrameTypes.CHUNK, damaged));
            stream.send(chunk(2));
            stream.send(chunk(3));
            stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
            assertThatThrownBy(() -> Failure.check(stream.receive())).hasMessageContaining("checksum mismatch");
        }
        try (SocketFrameStream stream = begin("c", ID)) {
            stream.send(chunk(3));
            stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
            assertThatThrownBy(() -> Failure.check(stream.receive())).hasMessageContaining("not stored");
        }
        awaitNothingKept();
        assertThat(ring.get(ID)).isEmpty();
        assertThat(ring.put(CONTENT, 3)).isEqualTo(ID);
        assertThat(ring.put(CONTENT, 3)).as("the same again").isEqualTo(ID);
        assertThat(ring.get(ID)).hasValue(CONTENT);
        assertThat(ring.figure("a", "usedBytes")).isEqualTo(CONTENT.length);
    }

    @Test
    void aNameIsRefusedBeforeTheFileIsSentAndOfTwoAtOnceOneHasIt() throws Exception {
        startThree();
        Id other = Id.hashOf("other");
        try (FileClient client = ring.client()) {
            client.refuseTaken("n", ID, 3);
            client.name("n", ID, 3);
            client.refuseTaken("n", ID, 3);
            assertThatThrownBy(() -> client.refuseTaken("n", other, 3))
                    .isInstanceOf(Failure.class)
                    .hasMessage("the name 'n' is taken by " + ID + ": delete it first");
        }
        for (int i = 0; i < 10; i++) {
            String name = "contested" + i;
            CompletableFuture<Boolean> one = CompletableFuture.supplyAsync(() -> isNamed("a", name, ID));
            CompletableFuture<Boolean> two = CompletableFuture.supplyAsync(() -> isNamed("b", name, other));
            assertThat(one.get() && two.get()).as("both have %s", name).isFalse();
            if (one.get() || two.get()) {
                try (FileClient client = ring.client()) {
                    assertThat(client.named(name)).hasValue(one.get() ? ID : other);
                }
            }
        }
    }

    private boolean isNamed(String via, String name, Id id) {
        try (FileClient client = ring.client(ring.address(via))) {
            client.name(name, id, 3);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aPutWhoseCallerDiesHalfWayLeavesNothing() throws Exception {
        startThree();
        try (SocketFrameStream stream = begin("a", ID)) {
            stream.send(chunk(0));
            stream.send(chunk(1));
        }
        awaitNothingKept();
        assertThat(ring.get(ID)).isEmpty();
        ring.put(CONTENT, 3);
        assertThat(ring.get(ID)).hasValue(CONTENT);
    }

    @Test
    void aPutDuringWhichAPeerDiesIsNotAcknowledgedAndCanBeRepeated() throws Exception {
        startThree();
        ring.start("d");
        ring.awaitWhole();
        String victim = "";
        try (SocketFrameStream stream = begin("a", ID)) {
            stream.send(chunk(0));
            for (String name : List.of("b", "c", "d")) {
                try (var files = Files.list(ring.shelf(name))) {
                    victim = files.findAny().isPresent() ? name : victim;
                }
            }
            assertThat(victim)
                    .as("one of three others has a copy coming, at least")
                    .isNotEmpty();
            ring.crash(victim);
            for (int i = 1; i < 4; i++) {
                stream.send(chunk(i));
            }
            stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
            assertThatThrownBy(() -> Failure.check(stream.receive()))
                    .isInstanceOf(Failure.class)
                    .hasMessageStartingWith("not stored: ");
        }
        ring.awaitWhole();
        ring.put(CONTENT, 3);
        assertThat(ring.get(ID)).hasValue(CONTENT);
        ring.start(victim);
        ring.awaitWhole();
        Path shelf = ring.shelf(victim);
        ring.await("nothing is left half way", () -> {
            try (var files = Files.list(shelf)) {
                return files.noneMatch(file -> file.toString().endsWith(".coming"));
            }
        });
    }

    /** A peer waited 20 s for another one that waited for it: the caller gave up first, and did not hear why. */
    @Test
    void aPutThatOnePeerNeverFinishesIsRefusedBeforeTheCallerGivesUp() throws Exception {
        int patienceMillis = 10_000;
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Relay.Tamper swallowsStored = (fromOpener, number, frame) ->
                !fromOpener && frame[4] == FrameTypes.STORED ? List.of() : List.of(frame);
        try (Relay relay = new Relay(0, "127.0.0.1:" + port, swallowsStored)) {
            ring.start("a");
            ring.startBehind("b", "127.0.0.1:" + port, relay.address());
            ring.start("c");
            ring.awaitWhole();
            HostPort via = HostPort.of(ring.address("a"));
            try (SocketFrameStream stream =
                    begin(SocketFrameStream.open(via, Cluster.open(), 20_000, patienceMillis), ID)) {
                for (int i = 0; i < 4; i++) {
                    stream.send(chunk(i));
                }
                stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
                assertThatThrownBy(() -> Failure.check(stream.receive()))
                        .isInstanceOf(Failure.class)
                        .hasMessageStartingWith("not stored: ");
            }
        }
    }

    /** A disk of its own, of 4 MB: only root can make one. */
    @Test
    void aFullDiskRefusesAPutAndLosesNothing() throws Exception {
        Path disk = Files.createDirectories(folder.resolve("b"));
        Assumptions.assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk.toString()) == 0, "not root");
        try {
            startThree();
            ring.put(CONTENT, 3);
            byte[] big = new byte[6 << 20];
            new Random(2).nextBytes(big);
            assertThatThrownBy(() -> ring.put(big, 3))
                    .isInstanceOf(Failure.class)
                    .hasMessageContaining("the disk of the peer is full: 6.00 MiB do not fit into the ");
            assertThat(ring.get(ID)).hasValue(CONTENT);
            try (var files = Files.list(ring.shelf("b"))) {
                assertThat(files.map(file -> file.getFileName().toString())).containsExactly(ID.toString());
            }
            assertThat(ring.figure("b", "usedBytes")).isEqualTo(CONTENT.length);
            byte[] small = new byte[100_000];
            assertThat(ring.get(ring.put(small, 3))).hasValue(small);
        } finally {
            ring.close();
            assertThat(run("umount", disk.toString())).isZero();
        }
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @Test
    void questionsThatAreGarbageEndTheLineAndNothingElse() throws Exception {
        startThree();
        ring.put(CONTENT, 3);
        Random random = new Random(3);
        for (int type = 40; type < 70; type++) {
            byte[] noise = new byte[random.nextInt(60)];
            random.nextBytes(noise);
            for (byte[] body : List.of(new byte[0], noise)) {
                try (SocketFrameStream stream = stream("a")) {
                    stream.send(new WireFrame(type, body));
                    stream.patience(300).receive();
                } catch (IOException e) {
                    assertThat(e.getMessage()).matches(".*(closed the connection|reset|in time|Broken pipe).*");
                }
            }
        }
        assertThat(ring.get(ID, ring.address("a"))).hasValue(CONTENT);
        ring.awaitWhole();
    }
}
