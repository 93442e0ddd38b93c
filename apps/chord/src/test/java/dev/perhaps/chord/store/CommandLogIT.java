package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Await;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.chord.cluster.CommandLog;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.web.Role;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One line per command of a caller, whatever is in it. */
@Timeout(600) // only ends a test that hangs
class CommandLogIT {
    private static final String WHO =
            "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z 127\\.0\\.0\\.1:\\d+ client \"alice\" ";

    @TempDir
    private Path folder;

    @Test
    void saysWhoDidWhatAndWhatCameOfIt() throws Exception {
        Path file = folder.resolve("access.log");
        ClusterSecret own = ClusterSecret.of(new byte[ClusterSecret.MIN_BYTES]);
        Cluster cluster = new Cluster(Cluster.USUAL_NAME, Optional.of(own));
        Cluster alice = new Cluster(Cluster.USUAL_NAME, Optional.of(own.grant(Role.CLIENT, "alice")));
        byte[] content = new byte[100_000];
        Path report = Files.write(folder.resolve("report"), content);
        Id id = FileClient.idOf(report);
        Id nothing = Id.hashOf("nothing");
        String hostile = "a\tb\"c\\\u202e\n";
        try (CommandLog log = CommandLog.to(file.toString());
                PeerHost host = new PeerHost(cluster, Settings.usual(), line -> {})) {
            host.dispatcher().log(log);
            HostPort at = HostPort.of(host.listen(HostPort.of("127.0.0.1:0"), null));
            FileStore.Setup setup = FileStore.Setup.usual(folder);
            try (FileStore store = FileStore.open(host, cluster, setup, line -> {});
                    FileClient client = FileClient.open(at, alice)) {
                host.begin(1, 1L << 32).get(20, TimeUnit.SECONDS);
                client.put(report, id, 1, bytes -> {});
                ByteArrayOutputStream got = new ByteArrayOutputStream();
                client.get(id).orElseThrow().writeTo(got, bytes -> {});
                assertThat(got.toByteArray()).isEqualTo(content);
                assertThat(client.get(nothing)).isEmpty();
                assertThatThrownBy(() -> client.put(report, id, 3, bytes -> {})).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> client.forget(HostPort.of("127.0.0.1:1")))
                        .isInstanceOf(IOException.class);
                client.name(hostile, id, 1);
                assertThat(client.named(hostile)).contains(id);
                assertThat(client.delete(id)).isTrue();
                assertThat(store.entries()).hasSize(2);
                // The caller hears of the end before the log does.
                Await.until("eight lines", () -> Files.readAllLines(file).size() == 8);
            }
        }
        List<String> wanted = new ArrayList<>();
        wanted.add("put \"" + id + "\" 100000 ok \\d+ \"-\"");
        wanted.add("get \"" + id + "\" 100000 ok \\d+ \"-\"");
        wanted.add("get \"" + nothing + "\" 0 ok \\d+ \"-\"");
        wanted.add("put \"" + id + "\" 0 failed \\d+ \"too few hosts: 3 copies are wanted, .*\"");
        wanted.add("forget \"127.0.0.1:1\" 0 refused \\d+ \"the secret of alice does not allow this: .*\"");
        wanted.add("name \"a\\\\x09b\\\\x22c\\\\x5c\\\\x202e\\\\x0a\" 0 ok \\d+ \"-\"");
        wanted.add("resolve \"a\\\\x09b\\\\x22c\\\\x5c\\\\x202e\\\\x0a\" 0 ok \\d+ \"-\"");
        wanted.add("delete \"" + id + "\" 0 ok \\d+ \"-\"");
        // What the peer asked itself meanwhile is not among them.
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSameSizeAs(wanted);
        for (int i = 0; i < wanted.size(); i++) {
            assertThat(lines.get(i)).matches(WHO + wanted.get(i));
        }
    }
}
