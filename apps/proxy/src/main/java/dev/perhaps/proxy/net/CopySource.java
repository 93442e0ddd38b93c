package dev.perhaps.proxy.net;

import dev.perhaps.proxy.cache.Copy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** The body of a copy, or a part of it. */
final class CopySource implements Source {
    private final Copy copy;
    private final Runnable wake;
    private final int end;
    private int at;
    private volatile boolean lost;

    /**
     * The bytes from one place to another.
     *
     * @param wake called from any thread when they are lost
     */
    CopySource(Copy copy, int from, int to, Runnable wake) {
        this.copy = copy;
        this.at = from;
        this.end = to;
        this.wake = wake;
        this.lost = !copy.readers().open(this, this::lose);
    }

    private void lose() {
        lost = true;
        wake.run();
    }

    @Override
    public @Nullable ByteBuf next(int maxBytes) {
        if (at == end) {
            return null;
        }
        int size = Math.min(maxBytes, end - at);
        at += size;
        return Unpooled.wrappedBuffer(copy.body(), at - size, size);
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
    public boolean lost() {
        return lost;
    }

    @Override
    public void close() {
        at = end;
        copy.readers().close(this);
    }
}
