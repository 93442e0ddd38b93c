package dev.perhaps.chord.web;

import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.store.FileStore;
import dev.perhaps.chord.wire.Blocking;
import dev.perhaps.chord.wire.Session;
import dev.perhaps.web.metrics.Metrics;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/** The figures of a peer. */
final class PeerMetrics {
    private static final String PREFIX = "perhaps_peer_";

    /** A monitoring system usually gives up after 10 s. */
    private static final int MAX_SECONDS = 5;

    private PeerMetrics() {}

    /** What the ring and the store say at one moment. */
    private record Snapshot(PeerHost.Figures ring, Map<String, Long> load) {
        static Snapshot of(PeerHost host, FileStore store) throws IOException {
            return new Snapshot(
                    Blocking.on(host.figures(), MAX_SECONDS, "the event loop of the ring did not answer"),
                    store.load());
        }

        long of(String name) {
            return load.getOrDefault(name, 0L);
        }
    }

    /** Registers all figures of a peer. */
    static Metrics of(PeerHost host, FileStore store) {
        Metrics metrics = new Metrics();
        Metrics.Group<Snapshot> peer = metrics.group(() -> Snapshot.of(host, store));
        for (Session.Use use : Session.Use.values()) {
            peer.gauge(
                    PREFIX + "connections",
                    "Connections from outside by use, without strangers.",
                    now -> now.ring.connections().getOrDefault(use, 0),
                    Metrics.label("use", use.name().toLowerCase(Locale.ROOT)));
        }
        peer.gauge(PREFIX + "strangers", "Connections whose handshake is not done.", now -> now.ring.strangers())
                .counter(
                        PREFIX + "refused_total",
                        "Connections from outside that were refused.",
                        now -> now.ring.refused())
                .counter(
                        PREFIX + "lookups_total", "Lookups of this peer that were answered.", now -> now.ring.lookups())
                .gauge(PREFIX + "files", "Files here.", now -> now.of("files"));
        metrics.gauge(PREFIX + "used_bytes", "Bytes of disk that count against the quota.", store::diskBytes);
        metrics.gauge(
                PREFIX + "quota_bytes",
                "Bytes of disk to use at most.",
                () -> store.quotaBytes().isPresent() ? store.quotaBytes().getAsLong() : Double.POSITIVE_INFINITY);
        peer.gauge(PREFIX + "lacking", "Entries here that lack a copy elsewhere.", now -> now.of("lacking"))
                .gauge(PREFIX + "doubtful", "Entries that were set aside.", now -> now.of("doubtful"))
                .counter(PREFIX + "damaged_total", "Damaged copies found.", now -> now.of("damaged"))
                .gauge(PREFIX + "repair_alive", "0 if the repair thread has died.", now -> 1 - now.of("repairStopped"))
                .gauge(PREFIX + "scrub_alive", "0 if the scrub thread has died.", now -> 1 - now.of("scrubStopped"));
        metrics.counter(
                PREFIX + "log_dropped_total",
                "Lines of the access log not written.",
                () -> host.dispatcher().droppedLines());
        return metrics;
    }
}
