package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.net.Cluster;
import dev.perhaps.chord.net.PeerHost;
import dev.perhaps.chord.net.Waiting;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The part of a peer that keeps files: it serves callers and other peers, and keeps copies where they belong.
 *
 * <p>A host is a process of the ring: its nodes share an address and count once.
 */
public final class FileStore implements Closeable {
    /** Between rounds, while something is lacking or has just changed, and while all is well. */
    private static final long SOON_MILLIS = 2_000;

    private static final long ROUND_MILLIS = 15_000;
    private static final long SETTLE_MILLIS = 500;
    private static final int LEAVE_ROUNDS = 5;

    /** Rounds soon after a change: the others may hear of it later than we do. */
    private static final int CHANGE_ROUNDS = 3;

    /**
     * How much a peer gives.
     *
     * @param quotaBytes of files that it keeps at most
     * @param repairBytesASecond that it sends at most to make copies whole again
     */
    public record Limits(long quotaBytes, long repairBytesASecond) {
        public Limits {
            if (quotaBytes < 0 || repairBytesASecond < 1) {
                throw new IllegalArgumentException(
                        "limits must be at least 0 and 1, got " + quotaBytes + " and " + repairBytesASecond);
            }
        }

        public static Limits usual() {
            return new Limits(Long.MAX_VALUE / 2, 64L << 20);
        }
    }

    private final PeerHost host;
    private final Shelf shelf;
    private final Finder finder;
    private final Cluster cluster;
    private final Repair repair;
    private final Consumer<String> log;
    private final Semaphore wake = new Semaphore(0);
    private final Thread worker;
    private volatile long lacking;
    private volatile boolean stopping;

    private FileStore(PeerHost host, Cluster cluster, Shelf shelf, Finder finder, Repair repair, Consumer<String> log) {
        this.host = host;
        this.cluster = cluster;
        this.shelf = shelf;
        this.finder = finder;
        this.repair = repair;
        this.log = log;
        this.worker = new Thread(this::work, "repair");
        worker.setDaemon(true);
    }

    /** Opens what is in the folder, and begins to serve; the host listens, and may not be on a ring yet. */
    public static FileStore open(PeerHost host, Cluster cluster, Path folder, Limits limits, Consumer<String> log)
            throws IOException {
        Shelf shelf = Shelf.open(folder.resolve("shelf"), limits.quotaBytes(), log);
        Finder finder = new Finder(host, cluster);
        Repair repair = new Repair(shelf, finder, cluster, host.address(), limits.repairBytesASecond(), log);
        FileStore store = new FileStore(host, cluster, shelf, finder, repair, log);
        new Clerks(shelf, finder, log).sitAt(host.desk());
        new Counter(finder, cluster).sitAt(host.desk());
        host.desk().load(store::load);
        host.whenChanged(store.wake::release);
        store.worker.start();
        return store;
    }

    private Map<String, Long> load() {
        Map<String, Long> load = new TreeMap<>();
        load.put("files", shelf.files());
        load.put("usedBytes", shelf.usedBytes());
        load.put("lacking", lacking);
        return load;
    }

    /** What this peer has, in the order of the circle; it may change meanwhile. */
    public Collection<Entry> entries() {
        return shelf.all();
    }

    /** Who should have a key, and what they have of it. */
    public Whereabouts whereabouts(Id key) throws IOException {
        return Whereabouts.of(key, finder, cluster);
    }

    /** The peers that said that they left with empty hands. */
    public Set<String> left() {
        return Set.copyOf(finder.left());
    }

    private void work() {
        int soon = 0;
        try {
            while (!stopping) {
                if (wake.tryAcquire(lacking > 0 || soon > 0 ? SOON_MILLIS : ROUND_MILLIS, TimeUnit.MILLISECONDS)) {
                    Thread.sleep(SETTLE_MILLIS);
                    wake.drainPermits();
                    soon = CHANGE_ROUNDS + 1;
                }
                soon = Math.max(0, soon - 1);
                round();
            }
        } catch (InterruptedException e) {
            assert stopping;
        }
    }

    private void round() {
        try {
            lacking = repair.round(false);
            List<String> known = new ArrayList<>(others());
            if (!known.isEmpty()) {
                String one = known.get(ThreadLocalRandom.current().nextInt(known.size()));
                repair.tell(Set.of(one), false);
            }
        } catch (IOException | RuntimeException e) {
            if (!stopping) {
                log.accept("repair: " + e.getMessage());
            }
        }
    }

    private Set<String> others() throws IOException {
        Set<String> addresses = new LinkedHashSet<>();
        Waiting.on(host.known()).forEach(member -> addresses.add(member.address()));
        return addresses;
    }

    /** Gives all that is here to those who are to have it when this peer is gone. */
    public CompletableFuture<Void> handOver() {
        stopping = true;
        worker.interrupt();
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        worker.join();
                        int left = repair.round(true);
                        for (int i = 1; i < LEAVE_ROUNDS && left > 0; i++) {
                            Thread.sleep(SETTLE_MILLIS);
                            left = repair.round(true);
                        }
                        if (left == 0) {
                            repair.tell(others(), true);
                        } else {
                            log.accept(left + " entries found nobody to take them: they stay here only");
                        }
                    } catch (IOException | InterruptedException e) {
                        log.accept("not all was handed over: " + e.getMessage());
                    }
                },
                task -> new Thread(task, "hand-over").start());
    }

    @Override
    public void close() {
        stopping = true;
        worker.interrupt();
    }
}
