package dev.perhaps.proxy.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A body on its way from one writer to its readers, each at its own pace. Any number of threads. */
final class Flow {
    /*
     * Two ways to hold what has come and is not read yet:
     *
     *     keeping    everything stays until the end, because it is to be stored. There may be many readers, who may come
     *                late and be slow; the writer never waits, and the caller has set a limit.
     *     passing    one reader; what it has read is forgotten. The writer is told to stop when the reader is a window
     *                behind, and is called when it may go on.
     *
     * A flow begins keeping or passing, and may change from keeping to passing when it grows too big to keep; from then on
     * no reader can join.
     */
    private final int windowBytes;
    private final Runnable resume;
    private final List<byte[]> pieces = new ArrayList<>();
    private final List<Reader> readers = new ArrayList<>();
    private boolean keeping;
    private long sizeBytes;
    private long readBytes;
    private boolean stopped;
    private byte @Nullable [] whole;
    private boolean finished;
    private boolean failed;

    Flow(boolean keeping, int windowBytes, Runnable resume) {
        this.keeping = keeping;
        this.windowBytes = windowBytes;
        this.resume = resume;
    }

    /** Adds a piece. Returns whether the writer may go on; if not, it is called when it may. */
    boolean append(byte[] piece) {
        List<Reader> hungry;
        boolean more;
        synchronized (this) {
            pieces.add(piece);
            sizeBytes += piece.length;
            stopped = !keeping && sizeBytes - readBytes >= windowBytes;
            more = !stopped;
            hungry = hungry();
        }
        hungry.forEach(reader -> reader.wake.run());
        return more;
    }

    /** From now on what is read is forgotten. There must be one reader at most. */
    synchronized void pass() {
        assert readers.size() <= 1 : readers.size();
        keeping = false;
        Reader reader = readers.isEmpty() ? null : readers.get(0);
        int read = reader == null ? 0 : reader.next;
        for (int i = 0; i < read; i++) {
            readBytes += pieces.get(i).length;
        }
        pieces.subList(0, read).clear();
        if (reader != null) {
            reader.next = 0;
        }
    }

    void finish() {
        end(true);
    }

    /** It is finished, and this is all of it: who still reads does so here, and the pieces can go. */
    void finish(byte[] all) {
        synchronized (this) {
            whole = all;
            pieces.clear();
        }
        end(true);
    }

    void fail() {
        end(false);
    }

    private void end(boolean whole) {
        List<Reader> hungry;
        synchronized (this) {
            if (finished || failed) {
                return;
            }
            finished = whole;
            failed = !whole;
            hungry = hungry();
        }
        hungry.forEach(reader -> reader.wake.run());
    }

    private List<Reader> hungry() {
        assert Thread.holdsLock(this);
        List<Reader> hungry = new ArrayList<>(readers.size());
        for (Reader reader : readers) {
            if (reader.hungry) {
                reader.hungry = false;
                hungry.add(reader);
            }
        }
        return hungry;
    }

    synchronized long sizeBytes() {
        return sizeBytes;
    }

    /** All that has come, in one piece; only while it is kept. */
    synchronized byte[] whole() {
        assert keeping;
        byte[] whole = new byte[Math.toIntExact(sizeBytes)];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, whole, at, piece.length);
            at += piece.length;
        }
        return whole;
    }

    /**
     * A reader from the beginning.
     *
     * @param wake called once, from any thread, after a read that found nothing, when there is something
     */
    synchronized Reader read(Runnable wake) {
        assert keeping || readers.isEmpty();
        Reader reader = new Reader(wake);
        readers.add(reader);
        return reader;
    }

    /** One who reads. */
    final class Reader implements Source {
        private final Runnable wake;
        private int next;
        private int atBytes;
        private boolean hungry;

        private Reader(Runnable wake) {
            this.wake = wake;
        }

        @Override
        public @Nullable ByteBuf next() {
            ByteBuf piece;
            boolean go = false;
            synchronized (Flow.this) {
                piece = whole == null ? nextPiece() : rest(whole);
                if (piece == null) {
                    hungry = true;
                } else if (!keeping) {
                    go = stopped && sizeBytes - readBytes < windowBytes / 2;
                    stopped &= !go;
                }
            }
            if (go) {
                resume.run();
            }
            return piece;
        }

        private @Nullable ByteBuf nextPiece() {
            if (next == pieces.size()) {
                return null;
            }
            byte[] piece = pieces.get(next);
            if (keeping) {
                next++;
                atBytes += piece.length;
            } else {
                pieces.remove(next);
                readBytes += piece.length;
            }
            return Unpooled.wrappedBuffer(piece);
        }

        private @Nullable ByteBuf rest(byte[] all) {
            int size = Math.min(ArraySource.PIECE_BYTES, all.length - atBytes);
            atBytes += size;
            return size == 0 ? null : Unpooled.wrappedBuffer(all, atBytes - size, size);
        }

        private boolean readAll() {
            return whole == null ? next == pieces.size() : atBytes == whole.length;
        }

        @Override
        public boolean finished() {
            synchronized (Flow.this) {
                return finished && readAll();
            }
        }

        @Override
        public boolean failed() {
            synchronized (Flow.this) {
                return failed && readAll();
            }
        }

        @Override
        public void close() {
            boolean go;
            synchronized (Flow.this) {
                readers.remove(this);
                go = stopped;
                stopped = false;
            }
            if (go) {
                resume.run();
            }
        }
    }
}
