package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.net.BodyWriter;
import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.FakePeer;
import dev.perhaps.chord.net.Frame;
import dev.perhaps.chord.net.HostPort;
import dev.perhaps.chord.net.SocketLine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that knows the secret and lies: what was asked for is what counts, not what the answer says it is. */
@Timeout(60)
class LyingPeerIT {
    private static final byte[] OTHER = "another file".getBytes(StandardCharsets.UTF_8);
    private static final Id WANTED = Id.hashOf("the file that is wanted");
    private static final Frame DONE = new BodyWriter().frame(Calls.DONE);

    private static Frame found(Entry entry) {
        return Remote.entry(Optional.of(entry));
    }

    private static FileClient client(FakePeer peer) throws IOException {
        return FileClient.open(HostPort.of(peer.address()), Cluster.open());
    }

    private static Remote remote(FakePeer peer) throws IOException {
        return new Remote(SocketLine.open(HostPort.of(peer.address()), Cluster.open(), 10_000));
    }

    private static byte[] got(FileClient client) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        client.get(WANTED).orElseThrow().writeTo(out, n -> {});
        return out.toByteArray();
    }

    @Test
    void aWholeOtherFileUnderItsOwnIdIsNotTheFileThatWasAskedFor() throws Exception {
        Entry other = Entry.file(Id.hashOf(OTHER), 1, OTHER.length, 3);
        try (FakePeer peer = new FakePeer(
                        Cluster.open(), question -> List.of(found(other), new Frame(Calls.CHUNK, OTHER), DONE));
                FileClient client = client(peer)) {
            assertThatThrownBy(() -> got(client))
                    .hasMessageContaining("the answer is about " + other.key() + ", the question was about " + WANTED);
        }
    }

    @Test
    void anotherFileUnderTheIdThatWasAskedForHasAnotherChecksum() throws Exception {
        Entry lie = Entry.file(WANTED, 1, OTHER.length, 3);
        try (FakePeer peer = new FakePeer(
                        Cluster.open(), question -> List.of(found(lie), new Frame(Calls.CHUNK, OTHER), DONE));
                FileClient client = client(peer)) {
            assertThatThrownBy(() -> got(client)).hasMessageContaining("the checksum does not match");
        }
    }

    @Test
    void aFileThatIsLongerOrShorterThanItsEntryIsRefusedBeforeItFillsADisk() throws Exception {
        Entry lie = Entry.file(WANTED, 1, OTHER.length, 3);
        Frame full = new Frame(Calls.CHUNK, new byte[Shelf.CHUNK_BYTES]);
        for (Frame first : List.of(full, DONE)) {
            try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(found(lie), first, DONE));
                    FileClient client = client(peer)) {
                assertThatThrownBy(() -> got(client))
                        .hasMessageContaining("a chunk of " + OTHER.length + " bytes is due");
            }
        }
    }

    @Test
    void anAnswerAboutAnotherNameOrKeyIsNone() throws Exception {
        Entry name = Entry.name("mine", WANTED, 1, 3);
        try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(found(name)));
                FileClient client = client(peer)) {
            assertThatThrownBy(() -> client.named("yours")).hasMessageContaining("the question was about");
        }
        try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(found(name)));
                FileClient client = client(peer)) {
            assertThatThrownBy(() -> client.delete(WANTED)).hasMessageContaining("the question was about");
        }
        Remote.Looked looked = new Remote.Looked(false, 0, Optional.of(name));
        try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(looked.frame()));
                Remote remote = remote(peer)) {
            assertThatThrownBy(() -> remote.look(WANTED))
                    .as("also where a peer asks for somebody else")
                    .hasMessageContaining("the question was about " + WANTED);
        }
    }

    @Test
    void anOfferThatIsAnsweredWithAnythingElseIsNotStored() throws Exception {
        Entry entry = Entry.file(WANTED, 1, OTHER.length, 3);
        try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(DONE));
                Remote remote = remote(peer)) {
            assertThatThrownBy(() -> remote.offer(entry, true)).hasMessageContaining("no proper answer");
            assertThat(peer.heard()).hasSize(1);
        }
    }
}
