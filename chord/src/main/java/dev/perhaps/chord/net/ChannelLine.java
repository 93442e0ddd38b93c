package dev.perhaps.chord.net;

import io.netty.channel.Channel;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The answering end of a line: a channel of the event loop, and a thread beside it that may wait. What has come and is not
 * taken stops the reading, and what is not taken by the other side stops the sender.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails on the event loop ends the connection, and that is seen
final class ChannelLine implements Line {
    /** More than so many frames that nobody took stop the reading, which goes on when half of them are taken. */
    private static final int MOST_WAITING = 16;

    private static final Frame END = new Frame(0, new byte[0]);

    private final Channel channel;
    private final int deadlineMillis;
    private final LinkedBlockingQueue<Frame> waiting = new LinkedBlockingQueue<>();
    private final Object room = new Object();

    ChannelLine(Channel channel, int deadlineMillis) {
        this.channel = channel;
        this.deadlineMillis = deadlineMillis;
    }

    /** A frame came; on the event loop. */
    void arrived(Frame frame) {
        waiting.add(frame);
        if (waiting.size() >= MOST_WAITING) {
            channel.config().setAutoRead(false);
            goOnIfThereIsRoom(); // all may have been taken since they were counted, and nobody would come back to see
        }
    }

    private void goOnIfThereIsRoom() {
        if (waiting.size() < MOST_WAITING / 2 && !channel.config().isAutoRead()) {
            channel.config().setAutoRead(true);
        }
    }

    /** There is room again, or there never will be; on the event loop. */
    void changed() {
        synchronized (room) {
            room.notifyAll();
        }
    }

    /** The other side is gone; on the event loop. */
    void ended() {
        waiting.add(END);
        changed();
    }

    @Override
    public void send(Frame frame) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(deadlineMillis);
        try {
            synchronized (room) {
                while (channel.isActive() && !channel.isWritable()) {
                    long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                    if (left <= 0) {
                        throw new IOException("the caller did not take an answer in time");
                    }
                    room.wait(left);
                }
            }
        } catch (InterruptedException e) {
            throw stopped(e);
        }
        if (!channel.isActive()) {
            throw new EOFException("the caller is gone");
        }
        channel.writeAndFlush(frame, channel.voidPromise());
    }

    private static IOException stopped(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IOException("the peer is being stopped", e);
    }

    @Override
    public Frame receive() throws IOException {
        Frame frame;
        try {
            frame = waiting.poll(deadlineMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw stopped(e);
        }
        if (frame == null) {
            throw new IOException("the caller said nothing in time");
        }
        if (frame == END) {
            waiting.add(END);
            throw new EOFException("the caller is gone");
        }
        goOnIfThereIsRoom();
        return frame;
    }

    @Override
    public void close() {
        channel.close();
    }
}
