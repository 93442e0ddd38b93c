package dev.perhaps.chord.store;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes sure that the peers that should have an entry have it, and no others keep it for long. One round at a time. */
final class Repair {
    /*
     * A round goes over all entries that are here, range by range of the ring. For each range the hosts are looked up
     * that should have it. Our tree of hashes over the range is compared with that of each of the others, and it gets what
     * it lacks: see Comparison. That is all there is: a joining peer gets its part from those who have it, a lost copy is
     * made again by those who are left, and a deletion is carried to those who missed it.
     *
     * What we should not have ourselves is dropped when all who should have it have promised to keep it: see Shelf.
     */
    private final Shelf shelf;
    private final Finder finder;
    private final PeerDirectory remotes;
    private final HostPort self;
    private final Throttle throttle;
    private final long relyNanos;
    private final Consumer<String> log;

    /** True if something in this round may succeed in the next one, without any change of the ring. */
    private boolean isUncertain;

    Repair(Shelf shelf, Finder finder, PeerDirectory remotes, FileStore.Setup setup, Consumer<String> log) {
        this.shelf = shelf;
        this.finder = finder;
        this.remotes = remotes;
        this.self = remotes.self();
        this.throttle = new Throttle(setup.limits().repairBytesPerSecond());
        this.relyNanos = TimeUnit.MILLISECONDS.toNanos(setup.pace().promiseMillis() / 3);
        this.log = log;
    }

    /** Entries with the same hosts. */
    private record Group(Finder.Hosts hosts, int replicas, List<StoreEntry> entries) {
        boolean isWhole() {
            return hosts.addresses().size() == replicas;
        }
    }

