package dev.perhaps.chord.store;

import dev.perhaps.chord.net.BadFrame;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.chord.net.Frame;
import dev.perhaps.chord.net.Line;
import java.io.IOException;

/** The chunks of a file as they come in. */
final class Chunks {
    /** Takes one of them. */
    @FunctionalInterface
    interface Sink {
        void take(Frame chunk) throws IOException;
    }

    private Chunks() {}

    /** Takes chunks until there are no more. Whoever sends them does not listen before that, and so hears of trouble then. */
    static void receive(Line line, Sink sink) throws IOException {
        IOException trouble = null;
        Frame frame = line.receive();
        while (frame.type() == Calls.CHUNK) {
            if (trouble == null) {
                try {
                    sink.take(frame);
                } catch (IOException e) {
                    trouble = e;
                }
            }
            frame = line.receive();
        }
        if (frame.type() != Calls.DONE) {
            throw new BadFrame("chunks do not end with a frame of type " + frame.type());
        }
        if (trouble != null) {
            throw new Failure("not stored: " + trouble.getMessage());
        }
    }
}
