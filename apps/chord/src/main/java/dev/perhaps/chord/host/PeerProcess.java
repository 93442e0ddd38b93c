package dev.perhaps.chord.host;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.Peer;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Blocking;
import dev.perhaps.chord.wire.SocketFrameStream;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The life of a peer: it finds a ring, remembers its members, and leaves it. */
public final class PeerProcess implements Closeable {
    /*
     * Start. A contact that was named must be there and accept us; a contact that refuses or does not respond is an
     * error at once. Without one, the members of the last life are asked: if one of them is on a ring, we join that. If
     * none is, the whole cluster may be starting: every peer begins a ring of its own, and they become one through the
     * members they remember.
     */
    /**
     * The number of seconds after which {@link #leave} gives up. A service manager that stops a peer should wait a
     * little longer before killing it: the unit in {@code deploy/systemd} waits for ten minutes.
     */
    public static final int MAX_LEAVE_SECONDS = 9 * 60;

    private static final int CONTACT_MILLIS = 3_000;
    private static final int JOIN_SECONDS = 60;
    private static final long KEEP_MILLIS = 3_000;
    private static final int LAST_KEEP_SECONDS = 5;
    private static final int MAX_ASKED = 32;

    private final Cluster cluster;
    private final PeerFolder folder;
    private final Consumer<String> log;
    private final long keepMillis;
    private final PeerHost host;
    private final ScheduledExecutorService keeper = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "keeper");
        thread.setDaemon(true);
        return thread;
    });
    private List<Member> kept = List.of();

    /** A peer that keeps its state in this folder; it does not listen yet. */
    public PeerProcess(Cluster cluster, PeerFolder folder, Settings settings, Consumer<String> log) {
        this(cluster, folder, settings, log, KEEP_MILLIS);
    }

    PeerProcess(Cluster cluster, PeerFolder folder, Settings settings, Consumer<String> log, long keepMillis) {
        this.cluster = cluster;
        this.folder = folder;
        this.log = log;
        this.keepMillis = keepMillis;
        this.host = new PeerHost(cluster, settings, log);
    }

    /** Returns the part of it that is on the network. */
    public PeerHost host() {
        return host;
    }

    /** Finds a ring, or begins one; it listens already. Returns when all its nodes are members. */
    public void enter(int virtualNodes, Optional<HostPort> contact) throws IOException {
        kept = folder.members().stream()
                .filter(member -> !member.address().equals(host.address()))
                .toList();
        List<String> contacts = contact.isPresent() ? List.of(addressOf(contact.get())) : membersAmong(addresses(kept));
        CompletableFuture<Void> entered = contacts.isEmpty()
                ? host.begin(virtualNodes, folder.firstRequest())
                : host.join(virtualNodes, folder.firstRequest(), contacts);
        host.recall(kept);
        Blocking.on(entered, JOIN_SECONDS, "no ring took this peer in, through " + String.join(", ", contacts));
        ScheduledFuture<?> keeping =
                keeper.scheduleWithFixedDelay(this::keep, keepMillis, keepMillis, TimeUnit.MILLISECONDS);
        assert !keeping.isCancelled();
    }

    /** Peers that may know this one from an earlier life, and the one to join. */
    public List<String> acquaintances(Optional<HostPort> contact) {
        Set<String> addresses = new LinkedHashSet<>();
        contact.ifPresent(named -> addresses.add(named.toString()));
        addresses.addAll(addresses(folder.members()));
        addresses.remove(host.address());
        return addresses.stream().limit(MAX_ASKED).toList();
    }

    /** Where the contact says that it is reached: its place on the circle depends on these very letters. */
    private String addressOf(HostPort contact) throws IOException {
        try (SocketFrameStream stream = SocketFrameStream.open(contact, cluster, CONTACT_MILLIS)) {
            String address = stream.otherAddress();
            if (address.equals(host.address())) {
                throw new IOException(
                        contact + ": this is the peer itself: join another one, or start without joining");
            }
            return address;
        }
    }

    private static Set<String> addresses(List<Member> members) {
        Set<String> addresses = new LinkedHashSet<>();
        members.forEach(member -> addresses.add(member.address()));
        return addresses;
    }

    /** Returns those addresses whose peers are members of a ring. */
    private List<String> membersAmong(Set<String> addresses) throws IOException {
        List<CompletableFuture<Boolean>> asked = new ArrayList<>();
        List<String> all = addresses.stream().limit(MAX_ASKED).toList();
        for (String address : all) {
            asked.add(
                    CompletableFuture.supplyAsync(() -> isMember(address), task -> new Thread(task, "asker").start()));
        }
        List<String> members = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (Blocking.on(asked.get(i))) {
                members.add(all.get(i));
            }
        }
        return members;
    }

    private boolean isMember(String address) {
        try {
            return HostStatus.ask(HostPort.of(address), cluster, host.address(), CONTACT_MILLIS).nodes().stream()
                    .anyMatch(node -> node.status() == Peer.Status.MEMBER);
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    private void keep() {
        try {
            List<Member> known = Blocking.on(host.known());
            if (!known.equals(kept)) {
                folder.keep(known);
                kept = known;
            }
        } catch (IOException | RuntimeException e) {
            log.accept("the members could not be saved: " + e.getMessage());
        }
    }

    /** Leaves the ring as soon as what it has is handed over, within {@link #MAX_LEAVE_SECONDS}. */
    public void leave(CompletableFuture<Void> handedOver) throws IOException {
        stopKeeping();
        Blocking.on(host.leave(handedOver), MAX_LEAVE_SECONDS, "what this peer has was not handed over");
    }

    /** What is being written down now is written to its end: a thread that is interrupted would fail, and complain. */
    private void stopKeeping() throws IOException {
        keeper.shutdown();
        try {
            if (!keeper.awaitTermination(LAST_KEEP_SECONDS, TimeUnit.SECONDS)) {
                log.accept("the members are still being saved after " + LAST_KEEP_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the peer is being stopped", e);
        }
    }

    @Override
    public void close() throws IOException {
        stopKeeping();
        host.close();
        folder.close();
    }
}
