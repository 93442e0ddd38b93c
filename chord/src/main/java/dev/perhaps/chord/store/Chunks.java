package dev.perhaps.chord.store;

import dev.perhaps.chord.net.BadFrame;
import dev.perhaps.chord.net.Failure;
import dev.perhaps.chord.net.Frame;
import dev.perhaps.chord.net.Line;
import java.io.IOException;

/** The chunks of a file as they come in. Confined to one thread at a time. */
final class Chunks {
    private long leftBytes;

    /** Those of a file of this size, from this chunk on. */
    Chunks(long sizeBytes, long fromChunk) {
        this.leftBytes = Math.max(0, sizeBytes - fromChunk * Shelf.CHUNK_BYTES);
    }

    /** Takes the next frame. True if it is a chunk, and as long as it must be; false if it is the end, in its place. */
    boolean take(Frame frame) throws BadFrame {
        if (frame.type() == Calls.DONE && leftBytes == 0) {
            return false;
        }
        long due = Math.min(leftBytes, Shelf.CHUNK_BYTES);
        if (frame.type() != Calls.CHUNK || due == 0 || frame.body().length != due) {
            throw new BadFrame("a chunk of " + due + " bytes is due, got a frame of type " + frame.type() + " with "
                    + frame.body().length);
        }
        leftBytes -= due;
        return true;
    }

    /** Takes one of them. */
    @FunctionalInterface
    interface Sink {
        void take(Frame chunk) throws IOException;
    }

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
