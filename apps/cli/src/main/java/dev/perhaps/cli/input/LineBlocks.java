package dev.perhaps.cli.input;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines with several workers: one thread reads blocks of whole lines, and hands them to the workers in turn, each on a
 * thread of its own. Which worker gets which line depends on the input alone, so results are the same in every run.
 */
public final class LineBlocks {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int MAX_BLOCK_BYTES = 1 << 30;
    private static final int BLOCKS_EACH = 3;

    private final List<Worker> workers = new ArrayList<>();
    private int turn;

    /** Takes a line, without its newline and a CR before it; the array is reused. */
    @FunctionalInterface
    public interface Sink {
        void take(byte[] bytes, int from, int to);
    }

    private LineBlocks(List<? extends Sink> sinks) {
        for (Sink sink : sinks) {
            workers.add(new Worker(sink));
        }
    }

    /** Reads all inputs; each sink is called by one thread, and when this returns all have taken their last line. */
    public static void read(List<Input> inputs, Input.Meter meter, List<? extends Sink> sinks) throws IOException {
        LineBlocks blocks = new LineBlocks(sinks);
        try {
            for (Worker worker : blocks.workers) {
                worker.thread.start();
            }
            for (Input input : inputs) {
                try (Input.Open open = input.open(meter)) {
                    blocks.read(input.name(), open.stream());
                }
            }
        } finally {
            for (Worker worker : blocks.workers) {
                worker.finish();
            }
        }
        for (Worker worker : blocks.workers) {
            worker.rethrow();
        }
    }

    private void read(String name, InputStream in) throws IOException {
        byte[] rest = new byte[0];
        boolean first = true;
        while (true) {
            Worker worker = workers.get(turn);
            turn = (turn + 1) % workers.size();
            byte[] bytes = worker.free();
            System.arraycopy(rest, 0, bytes, 0, rest.length);
            int filled = rest.length;
            int end = 0;
            while (end == 0) {
                if (filled == bytes.length) {
                    if (filled >= MAX_BLOCK_BYTES) {
                        throw new BadInput(name + ": a line is longer than 1 GiB: is it text?");
                    }
                    bytes = Arrays.copyOf(bytes, filled * 2);
                }
                int wanted = bytes.length - filled;
                int count = in.readNBytes(bytes, filled, wanted);
                int scanned = filled;
                filled += count;
                if (first) {
                    filled = withoutMark(bytes, filled);
                    first = false;
                }
                if (count < wanted) {
                    worker.take(new Block(bytes, filled));
                    return;
                }
                end = behindLastNewline(bytes, scanned, filled);
            }
            rest = Arrays.copyOfRange(bytes, end, filled);
            worker.take(new Block(bytes, end));
        }
    }

    /** Takes a byte order mark away, which is not part of the first line. */
    private static int withoutMark(byte[] bytes, int filled) {
        int mark = Texts.behindMark(bytes, 0, filled);
        System.arraycopy(bytes, mark, bytes, 0, filled - mark);
        return filled - mark;
    }

    private static int behindLastNewline(byte[] bytes, int from, int to) {
        for (int i = to; i > from; i--) {
            if (bytes[i - 1] == '\n') {
                return i;
            }
        }
        return 0;
    }

    /** Calls the sink for every line; the last may lack its newline. */
    static void lines(byte[] bytes, int length, Sink sink) {
        int start = 0;
        for (int at = LineBlock.newline(bytes, 0, length); at >= 0; at = LineBlock.newline(bytes, start, length)) {
            line(bytes, start, at, sink);
            start = at + 1;
        }
        if (start < length) {
            line(bytes, start, length, sink);
        }
    }

    private static void line(byte[] bytes, int from, int to, Sink sink) {
        sink.take(bytes, from, to > from && bytes[to - 1] == '\r' ? to - 1 : to);
    }

    private static final class Block {
        /** Signals to a worker that there are no more blocks. */
        static final Block END = new Block(new byte[0], 0);

        final byte[] bytes;
        final int length;

        Block(byte[] bytes, int length) {
            this.bytes = bytes;
            this.length = length;
        }
    }

    /** A thread that takes blocks and gives their arrays back. */
    private static final class Worker implements Runnable {
        private final Sink sink;
        private final BlockingQueue<Block> todo = new ArrayBlockingQueue<>(BLOCKS_EACH + 1);
        private final BlockingQueue<byte[]> done = new ArrayBlockingQueue<>(BLOCKS_EACH);
        private final Thread thread = new Thread(this, "lines");
        private volatile @Nullable RuntimeException failure;
        private volatile @Nullable Error error;

        Worker(Sink sink) {
            this.sink = sink;
            thread.setDaemon(true);
            for (int i = 0; i < BLOCKS_EACH; i++) {
                done.add(new byte[BLOCK_BYTES]);
            }
        }

        @Override
        public void run() {
            try {
                for (Block block = todo.take(); block != Block.END; block = todo.take()) {
                    if (failure == null && error == null) {
                        work(block);
                    }
                    done.add(block.bytes);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void work(Block block) {
            try {
                lines(block.bytes, block.length, sink);
            } catch (RuntimeException e) {
                failure = e;
            } catch (Error e) { // told by the thread that reads, as its own
                error = e;
            }
        }

        /** Returns an array to fill. Throws what failed in the worker. */
        byte[] free() {
            rethrow();
            try {
                return done.take();
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        void take(Block block) {
            todo.add(block);
        }

        void finish() {
            todo.add(Block.END);
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        void rethrow() {
            if (failure != null) {
                throw failure;
            }
            if (error != null) {
                throw error;
            }
        }

        private static UncheckedIOException interrupted(InterruptedException e) {
            Thread.currentThread().interrupt();
            return new UncheckedIOException(new IOException("interrupted", e));
        }
    }
}
