package dev.perhaps.chord.wire;

import dev.perhaps.chord.cluster.Cluster;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Listens with the secret of a ring: completes the handshake as a peer does, and then responds as the test wants. */
public final class FakePeer implements AutoCloseable {
    /** What it answers to a question: any number of frames. */
    @FunctionalInterface
    public interface Answers {
        List<WireFrame> to(WireFrame question) throws IOException;
    }

    private final Cluster cluster;
    private final Answers answers;
    private final ServerSocket door;
    private final List<WireFrame> heard = new ArrayList<>();

    /** Listens at a free port of this machine. */
    public FakePeer(Cluster cluster, Answers answers) throws IOException {
        this.cluster = cluster;
        this.answers = answers;
        this.door = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "fake peer");
        thread.setDaemon(true);
        thread.start();
    }

    public String address() {
        return "127.0.0.1:" + door.getLocalPort();
    }

    /** All questions so far. */
    public synchronized List<WireFrame> heard() {
        return List.copyOf(heard);
    }

    private synchronized void hear(WireFrame frame) {
        heard.add(frame);
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket socket = door.accept();
                start(() -> serve(socket));
            } catch (IOException e) {
                assert e.getMessage() != null; // it is closed
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            Handshake handshake = Handshake.acceptor(cluster, address());
            FrameCodec codec = new FrameCodec();
            while (!handshake.isDone()) {
                Optional<WireFrame> answer = handshake.take(read(codec, in));
                if (answer.isPresent()) {
                    write(codec, out, answer.get());
                }
            }
            codec.trust(handshake);
            while (true) {
                WireFrame question = read(codec, in);
                hear(question);
                for (WireFrame answer : answers.to(question)) {
                    write(codec, out, answer);
                }
            }
        } catch (IOException e) {
            assert e.toString() != null; // the client has disconnected, and the test sees why
        }
    }

    private static WireFrame read(FrameCodec codec, DataInputStream in) throws IOException {
        byte[] following = new byte[codec.following(in.readInt())];
        in.readFully(following);
        return codec.read(following);
    }

    private static void write(FrameCodec codec, DataOutputStream out, WireFrame frame) throws IOException {
        out.write(codec.head(frame));
        out.write(frame.body());
        out.write(codec.tag(frame));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        door.close();
    }
}
