package dev.perhaps.chord.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.store.FileClient;
import dev.perhaps.chord.store.FileStore;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a supervisor and a monitoring system see of a peer, over real sockets. */
@Timeout(60)
class HealthIT {
    private static final Settings QUICK = new Settings(4, 3, 300, 100, 100, 300, 64);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    /** A peer that listens, and is on no ring yet. */
    private record Listening(PeerHost host, FileStore store, PeerPage page) implements AutoCloseable {
        static Listening at(FileStore.Setup setup, Consumer<String> log) throws Exception {
            PeerHost host = new PeerHost(Cluster.open(), QUICK, line -> {});
            host.listen(HostPort.of("127.0.0.1:0"), null);
            FileStore store = FileStore.open(host, Cluster.open(), setup, log);
            return new Listening(
                    host, store, PeerPage.open(PeerPage.USUAL_PLACE, host, store, Cluster.open(), line -> {}));
        }

        HttpResponse<String> get(String path) throws Exception {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(page.url()).resolve(path)).build();
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        }

        int status(String path) throws Exception {
            return get(path).statusCode();
        }

        void await(String path, int status) throws Exception {
            while (status(path) != status) {
                Thread.sleep(20);
            }
        }

        /** Waits until the figures have this line. */
        void await(String line) throws Exception {
            while (!get("/metrics").body().lines().toList().contains(line)) {
                Thread.sleep(20);
            }
        }

        @Override
        public void close() {
            page.close();
            store.close();
            host.close();
        }
    }

    private FileStore.Setup setup(long quotaBytes, FileStore.Pace pace) {
        return new FileStore.Setup(folder, new FileStore.Limits(quotaBytes, 1 << 20, 1 << 20), pace, List.of(), false);
    }

    @Test
    void readyOnceItHasJoinedAndUntilItLeaves() throws Exception {
        try (Listening peer = Listening.at(FileStore.Setup.usual(folder), line -> {})) {
            peer.await("/healthz", 200);
            assertThat(peer.status("/readyz")).isEqualTo(503);
            peer.host.begin(1, 1L << 32).get(20, TimeUnit.SECONDS);
            assertThat(peer.status("/readyz")).isEqualTo(200);
            CompletableFuture<Void> handedOver = new CompletableFuture<>();
            CompletableFuture<Void> left = peer.host.leave(handedOver);
            assertThat(peer.status("/readyz")).isEqualTo(503);
            peer.await("/healthz", 200);
            handedOver.complete(null);
            left.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void anEventLoopThatIsStuckIsNotHealthy() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        try (Listening peer = Listening.at(FileStore.Setup.usual(folder), line -> {})) {
            peer.host.whenChanged(() -> {
                try {
                    stuck.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            CompletableFuture<Void> entered = peer.host.begin(1, 1L << 32);
            peer.await("/healthz", 503);
            stuck.countDown();
            peer.await("/healthz", 200);
            entered.get(20, TimeUnit.SECONDS);
        } finally {
            stuck.countDown();
        }
    }

    @Test
    void aPeerWhoseRepairThreadDiedIsNotHealthy() throws Exception {
        FileStore.Pace usual = FileStore.Pace.usual();
        try (Listening peer = Listening.at(setup(1 << 20, usual), line -> {})) {
            peer.host.begin(1, 1L << 32).get(20, TimeUnit.SECONDS);
            try (FileClient client = FileClient.open(HostPort.of(peer.host.address()), Cluster.open())) {
                client.name("n", Id.hashOf("x"), 1);
            }
        }
        // It has a name and is on no ring, so repair has something to complain of, and that is its end.
        FileStore.Pace quick = new FileStore.Pace(1, usual.scrubMillis(), 1_000, 1_000);
        Consumer<String> full = line -> {
            if (line.startsWith("repair: ")) {
                throw new AssertionError("the log is full");
            }
        };
        try (Listening peer = Listening.at(setup(1 << 20, quick), full)) {
            peer.await("/healthz", 503);
            assertThat(peer.get("/metrics").body())
                    .contains("\nperhaps_peer_repair_alive 0\n")
                    .contains("\nperhaps_peer_scrub_alive 1\n");
        }
    }

    @Test
    void figuresTellWhoIsConnectedAndWhatIsHere() throws Exception {
        try (Listening peer = Listening.at(setup(1 << 20, FileStore.Pace.usual()), line -> {})) {
            HostPort at = HostPort.of(peer.host.address());
            peer.host.begin(1, 1L << 32).get(20, TimeUnit.SECONDS);
            Path file = Files.writeString(folder.resolve("report"), "all is well");
            peer.await("perhaps_peer_strangers 0");
            try (FileClient client = FileClient.open(at, Cluster.open());
                    Socket stranger = new Socket(at.host(), at.port())) {
                client.put(file, FileClient.idOf(file), 1, bytes -> {});
                peer.await("perhaps_peer_connections{use=\"commands\"} 1");
                peer.await("perhaps_peer_strangers 1");
                assertThat(peer.get("/metrics").body()).contains("\nperhaps_peer_refused_total 0\n");
                stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                peer.await("perhaps_peer_refused_total 1");
            }
            peer.await("perhaps_peer_connections{use=\"commands\"} 0");
            HttpResponse<String> metrics = peer.get("/metrics");
            assertThat(metrics.headers().firstValue("content-type"))
                    .hasValue("text/plain; version=0.0.4; charset=utf-8");
            assertThat(metrics.body())
                    .contains("# TYPE perhaps_peer_files gauge\nperhaps_peer_files 1\n")
                    .contains("\nperhaps_peer_used_bytes 4096\n")
                    .contains("\nperhaps_peer_quota_bytes 1048576\n")
                    .contains("\nperhaps_peer_repair_alive 1\n")
                    .contains("\nperhaps_peer_lacking 0\n")
                    .containsPattern("\nperhaps_peer_lookups_total [1-9][0-9]*\n");
        }
    }

    @Test
    void aPeerWithoutAQuotaHasAnInfiniteOne() throws Exception {
        try (Listening peer = Listening.at(FileStore.Setup.usual(folder), line -> {})) {
            assertThat(peer.get("/metrics").body()).contains("\nperhaps_peer_quota_bytes +Inf\n");
        }
    }
}
