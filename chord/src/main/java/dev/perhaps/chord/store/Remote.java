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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a peer asks another peer about files, over a line of its own. */
final class Remote implements Closeable {
    private static final int CONNECT_MILLIS = 2_000;
    private static final int ANSWER_MILLIS = 20_000;
    private static final int MOST_LEFT = 500;

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

    Optional<Entry> look(Id key) throws IOException {
        line.send(new BodyWriter().id(key).frame(Calls.LOOK));
        return entry(Failure.expect(Calls.ENTRY, line));
    }

    static Optional<Entry> entry(BodyReader body) throws IOException {
        return body.flag() ? Optional.of(Entry.read(body)) : Optional.empty();
    }

    static Frame entry(Optional<Entry> entry) {
        BodyWriter body = new BodyWriter().flag(entry.isPresent());
        entry.ifPresent(present -> present.write(body));
        return body.frame(Calls.ENTRY);
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

    void presence(String address, boolean left) throws IOException {
        line.send(new BodyWriter().text(address).flag(left).frame(Calls.PRESENCE));
        Failure.expect(Calls.DONE, line).end();
    }

    Set<String> left() throws IOException {
        line.send(new BodyWriter().frame(Calls.LEFT));
        BodyReader body = Failure.expect(Calls.LEFT, line);
        int size = Math.min(MOST_LEFT, body.u16());
        Set<String> left = new HashSet<>();
        for (int i = 0; i < size; i++) {
            left.add(body.text());
        }
        return left;
    }

    static Frame left(Set<String> addresses) {
        List<String> some = addresses.stream().limit(MOST_LEFT).toList();
        BodyWriter body = new BodyWriter().u16(some.size());
        some.forEach(body::text);
        return body.frame(Calls.LEFT);
    }

    @Override
    public void close() {
        line.close();
    }
}
