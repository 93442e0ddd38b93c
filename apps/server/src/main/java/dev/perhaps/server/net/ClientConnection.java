package dev.perhaps.server.net;

import dev.perhaps.server.command.ClientSession;
import dev.perhaps.server.command.Database;
import dev.perhaps.server.wire.ProtocolError;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.server.wire.RequestReader;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.ReloadingTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One client: its bytes become requests, which run on the thread of the connection in their order, and all replies to what was
 * read at once leave together. Used by that thread only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // of writes and closes: Netty closes the connection if one fails
final class ClientConnection extends ChannelInboundHandlerAdapter implements ClientSession.Connection {
    /*
     * What is read is copied into Java's memory, once, and parsed there: a byte of an array costs less to look at than one of a
     * buffer of Netty.
     *
     * A client that sends without reading is not read from: as long as more than MAX_UNSENT_BYTES of replies are not sent, no
     * further command runs and nothing more is read. What one command returns comes on top of that.
     *
     * Replies wait until the log says that they may leave; `heldReplies` has them, and no further command of this client runs.
     * If the log cannot be written, an error takes the place of each that is about a change. A command may also reply later
     * (SAVE); then too no further command runs.
     *
     * What a client has sent and has not run is held in three places: bytes in `unread`, the words of a half-read request in
     * the reader, and what it queued after MULTI. Their sum is counted against the budget of all clients whenever it has
     * grown and before `unread` grows; a client that does not fit gets one error and is closed. So are the keys that it watches.
     *
     * Replies are counted against another budget of all clients: those that are being written (ReplyWriter asks for memory), and
     * those that Netty has and the system did not take. If there is no memory for a reply, its command gets an error. Where replies
     * wait, an empty write behind them tells when they are gone.
     */
    private static final int MAX_STRANGER_BYTES = 64 << 10;
    private static final int MAX_UNSENT_BYTES = 1 << 20;

    /** After this time of commands of one client others have their turn; the command that runs then is ended before. */
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int FIRST_REPLY_BYTES = 2_048;

    private static final int MAX_MONITOR_BYTES = 8 << 20;

    /** What the lines of a monitor may take that wait for its thread; each beside its letters. */
    private static final int MAX_SHOWN_BYTES = 32 << 20;

    private static final int LINE_BYTES = 128;

    /** What a client may send without being counted. */
    static final int FREE_INPUT_BYTES = 4 << 10;

    private final Database database;
    private final long id;
    private final RequestReader reader;
    private @Nullable ChannelHandlerContext context;
    private @Nullable ClientSession session;
    private ByteBuf unread = Unpooled.EMPTY_BUFFER;
    private final ReplyWriter reply = new ReplyWriter(Unpooled.EMPTY_BUFFER, this::claimReplies);
    private final ClientBudget budget;
    private final ClientBudget replyBudget;
    private final int maxRequestBytes;
    private long heldBytes;
    private long heldReplyBytes;
    private boolean isDrainAwaited;
    private boolean isClosing;
    private boolean isClosed;
    private @Nullable ByteBuf heldReplies;
    private final AtomicInteger shownBytes = new AtomicInteger();
    private volatile boolean isOverrun;
    private boolean isFlushDue;
    private int reads;

    // What was seen when it was last looked whether the client is idle.
    private boolean isWatchedForIdling;
    private int readsSeen;
    private long unsentSeen;
    private long progressSeen;
    private long idleSinceNanos;

