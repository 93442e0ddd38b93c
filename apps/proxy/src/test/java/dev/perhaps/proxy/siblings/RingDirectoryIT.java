package dev.perhaps.proxy.siblings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.Settings;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.PeerHost;
import dev.perhaps.chord.store.FileClient;
import dev.perhaps.chord.store.FileStore;
import dev.perhaps.proxy.Origin;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.TlsFiles;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Proxies that find each other on a ring: a real peer, real certificates, and lines that somebody else has written there. */
@Timeout(120)
class RingDirectoryIT {
    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // before each
    private X509Bundle authority;

    private final List<String> log = new CopyOnWriteArrayList<>();

    @BeforeEach
    void found() throws Exception {
        authority = authority();
    }

    private static X509Bundle authority() throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=Siblings")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    /** A certificate for 127.0.0.1, with the role of a client of a ring, or of a peer. */
    private TlsFiles files(String name, X509Bundle signer, String role) throws Exception {
        X509Bundle own = new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .addSanIpAddress("127.0.0.1")
                .addSanUriName(URI.create(role))
                .buildIssuedBy(signer);
        Path key = Files.createFile(
                folder.resolve(name + ".key"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return new TlsFiles(
                Files.writeString(folder.resolve(name + ".pem"), own.getCertificatePathPEM()),
                Files.writeString(key, own.getPrivateKeyPEM()),
                Files.writeString(folder.resolve(name + "-ca.pem"), signer.getCertificatePEM()));
    }

    /** A ring of one peer. */
    private final class Peer implements Closeable {
        private final Cluster cluster;
        private final PeerHost host;
        private final FileStore store;
        final HostPort address;

        Peer(Cluster cluster) throws Exception {
            this.cluster = cluster;
            host = new PeerHost(cluster, new Settings(4, 3, 300, 100, 100, 300, 64), log::add);
            address = HostPort.of(host.listen(HostPort.of("127.0.0.1:0"), null));
            store = FileStore.open(
                    host, cluster, FileStore.Setup.usual(Files.createDirectory(folder.resolve("peer"))), log::add);
            host.begin(1, 1L << 32).get(20, TimeUnit.SECONDS);
        }

        /** Writes a line as a proxy does, at a place. */
        void announce(String place, String line) throws IOException {
            Path file = Files.writeString(folder.resolve("line"), line + "\n");
            Id id = FileClient.idOf(file);
            try (FileClient client = FileClient.open(address, cluster)) {
                client.put(file, id, 1, bytes -> {});
                client.name(place, id, 1);
            }
        }

        Optional<Id> named(String place) throws IOException {
            try (FileClient client = FileClient.open(address, cluster)) {
                return client.named(place);
            }
        }

        RingDirectory directory(String name, Origin origin, boolean authenticated, String at) {
            return new RingDirectory(
                    address,
                    cluster,
                    origin,
                    new SiblingRules(name, authenticated),
                    null,
                    () -> HostPort.of(at),
                    log::add);
        }

        RingDirectory directory(String name, Origin origin, SiblingSecret secret, String at) {
            SiblingRules rules = new SiblingRules(name, true);
            return new RingDirectory(address, cluster, origin, rules, secret, () -> HostPort.of(at), log::add);
        }

        @Override
        public void close() {
            store.close();
            host.close();
        }
    }

    private Node node(String name, Node.Web web, Peer ring, Cluster cluster, TlsFiles files) throws Exception {
        return new Node(
                name,
                web,
                node -> new RingDirectory(
                        ring.address,
                        cluster,
                        Origin.of(web.url()),
                        new SiblingRules(name, true),
                        null,
                        () -> new HostPort("127.0.0.1", node.server.address().getPort()),
                        node.told::add),
                plan -> SharingPlan.usual(plan.name(), plan.origin(), null)
                        .everyMillis(100)
                        .timeoutMillis(5_000),
                files);
    }

    @CanIgnoreReturnValue
    private HttpResponse<String> get(Node node, String path) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[0], new TrustManager[] {authority.toTrustManager()}, null);
        HttpClient client = HttpClient.newBuilder().sslContext(context).build();
        return Node.get(client, "https", node.server.address(), path);
    }

