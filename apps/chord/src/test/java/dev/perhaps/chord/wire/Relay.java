package dev.perhaps.chord.wire;

import dev.perhaps.chord.cluster.HostPort;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;

/** Somebody without the secret between two who have it: passes frames on, and does with them what the test has it do. */
public final class Relay implements AutoCloseable {
    /** What becomes of a frame: it is passed on, changed, repeated, dropped, or others with it. */
    @FunctionalInterface
    public interface Tamper {
        /**
         * Takes a frame.
         *
         * @param number counts the frames of this direction from 0
         * @param frame all of it, with its length and its tag
         */
        List<byte[]> pass(boolean fromOpener, int number, byte[] frame);
    }

    private final HostPort target;
    private final Tamper tamper;
    private final ServerSocket door;
    private volatile boolean isRefusing;

    /** Listens at a port of this machine, 0 for a free one, and passes on to this peer. */
    public Relay(int port, String target, Tamper tamper) throws IOException {
        this.target = HostPort.of(target);
        this.tamper = tamper;
        this.door = new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    public String address() {
        return "127.0.0.1:" + door.getLocalPort();
    }

    /** From now on new connections end at once, or no longer do; those that are open stay open. */
    public void refuse(boolean isRefusing) {
        this.isRefusing = isRefusing;
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket opener = door.accept();
                if (isRefusing) {
                    opener.close();
                    continue;
                }
                Socket acceptor = new Socket(target.host(), target.port());
                start(() -> pump(opener, acceptor, true));
                start(() -> pump(acceptor, opener, false));
            } catch (IOException e) {
                assert e.toString() != null; // the door is closed
            }
        }
    }

    private void pump(Socket from, Socket to, boolean fromOpener) {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            DataOutputStream out = new DataOutputStream(to.getOutputStream());
            for (int i = 0; ; i++) {
                int length = in.readInt();
                byte[] frame = new FrameWriteBuffer()
                        .i32(length)
                        .raw(in.readNBytes(length))
                        .bytes();
                for (byte[] each : tamper.pass(fromOpener, i, frame)) {
                    out.write(each);
                }
                out.flush();
            }
        } catch (IOException e) {
            assert e.toString() != null; // one of them is gone
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
    }
}