    ClientConnection(Database database, long id, int maxRequestBytes, ClientBudget budget, ClientBudget replyBudget) {
        this.database = database;
        this.id = id;
        this.reader = new RequestReader(maxRequestBytes);
        this.maxRequestBytes = maxRequestBytes;
        this.budget = budget;
        this.replyBudget = replyBudget;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        ClientSession own = new ClientSession(
                id,
                text(ctx.channel().remoteAddress()),
                text(ctx.channel().localAddress()),
                System.currentTimeMillis(),
                this,
                reply);
        if (database.connect(own)) {
            session = own;
        } else {
            isClosing = true;
            ctx.writeAndFlush(ascii(ctx, "-ERR max number of clients reached\r\n"))
                    .addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static String text(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress() + ":" + inet.getPort()
                : String.valueOf(address);
    }

    private static ByteBuf ascii(ChannelHandlerContext ctx, String text) {
        return ctx.alloc().buffer(text.length()).writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (session != null) {
            database.disconnect(session);
        }
        forget();
        isClosing = true;
        isClosed = true;
        if (heldReplies != null) {
            heldReplies.release();
            heldReplies = null;
        }
        replyBudget.change(heldReplyBytes, 0);
        heldReplyBytes = 0;
    }

    private void forget() {
        unread.release();
        unread = Unpooled.EMPTY_BUFFER;
        budget.change(heldBytes, 0);
        heldBytes = 0;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        reads++;
        if (isClosing) {
            bytes.release();
        } else {
            try {
                join(ctx, bytes);
            } catch (ProtocolError e) {
                refuse(ctx, e);
            } finally {
                bytes.release();
            }
        }
    }

    private void join(ChannelHandlerContext ctx, ByteBuf more) throws ProtocolError {
        if (unread.isReadOnly() || unread.writableBytes() < more.readableBytes()) {
            int length = unread.readableBytes() + more.readableBytes();
            // Twice as much as is there, so that a long word is copied few times, but not more than a request may have.
            int capacity =
                    unread.isReadable() ? (int) Math.max(length, Math.min(2L * length, maxRequestBytes)) : length;
            hold(capacity);
            ByteBuf all = ctx.alloc().heapBuffer(capacity);
            all.writeBytes(unread);
            unread.release();
            unread = all;
        }
        unread.writeBytes(more);
    }

    /** Counts what this client holds, with this capacity of unread bytes. */
    private void hold(int unreadBytes) throws ProtocolError {
        long bytes = unreadBytes
                + reader.heldBytes()
                + (session == null ? 0 : session.queuedBytes() + session.watchedBytes());
        if (!budget.change(heldBytes, bytes)) {
            throw new ProtocolError("requests that have not run yet take more than the " + budget.maxBytes()
                    + " bytes that all clients share: try again later");
        }
        heldBytes = bytes;
    }

    /** Gives back memory that what is left does not need, and counts the rest. */
    private void trim(ChannelHandlerContext ctx, boolean isKnown) throws ProtocolError {
        int length = unread.readableBytes();
        if (length < unread.capacity() / 4) {
            ByteBuf rest = length == 0 ? Unpooled.EMPTY_BUFFER : ctx.alloc().heapBuffer(length);
            rest.writeBytes(unread);
            unread.release();
            unread = rest;
        }
        if (!isKnown && length + reader.heldBytes() > MAX_STRANGER_BYTES) {
            throw new ProtocolError(
                    "Protocol error: an unauthenticated request of more than " + MAX_STRANGER_BYTES + " bytes");
        }
        hold(unread.capacity());
    }

    /** Counts replies that are being written, beside those that wait to be sent. */
    private boolean claimReplies(int bytes) {
        ChannelHandlerContext ctx = context;
        return ctx != null && countReplies(unsent(ctx) + bytes);
    }

    private boolean countReplies(long bytes) {
        boolean fits = replyBudget.change(heldReplyBytes, bytes);
        heldReplyBytes = fits ? bytes : heldReplyBytes;
        return fits;
    }

    private static long unsent(ChannelHandlerContext ctx) {
        ChannelOutboundBuffer waiting = ctx.channel().unsafe().outboundBuffer();
        return waiting == null ? 0 : waiting.totalPendingWriteBytes();
    }

    /** Counts what waits to be sent, after something was written; a client that does not fit does not read, and is closed. */
    private void countUnsent(ChannelHandlerContext ctx) {
        if (isClosed) {
            return;
        }
        long bytes = unsent(ctx);
        if (!countReplies(bytes)) {
            ctx.close();
        } else if (bytes > ReplyWriter.FREE_BYTES && !isDrainAwaited) {
            // Less is not counted. An empty write is never what more than that waits for.
            isDrainAwaited = true;
            ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
                isDrainAwaited = false;
                countUnsent(ctx);
            });
        }
    }

