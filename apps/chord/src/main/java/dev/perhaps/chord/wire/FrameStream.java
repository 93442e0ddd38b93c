package dev.perhaps.chord.wire;

import java.io.Closeable;
import java.io.IOException;

/**
 * A connection with requests and responses in frames, one request at a time. Waiting has a timeout on both
 * ends. Confined to one thread at a time.
 */
public interface FrameStream extends Closeable {
    /** Waits until there is room for the frame on its way. */
    void send(WireFrame frame) throws IOException;

    /** Waits for the next frame. */
    WireFrame receive() throws IOException;

    /** When the one at the other end must have its answer at the latest, some time before it stops waiting. */
    default Deadline deadline() {
        return Deadline.none();
    }

    @Override
    void close();
}
