package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.cluster.Refusal;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.Relay;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.web.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A relay without the secret can only pass messages on unchanged, and each role has its rights. */
@Timeout(600) // only ends a test that hangs
class RelayIT {
    private static final ClusterSecret SECRET = ClusterSecret.of(new byte[32]);
    private static final Cluster CLUSTER = new Cluster("perhaps", Optional.of(SECRET));
    private static final byte[] CONTENT = new byte[100_000];

    @TempDir
    private Path folder;

    private StoreRing ring = new StoreRing(Path.of("."));
    private Id id = Id.hashOf("");

    @BeforeEach
    void aPeerWithAFile() throws Exception {
        ring = new StoreRing(folder, CLUSTER);
        ring.start("a");
        id = ring.put(CONTENT, 1);
    }

    @AfterEach
    void closeAll() {
        ring.close();
    }

    private Relay relay(Relay.Tamper tamper) throws IOException {
        return new Relay(0, ring.address("a"), tamper);
    }

    private static FileClient client(String via, ClusterSecret secret) throws IOException {
        return FileClient.open(HostPort.of(via), new Cluster("perhaps", Optional.of(secret)));
    }

    /** Length, type and body, and a tag that cannot be right. */
    private static byte[] forged(int type, FrameWriteBuffer body) {
        byte[] bytes = body.bytes();
        return new FrameWriteBuffer()
                .i32(1 + bytes.length + 16)
                .u8(type)
                .raw(bytes)
                .raw(new byte[16])
                .bytes();
    }

    @Test
    void whoRelaysAHandshakeCannotSpeakInTheCallersName() throws Exception {
        byte[] delete = forged(FrameTypes.DELETE, new FrameWriteBuffer().id(id));
        byte[] untagged =
                new FrameWriteBuffer().i32(1 + 20).u8(FrameTypes.DELETE).id(id).bytes();
        for (byte[] evil : List.of(delete, untagged)) {
            // HELLO and PROOF are passed on; instead of the caller's first question comes another.
            try (Relay relay = relay((fromOpener, number, frame) -> List.of(fromOpener && number == 2 ? evil : frame));
                    FileClient client = client(relay.address(), SECRET)) {
                assertThatThrownBy(() -> client.get(id)).isInstanceOf(IOException.class);
            }
        }
        assertThat(ring.get(id)).hasValue(CONTENT);
    }

    @Test
    void whatIsChangedRepeatedOrSentBackOnTheWayEndsTheConnection() throws Exception {
        List<Relay.Tamper> tampers = List.of(
                (fromOpener, number, frame) -> {
                    if (fromOpener && number == 2) {
                        frame[10] ^= 1;
                    }
                    return List.of(frame);
                },
                (fromOpener, number, frame) -> fromOpener && number == 2 ? List.of(frame, frame) : List.of(frame),
                (fromOpener, number, frame) -> {
                    if (!fromOpener && number == 2) {
                        frame[5] ^= 1;
                    }
                    return List.of(frame);
                });
        for (Relay.Tamper tamper : tampers) {
            try (Relay relay = relay(tamper);
                    FileClient client = client(relay.address(), SECRET)) {
                assertThatThrownBy(() -> {
                            client.delete(Id.hashOf("nothing"));
                            client.delete(Id.hashOf("nothing"));
                        })
                        .isInstanceOf(IOException.class);
            }
        }
        assertThat(ring.get(id)).hasValue(CONTENT);
    }

    @Test
    void aPeerThatWantsADeadOneDoesNotTakeALiveOneForIt() throws Exception {
        try (Relay relay = relay((fromOpener, number, frame) -> List.of(frame))) {
            assertThatThrownBy(() -> SocketFrameStream.toPeer(
                            HostPort.of(relay.address()), CLUSTER, "127.0.0.1:9", 5_000, 5_000))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining(
                            "it is the peer at " + ring.address("a") + ", not the one at " + relay.address());
            try (FileClient client = client(relay.address(), SECRET)) {
                assertThat(client.get(id))
                        .as("for a command any peer will do, and nobody in between can change what it says")
                        .isPresent();
            }
        }
    }

    @Test
    void aClientPutsGetsAndDeletesAndIsNeitherPeerNorOperator() throws Exception {
        try (FileClient client = client(ring.address("a"), SECRET.grant(Role.CLIENT, "alice"))) {
            assertThat(client.get(Id.hashOf("nothing"))).isEmpty();
            client.name("n", id, 1);
            assertThat(client.deleteName("n")).isTrue();
            assertThatThrownBy(() -> client.forget(HostPort.of("127.0.0.1:1")))
                    .isInstanceOf(Failure.class)
                    .hasMessage("the secret of alice does not allow this: it needs that of an operator");
        }
        try (FileClient operator = client(ring.address("a"), SECRET.grant(Role.OPERATOR, "bob"))) {
            assertThatThrownBy(() -> operator.forget(HostPort.of("127.0.0.1:1")))
                    .hasMessage("no peer of this ring remembers a peer at 127.0.0.1:1");
        }
        Cluster asOperator = new Cluster("perhaps", Optional.of(SECRET.grant(Role.OPERATOR, "bob")));
        for (int type : new int[] {
            FrameTypes.STORE, FrameTypes.LOOK, FrameTypes.FETCH, FrameTypes.SWEEP, FrameTypes.PRESENCE, FrameTypes.HEARD
        }) {
            try (SocketFrameStream stream =
                    SocketFrameStream.open(HostPort.of(ring.address("a")), asOperator, 10_000)) {
                stream.send(new FrameWriteBuffer().frame(type));
                assertThatThrownBy(() -> Failure.check(stream.receive()))
                        .hasMessageContaining("does not allow this: it needs that of the cluster");
            }
        }
        assertThatThrownBy(() -> SocketFrameStream.toPeer(
                        HostPort.of(ring.address("a")), asOperator, "127.0.0.1:9", 5_000, 5_000))
                .hasMessageContaining("the secret of an operator does not let anybody in as a peer");
    }
}
