package dev.perhaps.chord.net;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Optional;

/** The asking end of a line: a plain socket, for threads that may wait. */
public final class SocketLine implements Line {
    private static final int BUFFER_BYTES = 1 << 16;

    private final HostPort to;
    private final Socket socket = new Socket();
    private final Handshake handshake;
    private int mostBytes = Frame.MOST_STRANGER_BYTES;
    private DataInputStream in = new DataInputStream(DataInputStream.nullInputStream());
    private DataOutputStream out = new DataOutputStream(DataOutputStream.nullOutputStream());

    private SocketLine(HostPort to, Cluster cluster) {
        this.to = to;
        this.handshake = Handshake.opener(cluster, Handshake.Role.CALLER, "");
    }

    /**
     * Connects, and shakes hands.
     *
     * @param deadlineMillis for connecting, and for every answer that is waited for
     */
    public static SocketLine open(HostPort to, Cluster cluster, int deadlineMillis) throws IOException {
        SocketLine line = new SocketLine(to, cluster);
        try {
            line.connect(deadlineMillis);
            return line;
        } catch (IOException e) {
            line.close();
            throw line.explained(e);
        }
    }

    private void connect(int deadlineMillis) throws IOException {
        socket.connect(to.resolved(), deadlineMillis);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(deadlineMillis);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES));
        write(handshake.hello());
        while (!handshake.isDone()) {
            try {
                Optional<Frame> answer = handshake.take(read());
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
        mostBytes = Frame.MOST_BYTES;
    }

    /** From now on, waits for so long for every answer. */
    public SocketLine patience(int millis) throws IOException {
        socket.setSoTimeout(millis);
        return this;
    }

    /** Where the other side says it is reached. */
    public String otherAddress() {
        return handshake.otherAddress();
    }

    @Override
    public void send(Frame frame) throws IOException {
        try {
            write(frame);
        } catch (IOException e) {
            throw explained(e);
        }
    }

    @Override
    public Frame receive() throws IOException {
        try {
            return read();
        } catch (IOException e) {
            throw explained(e);
        }
    }

    private void write(Frame frame) throws IOException {
        out.writeInt(frame.body().length + Byte.BYTES);
        out.writeByte(frame.type());
        out.write(frame.body());
        out.flush();
    }

    private Frame read() throws IOException {
        long length = Integer.toUnsignedLong(in.readInt()) - Byte.BYTES;
        if (length < 0 || length > mostBytes) {
            throw new BadFrame("it is no peer: a frame has at most " + mostBytes + " bytes, got " + length);
        }
        int type = in.readUnsignedByte();
        byte[] body = new byte[(int) length];
        in.readFully(body);
        return new Frame(type, body);
    }

    private IOException explained(IOException e) {
        if (e instanceof Refusal refusal) {
            return new Refusal(to + ": refused: " + refusal.getMessage(), refusal.isTold());
        }
        if (e instanceof SocketTimeoutException) {
            return new IOException(to + ": it did not answer in time", e);
        }
        if (e instanceof EOFException) {
            return new IOException(to + ": it closed the connection", e);
        }
        return new IOException(to + ": " + e.getMessage(), e);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing more goes over it either way.
            assert socket.isClosed();
        }
    }
}