    /** One error, after which the connection is closed. */
    private void refuse(ChannelHandlerContext ctx, ProtocolError error) {
        isClosing = true;
        forget();
        database.stranger("a client at " + text(ctx.channel().remoteAddress()) + " was closed: " + error.getMessage());
        ctx.writeAndFlush(ascii(ctx, "-ERR " + error.getMessage() + "\r\n")).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        process(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable() && !ctx.channel().config().isAutoRead()) {
            process(ctx);
        }
    }

    private void process(ChannelHandlerContext ctx) {
        ClientSession own = session;
        if (own == null || isClosing || isHolding(own)) {
            return;
        }
        ByteBuf out = ctx.alloc().buffer(FIRST_REPLY_BYTES);
        reply.to(out);
        boolean isWaiting = false;
        boolean isDone = false;
        database.begin(own);
        long startNanos = own.startNanos();
        try {
            while (!isClosing
                    && own.late() == null
                    && out.readableBytes() < MAX_UNSENT_BYTES
                    && own.startNanos() - startNanos < TURN_NANOS
                    && reply.hasRoom()
                    && ctx.channel().isWritable()) {
                byte[][] words = reader.next(unread, own.isKnown());
                if (words == null) {
                    isWaiting = true;
                    break;
                }
                if (words.length > 0) {
                    database.run(own, words);
                }
            }
            trim(ctx, own.isKnown());
            isDone = true;
        } catch (ProtocolError e) {
            reply.error("ERR " + e.getMessage());
            isClosing = true;
            isDone = true;
        } finally {
            database.end(own);
            reply.to(Unpooled.EMPTY_BUFFER);
            if (!isDone) {
                out.release();
            }
        }
        List<ClientSession.LoggedReply> logged = own.takeLoggedReplies();
        CompletableFuture<Void> written = out.isReadable()
                ? database.beforeReply(
                        logged.isEmpty() ? 0 : logged.get(logged.size() - 1).number())
                : null;
        if (written == null) {
            send(ctx, own, out, isWaiting);
            return;
        }
        ctx.channel().config().setAutoRead(false);
        heldReplies = out;
        written.whenComplete((done, problem) -> ctx.channel().eventLoop().execute(() -> {
            ByteBuf held = heldReplies;
            heldReplies = null;
            if (held != null) {
                guarded(ctx, () -> send(ctx, own, problem == null ? held : refused(ctx, held, logged, problem), false));
            }
        }));
    }

    private boolean isHolding(ClientSession own) {
        return heldReplies != null || own.late() != null;
    }

    /** Sends replies, and goes on with what comes after them. */
    private void send(ChannelHandlerContext ctx, ClientSession own, ByteBuf out, boolean isWaiting) {
        if (out.isReadable()) {
            ctx.writeAndFlush(out, ctx.voidPromise());
        } else {
            out.release();
        }
        countUnsent(ctx);
        ClientSession.LateReply late = own.late();
        if (late != null) {
            ctx.channel().config().setAutoRead(false);
            late.done()
                    .whenComplete((done, problem) -> ctx.channel().eventLoop().execute(() -> {
                        if (!isClosed) {
                            guarded(ctx, () -> replyLate(ctx, own, late, problem));
                        }
                    }));
            return;
        }
        if (isClosing) {
            forget();
            ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            return;
        }
        if (ctx.channel().config().isAutoRead() != isWaiting) {
            ctx.channel().config().setAutoRead(isWaiting);
        }
        if (!isWaiting && ctx.channel().isWritable()) {
            // The replies were many, or took long, and are sent already: the next commands run after the other
            // connections
            // had their turn.
            // Not as the next task: 64 of those run before a socket is looked at again.
            ctx.channel().eventLoop().schedule(() -> guarded(ctx, () -> process(ctx)), 1, TimeUnit.NANOSECONDS);
        }
    }

    private void replyLate(
            ChannelHandlerContext ctx, ClientSession own, ClientSession.LateReply late, @Nullable Throwable problem) {
        ByteBuf buffer = ctx.alloc().buffer(FIRST_REPLY_BYTES);
        reply.to(buffer);
        own.endLate();
        late.reply().accept(problem);
        reply.to(Unpooled.EMPTY_BUFFER);
        send(ctx, own, buffer, false);
    }

