package dev.perhaps.chord.store;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.wire.Deadline;
import dev.perhaps.chord.wire.WireFrame;
import java.io.Closeable;
import java.io.IOException;

/** Where a copy can be read: another peer over a connection, or this peer's own shelf. Confined to one thread at a time. */
interface CopySource extends Closeable {
    /** Sets a deadline for all further responses. */
    CopySource within(Deadline deadline) throws IOException;

    /** Returns the entry of a key. */
    RemotePeer.Looked look(Id key) throws IOException;

    /** Begins to read a file from this chunk on; then {@link #next}. */
    void fetch(Id key, long fromChunk) throws IOException;

    /** The next chunk, or DONE. */
    WireFrame next() throws IOException;

    @Override
    void close();
}
