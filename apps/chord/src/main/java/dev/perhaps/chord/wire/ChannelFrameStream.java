package dev.perhaps.chord.wire;

import io.netty.channel.Channel;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The serving end of a connection: a channel of the event loop, and a thread of a pool while there is a request to
 * serve. Frames that wait to be taken stop the reading, and a slow receiver stops the sender.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
public final class ChannelFrameStream implements FrameStream {
    /** Reading stops when this number of frames is waiting, and continues when half of them were taken. */
    private static final int MAX_WAITING = 16;

    /** Of the time that a caller waits; the rest is for the way, and for a machine that is busy. */
    private static final int ANSWER_PERCENT = 75;

    private static final WireFrame END = new WireFrame(0, new byte[0]);

    /** Serves the request that has arrived on a stream, and those that follow at once. */
    @FunctionalInterface
    interface Server {
        /** Returns false if the stream has ended. */
        boolean answerOne(ChannelFrameStream stream);
    }

    private record Arrival(WireFrame frame, long nanos) {}

    private final Channel channel;
    private final Session session;
    private final int deadlineMillis;
    private final Executor pool;
    private final Server server;
    private final LinkedBlockingQueue<Arrival> waiting = new LinkedBlockingQueue<>();
    private final Object room = new Object();
    private final AtomicBoolean serving = new AtomicBoolean();
    private volatile long usedNanos = System.nanoTime();
    private long contentBytes;

    /** @param pool where a question waits until a thread is free for it */
    ChannelFrameStream(Channel channel, Session session, int deadlineMillis, Executor pool, Server server) {
        this.channel = channel;
        this.session = session;
        this.deadlineMillis = deadlineMillis;
        this.pool = pool;
        this.server = server;
    }

    Session session() {
        return session;
    }

    /** From where the other side calls. */
    String remote() {
        return String.valueOf(channel.remoteAddress()).replaceFirst("^.*/", "");
    }

    /** Returns the time of the last frame, in either direction. */
    long usedNanos() {
        return usedNanos;
    }

    /** Returns the bytes of files that were transferred, in either direction. */
    long contentBytes() {
        return contentBytes;
    }

    private void count(WireFrame frame) {
        if (frame.type() == Dispatcher.CHUNK) {
            contentBytes += frame.body().length;
        }
    }

    /** Returns true if no request was received for longer than this, and none is being processed. */
    boolean isIdle(long nanos) {
        return !serving.get() && System.nanoTime() - usedNanos > nanos;
    }

    /** Takes a frame. Called on the event loop. */
    void arrived(WireFrame frame) {
        waiting.add(new Arrival(frame, System.nanoTime()));
        if (waiting.size() >= MAX_WAITING) {
            channel.config().setAutoRead(false);
            goOnIfThereIsRoom(); // all may have been taken since they were counted, and nobody would come back to see
        }
        begin();
    }

    private void begin() {
        if (serving.compareAndSet(false, true)) {
            try {
                pool.execute(this::serve);
            } catch (RejectedExecutionException e) {
                close(); // the peer is being stopped
            }
        }
    }

    private void serve() {
        do {
            while (hasQuestion()) {
                if (!server.answerOne(this)) {
                    close();
                    return;
                }
            }
            serving.set(false);
        } while (hasQuestion() && serving.compareAndSet(false, true));
    }

    private boolean hasQuestion() {
        Arrival next = waiting.peek();
        return next != null && next.frame != END;
    }

    private void goOnIfThereIsRoom() {
        if (waiting.size() < MAX_WAITING / 2 && !channel.config().isAutoRead()) {
            channel.config().setAutoRead(true);
        }
    }

    /** There is room again, or there never will be; on the event loop. */
    void changed() {
        synchronized (room) {
            room.notifyAll();
        }
    }

    /** Ends the stream, since the other side has disconnected. Called on the event loop. */
    void ended() {
        waiting.add(new Arrival(END, System.nanoTime()));
        changed();
    }

    @Override
    public Deadline deadline() {
        return Deadline.since(usedNanos, (long) session.patienceMillis() * ANSWER_PERCENT / 100);
    }

    @Override
    public void send(WireFrame frame) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(deadlineMillis);
        try {
            synchronized (room) {
                while (channel.isActive() && !channel.isWritable()) {
                    long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                    if (left <= 0) {
                        throw new IOException("timed out sending to the caller");
                    }
                    room.wait(left);
                }
            }
        } catch (InterruptedException e) {
            throw stopped(e);
        }
        if (!channel.isActive()) {
            throw new EOFException("the caller has disconnected");
        }
        usedNanos = System.nanoTime();
        count(frame);
        channel.writeAndFlush(frame, channel.voidPromise());
    }

    private static IOException stopped(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IOException("the peer is being stopped", e);
    }

    @Override
    public WireFrame receive() throws IOException {
        Arrival arrival;
        try {
            arrival = waiting.poll(deadlineMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw stopped(e);
        }
        if (arrival == null) {
            throw new IOException("timed out waiting for the caller");
        }
        if (arrival.frame == END) {
            waiting.add(arrival);
            throw new EOFException("the caller has disconnected");
        }
        usedNanos = arrival.nanos;
        count(arrival.frame);
        goOnIfThereIsRoom();
        return arrival.frame;
    }

    @Override
    public void close() {
        channel.close();
    }
}
