package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import dev.perhaps.web.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Serves clients: puts, gets and deletes their files, together with the peers that should have them. */
final class CallerService {
    /*
     * A put is answered when all its replicas are on disk; if one of them fails, the caller gets an error, though
     * some peers may have the file: it is harmless to put it again. A get asks the replicas for the newest entry, and sends
     * the file from the first that has it; if that one fails half way, the next continues from there.
     */
    static final int USUAL_REPLICAS = 3;

    private static final String NOT_DELETED = "not deleted everywhere: ";

    private final Finder finder;
    private final Gossip gossip;

    CallerService(Finder finder, Gossip gossip) {
        this.finder = finder;
        this.gossip = gossip;
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
            try (RequestPeers peers = finder.peers()) {
                stream.send(RemotePeer.entry(find(key, peers, stream.deadline()).entry()));
            }
        });
    }

    private Finder.Found find(Id key, RequestPeers peers, Deadline deadline) throws IOException {
        return finder.find(key, USUAL_REPLICAS, peers, deadline);
    }

    /**
     * What peers have of a key, and where something new of it belongs.
     *
     * @param hosts the peers that should have it, none of which is leaving
     * @param leaving those that would have been among them, but are about to leave
     * @param nextGeneration the generation that the next put of it takes
     */
    private record State(
            List<HostPort> hosts, Set<HostPort> leaving, List<Finder.Holder> holders, long nextGeneration) {
        Optional<StoreEntry> newest() {
            return Finder.Found.among(holders).entry();
        }

        /** Hosts, and those among the leaving ones that still have it. */
        List<HostPort> hostsAndLeavingHolders() {
            List<HostPort> all = new ArrayList<>(hosts);
            holders.stream()
                    .map(Finder.Holder::address)
                    .filter(leaving::contains)
                    .forEach(all::add);
            return all;
        }
    }

    /**
     * The state of a key with the hosts that should have it; they must all answer. In the place of one that is about to leave
     * there is the next one on the ring, which will have to have it soon.
     */
    private State state(Id key, int replicas, RequestPeers peers, Deadline deadline) throws IOException {
        if (replicas < 1 || replicas > StoreEntry.MAX_REPLICAS) {
            throw new Failure("replicas must be in 1.." + StoreEntry.MAX_REPLICAS + ", got " + replicas);
        }
        Map<HostPort, RemotePeer.Looked> looked = new LinkedHashMap<>();
        Set<HostPort> leaving = new LinkedHashSet<>();
        List<HostPort> hosts;
        boolean isAgain;
        do {
            isAgain = false;
            hosts = finder.hosts(key, replicas, leaving, deadline).addresses();
            for (HostPort address : hosts) {
                if (!looked.containsKey(address)) {
                    looked.put(address, peers.at(address, deadline).look(key));
                }
                isAgain |= looked.get(address).leaving() && leaving.add(address);
            }
        } while (isAgain);
        List<Finder.Holder> holders = new ArrayList<>();
        long floor = 0;
        for (Map.Entry<HostPort, RemotePeer.Looked> each : looked.entrySet()) {
            each.getValue().entry().ifPresent(entry -> holders.add(new Finder.Holder(each.getKey(), entry)));
            if (gossip.presence().isPlausible(each.getValue().floor())) {
                floor = Math.max(floor, each.getValue().floor());
            }
        }
        Optional<StoreEntry> newest = Finder.Found.among(holders).entry();
        if (newest.isPresent() && newest.get().live()) {
            return new State(hosts, leaving, holders, newest.get().generation());
        }
        long next = 1 + Math.max(floor, newest.map(StoreEntry::generation).orElse(0L));
        if (next > FrameReadBuffer.MAX_COUNT) {
            throw new Failure("it was deleted and put again too often: " + key);
        }
        return new State(hosts, leaving, holders, next);
    }

    /** The same, if there are as many hosts as copies are wanted. */
    private State fullState(Id key, int replicas, RequestPeers peers, Deadline deadline) throws IOException {
        State state = state(key, replicas, peers, deadline);
        if (state.hosts.size() < replicas) {
            throw new Failure("too few hosts: " + replicas + " copies are wanted, and the ring has "
                    + state.hosts.size() + (state.leaving.isEmpty() ? "" : " that are not about to leave")
                    + ": start more peers, or ask for fewer copies");
        }
        return state;
    }

    private void put(WireFrame question, FrameStream stream) throws IOException {
        FileRequests.Put wanted = FileRequests.Put.read(question);
        Deadline deadline = stream.deadline();
        try (RequestPeers peers = finder.peers()) {
            List<RemotePeer> wanting = offer(wanted, peers, deadline);
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
        }
        stream.send(new FrameWriteBuffer().frame(FrameTypes.STORED));
    }

    /** Offers a file to its hosts; returns those that want its chunks. */
    private List<RemotePeer> offer(FileRequests.Put wanted, RequestPeers peers, Deadline deadline) throws IOException {
        State state = fullState(wanted.key(), wanted.replicas(), peers, deadline);
        try {
            return offer(wanted, state, peers, deadline);
        } catch (Failure e) {
            // One that has just been told to leave refuses. Then there is another in its place.
            state.hosts.forEach(peers::release);
            State now = fullState(wanted.key(), wanted.replicas(), peers, deadline);
            if (now.hosts.equals(state.hosts)) {
                throw e;
            }
            return offer(wanted, now, peers, deadline);
        }
    }

    private static List<RemotePeer> offer(FileRequests.Put wanted, State state, RequestPeers peers, Deadline deadline)
            throws IOException {
        StoreEntry entry = StoreEntry.file(wanted.key(), state.nextGeneration, wanted.sizeBytes(), wanted.replicas());
        List<RemotePeer> wanting = new ArrayList<>();
        // All in the same order: of two puts that wait for a thread of a busy host, none waits for the other.
        for (HostPort address : state.hosts.stream()
                .sorted(Comparator.comparing(HostPort::toString))
                .toList()) {
            RemotePeer remote = peers.connection(address, deadline);
            if (remote.offer(entry, true)) {
                wanting.add(remote);
            }
        }
        return wanting;
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
        try (RequestPeers peers = finder.peers()) {
            Finder.Found found = find(key, peers, stream.deadline());
            stream.send(RemotePeer.entry(found.entry()));
            if (found.entry().filter(StoreEntry::isFile).isPresent()) {
                send(found.entry().get(), finder.ownFirst(found.holders()), peers, stream);
            }
        }
    }

    /** Sends a file from the first of these that has it; if that one fails half way, the next goes on from there. */
    private static void send(StoreEntry entry, List<HostPort> holders, RequestPeers peers, FrameStream stream)
            throws IOException {
        Id key = entry.key();
        long sent = 0;
        IOException trouble = new Failure("not reachable: " + key);
        int left = holders.size();
        for (HostPort address : holders) {
            try {
                // Each has its part of the time that the caller waits, so that it hears from the last one too.
                CopySource source = peers.at(address, stream.deadline().part(left--));
                source.fetch(key, sent);
                Chunks chunks = new Chunks(entry.sizeBytes(), sent);
                WireFrame frame = source.next();
                peers.releaseAllBut(address);
                while (chunks.take(frame)) {
                    stream.send(frame);
                    sent++;
                    frame = source.next();
                }
                stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
                return;
            } catch (IOException e) {
                trouble = e;
                peers.release(address);
            }
        }
        throw new Failure("not reachable: no copy of " + key + " could be read: " + trouble.getMessage());
    }

    private void delete(WireFrame question, FrameStream stream) throws IOException {
        Id key = FileRequests.key(question);
        Deadline deadline = stream.deadline();
        try (RequestPeers peers = finder.peers()) {
            Optional<StoreEntry> found = find(key, peers, deadline).entry();
            if (found.isPresent() && found.get().live()) {
                StoreEntry deleted = found.get().deleted();
                give(deleted, keepers(deleted, peers, deadline), peers, deadline, NOT_DELETED);
            }
            stream.send(RemotePeer.entry(found));
        }
    }

    /** Who must hear of a deletion. */
    private List<HostPort> keepers(StoreEntry deleted, RequestPeers peers, Deadline deadline) throws Failure {
        try {
            return state(deleted.key(), deleted.replicas(), peers, deadline).hostsAndLeavingHolders();
        } catch (IOException e) {
            throw new Failure(NOT_DELETED + e.getMessage());
        }
    }

    /** Stores a name for a file, or only checks that it could be stored. */
    private void name(WireFrame question, FrameStream stream) throws IOException {
        FileRequests.Name wanted = FileRequests.Name.read(question);
        String name = wanted.name();
        Id target = wanted.target();
        int replicas = wanted.replicas();
        Id key = StoreEntry.keyOf(name);
        Deadline deadline = stream.deadline();
        try (RequestPeers peers = finder.peers()) {
            State state = fullState(key, replicas, peers, deadline);
            Optional<StoreEntry> newest = state.newest();
            if (newest.isPresent()
                    && newest.get().live()
                    && !newest.get().target().equals(target)) {
                throw new Failure(
                        "the name '" + name + "' is taken by " + newest.get().target() + ": delete it first");
            }
            if (question.type() == FrameTypes.FREE) {
                stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
                return;
            }
            give(
                    StoreEntry.name(name, target, state.nextGeneration, replicas),
                    state.hosts,
                    peers,
                    deadline,
                    "not named: ");
            stream.send(new FrameWriteBuffer().frame(FrameTypes.STORED));
        }
    }

    /** Gives up a peer that does not respond to any other. */
    private void forget(WireFrame question, FrameStream stream) throws IOException {
        HostPort address = HostPort.of(FileRequests.address(question));
        Finder.Everybody<Boolean> all = finder.everybody(
                new Finder.Question<>() {
                    @Override
                    public Boolean ask(RemotePeer remote) throws IOException {
                        return remote.reaches(address);
                    }

                    @Override
                    public Boolean own() {
                        return finder.reaches(address, stream.deadline());
                    }
                },
                stream.deadline());
        for (Map.Entry<HostPort, Boolean> each : all.answers().entrySet()) {
            if (each.getValue()) {
                throw new Failure("the peer at " + address + " responds to " + each.getKey()
                        + ": stop it instead, so that it hands over its files");
            }
        }
        Presence.Word known = all.words().get(address.toString());
        if (known == null && !all.silent().contains(address)) {
            throw new Failure("no peer of this ring remembers a peer at " + address);
        }
        long number = known == null ? 0 : known.number();
        Presence.Word forgotten = new Presence.Word(address.toString(), number, Presence.State.FORGOTTEN);
        int told = gossip.tell(all.answers().keySet(), forgotten);
        if (told < all.answers().size()) {
            throw new Failure("not forgotten everywhere: only " + told + " of "
                    + all.answers().size() + " peers were told; try again");
        }
        stream.send(new FrameWriteBuffer().frame(FrameTypes.DONE));
    }

    /** One after the other, the owner first: of two writers, the one that it takes first goes on. */
    private static void give(
            StoreEntry entry, List<HostPort> hosts, RequestPeers peers, Deadline deadline, String otherwise)
            throws IOException {
        for (HostPort address : hosts) {
            try {
                peers.connection(address, deadline).give(entry, true);
            } catch (IOException e) {
                throw new Failure(otherwise + e.getMessage());
            }
        }
    }
}
