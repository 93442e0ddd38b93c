package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One frame of somebody who knows the secret must not stop a cluster: not now, and not at the next start. */
@Timeout(600) // only ends a test that hangs
class ForgedFramesIT {
    private static final byte[] CONTENT = new byte[100_000];

    static {
        new Random(1).nextBytes(CONTENT);
    }

    @TempDir
    private Path folder;

    private StoreRing ring = new StoreRing(Path.of("."));

    @BeforeEach
    void threePeers() throws Exception {
        ring = new StoreRing(folder);
        for (String name : List.of("a", "b", "c")) {
            ring.start(name);
        }
        ring.awaitWhole();
    }

    @AfterEach
    void closeAll() {
        ring.close();
    }

    /** Sends a frame to everybody, and takes whatever comes. */
    private void forge(WireFrame frame) {
        for (String name : List.of("a", "b", "c")) {
            try (SocketFrameStream stream =
                    SocketFrameStream.open(HostPort.of(ring.address(name)), Cluster.open(), 10_000)) {
                stream.send(frame);
                stream.receive();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("closed the connection");
            }
        }
    }

    private void restartAll() throws Exception {
        for (String name : List.of("a", "b", "c")) {
            ring.crash(name);
            ring.start(name);
        }
        ring.awaitWhole();
    }

    @Test
    void aSweepOfTheHighestGenerationDoesNotStopPuts() throws Exception {
        Id key = Id.hashOf("x");
        for (long generation : new long[] {Long.MAX_VALUE, FrameReadBuffer.MAX_COUNT, Presence.MAX_RISE}) {
            forge(new FrameWriteBuffer()
                    .flag(false)
                    .u16(1)
                    .id(key)
                    .i64(generation)
                    .frame(FrameTypes.SWEEP));
        }
        Id id = ring.put(CONTENT, 3);
        assertThat(ring.get(id)).hasValue(CONTENT);
        assertThat(ring.delete(id)).isTrue();
        assertThat(ring.put(CONTENT, 3)).isEqualTo(id);
        assertThat(ring.get(id)).hasValue(CONTENT);
    }

    @Test
    void addressesThatAreNoneDoNotKeepAPeerFromStarting() throws Exception {
        for (String address : List.of("evil\r:1", "evil\n9 left x:1", "\u0000:1", "e".repeat(60_000) + ":1")) {
            forge(new FrameWriteBuffer().text(address).i64(1).u8(1).frame(FrameTypes.PRESENCE));
        }
        restartAll();
        assertThat(ring.ring().gone()).isEmpty();
        ring.put(CONTENT, 3);
    }

    @Test
    void aChunkThatDoesNotExistDamagesNoCopy() throws Exception {
        Id id = ring.put(CONTENT, 3);
        for (long chunk : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40, 3}) {
            forge(new FrameWriteBuffer().id(id).i64(chunk).frame(FrameTypes.FETCH));
        }
        for (String name : List.of("a", "b", "c")) {
            assertThat(ring.shelf(name).resolve(id.toString())).exists();
            assertThat(ring.shelf(name).resolve(id + ".damaged")).doesNotExist();
        }
        assertThat(ring.get(id)).hasValue(CONTENT);
        try (SocketFrameStream stream =
                SocketFrameStream.open(HostPort.of(ring.address("a")), Cluster.open(), 10_000)) {
            stream.send(new FrameWriteBuffer().id(id).i64(2).frame(FrameTypes.FETCH));
            assertThat(Failure.check(stream.receive()).type())
                    .as("right behind the last one there is nothing, which is not an error")
                    .isEqualTo(FrameTypes.DONE);
            stream.send(new FrameWriteBuffer().id(id).i64(3).frame(FrameTypes.FETCH));
            assertThatThrownBy(() -> Failure.check(stream.receive())).hasMessage("there is no chunk 3 of " + id);
        }
    }

    @Test
    void filesOfStateThatAreDamagedCostWhatTheyHoldAndNotTheStart() throws Exception {
        Id id = ring.put(CONTENT, 3);
        ring.crash("b");
        Files.writeString(folder.resolve("b/presence"), "noise\r\n\u0001\u0002");
        Files.writeString(ring.shelf("b").resolve("z".repeat(40) + ".damaged"), "");
        Files.writeString(ring.shelf("b").resolve("z".repeat(40)), "");
        ring.start("b");
        ring.awaitWhole();
        assertThat(ring.get(id, ring.address("b"))).hasValue(CONTENT);
        assertThat(ring.log())
                .filteredOn(line -> line.contains("presence.damaged"))
                .hasSize(1);
    }
}
