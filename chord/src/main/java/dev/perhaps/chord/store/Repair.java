package dev.perhaps.chord.store;

import dev.perhaps.chord.Range;
import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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
     * that should have it. Each of the others is asked for its hash over the range; if it differs from ours, it is asked
     * which entries it lacks, and gets them. That is all there is: a joining peer gets its part from those who have it, a
     * lost copy is made again by those who are left, and a deletion is carried to those who missed it.
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
            List<Entry> reached = mine || leaving ? spread(group, group.entries, false) : giveAway(group, whole);
            lacking += group.entries.size()
                    - (whole || leaving && !group.hosts.addresses().isEmpty() ? reached.size() : 0);
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

    private List<Entry> giveAway(Group group, boolean whole) throws IOException {
        List<Entry> may = shelf.leaving(group.entries);
        long start = System.nanoTime();
        try {
            List<Entry> kept = spread(group, may, true);
            for (Entry entry : kept) {
                // Promises run out. If giving took long, all is there now, and the next round will be quick.
                if (whole && System.nanoTime() - start < Shelf.PROMISE_NANOS / 3) {
                    shelf.drop(entry);
                }
            }
            return kept;
        } finally {
            shelf.staying(may);
        }
    }

    /** Gives the entries to all hosts of the group; those that are with all of them by now come back. */
    private List<Entry> spread(Group group, List<Entry> entries, boolean promised) {
        Set<Entry> everywhere = new HashSet<>(entries);
        for (String address : group.hosts.addresses()) {
            if (!address.equals(self)) {
                Set<Entry> failed = spread(address, group.hosts.range(), entries, promised);
                everywhere.removeAll(failed);
            }
        }
        return List.copyOf(everywhere);
    }

    private Set<Entry> spread(String address, Range range, List<Entry> entries, boolean promised) {
        Set<Entry> failed = new HashSet<>(entries);
        try (Remote remote = Remote.open(address, cluster)) {
            if (!promised && Arrays.equals(remote.digest(range), shelf.digest(range))) {
                return Set.of();
            }
            for (int i = 0; i < entries.size(); i += Remote.MOST_COMPARED) {
                List<Entry> some = entries.subList(i, Math.min(entries.size(), i + Remote.MOST_COMPARED));
                List<Entry> missing = remote.missing(some);
                some.forEach(failed::remove);
                failed.addAll(missing);
                for (Entry entry : missing) {
                    push(remote, entry);
                    failed.remove(entry);
                }
            }
        } catch (IOException e) {
            log.accept("repair: " + address + ": " + e.getMessage());
        }
        return failed;
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
