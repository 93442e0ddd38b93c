package dev.perhaps.cli.input;

import dev.perhaps.key.Key;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of an input with two threads, and hands them over in their order, in blocks, to the thread that called.
 * Results do not depend on the number of cores: only reading, cutting, hashing and {@link Preparation} run beside.
 */
public final class HashedLines {
    /*
     * A free thread takes the next task:
     *
     *     read      one thread at a time, in order       the next bytes of the stream, to the last newline among them
     *     prepare   both threads, several blocks         newlines are found by eight bytes at a time; each line is hashed
     *     take      the calling thread, in order         into the structure, or to standard output
     *
     * The calling thread takes the next block if it is prepared, and otherwise reads and prepares one itself, so both threads
     * have work until the end whatever is slow. At most BLOCKS blocks are under way.
     *
     * An input that can make us wait, such as a pipe, is read by the other thread only: what is there is taken, and shown
     * (Meter.idle), while that one waits. A block is handed over as soon as nothing more is there, however short it is.
     *
     * Files are read, not mapped: see docs/decisions/reading-lines.md.
     */
    static final int BLOCK_BYTES = 1 << 18;

    private static final int MAX_BLOCK_BYTES = 1 << 30;
    private static final int BLOCKS = 6;
    private static final int MARK_BYTES = 3;
    private static final byte[] NO_BYTES = new byte[0];

    /** Does what can be done with a block out of order, and by several threads at once. */
    @FunctionalInterface
    public interface Preparation {
        Preparation NONE = block -> {};

        void prepare(LineBlock block);
    }

    /** Takes a block; it is reused afterwards. */
    @FunctionalInterface
    public interface Sink {
        void take(LineBlock block) throws IOException;
    }

    private final String name;
    private final InputStream in;
    private final boolean mayWait;
    private final Key.Bytes key;
    private final Preparation preparation;
    private final Relay relay;

    // What follows is guarded by this, except that the thread that set isReading has the next three for itself.
    private byte[] rest = NO_BYTES;
    private boolean isFirst = true;
    private boolean isAtEnd;

    private final Deque<LineBlock> free = new ArrayDeque<>();
    /** Block number i is at i modulo their number, once it is prepared. */
    private final @Nullable LineBlock[] prepared = new LineBlock[BLOCKS];

    private int made;
    private long numbered;
    private long taken;
    private boolean isReading;
    private boolean isEnded;
    private boolean isStopped;
    /** The reason why reading failed, reported after all lines before it. */
    private @Nullable Throwable failure;

    private HashedLines(
            String name, InputStream in, boolean mayWait, Key.Bytes key, Preparation preparation, Relay relay) {
        this.name = name;
        this.in = in;
        this.mayWait = mayWait;
        this.key = key;
        this.preparation = preparation;
        this.relay = relay;
    }

    /** Collects the number of bytes read for the meter, which belongs to the calling thread. */
    private static final class Relay implements Input.Meter {
        final AtomicLong bytes = new AtomicLong();

        @Override
        public void read(long count) {
            bytes.addAndGet(count);
        }

        @Override
        public void idle() {}
    }

    /** Reads all lines of an input, hashed by this key; {@code sink} is called by this thread, in the order of the lines. */
    public static void read(Input input, Input.Meter meter, Key.Bytes key, Preparation preparation, Sink sink)
            throws IOException {
        Relay relay = new Relay();
        Input.Open open = input.open(relay);
        HashedLines lines = new HashedLines(input.name(), open.stream(), !input.rereadable(), key, preparation, relay);
        try {
            lines.run(meter, sink);
        } finally {
            // A thread that still waits for input keeps the stream; it does not outlive the program.
            if (!lines.isRead()) {
                open.close();
            }
        }
    }

    /** Returns true while a thread uses the stream. */
    private synchronized boolean isRead() {
        return isReading;
    }

    private void run(Input.Meter meter, Sink sink) throws IOException {
        Thread helper = new Thread(this::help, "lines");
        helper.setDaemon(true);
        boolean isHelped = mayWait;
        if (isHelped) {
            helper.start();
        }
        try {
            while (true) {
                LineBlock block = next(meter);
                if (block == null) {
                    break;
                }
                rethrow(block.problem());
                // A short file is read before a thread would have started.
                if (!isHelped && !isWhole()) {
                    helper.start();
                    isHelped = true;
                }
                meter.read(relay.bytes.getAndSet(0));
                sink.take(block);
                release(block);
            }
            meter.read(relay.bytes.getAndSet(0));
        } finally {
            stop();
            if (isHelped && !mayWait) {
                join(helper);
            }
        }
        rethrow(failure());
    }

