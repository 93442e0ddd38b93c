package dev.perhaps.chord.store;

import dev.perhaps.chord.Answer;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.wire.Blocking;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.PeerSurvey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Who should have a key, and who has it. */
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

    private final PeerHost host;
    private final PeerDirectory remotes;
    private final Presence presence;

    Finder(PeerHost host, PeerDirectory remotes, Presence presence) {
        this.host = host;
        this.remotes = remotes;
        this.presence = presence;
    }

    /**
     * Hosts that should have a key.
     *
     * @param range all keys for which they are the same
     */
    record Hosts(Range range, List<String> addresses) {}

    /** What somebody has of a key. */
    record Holder(String address, StoreEntry entry) {}

    /** What is known of a key: the newest entry, and all who have just that. */
    record Found(Optional<StoreEntry> entry, List<String> holders) {
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

    /** So many hosts, or all if there are fewer. */
    Hosts hosts(Id key, int replicas, Set<String> without, Deadline deadline) throws IOException {
        Set<String> addresses = new LinkedHashSet<>();
        Set<Id> seen = new HashSet<>();
        Range range = null;
        Id at = key;
        for (int i = 0; i < MAX_STEPS && addresses.size() < replicas; i++) {
            Answer answer = Blocking.on(host.lookup(at), deadline);
            Member owner = answer.owner().orElseThrow(() -> new Failure("not reachable: who should have " + key));
            if (range == null) {
                range = new Range(answer.predecessor().orElse(owner).id(), owner.id());
            }
            if (!seen.add(owner.id())) {
                break;
            }
            if (!without.contains(owner.address())) {
                addresses.add(owner.address());
            }
            at = owner.id().plusPowerOfTwo(0);
        }
        return new Hosts(range == null ? new Range(key, key) : range, List.copyOf(addresses));
    }

    /** What there is of a key. Empty only if it is certain that there is nothing. */
    Found find(Id key, int replicas, Deadline deadline) throws IOException {
        List<Holder> near = new ArrayList<>();
        // Half of the time is for those who should have it, and half for everybody, if they do not.
        Deadline half = deadline.part(2);
        for (String address : hosts(key, replicas, Set.of(), half).addresses()) {
            Holder holder = look(address, key, half);
            if (holder != null) {
                near.add(holder);
            }
        }
        return near.isEmpty() ? search(key, deadline) : Found.among(near);
    }

    private @Nullable Holder look(String address, Id key, Deadline deadline) {
        try (RemotePeer remote = remotes.open(address, deadline)) {
            return remote.look(key)
                    .entry()
                    .map(entry -> new Holder(address, entry))
                    .orElse(null);
        } catch (IOException e) {
            return null;
        }
    }

    /** Something to ask a peer. */
    @FunctionalInterface
    interface Question<T> {
        T ask(RemotePeer remote) throws IOException;
    }

    /**
     * What everybody says.
     *
     * @param answers by address
     * @param silent those that somebody remembers, did not answer, and have neither left nor been given up
     * @param words the latest of what all have heard of all
     */
    record Everybody<T>(Map<String, T> answers, Set<String> silent, Map<String, Presence.Word> words) {}

    /** What one peer says when everybody is asked. */
    private record Said<T>(String address, Optional<T> answer, Set<String> knows, List<Presence.Word> words) {}

    /** Asks all peers that anybody remembers. */
    <T> Everybody<T> everybody(Question<T> question, Deadline deadline) throws IOException {
        Map<String, T> answers = new TreeMap<>();
        Set<String> silent = new TreeSet<>();
        Map<String, Presence.Word> words = new TreeMap<>();
        PeerSurvey.from(host.address(), deadline, address -> ask(address, question, deadline), said -> {
            said.answer.ifPresentOrElse(answer -> answers.put(said.address, answer), () -> silent.add(said.address));
            Presence.merge(words, said.words);
            return said.knows;
        });
        silent.removeIf(
                address -> words.containsKey(address) && words.get(address).isGone());
        return new Everybody<>(answers, silent, words);
    }

    private <T> Said<T> ask(String address, Question<T> question, Deadline deadline) {
        try (RemotePeer remote = remotes.open(address, deadline)) {
            T answer = question.ask(remote);
            List<Presence.Word> words = remote.heard().words();
            Set<String> knows = remotes.status(address, deadline).addresses();
            words.forEach(word -> knows.add(word.address()));
            return new Said<>(address, Optional.of(answer), knows, words);
        } catch (IOException | IllegalArgumentException e) {
            return new Said<>(address, Optional.empty(), Set.of(), List.of());
        }
    }

    private Found search(Id key, Deadline deadline) throws IOException {
        Everybody<RemotePeer.Looked> all = everybody(remote -> remote.look(key), deadline);
        List<Holder> holders = new ArrayList<>();
        Set<String> damaged = new TreeSet<>();
        all.answers.forEach((address, looked) -> {
            looked.entry().ifPresent(entry -> holders.add(new Holder(address, entry)));
            if (looked.damaged()) {
                damaged.add(address);
            }
        });
        if (holders.isEmpty() && !damaged.isEmpty()) {
            throw new Failure("not reachable: the copy of " + key + " at " + String.join(", ", damaged)
                    + " is damaged, and nobody who answers has another");
        }
        if (holders.isEmpty() && !all.silent.isEmpty()) {
            throw new Failure("not reachable: " + key + " is with none of the peers that answer, and "
                    + String.join(", ", all.silent) + " did not");
        }
        return Found.among(holders);
    }

    /** True if there is a peer of this cluster at an address. */
    boolean reaches(String address, Deadline deadline) {
        try (RemotePeer remote = remotes.open(address, deadline)) {
            remote.heard();
            return true;
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    /** Those that have left in order, or were given up, as far as this peer has heard. */
    Map<String, String> gone() {
        Map<String, String> gone = new TreeMap<>();
        presence.words().values().stream()
                .filter(Presence.Word::isGone)
                .forEach(word -> gone.put(word.address(), word.state().name().toLowerCase(Locale.ROOT)));
        return gone;
    }
}
