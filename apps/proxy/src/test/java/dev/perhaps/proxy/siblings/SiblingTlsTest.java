package dev.perhaps.proxy.siblings;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.web.TlsFiles;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Proxies that share over TLS, with real sockets and certificates; strangers, and siblings of another authority or host. */
@Timeout(120)
class SiblingTlsTest {
    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // before each
    private X509Bundle authority;

    private final Map<String, InetSocketAddress> all = new ConcurrentHashMap<>();

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

    private static CertificateBuilder certificate(String name) {
        return new CertificateBuilder().ecp256().subject("CN=" + name);
    }

    /** Writes the files of a proxy; the authority is its own idea of who signs siblings. */
    private TlsFiles files(String name, X509Bundle own, X509Bundle signs) throws IOException {
        Path certificate = Files.writeString(folder.resolve(name + ".pem"), own.getCertificatePathPEM());
        Path ca = Files.writeString(folder.resolve(name + "-ca.pem"), signs.getCertificatePEM());
        Path key = Files.createFile(
                folder.resolve(name + ".key"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return new TlsFiles(certificate, Files.writeString(key, own.getPrivateKeyPEM()), ca);
    }

    private Node node(String name, Node.Web web, X509Bundle own, X509Bundle signs) throws IOException {
        return new Node(name, web, all, SiblingTlsTest::withoutSecret, files(name, own, signs));
    }

    private Node node(String name, Node.Web web) throws Exception {
        return node(name, web, certificate(name).addSanIpAddress("127.0.0.1").buildIssuedBy(authority), authority);
    }

    private static SharingPlan withoutSecret(SharingPlan plan) {
        return SharingPlan.usual(plan.name(), plan.origin(), null)
                .everyMillis(100)
                .timeoutMillis(5_000);
    }

    /** A client that trusts the authority; its own certificate is optional. */
    private HttpClient client(HttpClient.Version version, KeyManager... identity) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(identity, new TrustManager[] {authority.toTrustManager()}, null);
        return HttpClient.newBuilder().sslContext(context).version(version).build();
    }

    @CanIgnoreReturnValue
    private HttpResponse<String> get(Node node, String path) throws Exception {
        return Node.get(client(HttpClient.Version.HTTP_2), "https", node.server.address(), path);
    }

    private static void hasDigestTrouble(Node node, String sibling) throws InterruptedException {
        Node.waitFor(() -> node.told.stream()
                .anyMatch(line -> line.startsWith("the digest of sibling " + sibling) && line.contains("cannot be")));
    }

    @Test
    void shareAPageOverTlsWithoutASecret() throws Exception {
        try (Node.Web web = new Node.Web();
                Node one = node("one", web);
                Node two = node("two", web)) {
            for (int i = 0; i < 5; i++) {
                assertThat(get(one, "/news/" + i).body()).isEqualTo(Node.Web.body("/news/" + i));
            }
            two.waitForDigest("one", 5);
            for (int i = 0; i < 5; i++) {
                HttpResponse<String> response = get(two, "/news/" + i);
                assertThat(response.body()).isEqualTo(Node.Web.body("/news/" + i));
                assertThat(Node.cacheStatus(response)).contains("sibling:one");
                assertThat(web.times("/news/" + i)).isEqualTo(1);
            }
            assertThat(two.figure("perhaps_proxy_sibling_failures_total")).isZero();
        }
    }

    @Test
    void shareAPageOverTlsWithASecretToo() throws Exception {
        try (Node.Web web = new Node.Web();
                Node one = new Node("one", web, all, plan -> plan.timeoutMillis(5_000), mine("one"));
                Node two = new Node("two", web, all, plan -> plan.timeoutMillis(5_000), mine("two"))) {
            get(one, "/news/1");
            two.waitForDigest("one", 1);
            assertThat(Node.cacheStatus(get(two, "/news/1"))).contains("sibling:one");
            HttpClient certified = client(
                    HttpClient.Version.HTTP_1_1,
                    certificate("three")
                            .buildIssuedBy(authority)
                            .toKeyManagerFactory()
                            .getKeyManagers());
            assertThat(Node.get(certified, "https", one.server.address(), "/news/1", SiblingSecret.REQUEST, "three")
                            .statusCode())
                    .as("a certificate is not enough where there is a secret")
                    .isEqualTo(403);
        }
    }

    @CanIgnoreReturnValue
    private TlsFiles mine(String name) throws Exception {
        return files(name, certificate(name).addSanIpAddress("127.0.0.1").buildIssuedBy(authority), authority);
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void refuseAForgedRequestOfAClientWithoutACertificate(HttpClient.Version version) throws Exception {
        try (Node.Web web = new Node.Web();
                Node one = node("one", web)) {
            InetSocketAddress at = one.server.address();
            String digest = DigestPage.target(one.origin(), 0, 0);
            HttpClient stranger = client(version);
            assertThat(Node.get(stranger, "https", at, "/news/1").statusCode()).isEqualTo(200);
            assertThat(Node.get(stranger, "https", at, "/news/1", SiblingSecret.REQUEST, "two")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(Node.get(stranger, "https", at, digest).statusCode()).isEqualTo(403);
            assertThat(one.figure("perhaps_proxy_digests_sent_total")).isZero();
            X509Bundle two = certificate("two").buildIssuedBy(authority);
            // Again and again: connections that resume a session are certified too.
            KeyManager[] identity = two.toKeyManagerFactory().getKeyManagers();
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(identity, new TrustManager[] {authority.toTrustManager()}, null);
            for (int i = 0; i < 3; i++) {
                HttpClient sibling = HttpClient.newBuilder()
                        .sslContext(context)
                        .version(version)
                        .build();
                assertThat(Node.get(sibling, "https", at, "/news/1", SiblingSecret.REQUEST, "two")
                                .statusCode())
                        .isEqualTo(200);
                assertThat(Node.get(sibling, "https", at, digest).statusCode()).isEqualTo(200);
            }
        }
    }

    @Test
    void doNotUseASiblingOfAnotherAuthority() throws Exception {
        X509Bundle others = authority();
        try (Node.Web web = new Node.Web();
                Node one = node(
                        "one",
                        web,
                        certificate("one").addSanIpAddress("127.0.0.1").buildIssuedBy(others),
                        others);
                Node two = node("two", web)) {
            hasDigestTrouble(two, "one");
            hasDigestTrouble(one, "two");
            assertThat(Node.cacheStatus(get(two, "/news/1"))).doesNotContain("sibling");
            assertThat(web.times("/news/1")).isEqualTo(1);
            assertThat(one.figure("perhaps_proxy_digests_sent_total")).isZero();
            assertThat(two.figure("perhaps_proxy_digests_sent_total")).isZero();
        }
    }

    @Test
    void doNotUseASiblingWhoseCertificateIsForAnotherHost() throws Exception {
        X509Bundle elsewhere =
                certificate("one").addSanDnsName("elsewhere.example.org").buildIssuedBy(authority);
        try (Node.Web web = new Node.Web();
                Node one = node("one", web, elsewhere, authority);
                Node two = node("two", web)) {
            hasDigestTrouble(two, "one");
            assertThat(Node.cacheStatus(get(two, "/news/1"))).doesNotContain("sibling");
            assertThat(web.times("/news/1")).isEqualTo(1);
            assertThat(one.figure("perhaps_proxy_digests_sent_total")).isZero();
        }
    }

    @Test
    void useANewCertificateForDigestsAndPagesWithoutARestart() throws Exception {
        X509Bundle others = authority();
        X509Bundle wrong = certificate("two").addSanIpAddress("127.0.0.1").buildIssuedBy(others);
        try (Node.Web web = new Node.Web();
                Node one = node("one", web);
                Node two = node("two", web, wrong, others)) {
            get(one, "/news/1");
            hasDigestTrouble(two, "one");
            Files.delete(folder.resolve("two.key"));
            mine("two");
            two.reload();
            two.waitForDigest("one", 1);
            // Where it listens the old certificate may still be in use.
            KeyStore both = KeyStore.getInstance("PKCS12");
            both.load(null, null);
            both.setCertificateEntry("old", others.getCertificate());
            both.setCertificateEntry("new", authority.getCertificate());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(both);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            HttpClient client = HttpClient.newBuilder().sslContext(context).build();
            assertThat(Node.cacheStatus(Node.get(client, "https", two.server.address(), "/news/1")))
                    .contains("sibling:one");
        }
    }
}
