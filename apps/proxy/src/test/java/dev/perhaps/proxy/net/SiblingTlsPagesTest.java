package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import dev.perhaps.web.ReloadingTls;
import dev.perhaps.web.TlsFiles;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A page is asked of a sibling over TLS only if its certificate is of the right authority and for the host that is dialled. */
@Timeout(60)
class SiblingTlsPagesTest {
    private static final String PAGE = "HTTP/1.1 200 OK\nCache-Control: max-age=60\nContent-Length: 5\n\n";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // before each
    private TlsFixture own;

    @BeforeEach
    void found() throws Exception {
        own = new TlsFixture(Files.createDirectory(folder.resolve("own")));
    }

    /** A sibling with this certificate, in front of an origin of its own. */
    private static ProxyServer sibling(RawOrigin origin, TlsFiles files) throws IOException {
        return ProxyServer.before(Origin.of(origin.url()))
                .name("sister")
                .limits(Limits.ofCache(8 << 20))
                .tls(ReloadingTls.of(files), line -> {})
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Asks for a page; returns its body and what became of the attempt at the sibling. */
    private String ask(int port) throws Exception {
        SiblingLookupTest.OneSibling siblingLookup = new SiblingLookupTest.OneSibling(port, false, 10_000);
        ReloadingTls tls =
                ReloadingTls.of(own.files).mutual().applications("http/1.1").open(line -> {});
        try (Passage passage = new Passage(
                        RawOrigin.saying(PAGE + "hello"),
                        plan -> plan.siblingLookup(siblingLookup).siblingTls(tls));
                RawClient client = passage.client()) {
            String body = client.get("/a").body();
            passage.waitFor(() -> !siblingLookup.told.isEmpty());
            return body + ", " + siblingLookup.told.get(0);
        }
    }

    @Test
    void asksASiblingOfTheSameAuthority() throws Exception {
        try (RawOrigin origin = RawOrigin.saying(PAGE + "there");
                ProxyServer sister = sibling(origin, own.files)) {
            assertThat(ask(sister.address().getPort())).isEqualTo("there, hit 5");
        }
    }

    @Test
    void asksTheOriginIfTheSiblingIsOfAnotherAuthority() throws Exception {
        TlsFixture others = new TlsFixture(Files.createDirectory(folder.resolve("others")));
        try (RawOrigin origin = RawOrigin.saying(PAGE + "there");
                ProxyServer sister = sibling(origin, others.files)) {
            assertThat(ask(sister.address().getPort())).isEqualTo("hello, failure");
            assertThat(origin.requests()).isEmpty();
        }
    }

    @Test
    void asksTheOriginIfTheCertificateOfTheSiblingIsForAnotherHost() throws Exception {
        X509Bundle elsewhere = new CertificateBuilder()
                .ecp256()
                .subject("CN=localhost")
                .addSanDnsName("elsewhere.example.org")
                .buildIssuedBy(own.authority);
        TlsFiles files = new TlsFiles(
                Files.writeString(folder.resolve("elsewhere.pem"), elsewhere.getCertificatePathPEM()),
                folder.resolve("elsewhere.key"),
                null);
        TlsFixture.writeKey(files.key(), elsewhere);
        try (RawOrigin origin = RawOrigin.saying(PAGE + "there");
                ProxyServer sister = sibling(origin, files)) {
            assertThat(ask(sister.address().getPort())).isEqualTo("hello, failure");
            assertThat(origin.requests()).isEmpty();
        }
    }

    @Test
    void asksTheOriginIfTheSiblingSpeaksInTheClear() throws Exception {
        try (RawOrigin sister = RawOrigin.saying(PAGE + "there")) {
            assertThat(ask(sister.port())).isEqualTo("hello, failure");
        }
    }
}