    /** Runs what Netty would only log if it failed: the client would wait forever. */
    private void guarded(ChannelHandlerContext ctx, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            OutOfMemoryGuard.check(e);
            database.failed("a reply", e);
            ctx.close();
        }
    }

    /** The same replies, but an error in place of those whose change could not be written to the log. */
    private ByteBuf refused(
            ChannelHandlerContext ctx, ByteBuf out, List<ClientSession.LoggedReply> logged, Throwable problem) {
        ByteBuf changed = ctx.alloc().buffer(out.readableBytes());
        int at = out.readerIndex();
        reply.copyTo(changed);
        for (ClientSession.LoggedReply each : logged) {
            changed.writeBytes(out, at, each.start() - at);
            if (database.isDurable(each.number())) {
                changed.writeBytes(out, each.start(), each.end() - each.start());
            } else {
                reply.error(String.valueOf(problem.getMessage()));
            }
            at = each.end();
        }
        changed.writeBytes(out, at, out.writerIndex() - at);
        reply.to(Unpooled.EMPTY_BUFFER);
        out.release();
        return changed;
    }

    /**
     * Closes the connection if it has been idle for this long: nothing came, no reply moved, and the client does not wait for
     * this server. Runs on the thread of the connection, about once per second while there is a timeout.
     */
    void closeIfIdle(long timeoutNanos) {
        ChannelHandlerContext ctx = context;
        ClientSession own = session;
        if (ctx == null || isClosed) {
            return;
        }
        long now = System.nanoTime();
        ChannelOutboundBuffer waiting = ctx.channel().unsafe().outboundBuffer();
        long unsent = waiting == null ? 0 : waiting.totalPendingWriteBytes();
        // Of one long reply: the number above changes when all of it is gone.
        long progress = waiting == null ? 0 : waiting.currentProgress();
        boolean waitsForServer = own != null
                && (own.isMonitor()
                        || isHolding(own)
                        || unsent == 0 && !ctx.channel().config().isAutoRead());
        boolean hasMoved = reads != readsSeen || unsent != unsentSeen || progress != progressSeen;
        if (waitsForServer || hasMoved || !isWatchedForIdling) {
            isWatchedForIdling = true;
            readsSeen = reads;
            unsentSeen = unsent;
            progressSeen = progress;
            idleSinceNanos = now;
        } else if (now - idleSinceNanos >= timeoutNanos) {
            ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        OutOfMemoryGuard.check(cause);
        String tls = ReloadingTls.failure(cause);
        if (tls != null) {
            // A stranger who does not speak TLS, or has no certificate.
            database.stranger("a client at " + text(ctx.channel().remoteAddress()) + " was closed: TLS: " + tls);
        } else if (!(cause instanceof IOException)) {
            database.failed("a connection", cause);
        }
        ctx.close();
    }

    // What the session needs

    @Override
    public void closeAfterReplies() {
        isClosing = true;
    }

    @Override
    public void kill() {
        ChannelHandlerContext ctx = context;
        if (ctx != null) {
            ctx.close();
        }
    }

    @Override
    public void send(String line) {
        ChannelHandlerContext ctx = context;
        int bytes = line.length() + LINE_BYTES;
        if (ctx == null || isOverrun) {
            return;
        }
        if (shownBytes.addAndGet(bytes) > MAX_SHOWN_BYTES) {
            // Those who run commands do not wait for the thread that shows them.
            isOverrun = true;
            ctx.close();
            return;
        }
        ctx.channel().eventLoop().execute(() -> {
            shownBytes.addAndGet(-bytes);
            if (isClosed) {
                return;
            }
            if (ctx.channel().bytesBeforeWritable() > MAX_MONITOR_BYTES) {
                ctx.close();
                return;
            }
            ctx.write(ascii(ctx, "+" + line + "\r\n"), ctx.voidPromise());
            if (!isFlushDue) {
                // Behind the lines that wait already: they leave together.
                isFlushDue = true;
                ctx.channel().eventLoop().execute(() -> {
                    isFlushDue = false;
                    ctx.flush();
                    countUnsent(ctx);
                });
            }
        });
    }
}
