package dev.perhaps.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which ends can connect, with BoringSSL and with Java's own TLS, and what happens when files change. */
class ReloadingTlsTest {
    @TempDir
    Path folder;

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final TlsPair pair = new TlsPair();
    private TestAuthority authority;
    private TlsFiles files;

    @BeforeEach
    void write() throws Exception {
        authority = new TestAuthority();
        files = authority.write(folder.resolve("server"), authority.sign(Role.PEER));
    }

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void theNativeLibraryLoadsHere() {
        assertThat(io.netty.handler.ssl.OpenSsl.isAvailable())
                .as("%s", io.netty.handler.ssl.OpenSsl.unavailabilityCause())
                .isEqualTo(System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bothEndsSeeEachOthersCertificate(boolean bySystem) throws Exception {
        TlsFiles other = authority.write(folder.resolve("client"), authority.sign(Role.OPERATOR));
        try (ReloadingTls server = open(ReloadingTls.of(files).mutual().applications("h2", "http/1.1"), bySystem);
                ReloadingTls client = open(ReloadingTls.of(other).mutual().applications("http/1.1"), bySystem)) {
            TlsPair.Result result = pair.connect(server, client, "localhost");
            assertThat(Role.of(result.seenByServer())).containsExactly(Role.OPERATOR);
            assertThat(Role.of(result.seenByClient())).containsExactly(Role.PEER);
            assertThat(result.protocol()).isEqualTo("TLSv1.3");
            assertThat(result.application()).isEqualTo("http/1.1");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCertificateOfAnotherAuthorityIsNotAccepted(boolean bySystem) throws Exception {
        TestAuthority strangers = new TestAuthority();
        TlsFiles other = strangers.write(folder.resolve("client"), strangers.sign(Role.PEER));
        Files.writeString(other.authority(), authority.root().getCertificatePEM());
        for (ReloadingTls.Plan plan : List.of(
                ReloadingTls.of(files).mutual(),
                ReloadingTls.of(files).clientsRequired(),
                ReloadingTls.of(files).clientsOptional())) {
            try (ReloadingTls server = open(plan, bySystem);
                    ReloadingTls client = open(ReloadingTls.of(other), bySystem)) {
                assertThatThrownBy(() -> pair.connect(server, client, "localhost"))
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerOfAnotherNameIsNotTrusted(boolean bySystem) throws Exception {
        TlsFiles other = authority.write(
                folder.resolve("other"), authority.sign(certificate -> certificate.subject("CN=localhost")));
        TlsFiles elsewhere = authority.write(
                folder.resolve("elsewhere"),
                new io.netty.pkitesting.CertificateBuilder()
                        .ecp256()
                        .subject("CN=localhost")
                        .addSanDnsName("elsewhere.example.org")
                        .buildIssuedBy(authority.root()));
        try (ReloadingTls server = open(ReloadingTls.of(elsewhere).mutual(), bySystem);
                ReloadingTls client = open(ReloadingTls.of(other).mutual(), bySystem)) {
            assertThatThrownBy(() -> pair.connect(server, client, "localhost")).isInstanceOf(SSLException.class);
            assertThatThrownBy(() -> pair.connect(server, client, "127.0.0.1")).isInstanceOf(SSLException.class);
            assertThat(pair.connect(server, client, "elsewhere.example.org").protocol())
                    .isEqualTo("TLSv1.3");
        }
    }

    @Test
    void withoutAnAuthorityNobodyCanBeChecked() {
        assertThatThrownBy(() -> ReloadingTls.of(new TlsFiles(files.certificate(), files.key(), null))
                        .mutual())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("authority");
    }

    @Test
    void aRenewedCertificateIsUsedWhenItsFilesHaveComeToRest() throws Exception {
        try (ReloadingTls tls = open(ReloadingTls.of(files).mutual(), true)) {
            var first = pair.connect(tls, tls, "localhost").seenByClient();
            authority.write(folder.resolve("server"), authority.sign(Role.CLIENT));
            tls.poll();
            assertThat(pair.connect(tls, tls, "localhost").seenByClient()).isEqualTo(first);
            tls.poll();
            assertThat(Role.of(pair.connect(tls, tls, "localhost").seenByClient()))
                    .containsExactly(Role.CLIENT);
            assertThat(log).containsExactly("TLS: reloaded " + files.certificate());
        }
    }

    @Test
    void filesThatCannotBeUsedAreReportedOnceAndTheOldOnesStayInUse() throws Exception {
        try (ReloadingTls tls = open(ReloadingTls.of(files).mutual(), true)) {
            Instant now = Instant.now();
            authority.write(
                    folder.resolve("server"),
                    authority.sign(certificate -> certificate
                            .notBefore(now.minus(Duration.ofDays(2)))
                            .notAfter(now.minus(Duration.ofDays(1)))));
            for (int i = 0; i < 5; i++) {
                tls.poll();
            }
            assertThat(Role.of(pair.connect(tls, tls, "localhost").seenByClient()))
                    .containsExactly(Role.PEER);
            assertThat(log)
                    .singleElement()
                    .asString()
                    .startsWith("TLS: not reloaded, what was in use stays in use: " + files.certificate())
                    .contains("expired on");

            Files.delete(authority
                    .write(folder.resolve("server"), authority.sign(Role.PEER))
                    .key());
            assertThat(tls.reload()).isFalse();
            assertThat(log).hasSize(2).last().asString().contains("key.pem");
            assertThat(Role.of(pair.connect(tls, tls, "localhost").seenByClient()))
                    .containsExactly(Role.PEER);
        }
    }

    /** Symptom: a certificate of an authority whose clock was some seconds ahead was refused once, and never looked at again. */
    @Test
    void aCertificateThatIsNotValidYetIsUsedAsSoonAsItIs() throws Exception {
        try (ReloadingTls tls = open(ReloadingTls.of(files).mutual(), true)) {
            Instant soon = Instant.now().plus(Duration.ofSeconds(3));
            authority.write(
                    folder.resolve("server"),
                    authority.sign(certificate -> certificate
                            .notBefore(soon)
                            .notAfter(soon.plus(Duration.ofDays(1)))
                            .addSanUriName(java.net.URI.create(Role.CLIENT.uri()))));
            tls.poll();
            tls.poll();
            tls.poll();
            assertThat(log).singleElement().asString().contains("is valid from");
            while (log.size() == 1 && Instant.now().isBefore(soon.plus(Duration.ofSeconds(60)))) {
                Thread.sleep(20);
                tls.poll();
            }
            assertThat(log).hasSize(2).last().isEqualTo("TLS: reloaded " + files.certificate());
            assertThat(Role.of(pair.connect(tls, tls, "localhost").seenByClient()))
                    .containsExactly(Role.CLIENT);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSocketIsServedLikeAConnectionOfNettys(boolean bySystem) throws Exception {
        TlsFiles other = authority.write(folder.resolve("client"), authority.sign(Role.CLIENT));
        CompletableFuture<SslHandler> accepted = new CompletableFuture<>();
        try (ReloadingTls server = open(ReloadingTls.of(files).mutual(), bySystem);
                ReloadingTls client = ReloadingTls.of(other).mutual().openOnce()) {
            InetSocketAddress at =
                    (InetSocketAddress) pair.listen(server, accepted).localAddress();
            try (SSLSocket socket = client.over(new Socket(at.getAddress(), at.getPort()), "localhost", at.getPort())) {
                assertThat(socket.getInputStream().read()).isEqualTo('h');
                assertThat(Role.of(Objects.requireNonNull(ReloadingTls.certificate(socket.getSession()))))
                        .containsExactly(Role.PEER);
            }
            assertThat(Role.of(Objects.requireNonNull(ReloadingTls.certificate(accepted.get()))))
                    .containsExactly(Role.CLIENT);
            try (SSLSocket socket =
                    client.over(new Socket(at.getAddress(), at.getPort()), "elsewhere.example.org", at.getPort())) {
                assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
            }
        }
    }

    @Test
    void aHangupReloads() throws Exception {
        try (ReloadingTls tls = ReloadingTls.of(files).mutual().open(log::add)) {
            authority.write(folder.resolve("server"), authority.sign(Role.CLIENT));
            new ProcessBuilder(
                            "kill",
                            "-HUP",
                            Long.toString(ProcessHandle.current().pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            while (log.isEmpty()) {
                Thread.sleep(5);
            }
            assertThat(Role.of(pair.connect(tls, tls, "localhost").seenByClient()))
                    .containsExactly(Role.CLIENT);
        }
    }

    @Test
    void aChangeIsNoticedWithoutBeingTold() throws Exception {
        try (ReloadingTls tls = ReloadingTls.of(files).mutual().open(log::add)) {
            authority.write(folder.resolve("server"), authority.sign(Role.CLIENT));
            while (log.isEmpty()) {
                Thread.sleep(5);
            }
            assertThat(Role.of(pair.connect(tls, tls, "localhost").seenByClient()))
                    .containsExactly(Role.CLIENT);
        }
    }

    private ReloadingTls open(ReloadingTls.Plan plan, boolean bySystem) throws IOException {
        return (bySystem ? plan : plan.withoutNativeLibrary()).openUnwatched(log::add);
    }

    /** What a client sent without TLS may be its password: it is not for a log, not even in hexadecimal. */
    @Test
    void failuresDoNotShowWhatWasReceivedWithoutTls() throws Exception {
        byte[] sent = "AUTH somebody secret\r\n".getBytes(StandardCharsets.US_ASCII);
        try (ReloadingTls tls = open(ReloadingTls.of(files), true)) {
            EmbeddedChannel channel = new EmbeddedChannel();
            channel.pipeline().addLast(tls.accepting(channel));
            assertThatThrownBy(() -> channel.writeInbound(Unpooled.wrappedBuffer(sent)))
                    .satisfies(
                            cause -> assertThat(ReloadingTls.failure(cause)).isEqualTo("what was received is not TLS"));
        }
        assertThat(ReloadingTls.failure(new IOException("closed"))).isNull();
        assertThat(ReloadingTls.failure(new DecoderException(new SSLException("no certificate"))))
                .isEqualTo("no certificate");
    }
}
