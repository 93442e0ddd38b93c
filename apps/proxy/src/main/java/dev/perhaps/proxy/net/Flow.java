package dev.perhaps.proxy.net;

import dev.perhaps.proxy.cache.Budget;
import dev.perhaps.proxy.cache.Copy;
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
     *                behind, or when the memory for all clients is used up, and is called when it may go on.
     *
     * A flow begins keeping or passing, and may change from keeping to passing when it grows too big to keep; from then on
     * no reader can join.
     *
     * Every byte is counted as long as somebody can reach it. What is kept is counted in the budget of bodies on their way
     * into the cache; when it changes to passing, until it is read; when it breaks off, until the last reader has gone. When
     * it is whole the cache counts it, and the copy its readers (Copy.Readers). What is passed is counted in the memory for
     * all clients.
     */
    private final Budget incoming;
    private final Budget memory;
    private final int windowBytes;
    private final Runnable resume;
    private final List<byte[]> pieces = new ArrayList<>();
    private final List<Reader> readers = new ArrayList<>();
    private boolean keeping;
    private long incomingBytes;
    private long memoryBytes;
    private long sizeBytes;
    private long readBytes;
    private boolean stopped;
    private boolean abandoned;
    private @Nullable Copy copy;
    private boolean finished;
    private boolean failed;

    private Flow(boolean keeping, long reservedBytes, Budget incoming, Engine engine, Runnable resume) {
        this.keeping = keeping;
        this.incomingBytes = reservedBytes;
        this.incoming = incoming;
        this.memory = engine.memory;
        this.windowBytes = engine.plan.limits().windowBytes();
        this.resume = resume;
    }

    static Flow passing(Engine engine, Runnable resume) {
        return new Flow(false, 0, engine.incoming, engine, resume);
    }

    /** Returns a flow that keeps the body; null if there is no memory for it. */
    static @Nullable Flow keeping(Engine engine, long expectedBytes, Runnable resume) {
        return engine.incoming.take(expectedBytes)
                ? new Flow(true, expectedBytes, engine.incoming, engine, resume)
                : null;
    }

    /** Adds a piece. Returns whether the writer may go on; if not, it is called when it may. */
    boolean append(byte[] piece) {
        List<Reader> hungry;
        boolean more;
        synchronized (this) {
            sizeBytes += piece.length;
            if (abandoned) {
                return true; // the writer is told elsewhere
            }
            pieces.add(piece);
            if (!keeping) {
                boolean counted = memory.take(piece.length);
                memoryBytes += counted ? piece.length : 0;
                // Who was told to stop and has not been called stays stopped, though there may be room again.
                stopped |= !counted || sizeBytes - readBytes >= windowBytes;
            }
            more = !stopped;
            hungry = hungry();
        }
        hungry.forEach(reader -> reader.wake.run());
        return more;
    }

    /** Reserves memory for a part of a body of unknown length. Returns false if there is none. */
    synchronized boolean reserve(long bytes) {
        if (!incoming.take(bytes)) {
            return false;
        }
        incomingBytes += bytes;
        return true;
    }

    /** From now on what is read is forgotten. There must be one reader at most. */
    synchronized void pass() {
        assert readers.size() <= 1 : readers.size();
        keeping = false;
        Reader reader = readers.isEmpty() ? null : readers.get(0);
        if (reader != null) {
            pieces.subList(0, reader.next).clear();
            reader.next = 0;
            readBytes = reader.atBytes;
        }
        abandoned = reader == null;
        settle();
    }

    void finish() {
        end(true, null);
    }

    /** Finishes the flow with the whole body: readers continue there, and the parts are released. */
    void finish(Copy whole) {
        end(true, whole);
    }

    /** It ends here, if it has not ended before. */
    void fail() {
        end(false, null);
    }

    private void end(boolean whole, @Nullable Copy stored) {
        List<Reader> hungry;
        synchronized (this) {
            if (finished || failed) {
                return;
            }
            finished = whole;
            failed = !whole;
            if (stored != null) {
                copy = stored;
                pieces.clear();
                readers.forEach(reader -> reader.open(stored));
            }
            settle();
            hungry = hungry();
            for (Reader reader : readers) {
                if (reader.lost && !hungry.contains(reader)) {
                    hungry.add(reader);
                }
            }
        }
        hungry.forEach(reader -> reader.wake.run());
    }

    /** Releases memory that is counted, but no longer reachable. */
    private void settle() {
        assert Thread.holdsLock(this);
        long reachable;
        if (copy != null || abandoned) {
            reachable = 0;
        } else if (finished || failed) {
            reachable = readers.isEmpty() ? 0 : keeping ? sizeBytes : sizeBytes - readBytes;
        } else {
            reachable = keeping ? Math.max(incomingBytes, sizeBytes) : sizeBytes - readBytes;
        }
        long excess = incomingBytes + memoryBytes - reachable;
        if (excess > 0) {
            long first = Math.min(excess, incomingBytes); // what was kept came before what was passed
            incomingBytes -= first;
            incoming.giveBack(first);
            memoryBytes -= excess - first;
            memory.giveBack(excess - first);
        }
        if (abandoned || reachable == 0 && (finished || failed)) {
            pieces.clear();
        }
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

    /** Returns all bytes received so far, in one array; only while they are kept. */
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
        if (copy != null) {
            reader.open(copy);
        }
        return reader;
    }

    /** A reader of the flow. */
    final class Reader implements Source {
        private final Runnable wake;
        private int next;
        private int inPiece;
        private long atBytes;
        private boolean hungry;
        private boolean lost;

        private Reader(Runnable wake) {
            this.wake = wake;
        }

        private void open(Copy stored) {
            lost = !stored.readers().open(this, this::lose);
        }

        /** The copy was evicted, and there is no room for it outside of the cache. */
        private void lose() {
            synchronized (Flow.this) {
                lost = true;
            }
            wake.run();
        }

        @Override
        public @Nullable ByteBuf next(int maxBytes) {
            ByteBuf piece;
            boolean go = false;
            synchronized (Flow.this) {
                if (lost) {
                    return null;
                }
                piece = copy == null ? nextPiece(maxBytes) : rest(copy.body(), maxBytes);
                if (piece == null) {
                    hungry = true;
                } else if (!keeping) {
                    settle();
                    go = stopped && sizeBytes - readBytes < windowBytes / 2;
                    stopped &= !go;
                }
            }
            if (go) {
                resume.run();
            }
            return piece;
        }

        private @Nullable ByteBuf nextPiece(int maxBytes) {
            if (next == pieces.size()) {
                return null;
            }
            byte[] piece = pieces.get(next);
            int from = inPiece;
            int size = Math.min(maxBytes, piece.length - from);
            inPiece += size;
            atBytes += size;
            if (inPiece == piece.length) {
                inPiece = 0;
                if (keeping) {
                    next++;
                } else {
                    pieces.remove(next);
                }
            }
            readBytes += keeping ? 0 : size;
            return Unpooled.wrappedBuffer(piece, from, size);
        }

        private @Nullable ByteBuf rest(byte[] all, int maxBytes) {
            int from = Math.toIntExact(atBytes);
            int size = Math.min(maxBytes, all.length - from);
            atBytes += size;
            return size == 0 ? null : Unpooled.wrappedBuffer(all, from, size);
        }

        private boolean readAll() {
            return copy == null ? next == pieces.size() : atBytes == copy.body().length;
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
        public boolean lost() {
            synchronized (Flow.this) {
                return lost;
            }
        }

        @Override
        public void close() {
            boolean go;
            synchronized (Flow.this) {
                readers.remove(this);
                abandoned |= !keeping;
                if (copy != null) {
                    copy.readers().close(this);
                }
                settle();
                go = stopped;
                stopped = false;
            }
            if (go) {
                resume.run();
            }
        }
    }
}
