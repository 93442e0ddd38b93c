package dev.perhaps.server.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.server.keyspace.HashesValue;
import dev.perhaps.server.keyspace.StringValue;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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

    /** Strings are shared with the snapshot, and those that are replaced stay in memory until it has written them. */
    @Test
    void clientsThatReplaceManyStringsWaitForTheDisk() throws Exception {
        byte[] text = new byte[1_000_000];
        int count = (int) (SnapshotTask.MAX_COPY_BYTES / text.length) + 10;
        try (TestServer server = new TestServer(disk, "no").start()) {
            for (int i = 0; i < count; i++) {
                server.keyspace.put(
                        server.keyspace.key(("k" + i).getBytes(StandardCharsets.US_ASCII)), new StringValue(text));
            }
            disk.closeGate();
            CompletableFuture<Void> saved = server.directory.save();
            disk.awaitGate();
            Thread client = new Thread(() -> IntStream.range(0, count)
                    .forEach(i -> assertThat(server.begin("SET k" + i + " x")).isEqualTo("+OK\r\n")));
            client.start();
            while (client.getState() != Thread.State.WAITING) {
                assertThat(client.getState()).isNotEqualTo(Thread.State.TERMINATED);
                Thread.onSpinWait();
            }
            disk.openGate();
            saved.get(60, TimeUnit.SECONDS);
            client.join();
            assertThat(server.begin("GET k" + (count - 1))).isEqualTo("$1\r\nx\r\n");
        }
    }
}