    /**
     * Returns the next block in order, prepared; null at the end. While there is none, this thread prepares blocks too.
     */
    private @Nullable LineBlock next(Input.Meter meter) {
        boolean isTold = false;
        while (true) {
            LineBlock mine = null;
            synchronized (this) {
                int place = (int) (taken % BLOCKS);
                LineBlock block = prepared[place];
                if (block != null) {
                    prepared[place] = null;
                    taken++;
                    return block;
                }
                if (isEnded && taken == numbered) {
                    return null;
                }
                if (!mayWait) {
                    mine = claim();
                }
                if (mine == null && (isTold || taken < numbered)) {
                    pause();
                    continue;
                }
            }
            if (mine != null) {
                work(mine);
            } else {
                meter.idle();
                isTold = true;
            }
        }
    }

    /** Another thread's part: reads and prepares until the end. */
    private void help() {
        while (true) {
            LineBlock block;
            synchronized (this) {
                for (block = claim(); block == null; block = claim()) {
                    if (isEnded || isStopped) {
                        return;
                    }
                    pause();
                }
            }
            work(block);
        }
    }

    /** A block to fill, and with it the stream; null if another thread reads, or all blocks are under way. */
    private @Nullable LineBlock claim() {
        if (isReading || isEnded || isStopped || free.isEmpty() && made == BLOCKS) {
            return null;
        }
        isReading = true;
        LineBlock block = free.poll();
        if (block == null) {
            made++;
            block = new LineBlock(BLOCK_BYTES);
        }
        return block;
    }

    /** Fills and prepares a block that was claimed. */
    private void work(LineBlock block) {
        Throwable problem = null;
        block.lines(0, 0);
        block.problem(null);
        try {
            fill(block);
        } catch (IOException
                | RuntimeException
                | Error e) { // told by the thread that called, behind what was read before
            problem = e;
            isAtEnd = true;
        }
        long number;
        synchronized (this) {
            isReading = false;
            isEnded = isAtEnd;
            failure = problem;
            number = numbered++;
            notifyAll();
        }
        try {
            block.cut(key);
            preparation.prepare(block);
        } catch (RuntimeException | Error e) { // told by the thread that called, when it is this block's turn
            block.problem(e);
        }
        synchronized (this) {
            prepared[(int) (number % BLOCKS)] = block;
            notifyAll();
        }
    }

    /**
     * Reads to the end of a line, and sets the range of complete lines in the block, even if reading fails after them.
     */
    private void fill(LineBlock block) throws IOException {
        if (block.room().length < rest.length) {
            block.room(new byte[Math.max(BLOCK_BYTES, Integer.highestOneBit(rest.length) * 2)]);
        }
        byte[] bytes = block.room();
        System.arraycopy(rest, 0, bytes, 0, rest.length);
        int filled = rest.length;
        rest = NO_BYTES;
        int from = 0;
        int end = 0; // behind the last newline
        while (true) {
            if (filled == bytes.length) {
                if (filled >= MAX_BLOCK_BYTES) {
                    throw new BadInput(name + ": a line is longer than 1 GiB: is it text?");
                }
                bytes = Arrays.copyOf(bytes, filled * 2);
                block.room(bytes);
            }
            int count = in.read(bytes, filled, bytes.length - filled);
            isAtEnd = count < 0;
            int scan = filled;
            filled += Math.max(0, count);
            end = Math.max(end, behindLastNewline(bytes, scan, filled));
            if (isFirst && (filled >= MARK_BYTES || end > 0 || isAtEnd)) {
                from = Texts.behindMark(bytes, 0, filled);
                isFirst = false;
            }
            if (isAtEnd) {
                block.lines(from, filled);
                return;
            }
            block.lines(Math.min(from, end), end);
            if (end > 0 && (filled == bytes.length || in.available() == 0)) {
                rest = Arrays.copyOfRange(bytes, end, filled);
                return;
            }
        }
    }

    private static int behindLastNewline(byte[] bytes, int from, int to) {
        for (int i = to; i > from; i--) {
            if (bytes[i - 1] == '\n') {
                return i;
            }
        }
        return 0;
    }

    private synchronized void release(LineBlock block) {
        if (block.room().length > BLOCK_BYTES) {
            made--; // what a long line needed is not kept
        } else {
            free.add(block);
        }
        notifyAll();
    }

    private synchronized boolean isWhole() {
        return isEnded;
    }

    private synchronized void stop() {
        isStopped = true;
        notifyAll();
    }

    /** Waits until something has changed. */
    @SuppressWarnings("WaitNotInLoop") // the loops are those of the callers
    private void pause() {
        try {
            wait();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static void join(Thread helper) {
        try {
            helper.join();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static UncheckedIOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new UncheckedIOException(new IOException("interrupted", e));
    }

    private synchronized @Nullable Throwable failure() {
        return failure;
    }

    private static void rethrow(@Nullable Throwable failure) throws IOException {
        if (failure instanceof IOException e) {
            throw e;
        }
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
    }
}
