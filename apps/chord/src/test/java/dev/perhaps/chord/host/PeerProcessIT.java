package dev.perhaps.chord.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer's life, in this process. */
@Timeout(600) // only ends a test that hangs
class PeerProcessIT {
    @TempDir
    private Path folder;

    /** Ctrl-C in the moment in which the members are saved was answered with a complaint that they could not be. */
    @Test
    void stoppingWhileTheMembersAreSavedIsNoTrouble() throws Exception {
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 40; i++) {
            PeerFolder kept = PeerFolder.open(folder, Cluster.open(), log::add);
            try (PeerProcess peer = new PeerProcess(Cluster.open(), kept, Settings.usual(), log::add, 1)) {
                peer.host().listen(HostPort.of("127.0.0.1:0"), null);
                peer.enter(1, Optional.empty());
                Thread.sleep(i % 8); // to stop it at another moment each time
            }
        }
        assertThat(log).isEmpty();
    }
}
