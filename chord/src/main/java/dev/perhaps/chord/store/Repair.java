package dev.perhaps.chord.store;

import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sees to it that whoever should have an entry has it, and that nobody else keeps it for long. One round at a time. */
final class Repair {
    /*
     * A round goes over all entries that are here, range by range of the ring. For each range the hosts are looked up
     * that should have it. Our tree of hashes over the range is compared with that of each of the others, and it gets what
     * it lacks: see Comparison. That is all there is: a joining peer gets its part from those who have it, a lost copy is
     * made again by those who are left, and a deletion is carried to those who missed it.
     *
     * What we should not have ourselves is dropped when all who should have it have promised to keep it: see Shelf.
     */
    private static final long TELLING_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Shelf shelf;
    private final Finder finder;
    private final Cluster cluster;
    private final String self;
    private final long bytesASecond;
    private final Consumer<String> log;
    private long freeNanos = System.nanoTime();

    Repair(Shelf shelf, Finder finder, Cluster cluster, String self, long bytesASecond, Consumer<String> log) {
        this.shelf = shelf;
        this.finder = finder;
        this.cluster = cluster;
        this.self = self;
        this.bytesASecond = bytesASecond;
        this.log = log;
    }

    /** Entries with the same hosts. */
    private record Group(Finder.Hosts hosts, int replicas, List<Entry> entries) {}

    /**
     * One round.
     *
     * @param leaving true if this peer is about to leave, and so does not count itself
     * @return how many entries are not with all who should have them
     */
    int round(boolean leaving) throws IOException {
        int lacking = 0;
        for (Group group : groups(leaving ? Set.of(self) : Set.of())) {
            boolean whole = group.hosts.addresses().size() == group.replicas;
            boolean mine = group.hosts.addresses().contains(self);
            Set<Entry> failed = mine || leaving ? spread(group, group.entries, false) : giveAway(group, whole);
            boolean enough = whole || leaving && !group.hosts.addresses().isEmpty();
            lacking += enough ? failed.size() : group.entries.size();
        }
        return lacking;
    }

    private List<Group> groups(Set<String> without) throws IOException {
        List<Group> groups = new ArrayList<>();
        Map<Integer, Group> current = new HashMap<>();
        for (Entry entry : shelf.all()) {
            Group group = current.get(entry.replicas());
            if (group == null || !group.hosts.range().contains(entry.key())) {
                group = new Group(
                        finder.hosts(entry.key(), entry.replicas(), without), entry.replicas(), new ArrayList<>());
                current.put(entry.replicas(), group);
                groups.add(group);
            }
            group.entries.add(entry);
        }
        return groups;
    }

    /** Those that are still here only because somebody lacks them. */
    private Set<Entry> giveAway(Group group, boolean whole) throws IOException {
        List<Entry> may = shelf.leaving(group.entries);
        long start = System.nanoTime();
        try {
            Set<Entry> failed = spread(group, may, true);
            for (Entry entry : may) {
                // Promises run out. If giving took long, all is there now, and the next round will be quick.
                if (whole && !failed.contains(entry) && System.nanoTime() - start < Shelf.PROMISE_NANOS / 3) {
                    shelf.drop(entry);
                }
            }
            Set<Entry> left = new HashSet<>(group.entries);
            left.removeAll(may);
            left.addAll(failed);
            return left;
        } finally {
            shelf.staying(may);
        }
    }

    /** Gives the entries to all hosts of the group that lack them; those that could not be given to one come back. */
    private Set<Entry> spread(Group group, List<Entry> entries, boolean promised) {
        Set<Entry> failed = new HashSet<>();
        for (String address : group.hosts.addresses()) {
            if (!address.equals(self)) {
                failed.addAll(spread(address, group, entries, promised));
            }
        }
        return failed;
    }

    private Set<Entry> spread(String address, Group group, List<Entry> entries, boolean promised) {
        Set<Entry> failed = null;
        try (Remote remote = Remote.open(address, cluster)) {
            List<Entry> candidates = promised
                    ? entries
                    : new Comparison(shelf.index(), group.hosts.range(), group.replicas).candidates(remote);
            Set<Entry> left = new HashSet<>(candidates);
            failed = left;
            Comparison.ask(remote, candidates, (some, missing) -> {
                some.forEach(left::remove);
                left.addAll(missing);
                for (Entry entry : missing) {
                    push(remote, entry);
                    left.remove(entry);
                }
            });
        } catch (IOException e) {
            log.accept("repair: " + address + ": " + e.getMessage());
        }
        return failed == null ? Set.copyOf(entries) : failed;
    }

    private void push(Remote remote, Entry entry) throws IOException {
        if (!entry.isFile()) {
            remote.give(entry, false);
            return;
        }
        try (Copy copy = copy(entry)) {
            if (copy != null && remote.offer(entry, false)) {
                while (copy.hasNext()) {
                    byte[] chunk = copy.next();
                    throttle(chunk.length);
                    remote.chunk(new Frame(Calls.CHUNK, chunk));
                }
                remote.finish();
            }
        } catch (Copy.Damaged e) {
            shelf.setAside(entry.key());
            throw e;
        }
    }

    private @Nullable Copy copy(Entry entry) throws IOException {
        return entry.equals(shelf.get(entry.key())) ? shelf.read(entry.key()) : null;
    }

    private void throttle(int bytes) throws IOException {
        long now = System.nanoTime();
        freeNanos = Math.max(freeNanos, now) + TimeUnit.SECONDS.toNanos(bytes) / bytesASecond;
        long waitMillis = TimeUnit.NANOSECONDS.toMillis(freeNanos - now);
        if (waitMillis > 0) {
            try {
                Thread.sleep(waitMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("the peer is being stopped", e);
            }
        }
    }

    /** Tells peers that this one is here, or has left with nothing that others do not have. */
    void tell(Set<String> addresses, boolean left) {
        long end = System.nanoTime() + TELLING_NANOS;
        for (String address : addresses) {
            if (System.nanoTime() - end > 0) {
                return;
            }
            try (Remote remote = Remote.open(address, cluster)) {
                remote.presence(self, left);
            } catch (IOException e) {
                // It will count us as silent, which is the safe side.
                assert e.getMessage() != null;
            }
        }
    }
}
