package dev.perhaps.proxy.net;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** An origin that sends exactly the bytes it is told to, right or wrong, over connections that stay open. */
final class RawOrigin implements Closeable {
    /** Answers one request by writing to the connection. Returns whether the connection stays open. */
    interface Script {
        boolean response(Request request, OutputStream out) throws IOException, InterruptedException;
    }

    /** A request as it came: the head in lines, and its body if it had a length. */
    record Request(String line, List<String> headers, String body) {
        String header(String name) {
            return RawClient.header(headers, name);
        }
    }

    private final ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final List<Request> requests = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Script script;

    RawOrigin(Script script) throws IOException {
        this.script = script;
        threads.execute(this::accept);
    }

    /** One that gives this response, written with plain newlines in its head, whenever it is asked. */
    static RawOrigin saying(String response) throws IOException {
        return new RawOrigin((request, out) -> {
            out.write(wire(response));
            return true;
        });
    }

    /** The bytes of a response, whose head is written with plain newlines. */
    static byte[] wire(String response) {
        int end = response.indexOf("\n\n");
        String head = response.substring(0, end + 2).replace("\n", "\r\n");
        return (head + response.substring(end + 2)).getBytes(StandardCharsets.ISO_8859_1);
    }

    void script(Script next) {
        script = next;
    }

    String url() {
        return "http://localhost:" + server.getLocalPort();
    }

    int port() {
        return server.getLocalPort();
    }

    List<Request> requests() {
        synchronized (requests) {
            return List.copyOf(requests);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                if (server.isClosed()) {
                    socket.close(); // it came while the door was closing
                    return;
                }
                sockets.add(socket);
                threads.execute(() -> serve(socket));
            }
        } catch (IOException e) {
            assert server.isClosed();
        } finally {
            closed.countDown();
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (Request request = read(in); request != null; request = read(in)) {
                requests.add(request);
                if (!script.response(request, socket.getOutputStream())) {
                    return;
                }
                socket.getOutputStream().flush();
            }
        } catch (SocketException | InterruptedException e) {
            assert e.getMessage() != null || Thread.interrupted(); // the proxy disconnected, or the test is over
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } finally {
            sockets.remove(socket);
        }
    }

    private static @Nullable Request read(InputStream in) throws IOException {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        while (true) {
            int b = in.read();
            if (b < 0) {
                return null;
            }
            if (b != '\n') {
                line.append((char) b);
            } else if (line.toString().equals("\r")) {
                break;
            } else {
                lines.add(line.toString().strip());
                line.setLength(0);
            }
        }
        Request head = new Request(lines.get(0), lines.subList(1, lines.size()), "");
        String length = head.header("Content-Length");
        byte[] body = length.isEmpty() ? new byte[0] : in.readNBytes(Integer.parseInt(length));
        return new Request(head.line, head.headers, new String(body, StandardCharsets.ISO_8859_1));
    }

    /** Breaks all connections, and accepts none any more. */
    @Override
    public void close() throws IOException {
        server.close();
        try {
            closed.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        for (Socket socket : sockets) {
            try (socket) {
                socket.setSoLinger(true, 0);
            } catch (SocketException e) {
                assert socket.isClosed(); // the proxy was first
            }
        }
        threads.shutdownNow();
    }
}
