package dev.perhaps.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server as a process of its own, asked over sockets. */
@Timeout(120)
class ServeCommandIT {
    @TempDir
    private Path folder;

    /** Waits for the line of a server that is ready: where it listens for clients, and where for operators. */
    static String[] addresses(Shell.Running server) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.readString(server.out()).endsWith("\n")) {
            if (!server.process().isAlive() || System.nanoTime() - end > 0) {
                throw new AssertionError("it is not ready: " + Files.readString(server.err()));
            }
            Thread.sleep(50);
        }
        String line = Files.readString(server.out());
        assertThat(line).matches("listening on 127.0.0.1:\\d+, admin 127.0.0.1:\\d+, keys in .+\n");
        return line.strip().substring("listening on ".length()).split(", admin |, keys in ", -1);
    }

    static int port(String address) {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1));
    }

    /** Sends lines as a person would type them, and returns as many lines of replies. */
    static String ask(Socket socket, String... lines) throws IOException {
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
        return startIn(folder, List.of(), options);
    }

    /** With these variables, in a home of its own. */
    static Shell.Running startIn(Path folder, List<String> environment, String... options) throws IOException {
        List<String> first = new ArrayList<>(List.of("env", "-u", "XDG_DATA_HOME", "HOME=" + folder.resolve("home")));
        first.addAll(environment);
        List<String> words = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0", "--max-memory", "16M"));
        words.addAll(List.of(options));
        return new Shell(folder).startAs(first, List.of(), words.toArray(String[]::new));
    }

    @Test
    void servesClientsUntilItIsTerminated() throws Exception {
        Shell.Running server = start("--in-memory");
        try {
            String[] at = addresses(server);
            assertThat(at[2]).isEqualTo("memory only");
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
            assertThat(result.err().lines())
                    .satisfiesExactly(
                            line -> assertThat(line).matches("perhaps: started: 0 keys were read in \\d+ ms"),
                            line -> assertThat(line).startsWith("perhaps: stopping"),
                            line -> assertThat(line).isEqualTo("perhaps: stopped"));
            assertThat(result.code()).isZero();
        } finally {
            server.process().destroyForcibly();
        }
    }

    private static HttpRequest get(String address, String path) {
        return HttpRequest.newBuilder(URI.create("http://" + address + path)).build();
    }

    @Test
    void keepsItsKeysInTheFolderOfTheUser() throws Exception {
        Path kept = folder.resolve("home/.local/share/perhaps/server");
        for (String end : List.of("TERM", "KILL", "SHUTDOWN", "SHUTDOWN SAVE", "SHUTDOWN NOSAVE")) {
            Shell.Running server = start("--fsync", end.equals("KILL") ? "always" : "everysec");
            try {
                String[] at = addresses(server);
                assertThat(at[2]).isEqualTo(kept.toString());
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(at[0]))) {
                    String added = end.equals("TERM") ? ":1" : ":0";
                    assertThat(ask(socket, "BF.ADD seen x")).isEqualTo(added + "\n");
                    assertThat(ask(socket, "BF.ADD seen " + end.replace(' ', '-')))
                            .isEqualTo(":1\n");
                    if (end.startsWith("SHUTDOWN")) {
                        socket.getOutputStream().write((end + "\r\n").getBytes(StandardCharsets.US_ASCII));
                    } else {
                        server.signal("-" + end);
                    }
                    Shell.Result result = server.finish();
                    assertThat(result.err().lines())
                            .allMatch(line -> line.matches("perhaps: (started|stopping|stopped|a snapshot of)\\b.*"));
                    assertThat(result.code()).isEqualTo(end.equals("KILL") ? 137 : 0);
                }
            } finally {
                server.process().destroyForcibly();
            }
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
                .isEqualTo("rwx------");
        Shell.Running server = start();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(addresses(server)[0]))) {
            assertThat(ask(socket, "BF.CARD seen")).isEqualTo(":6\n");
        } finally {
            server.process().destroyForcibly();
        }
    }

    @Test
    void takesOptionsFromTheEnvironmentAndFromAFile() throws Exception {
        Path words = Files.writeString(folder.resolve("serve.conf"), "# of this machine\n--fsync\nno\n");
        Path kept = folder.resolve("elsewhere");
        Shell.Running server = startIn(
                folder,
                List.of("PERHAPS_SERVE_DIR=" + kept, "PERHAPS_SERVE_FSYNC=always", "PERHAPS_SERVE_CLIENTS=7"),
                "@" + words);
        try {
            String[] at = addresses(server);
            assertThat(at[2]).isEqualTo(kept.toString());
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(at[0]))) {
                socket.setSoTimeout(60_000);
                socket.getOutputStream()
                        .write("CONFIG GET dir\r\nCONFIG GET appendfsync\r\nCONFIG GET maxclients\r\nQUIT\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                        .contains("dir\r\n$" + kept.toString().length() + "\r\n" + kept + "\r\n")
                        .contains("appendfsync\r\n$2\r\nno\r\n")
                        .contains("maxclients\r\n$1\r\n7\r\n");
            }
        } finally {
            server.process().destroyForcibly();
        }
    }

    @Test
    void refusesADirectoryThatItCannotUseAndChangesNothing() throws Exception {
        Path used = folder.resolve("used");
        Shell.Running server = start("--dir", used.toString());
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(addresses(server)[0]))) {
            assertThat(ask(socket, "BF.ADD seen x", "BF.ADD seen y", "BF.ADD seen z", "DEBUG RELOAD"))
                    .isEqualTo(":1\n:1\n:1\n+OK\n");
            refused(
                    "used",
                    "the data directory used is in use by another server: stop that one, or use another directory");
            server.signal("-TERM");
            assertThat(server.finish().code()).isZero();
        } finally {
            server.process().destroyForcibly();
        }
        String identity = Files.readString(used.resolve("identity"));
        Files.writeString(used.resolve("identity"), identity.replace("perhaps-server 1", "perhaps-server 2"));
        refused(
                "used",
                "the data directory used cannot be used: it was written by a newer version (2, this one reads 1)");
        Files.writeString(used.resolve("identity"), identity.replace("seed ", "feed "));
        refused("used", "the data directory used cannot be used: identity is damaged: restore it from a backup");
        Files.writeString(used.resolve("identity"), identity);
        Path snapshot;
        try (var files = Files.list(used)) {
            snapshot = files.filter(file -> file.getFileName().toString().startsWith("snapshot-"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(snapshot);
        byte[] damaged = bytes.clone();
        damaged[bytes.length / 2] ^= 1;
        Files.write(snapshot, damaged);
        refused("used", "is damaged at byte");
        Files.write(snapshot, bytes);
        Files.writeString(folder.resolve("file"), "");
        refused("file", "the data directory file is a file: use another directory");
        refused("/proc/nowhere", "the data directory /proc/nowhere cannot be used: ");
        Files.createDirectory(folder.resolve("letters"));
        Files.writeString(folder.resolve("letters/to-ada"), "");
        refused("letters", "the data directory letters cannot be used: there is no file 'identity' in it");
        // Nothing was harmed.
        Shell.Running again = start("--dir", used.toString());
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(addresses(again)[0]))) {
            assertThat(ask(socket, "BF.CARD seen")).isEqualTo(":3\n");
        } finally {
            again.process().destroyForcibly();
        }
    }

    private void refused(String directory, String reason) throws Exception {
        Map<String, String> before = files(folder.resolve(directory));
        Shell.Result result = new Shell(folder).perhaps("serve", "--listen", "127.0.0.1:0", "--dir", directory);
        assertThat(result.err()).startsWith("perhaps: ").contains(reason).hasLineCount(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.code()).isEqualTo(2);
        assertThat(files(folder.resolve(directory))).isEqualTo(before);
    }

    private static Map<String, String> files(Path directory) throws IOException {
        Map<String, String> all = new TreeMap<>();
        if (Files.isDirectory(directory)) {
            try (var files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    all.put(file.toString(), HexFormat.of().formatHex(Files.readAllBytes(file)));
                }
            }
        }
        return all;
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
                .of(
                        "serve --listen 127.0.0.1:0 --max-output-memory 1K",
                        "--max-output-memory must be at least 1M, got '1K'")
                .of(
                        "serve --listen 127.0.0.1:0 --fsync sometimes",
                        "changes are synced always, everysec or no, got 'sometimes'")
                .of(
                        "serve --listen 127.0.0.1:0 --in-memory --dir here",
                        "--in-memory and --dir here exclude each other: use one of them")
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
                .contains("PERHAPS_SERVE_MAX_MEMORY")
                .contains("(default: everysec)")
                .contains("redis-cli -p 6379 BF.ADD seen https://example.org/");
    }
}
