package dev.perhaps.proxy.net;

import io.netty.buffer.ByteBuf;
import java.io.Closeable;
import org.jspecify.annotations.Nullable;

/** A body as it is sent, piece by piece. Confined to the event loop of the client. */
interface Source extends Closeable {
    /** The next piece, at most the given size. Null: nothing now. */
    @Nullable
    ByteBuf next(int maxBytes);

    /** Returns true if all was read, and it was whole. */
    boolean finished();

    /** Returns true if it was aborted, and all bytes before that were read. */
    boolean failed();

    /** Returns true if the rest is not here any more, though it was: the reader took too long. */
    boolean lost();

    /** Nobody reads on. */
    @Override
    void close();
}
