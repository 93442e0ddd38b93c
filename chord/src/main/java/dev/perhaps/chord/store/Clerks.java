package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.net.BodyWriter;
import dev.perhaps.chord.net.Desk;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.chord.net.Frame;
import dev.perhaps.chord.net.Line;
import dev.perhaps.web.Role;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/** Answers what peers ask each other about files, from one shelf. */
final class Clerks {
    private final Shelf shelf;
    private final Finder finder;
    private final Gossip gossip;
    private final Consumer<String> log;

    Clerks(Shelf shelf, Finder finder, Gossip gossip, Consumer<String> log) {
        this.shelf = shelf;
        this.finder = finder;
        this.gossip = gossip;
        this.log = log;
    }

    void sitAt(Desk desk) {
        desk.answer(Calls.STORE, "store", Role.PEER, this::store);
        desk.answer(Calls.LOOK, "look", Role.PEER, (question, line) -> {
            Id key = Questions.key(question);
            Optional<Entry> here = Optional.ofNullable(shelf.get(key));
            line.send(new Remote.Looked(shelf.isDamaged(key), gossip.presence().floor(), here).frame());
        });
        desk.answer(Calls.FETCH, "fetch", Role.PEER, this::fetch);
        desk.answer(
                Calls.COMPARE,
                "compare",
                Role.PEER,
                (question, line) -> Comparison.answerMissing(shelf::holds, question, line));
        desk.answer(
                Calls.HASHES,
                "hashes",
                Role.PEER,
                (question, line) -> Comparison.answerHashes(shelf.index(), question, line));
        desk.answer(Calls.PRESENCE, "presence", Role.PEER, (question, line) -> {
            gossip.hear(Questions.word(question));
            line.send(new BodyWriter().frame(Calls.DONE));
        });
        desk.answer(Calls.HEARD, "heard", Role.PEER, (question, line) -> {
            Questions.nothing(question);
            line.send(gossip.presence().frame());
        });
        desk.answer(
                Calls.SWEEP,
                "sweep",
                Role.PEER,
                (question, line) -> Sweep.answer(shelf, gossip.presence(), question, line));
        desk.answer(Calls.REACH, "reach", Role.PEER, (question, line) -> {
            boolean reached = finder.reaches(Questions.address(question), line.deadline());
            line.send(new BodyWriter().flag(reached).frame(Calls.REACH));
        });
    }

    private void store(Frame question, Line line) throws IOException {
        Questions.Store offered = Questions.Store.read(question);
        Entry entry = offered.entry();
        if (offered.first()) {
            shelf.refuseTaken(entry);
        }
        if (shelf.holds(entry)) {
            line.send(new BodyWriter().frame(Calls.HELD));
            return;
        }
        try (Intake intake = shelf.take(entry, offered.first())) {
            line.send(new BodyWriter().frame(Calls.READY));
            Chunks.receive(line, chunk -> intake.write(chunk.body()));
            intake.finish();
        }
        line.send(new BodyWriter().frame(Calls.STORED));
    }

    private void fetch(Frame question, Line line) throws IOException {
        Questions.Fetch wanted = Questions.Fetch.read(question);
        Id key = wanted.key();
        try (Copy copy = shelf.read(key)) {
            copy.skip(wanted.fromChunk());
            while (copy.hasNext()) {
                line.send(new Frame(Calls.CHUNK, copy.next()));
            }
        } catch (Copy.Damaged e) {
            log.accept("set aside: " + e.getMessage());
            shelf.setAside(key);
            throw new Failure("the copy here is damaged: " + key);
        }
        line.send(new BodyWriter().frame(Calls.DONE));
    }
}
