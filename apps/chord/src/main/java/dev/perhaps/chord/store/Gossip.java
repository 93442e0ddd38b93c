package dev.perhaps.chord.store;

import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Deadline;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Exchanges between peers who is present, who has left and who was forgotten. Thread-safe. */
final class Gossip {
    private static final long TELLING_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int AT_ONCE = 16;

    private final Presence presence;
    private final Shelf shelf;
    private final PeerDirectory remotes;
    private final Consumer<String> log;

    Gossip(Presence presence, Shelf shelf, PeerDirectory remotes, Consumer<String> log) {
        this.presence = presence;
        this.shelf = shelf;
        this.remotes = remotes;
        this.log = log;
    }

    Presence presence() {
        return presence;
    }

    /** Takes in a word. If this peer was given up, what it has is set aside first: it may have been deleted since. */
    synchronized void hear(Presence.Word word) throws IOException {
        if (presence.isGivenUp(word)) {
            log.accept("the ring has forgotten this peer: its files are set aside until other peers confirm them");
            shelf.doubtAll();
        }
        presence.hear(word);
    }

    /** Gets the presence of all peers from another peer, and reports that of this one. */
    void meet(HostPort address) throws IOException {
        try (RemotePeer remote = remotes.open(address, Deadline.none())) {
            Presence.Heard heard = remote.heard();
            presence.raise(heard.floor());
            for (Presence.Word word : heard.words()) {
                hear(word);
            }
            remote.presence(presence.here());
        }
    }

    /** Meets those of these peers that answer, many at once. */
    void meetAll(Collection<HostPort> addresses) {
        ExecutorService askers = Executors.newFixedThreadPool(AT_ONCE);
        try {
            addresses.stream()
                    .map(address -> CompletableFuture.runAsync(() -> meetIfThere(address), askers))
                    .toList()
                    .forEach(CompletableFuture::join);
        } finally {
            askers.shutdownNow();
        }
    }

    private void meetIfThere(HostPort address) {
        try {
            meet(address);
        } catch (IOException e) {
            // It is not there, and will be met some other time.
            assert e.getMessage() != null;
        }
    }

    /** Tells a word to those of these peers that answer; how many did. */
    int tell(Collection<HostPort> addresses, Presence.Word word) {
        int told = 0;
        long end = System.nanoTime() + TELLING_NANOS;
        for (HostPort address : addresses) {
            if (System.nanoTime() - end > 0) {
                break;
            }
            try (RemotePeer remote = remotes.open(address, Deadline.none())) {
                remote.presence(word);
                told++;
            } catch (IOException e) {
                // It hears of it from others.
                assert e.getMessage() != null;
            }
        }
        return told;
    }
}
