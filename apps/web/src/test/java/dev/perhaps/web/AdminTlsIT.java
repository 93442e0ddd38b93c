package dev.perhaps.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.web.admin.AdminReply;
import dev.perhaps.web.admin.AdminServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Admin pages over TLS, for those whose certificate names the role. */
@Timeout(60)
class AdminTlsIT {
    @TempDir
    private Path folder;

    private static String get(ReloadingTls client, AdminServer server, String path) throws IOException {
        try (Socket plain = new Socket(
                        InetAddress.getLoopbackAddress(), server.address().getPort());
                Socket socket = client.over(plain, "127.0.0.1", plain.getPort())) {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void onlyTheRoleThatIsAskedForIsServed() throws Exception {
        TestAuthority authority = new TestAuthority();
        ReloadingTls.Plan files = ReloadingTls.of(authority.write(folder.resolve("server"), authority.sign(Role.PEER)));
        try (AdminServer server = AdminServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .page("/page", request -> AdminReply.text("secret"))
                        .health(() -> true, "")
                        .tls(files.mutual().openUnwatched(line -> {}))
                        .role(Role.OPERATOR)
                        .open();
                ReloadingTls operator = ReloadingTls.of(
                                authority.write(folder.resolve("operator"), authority.sign(Role.OPERATOR)))
                        .mutual()
                        .openOnce();
                ReloadingTls client = ReloadingTls.of(
                                authority.write(folder.resolve("client"), authority.sign(Role.CLIENT)))
                        .mutual()
                        .openOnce()) {
            assertThat(server.url()).matches("https://(localhost|127.0.0.1):[0-9]+/");
            assertThat(get(operator, server, "/page"))
                    .startsWith("HTTP/1.1 200 ")
                    .endsWith("secret");
            for (String path : new String[] {"/page", "/healthz", "/nothing"}) {
                assertThat(get(client, server, path))
                        .startsWith("HTTP/1.1 403 ")
                        .contains("does not name the role perhaps:operator")
                        .doesNotContain("secret");
            }
            try (Socket plain = new Socket(
                    InetAddress.getLoopbackAddress(), server.address().getPort())) {
                plain.getOutputStream()
                        .write("GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(plain.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                        .doesNotContain("secret");
            }
        }
    }
}
