package dev.perhaps.cli;

import dev.perhaps.server.SketchServer;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The server of the tour, with one client. It runs in this process, at a free port, until the tour closes it. */
final class TourServer implements AutoCloseable {
    private static final int MEMORY_BYTES = 16 << 20;

    private final SketchServer server;
    private final Socket socket;
    private final BufferedReader replies;

    TourServer(Path directory) throws IOException {
        server = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .memoryBytes(MEMORY_BYTES)
                .directory(directory)
                .open();
        socket = new Socket();
        boolean ready = false;
        try {
            socket.connect(server.address());
            replies = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            ready = true;
        } finally {
            if (!ready) {
                server.close();
            }
        }
    }

    /** Returns the reply to one command, as redis-cli prints it: a number, a text or an error on one line. */
    String reply(String command) throws IOException {
        socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
        String line = replies.readLine();
        if (line == null) {
            throw new EOFException("the server of the tour closed the connection after: " + command);
        }
        String value = line.substring(1);
        return switch (line.charAt(0)) {
            case ':' -> "(integer) " + value;
            case '-' -> "(error) " + value;
            default -> value;
        };
    }

    @Override
    public void close() throws IOException {
        try {
            socket.close();
        } finally {
            server.close();
        }
    }
}
