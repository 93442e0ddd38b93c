package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.net.BodyReader;
import dev.perhaps.chord.net.BodyWriter;
import dev.perhaps.chord.net.Deadline;
import dev.perhaps.chord.net.Desk;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.chord.net.Frame;
import dev.perhaps.chord.net.Line;
import dev.perhaps.web.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Serves callers from outside: puts, gets and deletes on the ring what they ask for, with the peers that should have it. */
final class Counter {
    /*
     * A put is answered when all its replicas are on disk; if one of them fails, the caller is told that it is not stored,
     * though some may have it: to put the same file again is harmless. A get asks the replicas for the newest entry, and
     * sends the file from the first that has it; if that one fails half way, the next goes on from there.
     */
    static final int USUAL_REPLICAS = 3;

    private final Finder finder;
    private final Gossip gossip;
    private final Remotes remotes;

    Counter(Finder finder, Gossip gossip, Remotes remotes) {
        this.finder = finder;
        this.gossip = gossip;
        this.remotes = remotes;
    }

    void sitAt(Desk desk) {
        desk.answer(Calls.PUT, "put", Role.CLIENT, this::put);
        desk.answer(Calls.GET, "get", Role.CLIENT, this::get);
        desk.answer(Calls.DELETE, "delete", Role.CLIENT, this::delete);
        desk.answer(Calls.NAME, "name", Role.CLIENT, this::name);
        desk.answer(Calls.FREE, "check-name", Role.CLIENT, this::name);
        desk.answer(Calls.FORGET, "forget", Role.OPERATOR, this::forget);
        desk.answer(Calls.NAMED, "resolve", Role.CLIENT, (question, line) -> {
            Id key = Entry.keyOf(Questions.name(question));
            line.send(Remote.entry(find(key, line.deadline()).entry()));
        });
    }

    private Finder.Found find(Id key, Deadline deadline) throws IOException {
        return finder.find(key, USUAL_REPLICAS, deadline);
    }

    private List<String> hosts(Id key, int replicas, Deadline deadline) throws IOException {
        if (replicas < 1 || replicas > Entry.MOST_REPLICAS) {
            throw new Failure("replicas must be in 1.." + Entry.MOST_REPLICAS + ", got " + replicas);
        }
        List<String> hosts = finder.hosts(key, replicas, Set.of(), deadline).addresses();
        if (hosts.size() < replicas) {
            throw new Failure("too few hosts: " + replicas + " copies are wanted, and the ring has " + hosts.size()
                    + ": start more peers, or ask for fewer copies");
        }
        return hosts;
    }

    /** What hosts have of a key, and the generation that the next put of it takes. */
    private record State(Optional<Entry> newest, long nextGeneration) {}

    /** The state of a key with these hosts; they must all answer. */
    private State state(Id key, List<String> hosts, Deadline deadline) throws IOException {
        List<Finder.Holder> holders = new ArrayList<>();
        long floor = 0;
        for (String address : hosts) {
            try (Remote remote = remotes.open(address, deadline)) {
                Remote.Looked looked = remote.look(key);
                looked.entry().ifPresent(entry -> holders.add(new Finder.Holder(address, entry)));
                if (gossip.presence().isPlausible(looked.floor())) {
                    floor = Math.max(floor, looked.floor());
                }
            }
        }
        Optional<Entry> newest = Finder.Found.among(holders).entry();
        if (newest.isPresent() && newest.get().live()) {
            return new State(newest, newest.get().generation());
        }
        long next = 1 + Math.max(floor, newest.map(Entry::generation).orElse(0L));
        if (next > BodyReader.MAX_COUNT) {
            throw new Failure("it was deleted and put again too often: " + key);
        }
        return new State(newest, next);
    }

    private void put(Frame question, Line line) throws IOException {
        Questions.Put wanted = Questions.Put.read(question);
        Id key = wanted.key();
        Deadline deadline = line.deadline();
        List<Remote> open = new ArrayList<>();
        try {
            List<Remote> wanting = new ArrayList<>();
            List<String> hosts = hosts(key, wanted.replicas(), deadline);
            long generation = state(key, hosts, deadline).nextGeneration;
            Entry entry = Entry.file(key, generation, wanted.sizeBytes(), wanted.replicas());
            // All in the same order: of two puts that wait for a thread of a busy host, none waits for the other.
            for (String address : hosts.stream().sorted().toList()) {
                Remote remote = remotes.open(address, deadline);
                open.add(remote);
                if (remote.offer(entry, true)) {
                    wanting.add(remote);
                }
            }
            if (wanting.isEmpty()) {
                line.send(new BodyWriter().frame(Calls.HELD));
                return;
            }
            line.send(new BodyWriter().frame(Calls.READY));
            Chunks.receive(line, chunk -> {
                Deadline each = line.deadline();
                for (Remote remote : wanting) {
                    remote.within(each).chunk(chunk);
                }
            });
            finish(wanting, line.deadline());
        } finally {
            open.forEach(Remote::close);
        }
        line.send(new BodyWriter().frame(Calls.STORED));
    }

