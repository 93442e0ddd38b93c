package dev.perhaps.chord.web;

import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.store.FileStore;
import dev.perhaps.chord.wire.Blocking;
import dev.perhaps.chord.wire.Session;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/** Whether a peer is well, and its figures in the text format of Prometheus. Any thread may call it. */
final class PeerMetrics {
    /** A monitoring system gives up after 10 s, most often. */
    private static final int MAX_SECONDS = 5;

    private final PeerHost host;
    private final FileStore store;

    PeerMetrics(PeerHost host, FileStore store) {
        this.host = host;
        this.store = store;
    }

    /** Whether the event loop of the ring goes round, and the threads that look after copies live. Does not wait. */
    boolean isHealthy() {
        return host.isHealthy() && store.isHealthy();
    }

    /** Whether it has joined, and is not stopping. Does not wait. */
    boolean isReady() {
        return host.isReady();
    }

    /** All figures, as text. */
    String text() throws IOException {
        PeerHost.Figures figures =
                Blocking.on(host.figures(), MAX_SECONDS, "the event loop of the ring did not answer");
        Map<String, Long> load = store.load();
        long dropped = host.dispatcher().droppedLines();
        StringBuilder text = new StringBuilder(2_048);
        head(text, "connections", "gauge", "Connections from outside by use, without strangers.");
        for (Session.Use use : Session.Use.values()) {
            text.append("perhaps_peer_connections{use=\"")
                    .append(use.name().toLowerCase(Locale.ROOT))
                    .append("\"} ")
                    .append(figures.connections().getOrDefault(use, 0))
                    .append('\n');
        }
        one(text, "strangers", "gauge", "Connections whose handshake is not done.", figures.strangers());
        one(text, "refused_total", "counter", "Connections from outside that were refused.", figures.refused());
        one(text, "lookups_total", "counter", "Lookups of this peer that were answered.", figures.lookups());
        one(text, "files", "gauge", "Files here.", figure(load, "files"));
        one(text, "used_bytes", "gauge", "Bytes of disk that count against the quota.", store.diskBytes());
        head(text, "quota_bytes", "gauge", "Bytes of disk to use at most.");
        text.append("perhaps_peer_quota_bytes ")
                .append(store.quotaBytes().isPresent() ? store.quotaBytes().getAsLong() : "+Inf")
                .append('\n');
        one(text, "lacking", "gauge", "Entries here that lack a copy elsewhere.", figure(load, "lacking"));
        one(text, "doubtful", "gauge", "Entries that were set aside.", figure(load, "doubtful"));
        one(text, "damaged_total", "counter", "Damaged copies found.", figure(load, "damaged"));
        one(text, "repair_alive", "gauge", "0 if the repair thread has died.", 1 - figure(load, "repairStopped"));
        one(text, "scrub_alive", "gauge", "0 if the scrub thread has died.", 1 - figure(load, "scrubStopped"));
        one(text, "log_dropped_total", "counter", "Lines of the access log not written.", dropped);
        return text.toString();
    }

    private static long figure(Map<String, Long> load, String name) {
        return load.getOrDefault(name, 0L);
    }

    private static void one(StringBuilder text, String name, String type, String help, long value) {
        head(text, name, type, help);
        text.append("perhaps_peer_").append(name).append(' ').append(value).append('\n');
    }

    private static void head(StringBuilder text, String name, String type, String help) {
        text.append("# HELP perhaps_peer_")
                .append(name)
                .append(' ')
                .append(help)
                .append('\n');
        text.append("# TYPE perhaps_peer_")
                .append(name)
                .append(' ')
                .append(type)
                .append('\n');
    }
}
