package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.host.PeerProcess;
import dev.perhaps.chord.wire.Blocking;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.SafeText;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The part of a peer that stores files: it serves clients and other peers, and ensures that each file has its copies on
 * the right hosts.
 *
 * <p>A host is a process of the ring: its nodes share an address and count once.
 */
public final class FileStore implements Closeable {
    /** Between rounds, while something is lacking or has just changed, and while all is well. */
    private static final long SOON_MILLIS = 2_000;

    private static final long SETTLE_MILLIS = 500;
    private static final long MAX_STALL_MILLIS = 60_000;

    /** The rest is for the round under way, the goodbye and the nodes, which leave one after the other. */
    private static final long MAX_HAND_OVER_MILLIS = 1_000L * (PeerProcess.MAX_LEAVE_SECONDS - 60);

    private static final int MAX_GOODBYES = 3;

    /** Rounds soon after a change: the others may hear of it later than we do. */
    private static final int CHANGE_ROUNDS = 3;

    /**
     * How much a peer gives.
     *
     * @param quotaBytes of disk that it uses at most, for files, names and deletion marks, in blocks of 4 KiB
     * @param repairBytesPerSecond that it sends at most to make copies whole again
     * @param scrubBytesPerSecond that it reads at most to see whether its copies are still good
     */
    public record Limits(long quotaBytes, long repairBytesPerSecond, long scrubBytesPerSecond) {
        /** Checks the limits. */
        public Limits {
            if (quotaBytes < 0 || repairBytesPerSecond < 1 || scrubBytesPerSecond < 1) {
                throw new IllegalArgumentException("limits must be at least 0, 1 and 1, got " + quotaBytes + ", "
                        + repairBytesPerSecond + " and " + scrubBytesPerSecond);
            }
        }

        /** Returns the default: no quota, 64 MiB per second to repair and 8 MiB per second to scrub. */
        public static Limits usual() {
            return new Limits(Long.MAX_VALUE / 2, 64L << 20, 8L << 20);
        }
    }

    /**
     * How often a peer looks after what it has.
     *
     * @param roundMillis copies are compared with those of others
     * @param scrubMillis copies are read again
     * @param markMillis how long a deletion mark stays at least
     * @param promiseMillis how long it keeps what others may rely on; a leaving peer waits for that
     */
    public record Pace(long roundMillis, long scrubMillis, long markMillis, long promiseMillis) {
        /** Checks that every duration is positive. */
        public Pace {
            if (roundMillis < 1 || scrubMillis < 1 || markMillis < 1 || promiseMillis < 1) {
                throw new IllegalArgumentException("a pace must be at least 1 ms each, got " + roundMillis + ", "
                        + scrubMillis + ", " + markMillis + " and " + promiseMillis);
            }
        }

        /** Returns the default: a round every 15 seconds, and a scrub per day. */
        public static Pace usual() {
            return new Pace(15_000, TimeUnit.DAYS.toMillis(1), TimeUnit.HOURS.toMillis(1), 9_000);
        }

        /** Returns the same pace with another interval between scrubs. */
        public Pace scrubMillis(long millis) {
            return new Pace(roundMillis, millis, markMillis, promiseMillis);
        }
    }

    private final PeerHost host;
    private final Shelf shelf;
    private final Limits limits;
    private final Pace pace;
    private final Gossip gossip;
    private final Finder finder;
    private final Repair repair;
    private final Sweep sweep;
    private final Scrub scrub;
    private final Consumer<String> log;
    private final Semaphore wake = new Semaphore(0);
    private final Thread worker;
    private final Thread scrubber;
    private volatile long lacking;
    private volatile boolean stopping;

    private FileStore(
            PeerHost host, PeerDirectory remotes, Shelf shelf, Gossip gossip, Setup setup, Consumer<String> log) {
        this.host = host;
        this.shelf = shelf;
        this.limits = setup.limits;
        this.pace = setup.pace;
        this.gossip = gossip;
        this.finder = new Finder(host, remotes, gossip.presence(), () -> new OwnCopies(shelf, gossip.presence(), log));
        this.log = log;
        this.repair = new Repair(shelf, finder, remotes, setup, log);
        this.sweep = new Sweep(
                shelf, gossip.presence(), finder, remotes, TimeUnit.MILLISECONDS.toNanos(pace.markMillis), log);
        this.scrub = new Scrub(shelf, setup.limits.scrubBytesPerSecond(), pace.scrubMillis, log);
        this.worker = daemon(this::work, "repair", log);
        this.scrubber = daemon(scrub, "scrub", log);
        new PeerService(shelf, finder, gossip, log).registerWith(host.dispatcher());
        new CallerService(finder, gossip).registerWith(host.dispatcher());
        host.dispatcher().load(this::load);
        host.dispatcher().gone(finder::gone);
        host.dispatcher().subject(FileRequests::subject);
    }

    private static Thread daemon(Runnable task, String name, Consumer<String> log) {
        Thread thread = new Thread(OutOfMemoryGuard.guard(task), name);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler(
                (dead, e) -> log.accept(name + " has stopped for good, restart the peer: " + e));
        return thread;
    }

    /** 1 if a thread has ended that should go on for as long as the peer does. */
    private long isStopped(Thread thread) {
        return !stopping && thread.getState() == Thread.State.TERMINATED ? 1 : 0;
    }

