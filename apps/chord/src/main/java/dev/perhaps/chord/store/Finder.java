package dev.perhaps.chord.store;

import dev.perhaps.chord.Answer;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.HostStatus;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.wire.Blocking;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.PeerSurvey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Finds the peers that should have a key, and those that have it. */
final class Finder {
    /*
     * Should have: the owner of the key and the hosts behind it on the ring, each counted once, however many nodes it has.
     *
     * Has: those are asked, and the newest of what they say counts. If none of them knows anything, everybody is asked
     * who can be found: the file may be on its way to them. Only if all peers that anybody remembers have answered, or
     * have left and given away what they had, or were given up, there is no such file. Otherwise it may be with those who
     * are silent, and the answer is that it cannot be reached.
     */
    private static final int MAX_STEPS = 256;

    private static final Comparator<HostPort> BY_TEXT = Comparator.comparing(HostPort::toString);

    private final PeerHost host;
    private final PeerDirectory directory;
    private final Presence presence;
    private final Supplier<CopySource> own;

    /** @param own opens the copies of this peer itself */
    Finder(PeerHost host, PeerDirectory directory, Presence presence, Supplier<CopySource> own) {
        this.host = host;
        this.directory = directory;
        this.presence = presence;
        this.own = own;
    }

    /** The connections of one request. */
    RequestPeers peers() {
        return new RequestPeers(directory, own);
    }

    /**
     * Hosts that should have a key.
     *
     * @param range all keys for which they are the same
     */
    record Hosts(Range range, List<HostPort> addresses) {}

    /** What one peer has of a key. */
    record Holder(HostPort address, StoreEntry entry) {}

    /** What is known of a key: the newest entry, and all who have just that. */
    record Found(Optional<StoreEntry> entry, List<HostPort> holders) {
        static Found among(List<Holder> all) {
            StoreEntry newest = null;
            for (Holder each : all) {
                newest = newest == null || each.entry.isNewerThan(newest) ? each.entry : newest;
            }
            StoreEntry best = newest;
            return new Found(
                    Optional.ofNullable(best),
                    all.stream()
                            .filter(each -> best != null && !best.isNewerThan(each.entry))
                            .map(Holder::address)
                            .toList());
        }
    }

    /** This number of hosts, or all if there are fewer. */
    Hosts hosts(Id key, int replicas, Set<HostPort> without, Deadline deadline) throws IOException {
        Set<HostPort> addresses = new LinkedHashSet<>();
        Set<Id> seen = new HashSet<>();
        Range range = null;
        Id at = key;
        for (int i = 0; i < MAX_STEPS && addresses.size() < replicas; i++) {
            Answer answer = Blocking.on(host.lookup(at), deadline);
            Member owner = answer.owner().orElseThrow(() -> new Failure("not reachable: the owner of " + key));
            if (range == null) {
                range = new Range(answer.predecessor().orElse(owner).id(), owner.id());
            }
            if (!seen.add(owner.id())) {
                break;
            }
            HostPort address = HostPort.of(owner.address());
            if (!without.contains(address)) {
                addresses.add(address);
            }
            at = owner.id().plusPowerOfTwo(0);
        }
        return new Hosts(range == null ? new Range(key, key) : range, List.copyOf(addresses));
    }

    /**
     * What there is of a key. Empty only if it is certain that there is nothing.
     *
     * @param peers where the connections to those who have it stay open
     */
    Found find(Id key, int replicas, RequestPeers peers, Deadline deadline) throws IOException {
        List<Holder> near = new ArrayList<>();
        // Half of the time is for those who should have it, and half for everybody, if they do not.
        Deadline half = deadline.part(2);
        for (HostPort address : hosts(key, replicas, Set.of(), half).addresses()) {
            look(address, key, peers, half)
                    .flatMap(RemotePeer.Looked::entry)
                    .ifPresent(entry -> near.add(new Holder(address, entry)));
        }
        return near.isEmpty() ? search(key, peers, deadline) : Found.among(near);
    }

    /** What one peer has of a key; empty if it does not answer. */
    Optional<RemotePeer.Looked> look(HostPort address, Id key, RequestPeers peers, Deadline deadline) {
        try {
            return Optional.of(peers.at(address, deadline).look(key));
        } catch (IOException e) {
            peers.release(address);
            return Optional.empty();
        }
    }

    /** The same addresses, that of this peer first: what it has itself it need not fetch. */
    List<HostPort> ownFirst(List<HostPort> addresses) {
        return addresses.stream()
                .sorted(Comparator.comparing(address -> !address.equals(directory.self())))
                .toList();
    }

    /** A question for all peers. */
    interface Question<T> {
        /** Asks another peer. */
        T ask(RemotePeer remote) throws IOException;

        /** What this peer itself says. */
        T own() throws IOException;

        /** Returns true if the peer that said this is needed again, and its connection stays open. */
        default boolean isNeeded(T answer) {
            return false;
        }
    }

