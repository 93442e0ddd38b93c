package dev.perhaps.proxy.net;

import dev.perhaps.proxy.Timeouts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes the responses of a connection, each at the pace of its client. Confined to the connection's event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the connection, and that is seen
final class ResponseWriter {
    /*
     * Pieces are taken from the source of a response only while the socket has room for them. When memory is scarce they are
     * small, and each is taken when the one before it has gone. A client that does not make room in time is reset.
     */

    /** What is written at once when memory is scarce: half of what every connection has for itself. */
    static final int SMALL_PIECE_BYTES = MemoryShare.FREE_BYTES / 2;

    private static final int PIECE_BYTES = 64 << 10;

    /** The connection. */
    interface Listener {
        /** A response is written. */
        void written(boolean close);

        /** The source of a response was aborted. */
        void brokeOff();

        /** A part of a response was written, and more will follow. */
        void writtenInPart();

        /** There is room again. */
        void writable();
    }

    private final Channel channel;
    private final MemoryShare memory;
    private final Deadline deadline;
    private final Timeouts timeouts;
    private final Listener listener;
    private final ResponseNote note;

    private @Nullable Source source;
    private boolean inChunks;
    private boolean closing;

    /** True if the next part waits until the last one was sent. */
    private boolean careful;

    ResponseWriter(
            Channel channel,
            MemoryShare memory,
            Deadline deadline,
            Timeouts timeouts,
            ResponseNote note,
            Listener listener) {
        this.channel = channel;
        this.memory = memory;
        this.deadline = deadline;
        this.timeouts = timeouts;
        this.note = note;
        this.listener = listener;
    }

    /** Returns true if the socket has room. */
    boolean mayWrite() {
        return !careful && channel.isWritable();
    }

    /** Writes a response in one piece. */
    void write(ByteBuf whole, boolean close) {
        note.begins(whole);
        writePiece(whole);
        listener.written(close);
    }

    /** Writes a header, and then the body as it arrives. */
    void write(ByteBuf head, Source rest, boolean chunked, boolean close) {
        note.begins(head);
        channel.write(head, channel.voidPromise());
        source = rest;
        inChunks = chunked;
        closing = close;
        pump();
    }

    /** Writes what the source has. Also called when it has something again. */
    void pump() {
        Source body = source;
        if (body == null) {
            return;
        }
        if (body.lost()) {
            listener.brokeOff();
            return;
        }
        while (mayWrite()) {
            ByteBuf piece = body.next(memory.isScarce() ? SMALL_PIECE_BYTES : PIECE_BYTES);
            if (piece == null) {
                if (body.failed()) {
                    listener.brokeOff();
                    return;
                }
                if (body.finished()) {
                    finish(body);
                    return;
                }
                break;
            }
            note.adds(piece.readableBytes());
            writeFramed(piece);
        }
        channel.flush();
        listener.writtenInPart();
        if (channel.isWritable() && !careful) {
            deadline.never();
        } else {
            deadline.in(timeouts.clientMillis());
        }
    }

    private void finish(Source body) {
        source = null;
        body.close();
        if (inChunks) {
            channel.write(Unpooled.wrappedBuffer(HeadWriter.LAST_CHUNK), channel.voidPromise());
        }
        listener.written(closing);
    }

    private void writeFramed(ByteBuf piece) {
        if (inChunks) {
            String size = Integer.toHexString(piece.readableBytes()) + "\r\n";
            channel.write(Unpooled.copiedBuffer(size, StandardCharsets.US_ASCII), channel.voidPromise());
            writePiece(piece);
            channel.write(Unpooled.wrappedBuffer(HeadWriter.CRLF), channel.voidPromise());
        } else {
            writePiece(piece);
        }
    }

    private void writePiece(ByteBuf piece) {
        if (!memory.isScarce()) {
            channel.write(piece, channel.voidPromise());
            return;
        }
        careful = true;
        channel.write(piece).addListener(sent -> {
            careful = false;
            if (channel.isActive()) {
                pump();
                listener.writable();
            }
        });
    }

    /** The connection is closed: nothing more is read from the source. */
    void close() {
        Source rest = source;
        source = null;
        if (rest != null) {
            rest.close();
        }
    }
}
