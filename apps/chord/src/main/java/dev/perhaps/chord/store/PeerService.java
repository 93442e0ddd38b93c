package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import dev.perhaps.web.Role;
import java.io.IOException;
import java.util.function.Consumer;

/** Serves the requests of other peers about files, from one shelf. */
final class PeerService {
    private final Shelf shelf;
    private final Finder finder;
    private final Gossip gossip;
    private final Consumer<String> log;

    PeerService(Shelf shelf, Finder finder, Gossip gossip, Consumer<String> log) {
        this.shelf = shelf;
        this.finder = finder;
        this.gossip = gossip;
        this.log = log;
    }

    void registerWith(Dispatcher dispatcher) {
        dispatcher.answer(FrameTypes.STORE, "store", Role.PEER, this::store);
        dispatcher.answer(FrameTypes.LOOK, "look", Role.PEER, (question, stream) -> {
            Id key = FileRequests.key(question);
            stream.send(ownCopies().look(key).frame());
        });
        dispatcher.answer(FrameTypes.FETCH, "fetch", Role.PEER, this::fetch);
        dispatcher.answer(
                FrameTypes.COMPARE,
                "compare",
                Role.PEER,
                (question, stream) -> RangeComparison.answerMissing(shelf::holds, question, stream));
        dispatcher.answer(
                FrameTypes.HASHES,
                "hashes",
                Role.PEER,
                (question, stream) -> RangeComparison.answerHashes(shelf.index(), question, stream));
        dispatcher.answer(FrameTypes.PRESENCE, "presence", Role.PEER, (question, stream) -> {
            gossip.hear(FileRequests.word(question));
            stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
        });
        dispatcher.answer(FrameTypes.HEARD, "heard", Role.PEER, (question, stream) -> {
            FileRequests.nothing(question);
            stream.send(gossip.presence().frame());
        });
        dispatcher.answer(
                FrameTypes.SWEEP,
                "sweep",
                Role.PEER,
                (question, stream) -> Sweep.answer(shelf, gossip.presence(), question, stream));
        dispatcher.answer(FrameTypes.REACH, "reach", Role.PEER, (question, stream) -> {
            boolean reached = finder.reaches(HostPort.of(FileRequests.address(question)), stream.deadline());
            stream.send(new FrameWriteBuffer().flag(reached).frame(FrameTypes.REACH));
        });
    }

    private void store(WireFrame question, FrameStream stream) throws IOException {
        FileRequests.Store offered = FileRequests.Store.read(question);
        StoreEntry entry = offered.entry();
        if (offered.first()) {
            shelf.refuseTaken(entry);
        }
        if (shelf.holds(entry)) {
            stream.send(new FrameWriteBuffer().frame(FrameTypes.HELD));
            return;
        }
        try (Intake intake = shelf.take(entry, offered.first())) {
            stream.send(new FrameWriteBuffer().frame(FrameTypes.READY));
            Chunks.receive(stream, chunk -> intake.write(chunk.body()));
            intake.finish();
        }
        stream.send(new FrameWriteBuffer().frame(FrameTypes.STORED));
    }

    private OwnCopies ownCopies() {
        return new OwnCopies(shelf, gossip.presence(), log);
    }

    private void fetch(WireFrame question, FrameStream stream) throws IOException {
        FileRequests.Fetch wanted = FileRequests.Fetch.read(question);
        try (OwnCopies own = ownCopies()) {
            own.fetch(wanted.key(), wanted.fromChunk());
            WireFrame frame = own.next();
            while (frame.type() == FrameTypes.CHUNK) {
                stream.send(frame);
                frame = own.next();
            }
            stream.send(frame);
        }
    }
}
