package dev.perhaps.chord.store;

import dev.perhaps.chord.Answer;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.chord.net.HostPort;
import dev.perhaps.chord.net.HostStatus;
import dev.perhaps.chord.net.PeerHost;
import dev.perhaps.chord.net.Waiting;
import dev.perhaps.chord.net.Walk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Who should have a key, and who has it. */
final class Finder {
    /*
     * Should have: the owner of the key and the hosts behind it on the ring, each counted once, however many nodes it has.
     *
     * Has: those are asked, and the newest of what they say counts. If none of them knows anything, everybody is asked
     * who can be found: the file may be on its way to them. Only if all peers that anybody remembers have answered, or
     * have left and given away what they had, there is no such file. Otherwise it may be with those who are silent, and
     * the answer is that it cannot be reached.
     */
    private static final int MOST_STEPS = 256;
    private static final int STATUS_MILLIS = 2_000;

    private final PeerHost host;
    private final Cluster cluster;
    private final Set<String> left = ConcurrentHashMap.newKeySet();

    Finder(PeerHost host, Cluster cluster) {
        this.host = host;
        this.cluster = cluster;
    }

    /**
     * Hosts that should have a key.
     *
     * @param range all keys for which they are the same
     */
    record Hosts(Range range, List<String> addresses) {}

    /** What somebody has of a key. */
    record Holder(String address, Entry entry) {}

    /** What is known of a key: the newest entry, and all who have just that. */
    record Found(Optional<Entry> entry, List<String> holders) {
        static Found among(List<Holder> all) {
            Entry newest = null;
            for (Holder each : all) {
                newest = newest == null || each.entry.isNewerThan(newest) ? each.entry : newest;
            }
            Entry best = newest;
            return new Found(
                    Optional.ofNullable(best),
                    all.stream()
                            .filter(each -> best != null && !best.isNewerThan(each.entry))
                            .map(Holder::address)
                            .toList());
        }
    }

    /** So many hosts, or all if there are fewer. */
    Hosts hosts(Id key, int replicas, Set<String> without) throws IOException {
        Set<String> addresses = new LinkedHashSet<>();
        Set<Id> seen = new HashSet<>();
        Range range = null;
        Id at = key;
        for (int i = 0; i < MOST_STEPS && addresses.size() < replicas; i++) {
            Answer answer = Waiting.on(host.lookup(at));
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
    Found find(Id key, int replicas) throws IOException {
        List<Holder> near = new ArrayList<>();
        for (String address : hosts(key, replicas, Set.of()).addresses()) {
            Holder holder = look(address, key);
            if (holder != null) {
                near.add(holder);
            }
        }
        return near.isEmpty() ? search(key) : Found.among(near);
    }

    private @Nullable Holder look(String address, Id key) {
        try (Remote remote = Remote.open(address, cluster)) {
            return remote.look(key).map(entry -> new Holder(address, entry)).orElse(null);
        } catch (IOException e) {
            return null;
        }
    }

    /** What one peer says when everybody is asked. */
    private record Said(
            String address, boolean reached, @Nullable Holder holder, Set<String> knows, Set<String> left) {}

    private Found search(Id key) throws IOException {
        Set<String> silent = new TreeSet<>();
        Set<String> gone = new HashSet<>();
        List<Holder> holders = new ArrayList<>();
        Walk.from(host.address(), address -> ask(address, key), said -> {
            if (!said.reached) {
                silent.add(said.address);
            } else if (said.holder != null) {
                holders.add(said.holder);
            }
            gone.addAll(said.left);
            return said.knows;
        });
        silent.removeAll(gone);
        if (holders.isEmpty() && !silent.isEmpty()) {
            throw new Failure("not reachable: " + key + " is with none of the peers that answer, and "
                    + String.join(", ", silent) + " did not");
        }
        return Found.among(holders);
    }

    private Said ask(String address, Id key) {
        try (Remote remote = Remote.open(address, cluster)) {
            Holder holder =
                    remote.look(key).map(entry -> new Holder(address, entry)).orElse(null);
            Set<String> gone = remote.left();
            HostStatus status = HostStatus.ask(HostPort.of(address), cluster, STATUS_MILLIS);
            return new Said(address, true, holder, status.addresses(), gone);
        } catch (IOException | IllegalArgumentException e) {
            return new Said(address, false, null, Set.of(), Set.of());
        }
    }

    /** A peer says that it has left with empty hands, or that it is here. */
    void presence(String address, boolean isLeft) {
        if (isLeft) {
            left.add(address);
        } else {
            left.remove(address);
        }
    }

    Set<String> left() {
        return left;
    }
}
