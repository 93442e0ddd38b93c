package dev.perhaps.chord.net;

import java.io.IOException;

/** The peer that was asked says that it cannot, and why. */
public final class Failure extends IOException {
    public Failure(String reason) {
        super(reason);
    }

    Frame frame() {
        return new BodyWriter().text(String.valueOf(getMessage())).frame(Desk.FAILED);
    }

    /** The frame, unless it is a failure. */
    public static Frame check(Frame frame) throws IOException {
        if (frame.type() == Desk.FAILED) {
            throw new Failure(frame.read().sentence());
        }
        return frame;
    }

    /** The next frame of this type; any other is none of ours. */
    public static BodyReader expect(int type, Line line) throws IOException {
        Frame frame = check(line.receive());
        if (frame.type() != type) {
            throw new BadFrame("a frame of type " + type + " is due, got " + frame.type());
        }
        return frame.read();
    }
}
