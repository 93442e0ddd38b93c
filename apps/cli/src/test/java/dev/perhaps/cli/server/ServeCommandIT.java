package dev.perhaps.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Certificates;
import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server as a process of its own, asked over sockets. */
@Timeout(120)
class ServeCommandIT {
    @TempDir
    private Path folder;

    /** Waits for the line of a server that is ready: where it listens for clients, and where for operators. */
    private static String[] addresses(Shell.Running server) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.readString(server.out()).endsWith("\n")) {
            if (!server.process().isAlive() || System.nanoTime() - end > 0) {
                throw new AssertionError("it is not ready: " + Files.readString(server.err()));
            }
            Thread.sleep(50);
        }
        String line = Files.readString(server.out());
        assertThat(line).matches("listening on 127.0.0.1:\\d+, admin 127.0.0.1:\\d+\n");
        return line.strip().substring("listening on ".length()).split(", admin ", -1);
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1));
    }

    /** Sends lines as a person would type them, and returns as many lines of replies. */
    private static String ask(Socket socket, String... lines) throws IOException {
        socket.setSoTimeout(60_000);
        BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        StringBuilder replies = new StringBuilder();
        for (String line : lines) {
            socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
            replies.append(in.readLine()).append('\n');
        }
        return replies.toString();
    }

    private Shell.Running start(String... options) throws IOException {
        String[] words = new String[options.length + 5];
        System.arraycopy(new String[] {"serve", "--listen", "127.0.0.1:0", "--max-memory", "16M"}, 0, words, 0, 5);
        System.arraycopy(options, 0, words, 5, options.length);
        return new Shell(folder).start(words);
    }

    @Test
    void servesClientsUntilItIsTerminated() throws Exception {
        Shell.Running server = start();
        try {
            String[] at = addresses(server);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(at[0]))) {
                assertThat(ask(
                                socket,
                                "BF.ADD seen x",
                                "BF.ADD seen x",
                                "BF.EXISTS seen x",
                                "BF.EXISTS seen y",
                                "SAVE"))
                        .isEqualTo(":1\n:0\n:1\n:0\n-ERR this server keeps its keys in memory only\n");
            }
            HttpClient client = HttpClient.newHttpClient();
            assertThat(client.send(get(at[1], "/metrics"), HttpResponse.BodyHandlers.ofString())
                            .body())
                    .contains("perhaps_server_keys 1\n")
                    .contains("perhaps_server_input_bytes 0\n");
            assertThat(client.send(get(at[1], "/readyz"), HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
            server.signal("-TERM");
            Shell.Result result = server.finish();
            assertThat(result.err()).isEmpty();
            assertThat(result.code()).isZero();
        } finally {
            server.process().destroyForcibly();
        }
    }

    private static HttpRequest get(String address, String path) {
        return HttpRequest.newBuilder(URI.create("http://" + address + path)).build();
    }

    @Test
    void demandsThePasswordOfItsFileAndEndsWhenAClientSaysSo() throws Exception {
        Path secret = new Shell(folder).writeSecret("secret.txt", "open sesame");
        Shell.Running server = start("--require-pass", secret.toString());
        try {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(addresses(server)[0]))) {
                assertThat(ask(socket, "BF.ADD seen x", "AUTH wrong", "AUTH \"open sesame\"", "BF.ADD seen x"))
                        .matches("-NOAUTH .*\n-WRONGPASS .*\n\\+OK\n:1\n");
                socket.getOutputStream().write("SHUTDOWN\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(server.finish().code()).isZero();
            }
        } finally {
            server.process().destroyForcibly();
        }
    }

    @Test
    void speaksTls() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.write("server", Duration.ofDays(1));
        Shell.Running server = start(
                "--tls-cert",
                folder.resolve("server.pem").toString(),
                "--tls-key",
                folder.resolve("server.key").toString());
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {certificates.authority.toTrustManager()}, null);
            try (Socket socket = context.getSocketFactory().createSocket("127.0.0.1", port(addresses(server)[0]))) {
                assertThat(ask(socket, "BF.ADD seen x", "BF.EXISTS seen x")).isEqualTo(":1\n:1\n");
            }
        } finally {
            server.process().destroyForcibly();
        }
    }

    @Test
    void saysWhatIsWrongInOneLine() throws Exception {
        Shell shell = new Shell(folder);
        shell.writeSecret("empty.txt", "\n");
        Path open = shell.writeSecret("open.txt", "open sesame\n");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        new Refusals(shell)
                .of(
                        "serve --listen 0.0.0.0:0",
                        "without a password it listens on this machine only, got 0.0.0.0: set a password with"
                                + " --require-pass, or listen on 127.0.0.1")
                .of("serve --listen here", "an address is HOST:PORT, got 'here'")
                .of("serve --listen here.invalid:1", "--listen here.invalid:1: unknown host")
                .of("serve --listen 127.0.0.1:0 --max-memory 1K", "--max-memory must be at least 1M, got '1K'")
                .of("serve --listen 127.0.0.1:0 --max-memory 900G", "give it more with PERHAPS_JAVA_OPTIONS=-Xmx")
                .of(
                        "serve --listen 127.0.0.1:0 --max-input-memory 1K",
                        "--max-input-memory must be at least 1M, got '1K'")
                .of("serve --listen 127.0.0.1:0 --clients 0", "--clients must be at least 1, got 0")
                .of("serve --listen 127.0.0.1:0 --require-pass empty.txt", "its first line has no password")
                .of(
                        "serve --listen 127.0.0.1:0 --require-pass open.txt",
                        "everybody may read or write this secret (rw-r--r--): run 'chmod 600 open.txt'")
                .of(
                        "serve --listen 127.0.0.1:0 --tls-cert a.pem",
                        "TLS takes both --tls-cert and --tls-key, got no --tls-key")
                .hold();
    }

    @Test
    void helpShowsExamples() throws Exception {
        assertThat(new Shell(folder).perhaps("serve", "--help").out())
                .contains("Examples:\n  perhaps serve\n")
                .contains("redis-cli -p 6379 BF.ADD seen https://example.org/");
    }
}
