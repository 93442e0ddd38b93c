package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import dev.perhaps.web.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Serves callers from outside: puts, gets and deletes on the ring what they ask for, with the peers that should have it. */
final class CallerService {
    /*
     * A put is answered when all its replicas are on disk; if one of them fails, the caller is told that it is not stored,
     * though some may have it: to put the same file again is harmless. A get asks the replicas for the newest entry, and
     * sends the file from the first that has it; if that one fails half way, the next goes on from there.
     */
    static final int USUAL_REPLICAS = 3;

    private final Finder finder;
    private final Gossip gossip;
    private final PeerDirectory remotes;

    CallerService(Finder finder, Gossip gossip, PeerDirectory remotes) {
        this.finder = finder;
        this.gossip = gossip;
        this.remotes = remotes;
    }

    void registerWith(Dispatcher dispatcher) {
        dispatcher.answer(FrameTypes.PUT, "put", Role.CLIENT, this::put);
        dispatcher.answer(FrameTypes.GET, "get", Role.CLIENT, this::get);
        dispatcher.answer(FrameTypes.DELETE, "delete", Role.CLIENT, this::delete);
        dispatcher.answer(FrameTypes.NAME, "name", Role.CLIENT, this::name);
        dispatcher.answer(FrameTypes.FREE, "check-name", Role.CLIENT, this::name);
        dispatcher.answer(FrameTypes.FORGET, "forget", Role.OPERATOR, this::forget);
        dispatcher.answer(FrameTypes.NAMED, "resolve", Role.CLIENT, (question, stream) -> {
            Id key = StoreEntry.keyOf(FileRequests.name(question));
            stream.send(RemotePeer.entry(find(key, stream.deadline()).entry()));
        });
    }

    private Finder.Found find(Id key, Deadline deadline) throws IOException {
        return finder.find(key, USUAL_REPLICAS, deadline);
    }

    private List<String> hosts(Id key, int replicas, Deadline deadline) throws IOException {
        if (replicas < 1 || replicas > StoreEntry.MAX_REPLICAS) {
            throw new Failure("replicas must be in 1.." + StoreEntry.MAX_REPLICAS + ", got " + replicas);
        }
        List<String> hosts = finder.hosts(key, replicas, Set.of(), deadline).addresses();
        if (hosts.size() < replicas) {
            throw new Failure("too few hosts: " + replicas + " copies are wanted, and the ring has " + hosts.size()
                    + ": start more peers, or ask for fewer copies");
        }
        return hosts;
    }

    /** What hosts have of a key, and the generation that the next put of it takes. */
    private record State(Optional<StoreEntry> newest, long nextGeneration) {}

    /** The state of a key with these hosts; they must all answer. */
    private State state(Id key, List<String> hosts, Deadline deadline) throws IOException {
        List<Finder.Holder> holders = new ArrayList<>();
        long floor = 0;
        for (String address : hosts) {
            try (RemotePeer remote = remotes.open(address, deadline)) {
                RemotePeer.Looked looked = remote.look(key);
                looked.entry().ifPresent(entry -> holders.add(new Finder.Holder(address, entry)));
                if (gossip.presence().isPlausible(looked.floor())) {
                    floor = Math.max(floor, looked.floor());
                }
            }
        }
        Optional<StoreEntry> newest = Finder.Found.among(holders).entry();
        if (newest.isPresent() && newest.get().live()) {
            return new State(newest, newest.get().generation());
        }
        long next = 1 + Math.max(floor, newest.map(StoreEntry::generation).orElse(0L));
        if (next > FrameReadBuffer.MAX_COUNT) {
            throw new Failure("it was deleted and put again too often: " + key);
        }
        return new State(newest, next);
    }

    private void put(WireFrame question, FrameStream stream) throws IOException {
        FileRequests.Put wanted = FileRequests.Put.read(question);
        Id key = wanted.key();
        Deadline deadline = stream.deadline();
        List<RemotePeer> open = new ArrayList<>();
        try {
            List<RemotePeer> wanting = new ArrayList<>();
            List<String> hosts = hosts(key, wanted.replicas(), deadline);
            long generation = state(key, hosts, deadline).nextGeneration;
            StoreEntry entry = StoreEntry.file(key, generation, wanted.sizeBytes(), wanted.replicas());
            // All in the same order: of two puts that wait for a thread of a busy host, none waits for the other.
            for (String address : hosts.stream().sorted().toList()) {
                RemotePeer remote = remotes.open(address, deadline);
                open.add(remote);
                if (remote.offer(entry, true)) {
                    wanting.add(remote);
                }
            }
            if (wanting.isEmpty()) {
                stream.send(new FrameWriteBuffer().frame(FrameTypes.HELD));
                return;
            }
            stream.send(new FrameWriteBuffer().frame(FrameTypes.READY));
            Chunks.receive(stream, chunk -> {
                Deadline each = stream.deadline();
                for (RemotePeer remote : wanting) {
                    remote.within(each).chunk(chunk);
                }
            });
            finish(wanting, stream.deadline());
        } finally {
            open.forEach(RemotePeer::close);
        }
        stream.send(new FrameWriteBuffer().frame(FrameTypes.STORED));
    }

