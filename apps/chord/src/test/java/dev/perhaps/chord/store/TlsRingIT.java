package dev.perhaps.chord.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.cluster.RevokedHolders;
import dev.perhaps.chord.wire.SocketFrameStream;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.TlsFiles;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A ring whose peers and callers show certificates: who may do what, and who is refused. */
@Timeout(600) // only ends a test that hangs
class TlsRingIT {
    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // before each
    private X509Bundle authority;

    @BeforeEach
    void sign() throws Exception {
        authority = new CertificateBuilder()
                .ecp256()
                .subject("CN=Test authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    /** A certificate of this name for this host, with these URIs. */
    private TlsFiles files(X509Bundle signer, String name, String host, String... uris) throws Exception {
        CertificateBuilder certificate = new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .notBefore(Instant.now().minus(Duration.ofHours(1)))
                .notAfter(Instant.now().plus(Duration.ofDays(1)))
                .addSanIpAddress(host);
        for (String uri : uris) {
            certificate.addSanUriName(URI.create(uri));
        }
        X509Bundle bundle = certificate.buildIssuedBy(signer);
        Path key = folder.resolve(name + ".key");
        Files.createFile(key, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(key, bundle.getPrivateKeyPEM());
        return new TlsFiles(
                Files.writeString(folder.resolve(name + ".pem"), bundle.getCertificatePathPEM()),
                key,
                Files.writeString(folder.resolve("ca.pem"), authority.getCertificatePEM()));
    }

    private static Cluster cluster(ReloadingTls tls) {
        return new Cluster(Cluster.USUAL_NAME, Optional.empty(), Optional.of(tls));
    }

    private Cluster caller(String name, String... uris) throws Exception {
        return cluster(ReloadingTls.of(files(authority, name, "127.0.0.1", uris))
                .mutual()
                .openOnce());
    }

    @Test
    void rolesAreThoseOfTheCertificate() throws Exception {
        TlsFiles own = files(authority, "peer", "127.0.0.1", "perhaps:peer");
        try (ReloadingTls tls = ReloadingTls.of(own).mutual().open(line -> {});
                StoreRing ring = new StoreRing(folder.resolve("ring"), cluster(tls))) {
            String first = ring.start("a");
            ring.start("b");
            ring.start("c");
            byte[] content = "something to keep".getBytes(StandardCharsets.UTF_8);
            Path file = Files.write(folder.resolve("file"), content);
            Id id = FileClient.idOf(file);
            try (FileClient client = FileClient.open(HostPort.of(first), caller("alice", "perhaps:client"))) {
                client.put(file, id, 3, bytes -> {});
                ByteArrayOutputStream got = new ByteArrayOutputStream();
                client.get(id).orElseThrow().writeTo(got, bytes -> {});
                assertThat(got.toByteArray()).isEqualTo(content);
                assertThatThrownBy(() -> client.forget(HostPort.of("127.0.0.1:1")))
                        .hasMessage("the certificate of CN=alice does not allow this: it needs that of an operator");
            }
            try (FileClient client = FileClient.open(HostPort.of(first), caller("bob", "perhaps:operator"))) {
                assertThatThrownBy(() -> client.forget(HostPort.of(first)))
                        .message()
                        .doesNotContain("does not allow");
            }
            assertThatThrownBy(() -> SocketFrameStream.toPeer(
                            HostPort.of(first), caller("mallory", "perhaps:client"), "127.0.0.1:2", 5_000, 5_000))
                    .hasMessageContaining("the certificate of CN=mallory does not let anybody in as a peer");
            assertThatThrownBy(() -> FileClient.open(HostPort.of(first), caller("nobody")))
                    .hasMessageContaining("the certificate of CN=nobody names no role");
        }
    }

    @Test
    void aCertificateThatWasRevokedIsRefusedOnBothSides() throws Exception {
        TlsFiles own = files(authority, "peer", "127.0.0.1", "perhaps:peer");
        Path list = Files.writeString(folder.resolve("revoked"), "CN=eve\n");
        try (ReloadingTls tls = ReloadingTls.of(own).mutual().open(line -> {})) {
            RevokedHolders revoked = RevokedHolders.read(list, line -> {});
            Cluster ours = new Cluster(Cluster.USUAL_NAME, Optional.empty(), Optional.of(tls), revoked);
            try (StoreRing ring = new StoreRing(folder.resolve("ring"), ours)) {
                HostPort first = HostPort.of(ring.start("a"));
                assertThatThrownBy(() -> FileClient.open(first, caller("eve", "perhaps:peer")))
                        .hasMessageContaining("the access of CN=eve was revoked");
                try (FileClient client = FileClient.open(first, caller("alice", "perhaps:client"))) {
                    assertThat(client.named("nothing")).isEmpty();
                }
            }
            TlsFiles second = files(authority, "eve2", "127.0.0.1", "perhaps:peer");
            try (ReloadingTls evesTls = ReloadingTls.of(second).mutual().open(line -> {});
                    StoreRing eves = new StoreRing(folder.resolve("eves"), cluster(evesTls))) {
                HostPort eve = HostPort.of(eves.start("a"));
                Files.writeString(list, "CN=eve2\n");
                assertThatThrownBy(() -> FileClient.open(eve, ours))
                        .hasMessageContaining("the access of CN=eve2 was revoked");
            }
        }
    }

    @Test
    void whoHasNoCertificateOfTheAuthorityIsRefused() throws Exception {
        X509Bundle strangers = new CertificateBuilder()
                .ecp256()
                .subject("CN=Other authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        TlsFiles own = files(authority, "peer", "127.0.0.1", "perhaps:peer");
        try (ReloadingTls tls = ReloadingTls.of(own).mutual().open(line -> {});
                StoreRing ring = new StoreRing(folder.resolve("ring"), cluster(tls))) {
            HostPort first = HostPort.of(ring.start("a"));
            Cluster stranger = cluster(ReloadingTls.of(files(strangers, "stranger", "127.0.0.1", "perhaps:peer"))
                    .openOnce());
            assertThatThrownBy(() -> FileClient.open(first, stranger)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> FileClient.open(first, Cluster.open())).isInstanceOf(IOException.class);
            try (FileClient client = FileClient.open(first, caller("alice", "perhaps:client"))) {
                assertThat(client.named("nothing")).isEmpty();
            }
        }
    }

    /** Somebody with a good certificate who listens where a peer was: of another host, or of a client. */
    @Test
    void aPeerMustHaveACertificateForItsHostAndAsAPeer() throws Exception {
        TlsFiles elsewhere = files(authority, "elsewhere", "127.0.0.9", "perhaps:peer");
        try (ReloadingTls tls = ReloadingTls.of(elsewhere).mutual().open(line -> {});
                StoreRing ring = new StoreRing(folder.resolve("elsewhere"), cluster(tls))) {
            HostPort first = HostPort.of(ring.start("a"));
            assertThatThrownBy(() -> FileClient.open(first, caller("alice", "perhaps:client")))
                    .hasMessageContaining("TLS failed");
        }
        TlsFiles posing = files(authority, "posing", "127.0.0.1", "perhaps:client");
        try (ReloadingTls tls = ReloadingTls.of(posing).mutual().open(line -> {});
                StoreRing ring = new StoreRing(folder.resolve("posing"), cluster(tls))) {
            HostPort first = HostPort.of(ring.start("a"));
            assertThatThrownBy(() -> FileClient.open(first, caller("bob", "perhaps:client")))
                    .hasMessageContaining("the certificate of CN=posing is not that of a peer");
        }
    }
}