    /**
     * What a store is opened with.
     *
     * @param folder where its files are, and what it has heard of other peers
     * @param contacts peers to ask first whether this one was given up meanwhile
     * @param takeBack true if what was set aside is to count again, though it may have been deleted
     */
    public record Setup(Path folder, Limits limits, Pace pace, List<String> contacts, boolean takeBack) {
        /** With the usual limits and pace. */
        public static Setup usual(Path folder) {
            return new Setup(folder, Limits.usual(), Pace.usual(), List.of(), false);
        }
    }

    /** Opens what is in the folder, and begins to serve; the host listens, and is not on a ring yet. */
    public static FileStore open(PeerHost host, Cluster cluster, Setup setup, Consumer<String> sink)
            throws IOException {
        Consumer<String> log = line -> sink.accept(SafeText.of(line));
        PeerDirectory remotes = new PeerDirectory(cluster, HostPort.of(host.address()));
        Path folder = setup.folder.resolve("shelf");
        Shelf shelf = Shelf.open(folder, setup.limits.quotaBytes(), setup.pace.promiseMillis, log);
        if (setup.takeBack) {
            shelf.doubtful().forEach(shelf::restore);
        }
        Presence presence = Presence.open(setup.folder.resolve("presence"), host.address(), log);
        Gossip gossip = new Gossip(presence, shelf, remotes, log);
        FileStore store = new FileStore(host, remotes, shelf, gossip, setup, log);
        gossip.meetAll(setup.contacts.stream().map(HostPort::of).toList());
        host.whenChanged(store.wake::release);
        store.worker.start();
        store.scrubber.start();
        return store;
    }

    /** What this peer carries, by name. */
    public Map<String, Long> load() {
        Map<String, Long> load = new TreeMap<>();
        load.put("files", shelf.files());
        load.put("usedBytes", shelf.usedBytes());
        load.put("lacking", lacking);
        load.put("damaged", scrub.damaged());
        load.put("doubtful", (long) shelf.doubtful().size());
        load.put("scrubbedHours", scrub.ageHours());
        load.put("repairStopped", isStopped(worker));
        load.put("scrubStopped", isStopped(scrubber));
        return load;
    }

    /** Returns true if the threads that maintain copies are alive, or the store was closed. */
    public boolean isHealthy() {
        return isStopped(worker) == 0 && isStopped(scrubber) == 0;
    }

    /** Bytes of disk that count against the quota, in blocks. */
    public long diskBytes() {
        return shelf.blockBytes();
    }

    /** Bytes of disk to use at most; empty if there is no limit. */
    public OptionalLong quotaBytes() {
        return limits.quotaBytes >= Limits.usual().quotaBytes
                ? OptionalLong.empty()
                : OptionalLong.of(limits.quotaBytes);
    }

    /** What this peer has, in the order of the circle; it may change meanwhile. */
    public Collection<StoreEntry> entries() {
        return shelf.all();
    }

    /** Who should have a key, and what they have of it. */
    public ReplicaMap whereabouts(Id key) throws IOException {
        return ReplicaMap.of(key, finder);
    }

    private void work() {
        int soon = 0;
        try {
            while (!stopping) {
                boolean isSoon = lacking > 0 || soon > 0;
                long pauseMillis = isSoon ? Math.min(SOON_MILLIS, pace.roundMillis) : pace.roundMillis;
                if (wake.tryAcquire(pauseMillis, TimeUnit.MILLISECONDS)) {
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
            lacking = repair.round();
            List<HostPort> known = new ArrayList<>(others());
            if (!known.isEmpty()) {
                HostPort one = known.get(ThreadLocalRandom.current().nextInt(known.size()));
                gossip.meetAll(List.of(one));
            }
            sweep.run();
        } catch (IOException | RuntimeException e) {
            if (!stopping) {
                log.accept("repair: " + e.getMessage());
            }
        }
    }

    private Set<HostPort> others() throws IOException {
        Set<HostPort> addresses = new LinkedHashSet<>();
        Blocking.on(host.known()).forEach(member -> addresses.add(HostPort.of(member.address())));
        return addresses;
    }

    /** Gives all files to the peers that will be responsible for them when this one has left. */
    public CompletableFuture<Void> handOver() {
        close();
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        worker.join();
                        shelf.close();
                        int left = new HandOver(SETTLE_MILLIS, MAX_STALL_MILLIS, MAX_HAND_OVER_MILLIS)
                                .run(repair::leavingRound);
                        if (left == 0) {
                            sayGoodbye();
                        } else {
                            log.accept(left + " entries could not be handed over: their only copies may be here");
                        }
                    } catch (IOException | InterruptedException e) {
                        log.accept("the hand-over failed: " + e.getMessage());
                    }
                },
                task -> new Thread(task, "hand-over").start());
    }

    /** Reports to one peer that this one has left; it informs the others. Until then they wait for this peer. */
    private void sayGoodbye() throws IOException, InterruptedException {
        Set<HostPort> others = others();
        int told = gossip.tell(others, gossip.presence().left());
        for (int i = 1; told == 0 && !others.isEmpty() && i < MAX_GOODBYES; i++) {
            Thread.sleep(SETTLE_MILLIS);
            told = gossip.tell(others, gossip.presence().left());
        }
        if (told == 0 && !others.isEmpty()) {
            log.accept("no other peer could be told that this one has left");
        }
    }

    @Override
    public void close() {
        stopping = true;
        worker.interrupt();
        scrubber.interrupt();
    }
}
