package dev.perhaps.bench.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server as a process of its own on one core, ours or redis-server; killed at the end. */
final class ServerProcess implements AutoCloseable {
    /** The core of the servers; the client has the other one. */
    static final String CORE = "1";

    private static final int PATIENCE_SECONDS = 60;
    private static final double TICK_SECONDS = 0.01;

    private final Process process;
    private final int port;

    private ServerProcess(List<String> words, int port, Path folder) throws IOException, InterruptedException {
        this.port = port;
        Path said = Files.createTempFile(folder, "server", ".out");
        process = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        long start = System.nanoTime();
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() - start > PATIENCE_SECONDS * 1_000_000_000L) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", words) + " is not ready: "
                        + Files.readString(said).strip());
            }
            Thread.sleep(20);
        }
    }

    private boolean answers() {
        try (RespConnection connection = new RespConnection(port)) {
            return connection.ask("PING").equals("+PONG");
        } catch (IOException e) {
            return false;
        }
    }

    /** Starts {@code perhaps serve} on the servers' core with these options. */
    static ServerProcess ours(String perhaps, Path folder, List<String> options)
            throws IOException, InterruptedException {
        int port = freePort();
        List<String> words =
                new ArrayList<>(List.of("taskset", "-c", CORE, perhaps, "serve", "--listen", "127.0.0.1:" + port));
        words.addAll(options);
        return new ServerProcess(words, port, folder);
    }

    /** Starts {@code redis-server} on the servers' core, without snapshots, with these options. */
    static ServerProcess redis(Path folder, List<String> options) throws IOException, InterruptedException {
        int port = freePort();
        List<String> words = new ArrayList<>(List.of("taskset", "-c", CORE, "redis-server", "--port", "" + port));
        words.addAll(List.of("--bind", "127.0.0.1", "--save", ""));
        words.addAll(options);
        return new ServerProcess(words, port, folder);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    int port() {
        return port;
    }

    RespConnection connect() throws IOException {
        return new RespConnection(port);
    }

    /** The CPU time that it has taken. */
    double cpuSeconds() throws IOException {
        return seconds(process.pid(), 13, 14);
    }

    /** The CPU time of the processes that this one has started and that have ended. */
    static double childrenCpuSeconds() throws IOException {
        return seconds(ProcessHandle.current().pid(), 15, 16);
    }

    /**
     * The sum of two fields of the line of a process; the second field, its name, may have spaces and ends with ')'.
     */
    private static double seconds(long pid, int first, int second) throws IOException {
        String line = Files.readString(Path.of("/proc/" + pid + "/stat"));
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return TICK_SECONDS * (Long.parseLong(fields[first - 2]) + Long.parseLong(fields[second - 2]));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
