package dev.perhaps.server.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.server.keyspace.HashesValue;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A value that is too large to be copied is not locked until it is on the disk. */
@Timeout(120)
class LargeValueSnapshotTest {
    private final RecordingDisk disk = new RecordingDisk();

    /** A client that added a hash waited for the disk, and with it all clients of its thread. */
    @Test
    void collectedHashesAreAddedWhileTheyAreWritten() throws Exception {
        int count = (int) (SnapshotTask.MAX_COPY_BYTES / Long.BYTES) + 1;
        try (TestServer server = new TestServer(disk, "no").start()) {
            HashesValue value = new HashesValue(server.directory.seed());
            value.add(new long[count]);
            server.keyspace.put(server.keyspace.key("collected".getBytes(StandardCharsets.US_ASCII)), value);
            disk.closeGate();
            CompletableFuture<Void> saved = server.directory.save();
            disk.awaitGate();
            CompletableFuture<String> added =
                    CompletableFuture.supplyAsync(() -> server.begin("FUSE.ADD collected one two"));
            assertThat(added.get(60, TimeUnit.SECONDS)).isEqualTo(":" + (count + 2) + "\r\n");
            disk.openGate();
            saved.get(60, TimeUnit.SECONDS);
        }
        try (TestServer server = new TestServer(disk)) {
            assertThat(server.begin("FUSE.ADD collected three")).isEqualTo(":" + (count + 3) + "\r\n");
        }
    }
}
