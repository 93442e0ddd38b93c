package dev.perhaps.cli.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Await;
import dev.perhaps.cli.Certificates;
import dev.perhaps.cli.PeerShell;
import dev.perhaps.cli.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Peers as processes of their own: they find each other, are seen on the ring, crash, come back and leave. */
@Timeout(600) // only ends a test that hangs
class PeerCommandIT {
    @TempDir
    private Path folder;

    private PeerShell peers = new PeerShell(Path.of("."));

    @BeforeEach
    void inTheFolder() {
        peers = new PeerShell(folder);
    }

    @AfterEach
    void stopAll() throws InterruptedException {
        peers.close();
    }

    /** The lines of {@code perhaps ring} as soon as this number of nodes is settled, and no other is on the ring. */
    private List<String> ring(String via, int nodes) throws Exception {
        AtomicReference<Shell.Result> last = new AtomicReference<>();
        Await.until(() -> nodes + " settled nodes: " + last, () -> {
            Shell.Result result = new Shell(folder).perhaps("ring", "--via", via);
            last.set(result);
            return result.code() == 0
                    && result.out()
                                    .lines()
                                    .filter(line -> line.contains("  settled  "))
                                    .count()
                            == nodes
                    && !result.out().contains("  settling  ")
                    && !result.out().contains("  leaving  ");
        });
        return Objects.requireNonNull(last.get()).out().lines().toList();
    }

    /** Waits until a peer has written down that it knows the others. */
    private void awaitKnown(String peer, String... others) throws Exception {
        Path members = folder.resolve(peer).resolve("members");
        Await.until(
                peer + " remembers the others",
                () -> Files.exists(members) && Stream.of(others).allMatch(Files.readString(members)::contains));
    }

    @Test
    void peersFormARingThatSurvivesACrashARestartAndALeave() throws Exception {
        Shell.Running first = peers.start("--listen", "127.0.0.1:0", "--dir", "a");
        String a = PeerShell.address(first);
        Shell.Running second = peers.start("--listen", "127.0.0.1:0", "--dir", "b", "--join", a, "--virtual", "2");
        Shell.Running third =
                peers.start("--listen", "127.0.0.1:0", "--dir", "c", "--join", a.replace("127.0.0.1", "localhost"));
        String b = PeerShell.address(second);
        String c = PeerShell.address(third);
        assertThat(ring(c, 4)).hasSize(4);

        awaitKnown("b", a, c);
        second.signal("-KILL");
        second.process().waitFor();
        assertThat(ring(a, 2)).contains("-  " + b + "  not reachable");
        List<Shell.Result> forgetting = new Shell(folder)
                .all(List.of(
                        List.of("ring", "--via", a, "--forget", c),
                        List.of("ring", "--via", a, "--forget", "127.0.0.1:1"),
                        List.of("ring", "--via", a, "--forget", b)));
        assertThat(forgetting.get(0).code()).isEqualTo(2);
        assertThat(forgetting.get(0).err()).startsWith("perhaps: the peer at " + c + " responds to ");
        assertThat(forgetting.get(1).err())
                .isEqualTo("perhaps: no peer of this ring remembers a peer at 127.0.0.1:1\n");
        assertThat(forgetting.get(2).out()).contains("-  " + b + "  forgotten\n");

        Shell.Running again = peers.start("--listen", b, "--dir", "b");
        assertThat(PeerShell.address(again)).as("back without --join").isEqualTo(b);
        assertThat(ring(a, 3)).hasSize(3);

        third.signal("-INT");
        assertThat(third.process().waitFor()).isEqualTo(130);
        assertThat(Files.readString(third.err())).isEmpty();
        List<String> left = ring(b, 2);
        assertThat(left).filteredOn(line -> line.contains(c)).containsExactly("-  " + c + "  left");
        assertThat(left.get(0)).endsWith("  settled  0 files  0 lacking  scrubbed 0 h ago  0 bytes");

        Shell.Result drawn = new Shell(folder).perhaps("ring", "--via", a, "--svg", "ring.svg", "--json");
        assertThat(drawn.out()).contains("\"health\":\"settled\"").contains("\"share\":");
        assertThat(Files.readString(folder.resolve("ring.svg")))
                .startsWith("<svg ")
                .contains(a);
    }