    private static void finish(List<RemotePeer> remotes, Deadline deadline) throws Failure {
        try {
            for (RemotePeer remote : remotes) {
                remote.within(deadline).finish();
            }
        } catch (IOException e) {
            throw new Failure("not stored: " + e.getMessage());
        }
    }

    private void get(WireFrame question, FrameStream stream) throws IOException {
        Id key = FileRequests.key(question);
        Finder.Found found = find(key, stream.deadline());
        stream.send(RemotePeer.entry(found.entry()));
        if (found.entry().filter(StoreEntry::isFile).isEmpty()) {
            return;
        }
        long sizeBytes = found.entry().get().sizeBytes();
        long sent = 0;
        IOException trouble = new Failure("not reachable: " + key);
        int left = found.holders().size();
        for (String address : found.holders()) {
            // Each has its part of the time that the caller waits, so that it hears from the last one too.
            try (RemotePeer remote = remotes.open(address, stream.deadline().part(left--))) {
                remote.fetch(key, sent);
                Chunks chunks = new Chunks(sizeBytes, sent);
                WireFrame frame = remote.next();
                while (chunks.take(frame)) {
                    stream.send(frame);
                    sent++;
                    frame = remote.next();
                }
                stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
                return;
            } catch (IOException e) {
                trouble = e;
            }
        }
        throw new Failure("not reachable: no copy of " + key + " could be read: " + trouble.getMessage());
    }

    private void delete(WireFrame question, FrameStream stream) throws IOException {
        Id key = FileRequests.key(question);
        Deadline deadline = stream.deadline();
        Optional<StoreEntry> found = find(key, deadline).entry();
        if (found.isPresent() && found.get().live()) {
            StoreEntry deleted = found.get().deleted();
            List<String> hosts =
                    finder.hosts(key, deleted.replicas(), Set.of(), deadline).addresses();
            give(deleted, hosts, deadline, "not deleted everywhere: ");
        }
        stream.send(RemotePeer.entry(found));
    }

    /** Lets a name stand for a file, or only says whether it could. */
    private void name(WireFrame question, FrameStream stream) throws IOException {
        FileRequests.Name wanted = FileRequests.Name.read(question);
        String name = wanted.name();
        Id target = wanted.target();
        int replicas = wanted.replicas();
        Id key = StoreEntry.keyOf(name);
        Deadline deadline = stream.deadline();
        List<String> hosts = hosts(key, replicas, deadline);
        State state = state(key, hosts, deadline);
        if (state.newest.isPresent()
                && state.newest.get().live()
                && !state.newest.get().target().equals(target)) {
            throw new Failure(
                    "the name '" + name + "' is taken by " + state.newest.get().target() + ": delete it first");
        }
        if (question.type() == FrameTypes.FREE) {
            stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
            return;
        }
        give(StoreEntry.name(name, target, state.nextGeneration, replicas), hosts, deadline, "not named: ");
        stream.send(new FrameWriteBuffer().frame(FrameTypes.STORED));
    }

    /** Gives up a peer that does not answer anybody. */
    private void forget(WireFrame question, FrameStream stream) throws IOException {
        String address = FileRequests.address(question);
        Finder.Everybody<Boolean> all = finder.everybody(remote -> remote.reaches(address), stream.deadline());
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
        stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
    }

    /** One after the other, the owner first: of two writers, the one that it takes first goes on. */
    private void give(StoreEntry entry, List<String> hosts, Deadline deadline, String otherwise) throws IOException {
        for (String address : hosts) {
            try (RemotePeer remote = remotes.open(address, deadline)) {
                remote.give(entry, true);
            } catch (IOException e) {
                throw new Failure(otherwise + e.getMessage());
            }
        }
    }
}
