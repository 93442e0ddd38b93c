package dev.perhaps.chord.wire;

import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.cluster.Refusal;
import dev.perhaps.web.ReloadingTls;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;

/** The requesting end of a connection: a plain socket, for threads that may block. */
public final class SocketFrameStream implements FrameStream {
    private static final int BUFFER_BYTES = 1 << 16;

    private final HostPort to;
    private final Socket socket = new Socket();
    private final Optional<ReloadingTls> tls;
    private final Handshake handshake;
    private final FrameCodec codec = new FrameCodec();
    private final int patienceMillis;
    private int stepMillis;
    private boolean closed;
    private DataInputStream in = new DataInputStream(DataInputStream.nullInputStream());
    private DataOutputStream out = new DataOutputStream(DataOutputStream.nullOutputStream());

    private SocketFrameStream(HostPort to, Cluster cluster, Handshake handshake, int patienceMillis) {
        this.to = to;
        this.tls = cluster.tls();
        this.handshake = handshake;
        this.patienceMillis = patienceMillis;
    }

    /** For a command: any peer that is reached there will do. */
    public static SocketFrameStream open(HostPort to, Cluster cluster, int deadlineMillis) throws IOException {
        return open(to, cluster, deadlineMillis, deadlineMillis);
    }

    /**
     * For a command: any peer that is reached there will do.
     *
     * @param connectMillis for connecting and shaking hands
     * @param patienceMillis the timeout of each response, which is sent to the other side, so that it responds in time
     */
    public static SocketFrameStream open(HostPort to, Cluster cluster, int connectMillis, int patienceMillis)
            throws IOException {
        return open(
                new SocketFrameStream(
                        to,
                        cluster,
                        Handshake.opener(cluster, Session.Use.COMMANDS, "", "", patienceMillis),
                        patienceMillis),
                connectMillis);
    }

    /**
     * For a peer: the one at this very address, and no other.
     *
     * @param self where the peer that asks is reached
     */
    public static SocketFrameStream toPeer(
            HostPort to, Cluster cluster, String self, int connectMillis, int patienceMillis) throws IOException {
        return open(
                new SocketFrameStream(
                        to,
                        cluster,
                        Handshake.opener(cluster, Session.Use.PEER_CALLS, self, to.toString(), patienceMillis),
                        patienceMillis),
                connectMillis);
    }

    private static SocketFrameStream open(SocketFrameStream stream, int connectMillis) throws IOException {
        try {
            stream.connect(connectMillis);
            return stream;
        } catch (IOException e) {
            IOException explained = stream.explained(e);
            stream.close();
            throw explained;
        }
    }

    private void connect(int millis) throws IOException {
        stepMillis = millis;
        socket.connect(to.resolved(), millis);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(millis);
        Socket used = socket;
        if (tls.isPresent()) {
            SSLSocket secured = tls.get().over(socket, to.host(), to.port());
            try (StepDeadline.Stop ignored = StepDeadline.over(socket, millis)) {
                secured.startHandshake();
            }
            CertifiedCaller other = CertifiedCaller.of(secured.getSession());
            if (other != null) {
                handshake.certified(other);
            }
            used = secured;
        }
        in = new DataInputStream(new BufferedInputStream(used.getInputStream(), BUFFER_BYTES));
        out = new DataOutputStream(new BufferedOutputStream(used.getOutputStream(), BUFFER_BYTES));
        write(handshake.hello());
        while (!handshake.isDone()) {
            try {
                Optional<WireFrame> answer = handshake.take(read());
                if (answer.isPresent()) {
                    write(answer.get());
                }
            } catch (Refusal refusal) {
                if (!refusal.isTold()) {
                    write(Handshake.refused(refusal));
                }
                throw refusal;
            }
        }
        codec.trust(handshake);
        patience(patienceMillis);
    }

    /** From now on, waits at most this number of milliseconds for every answer. */
    public SocketFrameStream patience(int millis) throws IOException {
        stepMillis = millis;
        socket.setSoTimeout(millis);
        return this;
    }

    /** Where the other side says it is reached. */
    public String otherAddress() {
        return handshake.otherAddress();
    }

    @Override
    public void send(WireFrame frame) throws IOException {
        try {
            write(frame);
        } catch (IOException e) {
            throw explained(e);
        }
    }

    @Override
    public WireFrame receive() throws IOException {
        try {
            return read();
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private void write(WireFrame frame) throws IOException {
        try (StepDeadline.Stop ignored = StepDeadline.over(socket, stepMillis)) {
            out.write(codec.head(frame));
            out.write(frame.body());
            out.write(codec.tag(frame));
            out.flush();
        }
    }

    private WireFrame read() throws IOException {
        try (StepDeadline.Stop ignored = StepDeadline.over(socket, stepMillis)) {
            byte[] following = new byte[codec.following(in.readInt())];
            in.readFully(following);
            return codec.read(following);
        }
    }

    private IOException explained(IOException e) {
        if (e instanceof Refusal refusal) {
            return new Refusal(to + ": refused: " + refusal.getMessage(), refusal.isTold());
        }
        if (e instanceof SSLHandshakeException) {
            return new IOException(to + ": TLS failed: " + e.getMessage(), e);
        }
        if (e instanceof SocketTimeoutException || socket.isClosed() && !closed) {
            return new IOException(to + ": it did not respond in time", e);
        }
        if (e instanceof EOFException) {
            return new IOException(to + ": it closed the connection", e);
        }
        return new IOException(to + ": " + e.getMessage(), e);
    }

    @Override
    public void close() {
        closed = true;
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing more goes over it either way.
            assert socket.isClosed();
        }
    }
}
