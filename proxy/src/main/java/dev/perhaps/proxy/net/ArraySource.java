package dev.perhaps.proxy.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** A body, or a part of it, that is all here. Pieces are small, since each is copied for the socket when it is sent. */
final class ArraySource implements Source {
    static final int PIECE_BYTES = 64 << 10;

    private final byte[] bytes;
    private final int end;
    private int at;

    ArraySource(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.at = from;
        this.end = to;
    }

    @Override
    public @Nullable ByteBuf next() {
        if (at == end) {
            return null;
        }
        int size = Math.min(PIECE_BYTES, end - at);
        at += size;
        return Unpooled.wrappedBuffer(bytes, at - size, size);
    }

    @Override
    public boolean finished() {
        return at == end;
    }

    @Override
    public boolean failed() {
        return false;
    }

    @Override
    public void close() {
        at = end;
    }
}
