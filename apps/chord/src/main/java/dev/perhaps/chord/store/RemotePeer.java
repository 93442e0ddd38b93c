package dev.perhaps.chord.store;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.HostStatus;
import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** Another peer, and the requests about files to it, over one connection. */
final class RemotePeer implements CopySource {
    private final FrameStream stream;

    /** Over a stream that is open. */
    RemotePeer(FrameStream stream) {
        this.stream = stream;
    }

    @Override
    public RemotePeer within(Deadline deadline) throws IOException {
        if (stream instanceof SocketFrameStream socket) {
            socket.patience(PeerDirectory.patience(deadline));
        }
        return this;
    }

    /** Reads an answer. */
    @FunctionalInterface
    private interface Reading<T> {
        T of(FrameReadBuffer body) throws BadFrame;
    }

    /**
     * Sends a request, and reads the reply. An invalid reply is the fault of the peer that was asked, not of the client
     * for which we ask.
     */
    @CanIgnoreReturnValue
    private <T> T ask(WireFrame question, int type, Reading<T> reading) throws IOException {
        stream.send(question);
        return answer(type, reading);
    }

    private <T> T answer(int type, Reading<T> reading) throws IOException {
        try {
            FrameReadBuffer body = Failure.expect(type, stream);
            T answer = reading.of(body);
            body.end();
            return answer;
        } catch (BadFrame e) {
            throw new Failure("invalid response from a peer: " + e.getMessage());
        }
    }

    private static Boolean nothing(FrameReadBuffer body) {
        return true;
    }

    /** Offers an entry. True if its chunks are wanted; false if it is there already. */
    boolean offer(StoreEntry entry, boolean first) throws IOException {
        FrameWriteBuffer body = new FrameWriteBuffer().flag(first);
        entry.write(body);
        stream.send(body.frame(FrameTypes.STORE));
        try {
            return isReady(Failure.check(stream.receive()));
        } catch (BadFrame e) {
            throw new Failure("invalid response from a peer: " + e.getMessage());
        }
    }

    /** Returns true if chunks are requested, false if nothing has to be sent; any other response is invalid. */
    static boolean isReady(WireFrame answer) throws BadFrame {
        if (answer.type() != FrameTypes.READY && answer.type() != FrameTypes.HELD) {
            throw new BadFrame("unexpected response to an offer: type " + answer.type());
        }
        answer.read().end();
        return answer.type() == FrameTypes.READY;
    }

    void chunk(WireFrame chunk) throws IOException {
        stream.send(chunk);
    }

    /** The other side has all of it on its disk when this returns. */
    void finish() throws IOException {
        ask(new FrameWriteBuffer().frame(FrameTypes.DONE), FrameTypes.STORED, RemotePeer::nothing);
    }

    /** Gives an entry that has no content. */
    void give(StoreEntry entry, boolean first) throws IOException {
        if (offer(entry, first)) {
            finish();
        }
    }

    /**
     * What a peer has of a key.
     *
     * @param damaged true if it has a copy that cannot be read
     * @param leaving true if it is about to leave, and takes in nothing new
     * @param floor no generation up to this is given again
     */
    record Looked(boolean damaged, boolean leaving, long floor, Optional<StoreEntry> entry) {
        WireFrame frame() {
            FrameWriteBuffer body =
                    new FrameWriteBuffer().flag(damaged).flag(leaving).i64(floor);
            return write(body, entry).frame(FrameTypes.LOOKED);
        }
    }

    @Override
    public Looked look(Id key) throws IOException {
        return ask(
                new FrameWriteBuffer().id(key).frame(FrameTypes.LOOK),
                FrameTypes.LOOKED,
                body -> new Looked(body.flag(), body.flag(), body.count(), entry(key, body)));
    }

    /** Returns the entry of this key; a response about another key is invalid. */
    static Optional<StoreEntry> entry(Id key, FrameReadBuffer body) throws BadFrame {
        Optional<StoreEntry> entry = body.flag() ? Optional.of(StoreEntry.read(body)) : Optional.empty();
        if (entry.isPresent() && !entry.get().key().equals(key)) {
            throw new BadFrame("the response is about " + entry.get().key() + ", the request was about " + key);
        }
        body.end();
        return entry;
    }

