package dev.perhaps.chord.wire;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The connections to other peers, one per peer. Everything happens on the event loop. */
public final class Links {
    /*
     * A frame for a peer goes over the connection to it, no matter which side opened that. If there is none, one is
     * opened, and a few frames wait for it. If that fails, the next try is made no earlier than after 100 ms, 200 ms,
     * ... 5 s, and frames until then are lost. To lose a frame is allowed here: questions have deadlines, and the
     * protocol asks again.
     *
     * If two peers open connections to each other at the same time, both use the one that the lower address has opened;
     * the opener of the other closes it a second later, when nothing is on its way any more.
     *
     * A connection over which nothing came for a while although answers were due is closed: the machine at its end may
     * have lost its power without saying so, and TCP would believe in it for a quarter of an hour.
     */
    private static final int MAX_LINKS = 4_096;
    private static final int MAX_WAITING = 64;
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long MAX_PAUSE_MILLIS = 5_000;
    private static final long RETIRED_MILLIS = 1_000;
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long UNUSED_NANOS = TimeUnit.MINUTES.toNanos(2);

    /** Opens connections, and does things later. */
    interface Dialler {
        void dial(String address);

        void later(long millis, Runnable task);
    }

    private static final class Link {
        private final Deque<WireFrame> waiting = new ArrayDeque<>();
        private @Nullable PeerConnection connection;
        private boolean dialling;
        private int failures;
        private long notBeforeNanos = System.nanoTime();

        private boolean isReady() {
            return connection != null && connection.isReady();
        }
    }

    private final String self;
    private final Dialler dialler;
    private final Map<String, Link> links = new HashMap<>();

    Links(String self, Dialler dialler) {
        this.self = self;
        this.dialler = dialler;
    }

    void send(String address, WireFrame frame) {
        Link link = links.get(address);
        if (link == null) {
            if (links.size() >= MAX_LINKS) {
                return;
            }
            link = new Link();
            links.put(address, link);
        }
        if (link.connection != null && link.connection.isReady()) {
            link.connection.send(frame);
        } else if (link.dialling || System.nanoTime() - link.notBeforeNanos >= 0) {
            if (link.waiting.size() < MAX_WAITING) {
                link.waiting.add(frame);
            }
            if (!link.dialling) {
                link.dialling = true;
                dialler.dial(address);
            }
        }
    }

    /** A connection to a peer is ready, from either side. */
    void opened(PeerConnection connection) {
        Link link = links.computeIfAbsent(connection.address(), address -> new Link());
        if (connection.isOpener()) {
            link.dialling = false;
        }
        link.failures = 0;
        PeerConnection other = link.connection;
        if (other == null || !other.isReady()) {
            link.connection = connection;
        } else if (connection.isOpener() == self.compareTo(connection.address()) < 0) {
            link.connection = connection;
            retire(other);
        } else {
            retire(connection);
        }
        PeerConnection ready = link.connection;
        while (ready != null && !link.waiting.isEmpty()) {
            ready.send(link.waiting.remove());
        }
    }

    private void retire(PeerConnection connection) {
        if (connection.isOpener()) {
            dialler.later(RETIRED_MILLIS, connection::close);
        }
    }

    /** A connection has ended. */
    void closed(PeerConnection connection) {
        Link link = links.get(connection.address());
        if (link == null) {
            return;
        }
        if (link.connection == connection) {
            link.connection = null;
        }
        if (connection.isOpener() && link.dialling) {
            failed(connection.address());
        }
    }

    /** No connection could be opened. */
    void failed(String address) {
        Link link = links.get(address);
        if (link != null) {
            long pause = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(link.failures++, 10));
            long around = pause / 2 + ThreadLocalRandom.current().nextLong(pause + 1);
            link.notBeforeNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(around);
            link.dialling = false;
            link.waiting.clear();
        }
    }

    /** An answer from there is missing. */
    public void doubt(String address) {
        Link link = links.get(address);
        if (link != null
                && link.connection != null
                && System.nanoTime() - link.connection.heardNanos() > SILENT_NANOS) {
            link.connection.close();
        }
    }

    /** Closes connections that are not in use. */
    void sweep() {
        long now = System.nanoTime();
        for (Link link : new ArrayList<>(links.values())) {
            if (link.connection != null && now - link.connection.usedNanos() > UNUSED_NANOS) {
                link.connection.close();
            }
        }
        links.values().removeIf(link -> !link.isReady() && !link.dialling && now - link.notBeforeNanos > UNUSED_NANOS);
    }

    int ready() {
        return (int) links.values().stream().filter(Link::isReady).count();
    }
}
