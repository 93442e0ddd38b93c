package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.FakePeer;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.chord.wire.WireFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that knows the secret and lies: what was asked for is what counts, not what the answer says it is. */
@Timeout(600) // only ends a test that hangs
class LyingPeerIT {
    private static final byte[] OTHER = "another file".getBytes(StandardCharsets.UTF_8);
    private static final Id WANTED = Id.hashOf("the file that is wanted");
    private static final WireFrame DONE = new FrameWriteBuffer().frame(FrameTypes.DONE);

    private static WireFrame found(StoreEntry entry) {
        return RemotePeer.entry(Optional.of(entry));
    }

    private static FileClient client(FakePeer peer) throws IOException {
        return FileClient.open(HostPort.of(peer.address()), Cluster.open());
    }

    private static RemotePeer remote(FakePeer peer) throws IOException {
        return new RemotePeer(SocketFrameStream.open(HostPort.of(peer.address()), Cluster.open(), 10_000));
    }

    private static byte[] got(FileClient client) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        client.get(WANTED).orElseThrow().writeTo(out, n -> {});
        return out.toByteArray();
    }

    @Test
    void aWholeOtherFileUnderItsOwnIdIsNotTheFileThatWasAskedFor() throws Exception {
        StoreEntry other = StoreEntry.file(Id.hashOf(OTHER), 1, OTHER.length, 3);
        try (FakePeer peer = new FakePeer(
                        Cluster.open(),
                        question -> List.of(found(other), new WireFrame(FrameTypes.CHUNK, OTHER), DONE));
                FileClient client = client(peer)) {
            assertThatThrownBy(() -> got(client))
                    .hasMessageContaining("the response is about " + other.key() + ", the request was about " + WANTED);
        }
    }

    @Test
    void anotherFileUnderTheIdThatWasAskedForHasAnotherChecksum() throws Exception {
        StoreEntry lie = StoreEntry.file(WANTED, 1, OTHER.length, 3);
        try (FakePeer peer = new FakePeer(
                        Cluster.open(), question -> List.of(found(lie), new WireFrame(FrameTypes.CHUNK, OTHER), DONE));
                FileClient client = client(peer)) {
            assertThatThrownBy(() -> got(client)).hasMessageContaining("checksum mismatch");
        }
    }

    @Test
    void aFileThatIsLongerOrShorterThanItsEntryIsRefusedBeforeItFillsADisk() throws Exception {
        StoreEntry lie = StoreEntry.file(WANTED, 1, OTHER.length, 3);
        WireFrame full = new WireFrame(FrameTypes.CHUNK, new byte[Shelf.CHUNK_BYTES]);
        for (WireFrame first : List.of(full, DONE)) {
            try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(found(lie), first, DONE));
                    FileClient client = client(peer)) {
                assertThatThrownBy(() -> got(client))
                        .hasMessageContaining("expected a chunk of " + OTHER.length + " bytes");
            }
        }
    }

    @Test
    void anAnswerAboutAnotherNameOrKeyIsNone() throws Exception {
        StoreEntry name = StoreEntry.name("mine", WANTED, 1, 3);
        try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(found(name)));
                FileClient client = client(peer)) {
            assertThatThrownBy(() -> client.named("yours")).hasMessageContaining("the request was about");
        }
        try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(found(name)));
                FileClient client = client(peer)) {
            assertThatThrownBy(() -> client.delete(WANTED)).hasMessageContaining("the request was about");
        }
        RemotePeer.Looked looked = new RemotePeer.Looked(false, false, 0, Optional.of(name));
        try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(looked.frame()));
                RemotePeer remote = remote(peer)) {
            assertThatThrownBy(() -> remote.look(WANTED))
                    .as("also where a peer asks for somebody else")
                    .hasMessageContaining("the request was about " + WANTED);
        }
    }

    @Test
    void anOfferThatIsAnsweredWithAnythingElseIsNotStored() throws Exception {
        StoreEntry entry = StoreEntry.file(WANTED, 1, OTHER.length, 3);
        try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(DONE));
                RemotePeer remote = remote(peer)) {
            assertThatThrownBy(() -> remote.offer(entry, true)).hasMessageContaining("invalid response from a peer");
            assertThat(peer.heard()).hasSize(1);
        }
    }
}
