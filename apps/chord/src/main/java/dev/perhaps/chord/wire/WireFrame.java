package dev.perhaps.chord.wire;

/** The unit of transfer: a type and a body. See docs/chord-wire.md. */
public final class WireFrame {
    /** Length and type. */
    static final int HEADER_BYTES = Integer.BYTES + Byte.BYTES;

    /** The limit of a body; before the handshake is complete, {@link #MAX_STRANGER_BYTES}. */
    public static final int MAX_BYTES = (1 << 16) + 1024;

    static final int MAX_STRANGER_BYTES = 1024;

    static final int HELLO = 1;
    static final int CHALLENGE = 2;
    static final int PROOF = 3;
    static final int WELCOME = 4;
    static final int REFUSED = 5;
    static final int MESSAGE = 10;

    private final int type;
    private final byte[] body;

    public WireFrame(int type, byte[] body) {
        if (body.length > MAX_BYTES) {
            throw new IllegalArgumentException("a body has at most " + MAX_BYTES + " bytes, got " + body.length);
        }
        this.type = type;
        this.body = body;
    }

    public int type() {
        return type;
    }

    public byte[] body() {
        return body;
    }

    /** The body, to be read from its beginning. */
    public FrameReadBuffer read() {
        return new FrameReadBuffer(body);
    }
}
