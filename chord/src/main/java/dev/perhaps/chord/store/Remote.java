package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.net.BodyReader;
import dev.perhaps.chord.net.BodyWriter;
import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.chord.net.Frame;
import dev.perhaps.chord.net.HostPort;
import dev.perhaps.chord.net.Line;
import dev.perhaps.chord.net.SocketLine;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** What a peer asks another peer about files, over a line of its own. */
final class Remote implements Closeable {
    private static final int CONNECT_MILLIS = 2_000;
    private static final int ANSWER_MILLIS = 20_000;

    private final Line line;

    /** Over a line that is open. */
    Remote(Line line) {
        this.line = line;
    }

    static Remote open(String address, Cluster cluster) throws IOException {
        return new Remote(
                SocketLine.open(HostPort.of(address), cluster, CONNECT_MILLIS).patience(ANSWER_MILLIS));
    }

    /** Offers an entry. True if its chunks are wanted; false if it is there already. */
    boolean offer(Entry entry, boolean first) throws IOException {
        BodyWriter body = new BodyWriter().flag(first);
        entry.write(body);
        line.send(body.frame(Calls.STORE));
        return Failure.check(line.receive()).type() == Calls.READY;
    }

    void chunk(Frame chunk) throws IOException {
        line.send(chunk);
    }

    /** The other side has all of it on its disk when this returns. */
    void finish() throws IOException {
        line.send(new BodyWriter().frame(Calls.DONE));
        Failure.expect(Calls.STORED, line).end();
    }

    /** Gives an entry that has no content. */
    void give(Entry entry, boolean first) throws IOException {
        if (offer(entry, first)) {
            finish();
        }
    }

    /**
     * What a peer has of a key.
     *
     * @param damaged true if it has a copy that cannot be read
     * @param floor no generation up to this is given again
     */
    record Looked(boolean damaged, long floor, Optional<Entry> entry) {
        Frame frame() {
            return write(new BodyWriter().flag(damaged).i64(floor), entry).frame(Calls.LOOKED);
        }
    }

    Looked look(Id key) throws IOException {
        line.send(new BodyWriter().id(key).frame(Calls.LOOK));
        BodyReader body = Failure.expect(Calls.LOOKED, line);
        return new Looked(body.flag(), body.i64(), entry(body));
    }

    static Optional<Entry> entry(BodyReader body) throws IOException {
        return body.flag() ? Optional.of(Entry.read(body)) : Optional.empty();
    }

    static Frame entry(Optional<Entry> entry) {
        return write(new BodyWriter(), entry).frame(Calls.ENTRY);
    }

    private static BodyWriter write(BodyWriter body, Optional<Entry> entry) {
        body.flag(entry.isPresent());
        entry.ifPresent(present -> present.write(body));
        return body;
    }

    /** Begins to fetch a file; then {@link #next}. */
    void fetch(Id key, long fromChunk) throws IOException {
        line.send(new BodyWriter().id(key).i64(fromChunk).frame(Calls.FETCH));
    }

    /** The next chunk, or DONE. */
    Frame next() throws IOException {
        return Failure.check(line.receive());
    }

    /** Those of the entries that the other side does not have. It keeps the others for a while. */
    List<Entry> missing(List<Entry> entries) throws IOException {
        BodyWriter body = new BodyWriter().u16(entries.size());
        for (Entry entry : entries) {
            body.id(entry.key())
                    .id(entry.target())
                    .i64(entry.generation())
                    .flag(entry.live())
                    .u8(entry.replicas());
        }
        line.send(body.frame(Calls.COMPARE));
        BitSet bits = BitSet.valueOf(Failure.expect(Calls.MISSING, line).rest());
        List<Entry> missing = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            if (bits.get(i)) {
                missing.add(entries.get(i));
            }
        }
        return missing;
    }

    /** The hashes of the children of these prefixes, 16 each, over the entries of the range with so many copies. */
    List<Id> hashes(Range range, int replicas, List<Prefix> prefixes) throws IOException {
        BodyWriter body =
                new BodyWriter().id(range.from()).id(range.to()).u8(replicas).u16(prefixes.size());
        prefixes.forEach(prefix -> body.id(prefix.first()).u8(prefix.digits()));
        line.send(body.frame(Calls.HASHES));
        BodyReader answer = Failure.expect(Calls.HASHES, line);
        List<Id> hashes = new ArrayList<>();
        for (int i = 0; i < MerkleTree.CHILDREN * prefixes.size(); i++) {
            hashes.add(answer.id());
        }
        answer.end();
        return hashes;
    }

    void presence(Presence.Word word) throws IOException {
        line.send(word.write(new BodyWriter()).frame(Calls.PRESENCE));
        Failure.expect(Calls.DONE, line).end();
    }

    Presence.Heard heard() throws IOException {
        line.send(new BodyWriter().frame(Calls.HEARD));
        return Presence.Heard.read(Failure.expect(Calls.HEARD, line));
    }

    /**
     * Asks which of these deletion marks are still needed, a bit each; or has them dropped.
     *
     * @param now true if they are to be dropped
     */
    BitSet sweep(boolean now, List<Entry> marks) throws IOException {
        BodyWriter body = new BodyWriter().flag(now).u16(marks.size());
        marks.forEach(mark -> body.id(mark.key()).i64(mark.generation()));
        line.send(body.frame(Calls.SWEEP));
        return BitSet.valueOf(Failure.expect(Calls.MISSING, line).rest());
    }

    /** True if the peer at the other end reaches the one at this address. */
    boolean reaches(String address) throws IOException {
        line.send(new BodyWriter().text(address).frame(Calls.REACH));
        return Failure.expect(Calls.REACH, line).flag();
    }

    @Override
    public void close() {
        line.close();
    }
}
