package dev.perhaps.server;

import dev.perhaps.web.ProcessSignal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A server with a data directory as a process of its own, which can be killed. */
final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final InetSocketAddress address;

    private ServerProcess(Process process, InetSocketAddress address) {
        this.process = process;
        this.address = address;
    }

    /** The process: prints its port, and runs until SIGTERM. */
    public static void main(String[] arguments) throws Exception {
        try (SketchServer server = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directory(Path.of(arguments[0]))
                .fsync(arguments[1])
                .complaints(System.err::println)
                .open()) {
            var unused = ProcessSignal.TERM.listen(server::requestShutdown);
            System.out.println(server.address().getPort());
            server.awaitShutdown();
        }
    }

    static ServerProcess start(Path directory, String fsync) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServerProcess.class.getName(),
                        directory.toString(),
                        fsync)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the server did not start");
        }
        return new ServerProcess(
                process, new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(line)));
    }

    Wire connect() throws IOException {
        return new Wire(address);
    }

    /** Kills it as {@code kill -9} does. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
