package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Await;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.HostStatus;
import dev.perhaps.chord.host.PeerHost;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer whose copies nobody looks after any more must not look healthy. */
@Timeout(600) // only ends a test that hangs
class RepairThreadIT {
    @TempDir
    private Path folder;

    private static HostStatus status(PeerHost host) throws Exception {
        return HostStatus.ask(HostPort.of(host.address()), Cluster.open(), host.address(), 10_000);
    }

    @Test
    void aRepairThreadThatDiesIsSeenFromOutside() throws Exception {
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        // A name is here and the peer is on no ring, so repair has something to complain of, and that is its end.
        Shelf shelf = Shelf.open(folder.resolve("shelf"), 1 << 20, 1_000, log::add);
        try (Intake intake = shelf.take(StoreEntry.name("n", Id.hashOf("x"), 1, 1), true)) {
            intake.finish();
        }
        FileStore.Setup setup = new FileStore.Setup(
                folder, FileStore.Limits.usual(), new FileStore.Pace(1, 100_000, 1_000, 1_000), List.of(), false);
        try (PeerHost host = new PeerHost(Cluster.open(), Settings.usual(), log::add)) {
            host.listen(HostPort.of("127.0.0.1:0"), null);
            try (FileStore store = FileStore.open(host, Cluster.open(), setup, line -> {
                log.add(line);
                if (line.startsWith("repair: ")) {
                    throw new AssertionError("the log is full");
                }
            })) {
                assertThat(store.entries()).hasSize(1);
                Await.until(
                        "the repair thread has stopped",
                        () -> status(host).load().getOrDefault("repairStopped", 0L) == 1);
                assertThat(status(host).load()).containsEntry("scrubStopped", 0L);
            }
        }
        assertThat(log).anyMatch(line -> line.startsWith("repair has stopped for good, restart the peer: "));
    }
}
