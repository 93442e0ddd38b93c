package dev.perhaps.cli;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A network between peers of one machine in which any way from one to another can be cut, and healed again, while the test
 * reaches all of them. It needs no rights; {@link CutNetwork} cuts a real one, and does.
 */
final class CutProxies implements AutoCloseable {
    /*
     * Each peer has a number and a name, p0, p1, ..., and listens on a port of its own. It is started with host names of its
     * own (jdk.net.hosts.file): those of all others stand for one address, by which it is known as the one who calls; the
     * port says who is called.
     *
     *     p2 ──→ 127.0.1.3, port of p5: the proxy from 2 to 5 ──→ 127.0.0.1, port of p5
     *
     * A way is what one sends to another, over whichever connection. On one that is silent, bytes wait, and arrive when it
     * is healed, as TCP has it. On one that is broken, connections end, and new ones too.
     */
    private static final int MAX_PEERS = 32;
    private static final int BUFFER_BYTES = 1 << 16;

    /** These are below the ports that systems choose for connections, so none is taken by chance. */
    private static final int FIRST_PORT = 12_000;

    private static final int PORTS = 20_000;
    private static final int PORT_TRIES = 100;

    private final Path folder;
    private final Random random = new Random();
    private final List<Integer> ports = new ArrayList<>();
    private final Set<Way> silent = new HashSet<>();
    private final Set<Way> broken = new HashSet<>();
    private final Set<Call> calls = new HashSet<>();
    private final List<ServerSocket> doors = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        return thread;
    });

    CutProxies(Path folder) {
        this.folder = folder;
    }

    private record Way(int from, int to) {}

    private record Call(int caller, int called, Socket in, Socket out) {
        private void end() {
            close(in);
            close(out);
        }

        private static void close(Socket socket) {
            try (socket) {
                socket.setSoLinger(true, 0); // a reset, as from a machine that is gone
            } catch (IOException e) {
                assert e.getMessage() != null; // it is closed already
            }
        }
    }

    /** Makes room for one more peer, and gives its number. */
    synchronized int add() throws IOException {
        int number = ports.size();
        if (number == MAX_PEERS) {
            throw new IllegalStateException("there is room for " + MAX_PEERS + " peers");
        }
        List<String> names = new ArrayList<>();
        for (int other = 0; other < MAX_PEERS; other++) {
            names.add((other == number ? "127.0.0.1" : callsFrom(number)) + " p" + other);
        }
        Files.write(hosts(number), names);
        ports.add(freePort());
        for (int other = 0; other < number; other++) {
            open(other, number);
            open(number, other);
        }
        return number;
    }

    private static String callsFrom(int number) {
        return "127.0.1." + (number + 1);
    }

    private Path hosts(int number) {
        return folder.resolve("hosts" + number);
    }

    private int freePort() throws IOException {
        for (int i = 0; i < PORT_TRIES; i++) {
            int port = FIRST_PORT + random.nextInt(PORTS);
            try (ServerSocket everywhere = new ServerSocket(port)) {
                return everywhere.getLocalPort();
            } catch (IOException e) {
                assert e.getMessage() != null; // it is taken
            }
        }
        throw new IOException("no free port was found from " + FIRST_PORT + " on");
    }

    /** How Java is to be started for this peer. */
    List<String> options(int number) {
        return List.of("-Djdk.net.hosts.file=" + hosts(number));
    }

    /** Where this peer is to listen; the test reaches it there. */
    synchronized String direct(int number) {
        return "127.0.0.1:" + ports.get(number);
    }

    /** Where others reach it. */
    synchronized String name(int number) {
        return "p" + number + ":" + ports.get(number);
    }

    private void open(int caller, int called) throws IOException {
        InetAddress address = InetAddress.getByName(callsFrom(caller));
        ServerSocket door = new ServerSocket(ports.get(called), 0, address);
        doors.add(door);
        int port = ports.get(called);
        threads.execute(() -> {
            while (!door.isClosed()) {
                try {
                    Socket in = door.accept();
                    threads.execute(() -> connect(caller, called, port, in));
                } catch (IOException e) {
                    assert e.getMessage() != null; // the door is closed, or who knocked has gone
                }
            }
        });
    }

    private void connect(int caller, int called, int port, Socket in) {
        Call call = new Call(caller, called, in, new Socket());
        try {
            if (!begin(call)) {
                return;
            }
            pass(new Way(caller, called));
            call.out.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            threads.execute(() -> pump(call, call.out, call.in, new Way(called, caller)));
            pump(call, call.in, call.out, new Way(caller, called));
        } catch (IOException | InterruptedException e) {
            end(call);
        }
    }

    private synchronized boolean begin(Call call) {
        if (broken.contains(new Way(call.caller, call.called)) || broken.contains(new Way(call.called, call.caller))) {
            call.end();
            return false;
        }
        return calls.add(call);
    }

    private synchronized void end(Call call) {
        calls.remove(call);
        call.end();
    }

    /** Carries bytes one way until the connection ends on either side. */
    private void pump(Call call, Socket from, Socket to, Way way) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            int n;
            do {
                n = from.getInputStream().read(buffer);
                pass(way);
                to.getOutputStream().write(buffer, 0, Math.max(0, n));
            } while (n >= 0);
        } catch (IOException | InterruptedException e) {
            assert e.toString() != null; // it has ended in any case
        } finally {
            end(call);
        }
    }

    /** Waits while the way is silent. */
    private synchronized void pass(Way way) throws InterruptedException {
        while (silent.contains(way)) {
            wait();
        }
    }

    /** What these send to those is held back. */
    synchronized void silence(Collection<Integer> from, Collection<Integer> to) {
        from.forEach(one -> to.forEach(other -> silent.add(new Way(one, other))));
    }

    /** Connections from these to those end, and new ones fail. */
    synchronized void breakOff(Collection<Integer> from, Collection<Integer> to) {
        from.forEach(one -> to.forEach(other -> broken.add(new Way(one, other))));
        for (Call call : List.copyOf(calls)) {
            if (broken.contains(new Way(call.caller, call.called))
                    || broken.contains(new Way(call.called, call.caller))) {
                end(call);
            }
        }
    }

    synchronized void heal() {
        silent.clear();
        broken.clear();
        notifyAll();
    }

    @Override
    public synchronized void close() throws IOException {
        for (Closeable door : doors) {
            door.close();
        }
        List.copyOf(calls).forEach(this::end);
        threads.shutdownNow();
    }
}
