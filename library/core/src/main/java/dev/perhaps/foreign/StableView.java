package dev.perhaps.foreign;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the content of a large structure, which can be written while the structure changes. A thread that
 * changes the structure first saves the old content that it overwrites, and waits only if such copies take too much
 * memory. A structure has at most one view at a time. Thread-safe.
 *
 * <pre>{@code
 * RedisBloom filter = RedisBloom.expecting(1_000).build();
 * try (StableView view = filter.view(64 << 20)) {
 *     view.writeTo(OutputStream.nullOutputStream());
 * }
 * }</pre>
 */
public final class StableView implements AutoCloseable {
    /*
     *     array    | written already | piece | piece | piece | …        pieces of 65,536 words
     *                                    |       |
     *                                  notes   notes                   old words, by their place in the piece
     *
     * A change of a word that is not written yet notes the old word, once. To write a piece, the words are copied, the
     * noted ones put over them, and the notes dropped: that takes some 50 µs, for which a change of the structure may
     * have to wait. Notes of a piece begin as a small table, 12 bytes per place; when they are a quarter of the piece,
     * the piece is copied instead.
     *
     * All of it is under the monitor of the view. What is written to the array is not: a note is made before its word
     * changes, and a piece that was copied before the note was made has the old word.
     */
    private static final int PIECE = 1 << 16;
    private static final int MAX_NOTES = PIECE / 4;

    private final byte[] head;
    private final List<Watched> arrays = new ArrayList<>();
    private final long maxBytes;
    private long noteBytes;
    private volatile boolean isClosed;

    StableView(byte[] head, long maxBytes) {
        this.head = head;
        this.maxBytes = Math.max(8L * PIECE, maxBytes);
    }

    /** The next array of the content. */
    Watched add(long[] words) {
        return add(new Watched(8L * words.length) {
            @Override
            void copy(int from, ByteBuffer to) {
                int count = Math.min(to.remaining() / 8, words.length - from);
                to.asLongBuffer().put(words, from, count);
            }

            @Override
            long word(int place) {
                return words[place];
            }
        });
    }

    /** The next array of the content. */
    Watched add(byte[] bytes) {
        return add(new Watched(bytes.length) {
            @Override
            void copy(int from, ByteBuffer to) {
                to.duplicate().put(bytes, 8 * from, Math.min(to.remaining(), bytes.length - 8 * from));
            }

            @Override
            long word(int place) {
                byte[] one = new byte[8];
                System.arraycopy(bytes, 8 * place, one, 0, Math.min(8, bytes.length - 8 * place));
                return ByteBuffer.wrap(one).order(ByteOrder.LITTLE_ENDIAN).getLong();
            }
        });
    }

    private Watched add(Watched array) {
        arrays.add(array);
        return array;
    }

    /** An array of a structure, as little-endian words. */
    abstract class Watched {
        private final long bytes;
        private final @Nullable OverwrittenWords[] pieces;
        private int done;

        Watched(long bytes) {
            this.bytes = bytes;
            this.pieces = new OverwrittenWords[(int) ((bytes + 8L * PIECE - 1) / (8L * PIECE))];
        }

        /** Copies from this word on, as much as there is and fits; the rest of the last word stays. */
        abstract void copy(int from, ByteBuffer to);

        abstract long word(int place);

        /** Must be called before a word changes. */
        final void before(int place) {
            if (isClosed) {
                return;
            }
            synchronized (StableView.this) {
                int piece = place / PIECE;
                if (piece < done || isClosed) {
                    return;
                }
                awaitRoom();
                if (piece < done || isClosed) {
                    return;
                }
                OverwrittenWords notes = pieces[piece];
                if (notes == null) {
                    notes = new OverwrittenWords();
                    pieces[piece] = notes;
                    noteBytes += notes.bytes();
                }
                int[] places = notes.places;
                if (places == null) {
                    return;
                }
                int at = OverwrittenWords.find(places, place % PIECE);
                if (places[at] == 0) {
                    places[at] = place % PIECE + 1;
                    notes.words[at] = word(place);
                    notes.count++;
                    noteBytes -= notes.bytes();
                    if (notes.count > MAX_NOTES) {
                        fill(piece, notes);
                    } else if (notes.count > places.length / 4 * 3) {
                        notes.grow(places);
                    }
                    noteBytes += notes.bytes();
                }
            }
        }

        /** Must be called before many words change, from the first of them up to, and without, the last. */
        final void before(int from, int to) {
            for (int piece = from / PIECE; piece <= (to - 1) / PIECE && from < to; piece++) {
                before(Math.max(from, piece * PIECE));
                synchronized (StableView.this) {
                    OverwrittenWords notes = pieces[piece];
                    if (notes != null && notes.places != null) {
                        noteBytes -= notes.bytes();
                        fill(piece, notes);
                        noteBytes += notes.bytes();
                    }
                }
            }
        }

        /** Copies the whole piece in place of single words. */
        private void fill(int piece, OverwrittenWords notes) {
            byte[] all = new byte[8 * PIECE];
            old(piece, notes, ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN));
            long[] words = new long[PIECE];
            ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
            notes.words = words;
            notes.places = null;
        }

        /** The words of a piece as they were. */
        private void old(int piece, @Nullable OverwrittenWords notes, ByteBuffer to) {
            int[] places = notes == null ? null : notes.places;
            if (notes != null && places == null) {
                to.asLongBuffer().put(notes.words);
                return;
            }
            copy(piece * PIECE, to);
            for (int i = 0; notes != null && places != null && i < places.length; i++) {
                if (places[i] != 0) {
                    to.putLong(8 * (places[i] - 1), notes.words[i]);
                }
            }
        }

        private void writeTo(OutputStream out) throws IOException {
            byte[] buffer = new byte[8 * PIECE];
            ByteBuffer words = ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN);
            for (int piece = 0; piece < pieces.length; piece++) {
                synchronized (StableView.this) {
                    OverwrittenWords notes = pieces[piece];
                    old(piece, notes, words);
                    noteBytes -= notes == null ? 0 : notes.bytes();
                    pieces[piece] = null;
                    done = piece + 1;
                    StableView.this.notifyAll();
                }
                out.write(buffer, 0, (int) Math.min(buffer.length, bytes - 8L * PIECE * piece));
            }
        }
    }

    /** Waits until notes take less than their limit. */
    private synchronized void awaitRoom() {
        boolean isInterrupted = false;
        while (noteBytes > maxBytes && !isClosed) {
            try {
                wait();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the length of what {@link #writeTo} writes, in bytes. */
    public long fileBytes() {
        long sum = head.length;
        for (Watched array : arrays) {
            sum += array.bytes;
        }
        return sum;
    }

    /**
     * Writes the content, once; it is what {@code writeTo} of the structure would have written when the view was made.
     */
    public void writeTo(OutputStream out) throws IOException {
        out.write(head);
        for (Watched array : arrays) {
            array.writeTo(out);
        }
    }

    /** Ends the view: changes are noted no more. */
    @Override
    public synchronized void close() {
        isClosed = true;
        noteBytes = 0;
        for (Watched array : arrays) {
            Arrays.fill(array.pieces, null);
        }
        arrays.clear();
        notifyAll();
    }
}
