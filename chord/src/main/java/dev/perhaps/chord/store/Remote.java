package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.net.BadFrame;
import dev.perhaps.chord.net.BodyReader;
import dev.perhaps.chord.net.BodyWriter;
import dev.perhaps.chord.net.Deadline;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.chord.net.Frame;
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
    private final Line line;

    /** Over a line that is open. */
    Remote(Line line) {
        this.line = line;
    }

    /** From now on, answers come until then or not at all. */
    Remote within(Deadline deadline) throws IOException {
        if (line instanceof SocketLine socket) {
            socket.patience(Remotes.patience(deadline));
        }
        return this;
    }

    /** Reads an answer. */
    @FunctionalInterface
    private interface Reading<T> {
        T of(BodyReader body) throws BadFrame;
    }

    /** Asks, and reads the answer. One that is none is the fault of the peer that was asked, not of whoever we ask for. */
    private <T> T ask(Frame question, int type, Reading<T> reading) throws IOException {
        line.send(question);
        return answer(type, reading);
    }

    private <T> T answer(int type, Reading<T> reading) throws IOException {
        try {
            BodyReader body = Failure.expect(type, line);
            T answer = reading.of(body);
            body.end();
            return answer;
        } catch (BadFrame e) {
            throw new Failure("a peer gave no proper answer: " + e.getMessage());
        }
    }

    private static Boolean nothing(BodyReader body) {
        return true;
    }

    /** Offers an entry. True if its chunks are wanted; false if it is there already. */
    boolean offer(Entry entry, boolean first) throws IOException {
        BodyWriter body = new BodyWriter().flag(first);
        entry.write(body);
        line.send(body.frame(Calls.STORE));
        try {
            return isReady(Failure.check(line.receive()));
        } catch (BadFrame e) {
            throw new Failure("a peer gave no proper answer: " + e.getMessage());
        }
    }

    /** True if chunks are wanted, false if nothing has to be sent; any other answer is none. */
    static boolean isReady(Frame answer) throws BadFrame {
        if (answer.type() != Calls.READY && answer.type() != Calls.HELD) {
            throw new BadFrame("an offer is not answered with a frame of type " + answer.type());
        }
        answer.read().end();
        return answer.type() == Calls.READY;
    }

    void chunk(Frame chunk) throws IOException {
        line.send(chunk);
    }

    /** The other side has all of it on its disk when this returns. */
    void finish() throws IOException {
        ask(new BodyWriter().frame(Calls.DONE), Calls.STORED, Remote::nothing);
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
        return ask(
                new BodyWriter().id(key).frame(Calls.LOOK),
                Calls.LOOKED,
                body -> new Looked(body.flag(), body.count(), entry(key, body)));
    }

    /** What there is of this key: an answer about another key is none. */
    static Optional<Entry> entry(Id key, BodyReader body) throws BadFrame {
        Optional<Entry> entry = body.flag() ? Optional.of(Entry.read(body)) : Optional.empty();
        if (entry.isPresent() && !entry.get().key().equals(key)) {
            throw new BadFrame("the answer is about " + entry.get().key() + ", the question was about " + key);
        }
        body.end();
        return entry;
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
        BitSet bits = bits(entries.size(), body.frame(Calls.COMPARE));
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
        return ask(body.frame(Calls.HASHES), Calls.HASHES, answer -> {
            List<Id> hashes = new ArrayList<>();
            for (int i = 0; i < MerkleTree.CHILDREN * prefixes.size(); i++) {
                hashes.add(answer.id());
            }
            return hashes;
        });
    }

    void presence(Presence.Word word) throws IOException {
        ask(word.write(new BodyWriter()).frame(Calls.PRESENCE), Calls.DONE, Remote::nothing);
    }

    Presence.Heard heard() throws IOException {
        return ask(new BodyWriter().frame(Calls.HEARD), Calls.HEARD, Presence.Heard::read);
    }

    /** One bit per thing that is asked about. */
    private BitSet bits(int number, Frame question) throws IOException {
        return ask(question, Calls.MISSING, body -> {
            BitSet bits = BitSet.valueOf(body.rest());
            if (bits.length() > number) {
                throw new BadFrame(number + " bits are due, got " + bits.length());
            }
            return bits;
        });
    }

    /**
     * Asks which of these deletion marks are still needed, a bit each; or has them dropped.
     *
     * @param now true if they are to be dropped
     */
    BitSet sweep(boolean now, List<Entry> marks) throws IOException {
        BodyWriter body = new BodyWriter().flag(now).u16(marks.size());
        marks.forEach(mark -> body.id(mark.key()).i64(mark.generation()));
        return bits(marks.size(), body.frame(Calls.SWEEP));
    }

    /** True if the peer at the other end reaches the one at this address. */
    boolean reaches(String address) throws IOException {
        return ask(new BodyWriter().text(address).frame(Calls.REACH), Calls.REACH, BodyReader::flag);
    }

    @Override
    public void close() {
        line.close();
    }
}
