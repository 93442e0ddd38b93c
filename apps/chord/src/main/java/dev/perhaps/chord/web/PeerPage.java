package dev.perhaps.chord.web;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.store.FileStore;
import dev.perhaps.web.admin.AdminReply;
import dev.perhaps.web.admin.AdminRequest;
import dev.perhaps.web.admin.AdminServer;
import dev.perhaps.web.admin.Assets;
import dev.perhaps.web.admin.EventSource;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * A small web page about a peer: its ring, its fingers, its files, and the path of a lookup, live. It is read-only and
 * has no login: all who can reach its port can see it. While it is not open in a browser, it does nothing.
 *
 * <p>{@code PeerPage page = PeerPage.open(HostPort.of("127.0.0.1:0"), host, store, cluster, log); page.url();}
 */
public final class PeerPage implements Closeable {
    /*
     *     AdminServer ──┬──→ files of the page
     *                   ├──→ PeerReport    JSON, and the events, which are the same JSON whenever it has changed
     *                   └──→ PeerMetrics   health and figures
     */
    /** For this machine only, at a free port. */
    public static final HostPort USUAL_PLACE = new HostPort("127.0.0.1", 0);

    private static final String[] FILES = {
        "index.html", "page.css", "page.js", "circle.js", "places.js", "tables.js", "lookup.js", "words.js", "icon.svg"
    };
    private static final int USUAL_ENTRIES = 100;

    /** In a large ring the pause between two readings is longer, because a reading asks every peer. */
    private static final long PAUSE_MILLIS_PER_PEER = 20;

    private final AdminServer server;

    private PeerPage(AdminServer server) {
        this.server = server;
    }

    /**
     * Shows the page of a peer.
     *
     * @param at where; port 0 takes a free one
     */
    public static PeerPage open(HostPort at, PeerHost host, FileStore store, Cluster cluster, Consumer<String> log)
            throws IOException {
        PeerReport report = new PeerReport(host, store, cluster);
        AdminServer server = AdminServer.at(at.resolved())
                .assets(Assets.of(name -> PeerPage.class.getResourceAsStream(name), FILES))
                .health(() -> host.isHealthy() && store.isHealthy(), "a thread of this peer is stuck or has died")
                .readiness(host::isReady, "this peer has not joined its ring, or is stopping")
                .metrics(PeerMetrics.of(host, store))
                .page("/api/ring", request -> AdminReply.json(report.ring()))
                .page("/api/peer", request -> AdminReply.json(report.peer()))
                .page("/api/files", request -> AdminReply.json(files(report, request)))
                .page("/api/lookup", request -> AdminReply.json(lookup(report, request)))
                .events("/api/events", round -> look(report, round))
                .open();
        if (!server.address().getAddress().isLoopbackAddress()) {
            log.accept("the page at " + server.url()
                    + " has no login: anybody who can reach it sees the names and sizes of files");
        }
        return new PeerPage(server);
    }

    private static String files(PeerReport report, AdminRequest request) throws IOException {
        return report.files(
                request.parameter("after").map(Id::fromHex),
                request.count("most", USUAL_ENTRIES, PeerReport.MAX_ENTRIES));
    }

    private static String lookup(PeerReport report, AdminRequest request) throws IOException {
        return report.lookup(request.parameter("key")
                .orElseThrow(() -> new IllegalArgumentException("key is missing: an id or a name")));
    }

    private static void look(PeerReport report, EventSource.Round round) throws IOException {
        try {
            round.event("peer", report.peer());
            round.event("files", report.filesInAll());
            round.event("ring", report.ring());
        } finally {
            round.pauseMillis(Math.max(EventSource.Round.DEFAULT_PAUSE_MILLIS, PAUSE_MILLIS_PER_PEER * report.peers()));
        }
    }

    /** Where a browser finds it. */
    public String url() {
        return server.url();
    }

    @Override
    public void close() {
        server.close();
    }
}