    /**
     * What everybody says.
     *
     * @param answers by address
     * @param silent remembered peers that did not respond, and have neither left nor been given up
     * @param words the latest of what all have heard of all
     */
    record Everybody<T>(Map<HostPort, T> answers, Set<HostPort> silent, Map<String, Presence.Word> words) {}

    /** The response of one peer to a request that is sent to all. */
    private record Said<T>(HostPort address, Optional<T> answer, Set<HostPort> knows, Collection<Presence.Word> words) {
        static <T> Said<T> of(HostPort address, T answer, HostStatus status, Collection<Presence.Word> words) {
            Set<HostPort> knows = status.addresses();
            words.forEach(word -> knows.add(HostPort.of(word.address())));
            return new Said<>(address, Optional.of(answer), knows, words);
        }
    }

    /** Asks all peers that any peer remembers. */
    <T> Everybody<T> everybody(Question<T> question, Deadline deadline) throws IOException {
        try (RequestPeers peers = peers()) {
            return everybody(question, peers, deadline);
        }
    }

    private <T> Everybody<T> everybody(Question<T> question, RequestPeers peers, Deadline deadline) throws IOException {
        Map<HostPort, T> answers = new TreeMap<>(BY_TEXT);
        Set<HostPort> silent = new TreeSet<>(BY_TEXT);
        Map<String, Presence.Word> words = new TreeMap<>();
        PeerSurvey.from(directory.self(), deadline, address -> ask(address, question, peers, deadline), said -> {
            said.answer.ifPresentOrElse(answer -> answers.put(said.address, answer), () -> silent.add(said.address));
            Presence.merge(words, said.words);
            return said.knows;
        });
        silent.removeIf(address -> words.containsKey(address.toString())
                && words.get(address.toString()).isGone());
        return new Everybody<>(answers, silent, words);
    }

    private <T> Said<T> ask(HostPort address, Question<T> question, RequestPeers peers, Deadline deadline) {
        boolean isNeeded = false;
        try {
            if (address.equals(directory.self())) {
                return Said.of(
                        address, question.own(), host.status(), presence.words().values());
            }
            RemotePeer remote = peers.connection(address, deadline);
            T answer = question.ask(remote);
            List<Presence.Word> words = remote.heard().words();
            isNeeded = question.isNeeded(answer);
            return Said.of(address, answer, remote.status(address), words);
        } catch (IOException e) {
            isNeeded = false;
            return new Said<>(address, Optional.empty(), Set.of(), List.of());
        } finally {
            if (!isNeeded) {
                peers.release(address);
            }
        }
    }

    /** What everybody has of a key. */
    private final class Looking implements Question<RemotePeer.Looked> {
        private final Id key;

        Looking(Id key) {
            this.key = key;
        }

        @Override
        public RemotePeer.Looked ask(RemotePeer remote) throws IOException {
            return remote.look(key);
        }

        @Override
        public RemotePeer.Looked own() throws IOException {
            try (CopySource copies = own.get()) {
                return copies.look(key);
            }
        }

        @Override
        public boolean isNeeded(RemotePeer.Looked looked) {
            return looked.entry().isPresent();
        }
    }

    private Found search(Id key, RequestPeers peers, Deadline deadline) throws IOException {
        Everybody<RemotePeer.Looked> all = everybody(new Looking(key), peers, deadline);
        List<Holder> holders = new ArrayList<>();
        Set<HostPort> damaged = new TreeSet<>(BY_TEXT);
        all.answers.forEach((address, looked) -> {
            looked.entry().ifPresent(entry -> holders.add(new Holder(address, entry)));
            if (looked.damaged()) {
                damaged.add(address);
            }
        });
        if (holders.isEmpty() && !damaged.isEmpty()) {
            throw new Failure("not reachable: the copy of " + key + " at " + list(damaged)
                    + " is damaged, and no peer that responded has another");
        }
        if (holders.isEmpty() && !all.silent.isEmpty()) {
            throw new Failure("not reachable: " + key + " is not on any peer that responded, and " + list(all.silent)
                    + " did not respond");
        }
        return Found.among(holders);
    }

    private static String list(Set<HostPort> addresses) {
        return addresses.stream().map(HostPort::toString).collect(Collectors.joining(", "));
    }

    /** Returns true if there is a peer of this cluster at an address. */
    boolean reaches(HostPort address, Deadline deadline) {
        if (address.equals(directory.self())) {
            return true;
        }
        try (RemotePeer remote = directory.open(address, deadline)) {
            remote.heard();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the peers that have left or were given up, as far as this peer knows. */
    Map<String, String> gone() {
        Map<String, String> gone = new TreeMap<>();
        presence.words().values().stream()
                .filter(Presence.Word::isGone)
                .forEach(word -> gone.put(word.address(), word.state().name().toLowerCase(Locale.ROOT)));
        return gone;
    }
}
