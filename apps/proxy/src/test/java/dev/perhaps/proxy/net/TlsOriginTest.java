package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.perhaps.proxy.Limits;
import dev.perhaps.proxy.Origin;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An origin behind TLS is believed only if its certificate is trusted, and is for its name. */
@Timeout(60)
class TlsOriginTest {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final String TRUST = "javax.net.ssl.trustStore";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // before each
    private HttpsServer origin;

    @BeforeEach
    void start() throws Exception {
        Path store = folder.resolve("store");
        int made = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "a",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        store.toString()))
                .redirectErrorStream(true)
                .start()
                .waitFor();
        assertThat(made).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        origin = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        origin.setHttpsConfigurator(new HttpsConfigurator(context));
        origin.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Cache-Control", "max-age=60");
            exchange.sendResponseHeaders(200, 6);
            exchange.getResponseBody().write(new byte[] {'s', 'e', 'c', 'r', 'e', 't'});
            exchange.close();
        });
        origin.start();
    }

    @AfterEach
    void stop() {
        origin.stop(0);
        System.clearProperty(TRUST);
        System.clearProperty(TRUST + "Password");
    }

    private RawClient.Response get(String host) throws Exception {
        try (ProxyServer proxy = ProxyServer.before(Origin.of(
                                "https://" + host + ":" + origin.getAddress().getPort()))
                        .limits(Limits.ofCache(8 << 20))
                        .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                RawClient client = new RawClient(proxy.address())) {
            client.get("/a");
            return client.get("/a");
        }
    }

    @Test
    void keepsPagesOfOneThatIsTrusted() throws Exception {
        System.setProperty(TRUST, folder.resolve("store").toString());
        System.setProperty(TRUST + "Password", new String(PASSWORD));
        RawClient.Response response = get("localhost");
        assertThat(response.body()).isEqualTo("secret");
        assertThat(response.header("Cache-Status")).endsWith("; hit");
    }

    @Test
    void doesNotBelieveOneOfAnotherName() throws Exception {
        System.setProperty(TRUST, folder.resolve("store").toString());
        System.setProperty(TRUST + "Password", new String(PASSWORD));
        assertThat(get("127.0.0.1").body()).startsWith("502: TLS with the origin failed: ");
    }

    @Test
    void doesNotBelieveOneThatNobodyVouchesFor() throws Exception {
        assertThat(get("localhost").body()).startsWith("502: TLS with the origin failed: ");
    }
}
