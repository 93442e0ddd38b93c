package dev.perhaps.chord.store;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Range;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Drops deletion marks that are no longer needed. One sweep at a time. */
final class Sweep {
    /*
     * A mark is there so that an older copy does not bring back what was deleted. It may go when there is no such copy:
     *
     *   1. It is old enough that entries in transit have arrived or are lost. 2. Every peer that anybody remembers
     *   answers, unless it has left in order or was given up, and says that it has
     *      nothing of the key but this mark, and that nothing of it is just coming in. One peer that is silent is enough to
     *      keep all marks: it may have a copy.
     *   3. Peers that left have set aside what they had; peers that were given up do so when they hear of it. What was set
     *      aside counts only if others have it.
     *
     * Then all are told to drop it. Who does not hear that still has the mark, and brings it to the others again: that
     * does no harm, for with the question of 2 everybody has written down its generation as a floor, and the next put
     * of the key takes a higher one. Age is measured by a monotonic clock, and starts from zero when a peer starts.
     */
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Shelf shelf;
    private final Presence presence;
    private final Finder finder;
    private final PeerDirectory remotes;
    private final HostPort self;
    private final long lifeNanos;
    private final Consumer<String> log;
    private long lastNanos = System.nanoTime();

    Sweep(Shelf shelf, Presence presence, Finder finder, PeerDirectory remotes, long lifeNanos, Consumer<String> log) {
        this.shelf = shelf;
        this.presence = presence;
        this.finder = finder;
        this.remotes = remotes;
        this.self = remotes.self();
        this.lifeNanos = lifeNanos;
        this.log = log;
    }

    /** Drops what may go, if it is time. */
    void run() throws IOException {
        if (System.nanoTime() - lastNanos < Math.min(lifeNanos, PAUSE_NANOS)) {
            return;
        }
        lastNanos = System.nanoTime();
        List<StoreEntry> due = due();
        if (due.isEmpty()) {
            return;
        }
        Finder.Everybody<BitSet> asked = finder.everybody(new Needed(due), Deadline.none());
        if (!asked.silent().isEmpty()) {
            return;
        }
        BitSet needed = new BitSet();
        asked.answers().values().forEach(needed::or);
        List<StoreEntry> free = new ArrayList<>();
        for (int i = 0; i < due.size(); i++) {
            if (!needed.get(i)) {
                free.add(due.get(i));
            }
        }
        for (HostPort address :
                free.isEmpty() ? Set.<HostPort>of() : asked.answers().keySet()) {
            drop(address, free);
        }
    }

    private void drop(HostPort address, List<StoreEntry> marks) {
        try {
            if (address.equals(self)) {
                check(shelf, presence, true, marks);
                return;
            }
            try (RemotePeer remote = remotes.open(address, Deadline.none())) {
                remote.sweep(true, marks);
            }
        } catch (IOException e) {
            log.accept("sweep: " + address + ": " + e.getMessage());
        }
    }

    /** Asks which of these marks are still needed. */
    private final class Needed implements Finder.Question<BitSet> {
        private final List<StoreEntry> marks;

        Needed(List<StoreEntry> marks) {
            this.marks = marks;
        }

        @Override
        public BitSet ask(RemotePeer remote) throws IOException {
            return remote.sweep(false, marks);
        }

        @Override
        public BitSet own() throws IOException {
            return check(shelf, presence, false, marks);
        }
    }

    /** Old marks of which this peer is the owner. */
    private List<StoreEntry> due() throws IOException {
        List<StoreEntry> due = new ArrayList<>();
        Range range = null;
        boolean isMine = false;
        for (StoreEntry mark : shelf.marks(lifeNanos)) {
            if (range == null || !range.contains(mark.key())) {
                Finder.Hosts owner = finder.hosts(mark.key(), 1, Set.of(), Deadline.none());
                range = owner.range();
                isMine = owner.addresses().contains(self);
            }
            if (isMine && due.size() < FileRequests.MAX_ENTRIES) {
                due.add(mark);
            }
        }
        return due;
    }

    /** The other side of {@link RemotePeer#sweep}. */
    static void answer(Shelf shelf, Presence presence, WireFrame question, FrameStream stream) throws IOException {
        FileRequests.Sweep asked = FileRequests.Sweep.read(question);
        stream.send(new WireFrame(
                FrameTypes.MISSING,
                check(shelf, presence, asked.drop(), asked.marks()).toByteArray()));
    }

    /** Finds out which of these marks are needed here, a bit each; or drops those that are not. */
    @CanIgnoreReturnValue
    private static BitSet check(Shelf shelf, Presence presence, boolean drop, List<StoreEntry> marks)
            throws IOException {
        BitSet needed = new BitSet();
        long floor = 0;
        for (int i = 0; i < marks.size(); i++) {
            long generation = marks.get(i).generation();
            needed.set(i, !presence.isPlausible(generation)); // no floor may rise so far, so such a mark stays
            floor = needed.get(i) ? floor : Math.max(floor, generation);
        }
        presence.raise(floor);
        for (int i = needed.nextClearBit(0); i < marks.size(); i = needed.nextClearBit(i + 1)) {
            StoreEntry mark = marks.get(i);
            if (drop) {
                shelf.dropMark(mark.key(), mark.generation());
            } else {
                needed.set(i, !shelf.hasNothingBut(mark.key(), mark.generation()));
            }
        }
        return needed;
    }
}
