package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.chord.cluster.HostPort;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many at once, honest and not: who is honest is served, at once or after some waiting. */
@Timeout(180)
class CrowdIT {
    private static final Cluster CLUSTER = new Cluster("perhaps", Optional.of(ClusterSecret.of(new byte[32])));
    private static final int PUTS = 150;
    private static final int STRANGERS = 1_100;

    @TempDir
    private Path folder;

    private StoreRing ring = new StoreRing(Path.of("."));

    @BeforeEach
    void inTheFolder() {
        ring = new StoreRing(folder, CLUSTER);
    }

    private void start(String... names) throws Exception {
        for (String name : names) {
            ring.start(name);
        }
        ring.awaitWhole();
    }

    @AfterEach
    void closeAll() {
        ring.close();
    }

    /** 25 of these failed: each needs a connection of its caller and one of the peer, and the 257th was sent away. */
    @Test
    void aHundredAndFiftyPutsAtOnceThroughOnePeerAllSucceed() throws Exception {
        start("a");
        ExecutorService clients = Executors.newFixedThreadPool(PUTS);
        try {
            List<Future<Id>> puts = new ArrayList<>();
            for (int i = 0; i < PUTS; i++) {
                byte[] content = ByteBuffer.allocate(10_000).putInt(i).array();
                Path file = Files.write(folder.resolve("put" + i), content);
                puts.add(clients.submit(() -> put(file)));
            }
            for (Future<Id> put : puts) {
                put.get();
            }
        } finally {
            clients.shutdownNow();
        }
        assertThat(ring.figure("a", "files")).isEqualTo(PUTS);
    }

    private Id put(Path file) throws IOException {
        Id id = FileClient.idOf(file);
        try (FileClient client = ring.client(ring.address("a"))) {
            client.put(file, id, 1, n -> {});
        }
        return id;
    }

    /** 1,030 of these shut out all peers and callers for as long as they liked. */
    @Test
    void silentConnectionsWithoutTheSecretShutNobodyOut() throws Exception {
        start("a", "b", "c");
        HostPort at = HostPort.of(ring.address("a"));
        List<Socket> strangers = new ArrayList<>();
        try {
            for (int i = 0; i < STRANGERS; i++) {
                strangers.add(new Socket(at.host(), at.port()));
            }
            byte[] content = {1, 2, 3};
            Id id = ring.put(content, 3);
            assertThat(ring.get(id, ring.address("a"))).hasValue(content);
            String late = ring.start("d");
            ring.awaitWhole();
            assertThat(ring.get(id, late)).hasValue(content);
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }
}
