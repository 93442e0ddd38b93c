package dev.perhaps.chord.cluster;

import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.FrameReadBuffer;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;

/** Thrown when a request failed, with the reason that the peer reports to the client. */
public final class Failure extends IOException {
    /** A failure for this reason, which is sent to the caller. */
    public Failure(String reason) {
        super(reason);
    }

    /** Returns the frame that reports it to the other side. */
    public WireFrame frame() {
        return new FrameWriteBuffer().text(String.valueOf(getMessage())).frame(Dispatcher.FAILED);
    }

    /** The frame, unless it is a failure. */
    public static WireFrame check(WireFrame frame) throws IOException {
        if (frame.type() == Dispatcher.FAILED) {
            throw new Failure(frame.read().sentence());
        }
        return frame;
    }

    /** Returns the next frame, which must be of this type. */
    public static FrameReadBuffer expect(int type, FrameStream stream) throws IOException {
        WireFrame frame = check(stream.receive());
        if (frame.type() != type) {
            throw new BadFrame("expected a frame of type " + type + ", got " + frame.type());
        }
        return frame.read();
    }
}