    /**
     * One round.
     *
     * @return how many entries are not with all who should have them
     */
    int round() throws IOException {
        settleDoubts();
        int lacking = 0;
        for (Group group : groups(shelf.all(), Set.of())) {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("the peer is being stopped");
            }
            boolean mine = group.hosts.addresses().contains(self);
            int failed =
                    mine ? spread(group, group.entries, false).size() : giveAway(group, group.isWhole(), shelf::drop);
            lacking += group.isWhole() ? failed : group.entries.size();
        }
        return lacking;
    }

    /** One round of a peer that leaves, and so does not count itself: all that is here is given away, and set aside. */
    HandOver.Round leavingRound() {
        isUncertain = false;
        try {
            for (Group group : groups(shelf.all(), Set.of(self))) {
                if (!group.hosts.addresses().isEmpty()) {
                    giveAway(group, true, shelf::leave);
                }
            }
        } catch (IOException e) {
            log.accept("repair: " + e.getMessage());
            isUncertain = true;
        }
        return new HandOver.Round(shelf.all().size(), !isUncertain);
    }

    /** What was set aside counts again if others have it; if all have it who should, and we should not, it goes. */
    private void settleDoubts() throws IOException {
        for (Group group : groups(shelf.doubtful(), Set.of())) {
            boolean mine = group.hosts.addresses().contains(self);
            Map<StoreEntry, Integer> held = new HashMap<>();
            for (HostPort address : group.hosts.addresses()) {
                if (!address.equals(self)) {
                    countHeld(address, group.entries, held);
                }
            }
            for (Map.Entry<StoreEntry, Integer> each : held.entrySet()) {
                if (mine) {
                    shelf.restore(each.getKey());
                } else if (each.getValue() == group.replicas) {
                    shelf.forgetDoubtful(each.getKey().key());
                }
            }
        }
    }

    private void countHeld(HostPort address, List<StoreEntry> entries, Map<StoreEntry, Integer> held) {
        try (RemotePeer remote = remotes.open(address, Deadline.none())) {
            RangeComparison.ask(remote, entries, (some, missing) -> {
                Set<StoreEntry> lacked = new HashSet<>(missing);
                some.stream()
                        .filter(entry -> !lacked.contains(entry))
                        .forEach(entry -> held.merge(entry, 1, Integer::sum));
            });
        } catch (IOException e) {
            log.accept("repair: " + address + ": " + e.getMessage());
        }
    }

    private List<Group> groups(Collection<StoreEntry> entries, Set<HostPort> without) throws IOException {
        List<Group> groups = new ArrayList<>();
        Map<Integer, Group> current = new HashMap<>();
        for (StoreEntry entry : entries) {
            Group group = current.get(entry.replicas());
            if (group == null || !group.hosts.range().contains(entry.key())) {
                group = new Group(
                        finder.hosts(entry.key(), entry.replicas(), without, Deadline.none()),
                        entry.replicas(),
                        new ArrayList<>());
                current.put(entry.replicas(), group);
                groups.add(group);
            }
            group.entries.add(entry);
        }
        return groups;
    }

    /** What is done with a copy that others have promised to keep. */
    @FunctionalInterface
    private interface Parting {
        void from(StoreEntry entry) throws IOException;
    }

    /**
     * Gives entries away that we should not have.
     *
     * @param enough true if there are enough hosts that we may give up our copies
     * @return how many are not with all who should have them
     */
    @CanIgnoreReturnValue
    private int giveAway(Group group, boolean enough, Parting parting) throws IOException {
        List<StoreEntry> may = shelf.leaving(group.entries);
        long start = System.nanoTime();
        try {
            Set<StoreEntry> failed = spread(group, may, true);
            for (StoreEntry entry : may) {
                // Promises run out. If giving took long, all is there now, and the next round will be quick.
                boolean isLate = System.nanoTime() - start >= relyNanos;
                isUncertain |= isLate;
                if (enough && !failed.contains(entry) && !isLate) {
                    parting.from(entry);
                }
            }
            isUncertain |= may.size() < group.entries.size();
            return group.entries.size() - may.size() + failed.size();
        } finally {
            shelf.staying(may);
        }
    }

    /** Sends the entries to all hosts of the group that lack them. Returns those that could not be sent to a host. */
    private Set<StoreEntry> spread(Group group, List<StoreEntry> entries, boolean promised) {
        Set<StoreEntry> failed = new HashSet<>();
        for (HostPort address : group.hosts.addresses()) {
            if (!address.equals(self)) {
                failed.addAll(spread(address, group, entries, promised));
            }
        }
        return failed;
    }

    private Set<StoreEntry> spread(HostPort address, Group group, List<StoreEntry> entries, boolean promised) {
        Set<StoreEntry> failed = null;
        try (RemotePeer remote = remotes.open(address, Deadline.none())) {
            List<StoreEntry> candidates = promised
                    ? entries
                    : new RangeComparison(shelf.index(), group.hosts.range(), group.replicas).candidates(remote);
            Set<StoreEntry> left = new HashSet<>(candidates);
            failed = left;
            RangeComparison.ask(remote, candidates, (some, missing) -> {
                some.forEach(left::remove);
                left.addAll(missing);
                for (StoreEntry entry : missing) {
                    push(remote, entry);
                    left.remove(entry);
                }
            });
        } catch (IOException e) {
            // A peer that refuses will do so again; one that did not answer is only busy, or the ring soon finds
            // another.
            isUncertain |= !(e instanceof Failure);
            if (!Thread.currentThread().isInterrupted()) {
                log.accept("repair: " + address + ": " + e.getMessage());
            }
        }
        return failed == null ? Set.copyOf(entries) : failed;
    }

    private void push(RemotePeer remote, StoreEntry entry) throws IOException {
        if (!entry.isFile()) {
            if (entry.equals(shelf.get(entry.key()))) {
                remote.give(entry, false);
            }
            return;
        }
        try (StoredCopy copy = copy(entry)) {
            if (copy != null && remote.offer(entry, false)) {
                while (copy.hasNext()) {
                    byte[] chunk = copy.next();
                    throttle.pass(chunk.length);
                    remote.chunk(new WireFrame(FrameTypes.CHUNK, chunk));
                }
                remote.finish();
            }
        } catch (StoredCopy.Damaged e) {
            shelf.setAside(entry.key());
            throw e;
        }
    }

    private @Nullable StoredCopy copy(StoreEntry entry) throws IOException {
        return entry.equals(shelf.get(entry.key())) ? shelf.read(entry.key()) : null;
    }
}