    static WireFrame entry(Optional<StoreEntry> entry) {
        return write(new FrameWriteBuffer(), entry).frame(FrameTypes.ENTRY);
    }

    private static FrameWriteBuffer write(FrameWriteBuffer body, Optional<StoreEntry> entry) {
        body.flag(entry.isPresent());
        entry.ifPresent(present -> present.write(body));
        return body;
    }

    @Override
    public void fetch(Id key, long fromChunk) throws IOException {
        stream.send(new FrameWriteBuffer().id(key).i64(fromChunk).frame(FrameTypes.FETCH));
    }

    @Override
    public WireFrame next() throws IOException {
        return Failure.check(stream.receive());
    }

    /** Those of the entries that the other side does not have. It keeps the others for a while. */
    List<StoreEntry> missing(List<StoreEntry> entries) throws IOException {
        FrameWriteBuffer body = new FrameWriteBuffer().u16(entries.size());
        for (StoreEntry entry : entries) {
            body.id(entry.key())
                    .id(entry.target())
                    .i64(entry.generation())
                    .flag(entry.live())
                    .u8(entry.replicas());
        }
        BitSet bits = bits(entries.size(), body.frame(FrameTypes.COMPARE));
        List<StoreEntry> missing = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            if (bits.get(i)) {
                missing.add(entries.get(i));
            }
        }
        return missing;
    }

    /** The hashes of the children of these prefixes, 16 each, over the entries of the range with this replica count. */
    List<Id> hashes(Range range, int replicas, List<Prefix> prefixes) throws IOException {
        FrameWriteBuffer body = new FrameWriteBuffer()
                .id(range.from())
                .id(range.to())
                .u8(replicas)
                .u16(prefixes.size());
        prefixes.forEach(prefix -> body.id(prefix.first()).u8(prefix.digits()));
        return ask(body.frame(FrameTypes.HASHES), FrameTypes.HASHES, answer -> {
            List<Id> hashes = new ArrayList<>();
            for (int i = 0; i < MerkleTree.CHILDREN * prefixes.size(); i++) {
                hashes.add(answer.id());
            }
            return hashes;
        });
    }

    void presence(Presence.Word word) throws IOException {
        ask(word.write(new FrameWriteBuffer()).frame(FrameTypes.PRESENCE), FrameTypes.DONE, RemotePeer::nothing);
    }

    @CanIgnoreReturnValue
    Presence.Heard heard() throws IOException {
        return ask(new FrameWriteBuffer().frame(FrameTypes.HEARD), FrameTypes.HEARD, Presence.Heard::read);
    }

    /** Returns one bit for each key of the request. */
    private BitSet bits(int number, WireFrame question) throws IOException {
        return ask(question, FrameTypes.MISSING, body -> {
            BitSet bits = BitSet.valueOf(body.rest());
            if (bits.length() > number) {
                throw new BadFrame("expected " + number + " bits, got " + bits.length());
            }
            return bits;
        });
    }

    /**
     * Asks which of these deletion marks are still needed, a bit each; or has them dropped.
     *
     * @param now true if they are to be dropped
     */
    @CanIgnoreReturnValue
    BitSet sweep(boolean now, List<StoreEntry> marks) throws IOException {
        FrameWriteBuffer body = new FrameWriteBuffer().flag(now).u16(marks.size());
        marks.forEach(mark -> body.id(mark.key()).i64(mark.generation()));
        return bits(marks.size(), body.frame(FrameTypes.SWEEP));
    }

    /** The peer at this address, which is the one at the other end, as it sees itself. */
    HostStatus status(HostPort address) throws IOException {
        try {
            return HostStatus.ask(address, stream);
        } catch (BadFrame e) {
            throw new Failure("invalid response from a peer: " + e.getMessage());
        }
    }

    /** Returns true if the peer at the other end reaches the one at this address. */
    boolean reaches(HostPort address) throws IOException {
        return ask(
                new FrameWriteBuffer().text(address.toString()).frame(FrameTypes.REACH),
                FrameTypes.REACH,
                FrameReadBuffer::flag);
    }

    @Override
    public void close() {
        stream.close();
    }
}
