package dev.perhaps.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Await;
import dev.perhaps.cli.Certificates;
import dev.perhaps.cli.Shell;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who may speak to a server that is a process of its own, and what nobody else may read. */
@Timeout(120)
class ServeSecrecyIT {
    @TempDir
    private Path folder;

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    /** Trusts the authority, and shows this certificate, or none. */
    private static SSLContext client(Certificates trusted, @Nullable X509Bundle own) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        KeyManager[] keys = own == null ? null : own.toKeyManagerFactory().getKeyManagers();
        context.init(keys, new TrustManager[] {trusted.authority.toTrustManager()}, null);
        return context;
    }

    private static SSLSocket connect(SSLContext context, int port) throws IOException {
        return (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
    }

    private static String ping(SSLContext context, int port) throws IOException {
        try (SSLSocket socket = connect(context, port)) {
            return ServeCommandIT.ask(socket, "PING");
        }
    }

    /** A refusal may come in the handshake, or instead of the first reply. */
    private static boolean isRefused(SSLContext context, int port) {
        try {
            return ping(context, port).equals("null\n");
        } catch (IOException e) {
            return true;
        }
    }

    private static String name(SSLContext context, int port) throws IOException {
        try (SSLSocket socket = connect(context, port)) {
            socket.setSoTimeout(60_000);
            socket.startHandshake();
            X509Certificate certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return certificate.getSubjectX500Principal().getName();
        }
    }

    /** Sends bytes, and returns all that comes until the end. */
    private static String send(int port, byte[] bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(bytes);
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void asksClientsForACertificateOfItsAuthorityAndReadsNewFiles() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.write("server", Duration.ofDays(1));
        SSLContext known = client(certificates, certificates.write("client", Duration.ofDays(1)));
        Certificates others = new Certificates(Files.createDirectory(folder.resolve("others")));
        SSLContext stranger = client(certificates, others.write("client", Duration.ofDays(1)));
        SSLContext expired = client(certificates, certificates.write("expired", Duration.ofDays(-1)));
        SSLContext nameless = client(certificates, null);
        Shell.Running server = ServeCommandIT.startIn(
                folder,
                List.of(),
                "--in-memory",
                "--tls-cert",
                file("server.pem"),
                "--tls-key",
                file("server.key"),
                "--tls-client-ca",
                file("ca.pem"));
        try {
            int port = ServeCommandIT.port(ServeCommandIT.addresses(server)[0]);
            assertThat(ping(known, port)).isEqualTo("+PONG\n");
            assertThat(isRefused(stranger, port)).isTrue();
            assertThat(isRefused(expired, port)).isTrue();
            assertThat(isRefused(nameless, port)).isTrue();
            assertThat(send(port, "PING\r\n".getBytes(StandardCharsets.US_ASCII)))
                    .doesNotContain("PONG");
            assertThat(name(known, port)).isEqualTo("CN=server");
            try (SSLSocket old = connect(known, port)) {
                assertThat(ServeCommandIT.ask(old, "SET a 1")).isEqualTo("+OK\n");
                certificates.write("renewed", Duration.ofDays(1));
                for (String end : List.of(".pem", ".key")) {
                    Files.move(
                            folder.resolve("renewed" + end),
                            folder.resolve("server" + end),
                            java.nio.file.StandardCopyOption.REPLACE_EXISTING);
                }
                server.signal("-HUP");
                Await.until("the renewed certificate", () -> name(known, port).equals("CN=renewed"));
                assertThat(ServeCommandIT.ask(old, "INCR a")).isEqualTo(":2\n");
            }
            assertThat(ping(known, port)).isEqualTo("+PONG\n");
            assertThat(isRefused(nameless, port)).isTrue();
        } finally {
            server.process().destroyForcibly();
        }
    }

    @Test
    void speaksTlsWithEverybodyIfNoAuthorityIsNamed() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.write("server", Duration.ofDays(1));
        Shell.Running server = ServeCommandIT.startIn(
                folder, List.of(), "--in-memory", "--tls-cert", file("server.pem"), "--tls-key", file("server.key"));
        try {
            int port = ServeCommandIT.port(ServeCommandIT.addresses(server)[0]);
            try (SSLSocket socket = connect(client(certificates, null), port)) {
                assertThat(ServeCommandIT.ask(socket, "BF.ADD seen x", "BF.EXISTS seen x"))
                        .isEqualTo(":1\n:1\n");
            }
        } finally {
            server.process().destroyForcibly();
        }
    }

    @Test
    void tellsClientsOfOtherProtocolsWhatItIs() throws Exception {
        Shell.Running server = ServeCommandIT.startIn(folder, List.of(), "--in-memory");
        try {
            int port = ServeCommandIT.port(ServeCommandIT.addresses(server)[0]);
            SSLContext context = client(new Certificates(folder), null);
            assertThat(isRefused(context, port)).isTrue();
            assertThat(send(port, HexFormat.of().parseHex("16030100c8010000c40303")))
                    .isEqualTo("-ERR Protocol error: TLS on a port without TLS\r\n");
            assertThat(send(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)))
                    .isEqualTo("-ERR Protocol error: HTTP on a port for Redis clients\r\n");
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(ServeCommandIT.ask(socket, "PING")).isEqualTo("+PONG\n");
            }
            server.signal("-TERM");
            assertThat(server.finish().err().lines())
                    .allMatch(line -> line.startsWith("perhaps: st"), "start and stop");
        } finally {
            server.process().destroyForcibly();
        }
    }

    @Test
    void passwordsStayOutOfMonitorsLogsAndFiles() throws Exception {
        Path secret = new Shell(folder).writeSecret("secret.txt", "hush-default");
        Path data = folder.resolve("data");
        Shell.Running server = ServeCommandIT.startIn(
                folder, List.of(), "--dir", data.toString(), "--fsync", "always", "--require-pass", secret.toString());
        try {
            int port = ServeCommandIT.port(ServeCommandIT.addresses(server)[0]);
            String seen;
            try (Socket admin = new Socket(InetAddress.getLoopbackAddress(), port);
                    Socket monitor = new Socket(InetAddress.getLoopbackAddress(), port);
                    Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(ServeCommandIT.ask(admin, "AUTH hush-default", "CONFIG SET slowlog-log-slower-than 0"))
                        .isEqualTo("+OK\n+OK\n");
                assertThat(ServeCommandIT.ask(monitor, "AUTH hush-default", "MONITOR"))
                        .isEqualTo("+OK\n+OK\n");
                assertThat(ServeCommandIT.ask(
                                client,
                                "AUTH hush-wrong",
                                "auth default hush-wronger",
                                "AUTH default hush-more words",
                                "HELLO 2 AUTH default hush-hello",
                                "HELLO 2 AUTH hush-short",
                                "AUTH hush-default"))
                        .matches("-WRONGPASS .*\n-WRONGPASS .*\n-ERR .*\n-WRONGPASS .*\n-ERR .*\n\\+OK\n");
                assertThat(ServeCommandIT.ask(
                                client,
                                "ACL SETUSER ann on >hush-ann ~* +@all",
                                "acl setuser bob on >hush-bob ~* +@all",
                                "ACL SETUSER bob <hush-bob",
                                "ACL SETUSER ann >hush-broken +nothing",
                                "MULTI",
                                "AUTH hush-queued",
                                "DISCARD",
                                "AUTH ann hush-ann",
                                "SET last word"))
                        .matches("\\+OK\n\\+OK\n\\+OK\n-ERR .*\n\\+OK\n-ERR .*\n\\+OK\n\\+OK\n\\+OK\n");
                seen = until(monitor, "\"last\"");
                for (String line : List.of(
                        "SLOWLOG GET -1",
                        "INFO everything",
                        "CLIENT LIST",
                        "ACL LIST",
                        "ACL USERS",
                        "SAVE",
                        "ECHO \"the end\"")) {
                    admin.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
                }
                seen += until(admin, "the end");
            }
            assertThat(seen).contains("slowlog-log-slower-than", "last", "user ann", "cmdstat_auth");
            assertThat(seen).doesNotContain("hush");
            server.signal("-TERM");
            Shell.Result result = server.finish();
            assertThat(result.out() + result.err()).doesNotContain("hush");
            assertThat(result.code()).isZero();
            StringBuilder kept = new StringBuilder();
            try (var files = Files.walk(data)) {
                for (Path each : files.filter(Files::isRegularFile).toList()) {
                    kept.append(new String(Files.readAllBytes(each), StandardCharsets.ISO_8859_1));
                }
            }
            assertThat(kept.toString())
                    .contains("ann", sha256("hush-ann"), "word")
                    .doesNotContain("hush");
        } finally {
            server.process().destroyForcibly();
        }
    }

    private static String until(Socket socket, String end) throws IOException {
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(60));
        StringBuilder all = new StringBuilder();
        byte[] part = new byte[1 << 16];
        while (all.indexOf(end) < 0) {
            int length = socket.getInputStream().read(part);
            if (length < 0) {
                throw new IOException("it ended after " + all);
            }
            all.append(new String(part, 0, length, StandardCharsets.ISO_8859_1));
        }
        return all.toString();
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}
