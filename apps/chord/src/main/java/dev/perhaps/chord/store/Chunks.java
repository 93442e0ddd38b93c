package dev.perhaps.chord.store;

import dev.perhaps.chord.cluster.Failure;
import dev.perhaps.chord.wire.BadFrame;
import dev.perhaps.chord.wire.FrameStream;
import dev.perhaps.chord.wire.WireFrame;
import java.io.IOException;

/** Checks the chunks of a file as they arrive. Confined to one thread at a time. */
final class Chunks {
    private long leftBytes;

    /** Those of a file of this size, from this chunk on. */
    Chunks(long sizeBytes, long fromChunk) {
        this.leftBytes = Math.max(0, sizeBytes - fromChunk * Shelf.CHUNK_BYTES);
    }

    /** Takes the next frame. True if it is a chunk, and as long as it must be; false if it is the end, in its place. */
    boolean take(WireFrame frame) throws BadFrame {
        if (frame.type() == FrameTypes.DONE && leftBytes == 0) {
            return false;
        }
        long due = Math.min(leftBytes, Shelf.CHUNK_BYTES);
        if (frame.type() != FrameTypes.CHUNK || due == 0 || frame.body().length != due) {
            throw new BadFrame("expected a chunk of " + due + " bytes, got a frame of type " + frame.type() + " with "
                    + frame.body().length);
        }
        leftBytes -= due;
        return true;
    }

    /** Takes one of them. */
    @FunctionalInterface
    interface Sink {
        void take(WireFrame chunk) throws IOException;
    }

    /**
     * Takes chunks until there are no more. The sender does not read before that, so problems are reported to it only then.
     */
    static void receive(FrameStream stream, Sink sink) throws IOException {
        IOException trouble = null;
        WireFrame frame = stream.receive();
        while (frame.type() == FrameTypes.CHUNK) {
            if (trouble == null) {
                try {
                    sink.take(frame);
                } catch (IOException e) {
                    trouble = e;
                }
            }
            frame = stream.receive();
        }
        if (frame.type() != FrameTypes.DONE) {
            throw new BadFrame("unexpected frame after chunks: type " + frame.type());
        }
        if (trouble != null) {
            throw new Failure("not stored: " + trouble.getMessage());
        }
    }
}