    @Test
    void whoDoesNotKnowTheSecretIsRefused() throws Exception {
        Shell shell = new Shell(folder);
        shell.writeSecret("secret", "correct horse battery staple");
        shell.writeSecret("wrong", "another horse battery staple");
        shell.writeSecret("short", "horse");
        Files.setPosixFilePermissions(
                shell.write("open", "correct horse battery staple"), PosixFilePermissions.fromString("rw-r--r--"));
        shell.write("revoked", "mallory");
        Shell.Running first = peers.start(
                "--listen",
                "127.0.0.1:0",
                "--dir",
                "a",
                "--secret-file",
                "secret",
                "--access-log",
                "access.log",
                "--revoked",
                "revoked");
        String a = PeerShell.address(first);
        assertThat(shell.perhaps("ring", "--via", a, "--secret-file", "secret").code())
                .isZero();
        assertThat(shell.perhaps("grant", "--secret-file", "secret", "--name", "alice", "-o", "alice")
                        .code())
                .isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("alice"))))
                .isEqualTo("rw-------");
        assertThat(shell.perhaps("ring", "--via", a, "--secret-file", "alice").err())
                .startsWith("1 node of 1 peer, ");
        assertThat(shell.perhaps("grant", "--secret-file", "secret", "--name", "mallory", "-o", "mallory")
                        .code())
                .isZero();
        List<List<String>> commands = List.of(
                List.of("ring", "--via", a),
                List.of("ring", "--via", a, "--secret-file", "wrong"),
                List.of("ring", "--via", a, "--secret-file", "secret", "--cluster", "other"),
                List.of("ring", "--via", a, "--secret-file", "short"),
                List.of("ring", "--via", "127.0.0.1"),
                List.of("peer", "--listen", "127.0.0.1:0", "--dir", "b", "--join", a, "--secret-file", "wrong"),
                List.of("peer", "--listen", "127.0.0.1:0", "--dir", "a"),
                List.of("peer", "--listen", "0.0.0.0:0", "--dir", "c"),
                List.of("peer", "--listen", a, "--dir", "c"),
                List.of("peer", "--listen", "127.0.0.1:0", "--dir", "c", "--virtual", "65"),
                List.of("peer", "--listen", "127.0.0.1:0", "--dir", "c", "--access-log", "nowhere/log"),
                List.of("ring", "--via", a, "--secret-file", "mallory"),
                List.of("peer", "--listen", "127.0.0.1:0", "--dir", "c", "--revoked", "nothing"),
                List.of("ring", "--via", a, "--secret-file", "open"),
                List.of("peer", "--listen", "127.0.0.1:0", "--dir", "c", "--secret-file", "alice"),
                List.of("ring", "--via", a, "--secret-file", "alice", "--forget", "127.0.0.1:1"),
                List.of("grant", "--secret-file", "alice", "--name", "bob", "-o", "bob"),
                List.of("grant", "--secret-file", "secret", "--name", "b b", "-o", "bob"),
                List.of("grant", "--secret-file", "secret", "--name", "bob", "-o", "alice"));
        List<String> reasons = List.of(
                a + ": refused: the peer has a cluster secret, the other has none",
                a + ": refused: the cluster secret is not the same on both sides",
                a + ": refused: the peer is of cluster 'perhaps', the other of 'other'",
                "short: a secret has 16 to 65536 bytes, got 5",
                "an address is HOST:PORT, got '127.0.0.1'",
                a + ": refused: the cluster secret is not the same on both sides",
                "a: another peer is using this folder",
                "listening on 0.0.0.0:0 is open to other machines: that needs TLS or a cluster secret",
                a + ": cannot listen there: ",
                "--virtual must be in 1..64, got 65",
                "--access-log nowhere/log cannot be written: check its folder and who may write there",
                a + ": refused: the access of mallory was revoked",
                "--revoked nothing cannot be read: name a text file (UTF-8) with one holder per line, at most 1 MiB",
                "open: everybody may read or write this secret (rw-r--r--): run 'chmod 600 open'",
                "a peer needs the cluster's own secret, not one that was granted to alice",
                "the secret of alice does not allow this: it needs that of an operator",
                "only the cluster's own secret grants others, not that of alice",
                "the name of a holder has 1 to 64 letters, digits, '.', '_' and '-', got 'b b'",
                "alice: the file already exists: name another one");
        List<Shell.Result> results = shell.all(commands);
        for (int i = 0; i < results.size(); i++) {
            assertThat(results.get(i).code()).isEqualTo(2);
            assertThat(results.get(i).err()).startsWith("perhaps: " + reasons.get(i));
            assertThat(results.get(i).err().lines()).hasSize(1);
        }
        assertThat(Files.readString(first.err()))
                .contains(": refused: the peer has a cluster secret, the other has none\n")
                .contains(": refused: the cluster secret is not the same on both sides\n");
        String refused = "forget \"127.0.0.1:1\" 0 refused ";
        Await.until(
                "the refusal is logged",
                () -> Files.readString(folder.resolve("access.log")).contains(refused));
        assertThat(Files.readString(folder.resolve("access.log"))).contains(" client \"alice\" ring \"-\" 0 ok ");
    }

    @Test
    void peersAndCallersWithCertificatesSpeakTls() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.write("peer", Duration.ofDays(1), "perhaps:peer");
        certificates.write("alice", Duration.ofDays(1), "perhaps:client");
        List<String> peerTls = List.of("--tls-cert", "peer.pem", "--tls-key", "peer.key", "--tls-ca", "ca.pem");
        List<String> aliceTls = List.of("--tls-cert", "alice.pem", "--tls-key", "alice.key", "--tls-ca", "ca.pem");
        String a = PeerShell.address(peers.start(words(peerTls, "--listen", "127.0.0.1:0", "--dir", "a")));
        PeerShell.address(peers.start(words(peerTls, "--listen", "127.0.0.1:0", "--dir", "b", "--join", a)));
        Files.writeString(folder.resolve("file"), "hello");
        List<Shell.Result> results = new Shell(folder)
                .all(List.of(
                        List.of(words(aliceTls, "put", "--via", a, "--replicas", "1", "--name", "greeting", "file")),
                        List.of(words(aliceTls, "get", "--via", a, "-o", "got", "--name", "greeting")),
                        List.of(words(aliceTls, "ring", "--via", a, "--forget", "127.0.0.1:1")),
                        List.of("ring", "--via", a),
                        List.of("ring", "--via", a, "--tls-cert", "alice.pem", "--tls-key", "alice.key")));
        assertThat(results.get(0).code()).as(results.get(0).err()).isZero();
        assertThat(folder.resolve("got")).as(results.get(1).err()).hasContent("hello");
        assertThat(results.get(2).err())
                .isEqualTo("perhaps: the certificate of CN=alice does not allow this: it needs that of an operator\n");
        assertThat(results.get(3).code()).isEqualTo(2);
        assertThat(results.get(3).err()).startsWith("perhaps: " + a + ": ");
        assertThat(results.get(4).err())
                .isEqualTo("perhaps: TLS takes --tls-cert, --tls-key and --tls-ca, got no --tls-ca\n");
    }

    private static String[] words(List<String> last, String... first) {
        return Stream.concat(Stream.of(first), last.stream()).toArray(String[]::new);
    }

    /** As when the peer stops while a file is on its way: it closes the connection, and takes nothing more. */
    @Test
    void aConnectionThatBreaksIsNoReaderThatHasReadEnough() throws Exception {
        String peer = PeerShell.address(peers.start("--listen", "127.0.0.1:0", "--dir", "a", "--no-page"));
        Files.write(folder.resolve("large"), new byte[1 << 25]);
        try (ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread relay = new Thread(() -> breakOff(door, peer), "relay");
            relay.setDaemon(true);
            relay.start();
            Shell.Result result = new Shell(folder)
                    .perhaps("put", "--via", "127.0.0.1:" + door.getLocalPort(), "large", "--replicas", "1");
            assertThat(result.code()).as(result.toString()).isEqualTo(2);
            assertThat(result.out()).isEmpty();
            assertThat(result.err()).startsWith("perhaps: 127.0.0.1:" + door.getLocalPort() + ": ");
        }
    }

    /** Passes on a megabyte, then says that it will send nothing more, and closes without having read the rest. */
    private static void breakOff(ServerSocket door, String peer) {
        int colon = peer.lastIndexOf(':');
        try (Socket client = door.accept();
                Socket server = new Socket(peer.substring(0, colon), Integer.parseInt(peer.substring(colon + 1)))) {
            Thread back = new Thread(
                    () -> {
                        try {
                            server.getInputStream().transferTo(client.getOutputStream());
                        } catch (IOException e) {
                            // The connection is broken off.
                        }
                    },
                    "back");
            back.setDaemon(true);
            back.start();
            InputStream in = client.getInputStream();
            for (int passed = 0; passed < 1 << 20; ) {
                byte[] bytes = in.readNBytes(1);
                int more = Math.max(0, in.available());
                byte[] rest = in.readNBytes(Math.min(more, 1 << 14));
                server.getOutputStream().write(bytes);
                server.getOutputStream().write(rest);
                passed += 1 + rest.length;
            }
            while (in.available() == 0) {
                Thread.onSpinWait();
            }
            client.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