    private static void finish(List<Remote> remotes, Deadline deadline) throws Failure {
        try {
            for (Remote remote : remotes) {
                remote.within(deadline).finish();
            }
        } catch (IOException e) {
            throw new Failure("not stored: " + e.getMessage());
        }
    }

    private void get(Frame question, Line line) throws IOException {
        Id key = Questions.key(question);
        Finder.Found found = find(key, line.deadline());
        line.send(Remote.entry(found.entry()));
        if (found.entry().filter(Entry::isFile).isEmpty()) {
            return;
        }
        long sizeBytes = found.entry().get().sizeBytes();
        long sent = 0;
        IOException trouble = new Failure("not reachable: " + key);
        int left = found.holders().size();
        for (String address : found.holders()) {
            // Each has its part of the time that the caller waits, so that it hears from the last one too.
            try (Remote remote = remotes.open(address, line.deadline().part(left--))) {
                remote.fetch(key, sent);
                Chunks chunks = new Chunks(sizeBytes, sent);
                Frame frame = remote.next();
                while (chunks.take(frame)) {
                    line.send(frame);
                    sent++;
                    frame = remote.next();
                }
                line.send(new BodyWriter().frame(Calls.DONE));
                return;
            } catch (IOException e) {
                trouble = e;
            }
        }
        throw new Failure("not reachable: no copy of " + key + " could be read: " + trouble.getMessage());
    }

    private void delete(Frame question, Line line) throws IOException {
        Id key = Questions.key(question);
        Deadline deadline = line.deadline();
        Optional<Entry> found = find(key, deadline).entry();
        if (found.isPresent() && found.get().live()) {
            Entry deleted = found.get().deleted();
            List<String> hosts =
                    finder.hosts(key, deleted.replicas(), Set.of(), deadline).addresses();
            give(deleted, hosts, deadline, "not deleted everywhere: ");
        }
        line.send(Remote.entry(found));
    }

    /** Lets a name stand for a file, or only says whether it could. */
    private void name(Frame question, Line line) throws IOException {
        Questions.Name wanted = Questions.Name.read(question);
        String name = wanted.name();
        Id target = wanted.target();
        int replicas = wanted.replicas();
        Id key = Entry.keyOf(name);
        Deadline deadline = line.deadline();
        List<String> hosts = hosts(key, replicas, deadline);
        State state = state(key, hosts, deadline);
        if (state.newest.isPresent()
                && state.newest.get().live()
                && !state.newest.get().target().equals(target)) {
            throw new Failure(
                    "the name '" + name + "' is taken by " + state.newest.get().target() + ": delete it first");
        }
        if (question.type() == Calls.FREE) {
            line.send(new BodyWriter().frame(Calls.DONE));
            return;
        }
        give(Entry.name(name, target, state.nextGeneration, replicas), hosts, deadline, "not named: ");
        line.send(new BodyWriter().frame(Calls.STORED));
    }

    /** Gives up a peer that does not answer anybody. */
    private void forget(Frame question, Line line) throws IOException {
        String address = Questions.address(question);
        Finder.Everybody<Boolean> all = finder.everybody(remote -> remote.reaches(address), line.deadline());
        for (Map.Entry<String, Boolean> each : all.answers().entrySet()) {
            if (each.getValue()) {
                throw new Failure("the peer at " + address + " answers " + each.getKey()
                        + ": stop it, and it hands over what it has");
            }
        }
        Presence.Word known = all.words().get(address);
        if (known == null && !all.silent().contains(address)) {
            throw new Failure("no peer of this ring remembers a peer at " + address);
        }
        long number = known == null ? 0 : known.number();
        Presence.Word forgotten = new Presence.Word(address, number, Presence.State.FORGOTTEN);
        int told = gossip.tell(all.answers().keySet(), forgotten);
        if (told < all.answers().size()) {
            throw new Failure("not forgotten everywhere: only " + told + " of "
                    + all.answers().size() + " peers were told; say it again");
        }
        line.send(new BodyWriter().frame(Calls.DONE));
    }

    /** One after the other, the owner first: of two writers, the one that it takes first goes on. */
    private void give(Entry entry, List<String> hosts, Deadline deadline, String otherwise) throws IOException {
        for (String address : hosts) {
            try (Remote remote = remotes.open(address, deadline)) {
                remote.give(entry, true);
            } catch (IOException e) {
                throw new Failure(otherwise + e.getMessage());
            }
        }
    }
}