    private static boolean isNamed(Peer ring, String place) {
        try {
            return ring.named(place).isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Symptom: a proxy with TLS could not look for its siblings on a ring. */
    @Test
    void proxiesWithTlsFindEachOtherOnARingWithTls() throws Exception {
        TlsFiles peerFiles = files("peer", authority, "perhaps:peer");
        TlsFiles one = files("one", authority, "perhaps:client");
        TlsFiles two = files("two", authority, "perhaps:client");
        try (ReloadingTls peerTls = ReloadingTls.of(peerFiles).mutual().open(log::add);
                ReloadingTls ringTls = ReloadingTls.of(one).mutual().open(log::add);
                Peer ring = new Peer(new Cluster(Cluster.USUAL_NAME, Optional.empty(), Optional.of(peerTls)));
                Node.Web web = new Node.Web()) {
            Cluster caller = new Cluster(Cluster.USUAL_NAME, Optional.empty(), Optional.of(ringTls));
            String place = "proxies/" + Origin.of(web.url()).url() + "/0";
            try (Node first = node("one", web, ring, caller, one)) {
                Node.waitFor(() -> isNamed(ring, place));
                assertThat(get(first, "/a").statusCode()).isEqualTo(200);
                try (Node second = node("two", web, ring, caller, two)) {
                    second.waitForDigest("one", 1);
                    assertThat(Node.cacheStatus(get(second, "/a"))).contains("sibling:one");
                    assertThat(web.times("/a")).isEqualTo(1);
                }
            }
            assertThat(ring.named(place))
                    .as("its line is gone when it has stopped")
                    .isEmpty();
        }
    }

    /** The right to write to the ring does not make a client a sibling. */
    @Test
    void oneOfAnotherAuthorityOnTheRingIsNotUsed() throws Exception {
        TlsFiles one = files("one", authority, "perhaps:client");
        TlsFiles stranger = files("stranger", authority(), "perhaps:client");
        try (Peer ring = new Peer(Cluster.open());
                Node.Web web = new Node.Web();
                Node honest = node("one", web, ring, Cluster.open(), one);
                Node other = node("stranger", web, ring, Cluster.open(), stranger)) {
            Node.waitFor(() -> honest.told.stream()
                    .anyMatch(line -> line.startsWith("the digest of sibling stranger at 127.0.0.1")
                            && line.contains("cannot be fetched")));
            assertThat(other.figure("perhaps_proxy_digests_sent_total")).isZero();
            assertThat(honest.figure("perhaps_proxy_digests_received_total")).isZero();
        }
    }

    /** Symptom: the ring could name hosts that no --sibling may name, without a secret and outside of this machine. */
    @Test
    void linesThatNoConfigurationMayHaveAreRefusedAndNamed() throws Exception {
        Origin origin = Origin.of("http://127.0.0.1:1");
        try (Peer ring = new Peer(Cluster.open())) {
            String places = "proxies/" + origin.url() + "/";
            ring.announce(places + 0, "far 192.0.2.1:80");
            ring.announce(places + 1, "4th 127.0.0.1:80");
            ring.announce(places + 2, "any 0.0.0.0:80");
            ring.announce(places + 3, "zero 127.0.0.1:0");
            ring.announce(places + 4, "three words 127.0.0.1:80");
            ring.announce(places + 5, "good 127.0.0.1:80");
            ring.announce(places + 6, "good 127.0.0.1:81");
            RingDirectory directory = ring.directory("own", origin, false, "127.0.0.1:9");
            assertThat(directory.siblings().keySet()).containsExactly("good");
            assertThat(directory.siblings().values())
                    .extracting(at -> at.getPort())
                    .containsExactly(80);
            assertThat(log)
                    .anyMatch(line -> line.contains("'far 192.0.2.1:80': it is not on this machine"))
                    .anyMatch(line -> line.contains("'4th 127.0.0.1:80': the name of a sibling has letters"))
                    .anyMatch(line -> line.contains("'any 0.0.0.0:80': not the address of one machine"))
                    .anyMatch(line -> line.contains("'zero 127.0.0.1:0': a port is in [1, 65535], got 0"))
                    .anyMatch(line -> line.contains("'three words 127.0.0.1:80': a line is NAME HOST:PORT"));
            RingDirectory trusting = ring.directory("other", origin, true, "127.0.0.1:8");
            assertThat(trusting.siblings().keySet()).containsExactly("far", "good", "own");
            directory.leave();
            trusting.leave();
            assertThat(ring.named(places + 7)).isEmpty();
            assertThat(ring.named(places + 8)).isEmpty();
        }
    }

    /**
     * Symptom: who could write to the ring, without the siblings' secret, was taken for a sibling if it passed what was signed
     * on to a true one and back, and could then serve pages of its own.
     */
    @Test
    void withASecretALineCountsOnlyIfItIsSigned() throws Exception {
        Origin origin = Origin.of("http://127.0.0.1:1");
        SiblingSecret secret = SiblingSecret.of(new byte[16]);
        try (Peer ring = new Peer(Cluster.open())) {
            String places = "proxies/" + origin.url() + "/";
            String proof = secret.signPlace(origin.url(), "b", "127.0.0.1:80");
            ring.announce(places + 0, "mallory 127.0.0.1:81");
            ring.announce(places + 1, "b 127.0.0.1:81 " + proof);
            ring.announce(places + 2, "c 127.0.0.1:80 " + proof);
            ring.announce(places + 3, "b 127.0.0.1:80 " + proof);
            ring.announce(places + 4, "d 127.0.0.1:82 " + secret.signPlace("http://127.0.0.1:2", "d", "127.0.0.1:82"));
            RingDirectory directory = ring.directory("own", origin, secret, "127.0.0.1:9");
            assertThat(directory.siblings().keySet()).containsExactly("b");
            assertThat(directory.siblings().values())
                    .extracting(at -> at.getPort())
                    .containsExactly(80);
            assertThat(ring.directory("other", origin, secret, "127.0.0.1:8").siblings())
                    .containsOnlyKeys("b", "own");
            assertThat(log)
                    .anyMatch(line -> line.contains("'mallory 127.0.0.1:81': it is not signed with the common secret"));
        }
    }

    @Test
    void aRingThatDoesNotAnswerIsToldAndConfiguredSiblingsAreUsed() throws Exception {
        Origin origin = Origin.of("http://127.0.0.1:1");
        RingDirectory gone;
        try (Peer ring = new Peer(Cluster.open())) {
            gone = ring.directory("own", origin, false, "127.0.0.1:9");
        }
        assertThatThrownBy(gone::siblings)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the ring cannot be reached");
        SiblingDirectory configured = () ->
                java.util.Map.of("b", new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 1));
        try (SiblingSharing sharing = new SiblingSharing(
                SharingPlan.usual("own", origin, null).everyMillis(50),
                List.of(gone, configured),
                new dev.perhaps.proxy.Counters(),
                log::add,
                null)) {
            sharing.start();
            Node.waitFor(() -> sharing.status().siblings().stream()
                    .anyMatch(each -> each.report().name().equals("b")));
        }
    }
}
