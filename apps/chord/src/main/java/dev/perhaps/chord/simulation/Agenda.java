package dev.perhaps.chord.simulation;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.Message;
import dev.perhaps.chord.Timer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The events still to come, the earliest first; events of the same time in the order in which they were added. */
final class Agenda {
    /** What sort of thing an entry is. */
    enum Kind {
        MESSAGE,
        DEADLINE,
        TIMER,
        HANDED_OVER,
        STOP,
        COMMAND
    }

    /** One thing to happen. Only what its kind needs is set. */
    static final class Entry {
        final Kind kind;
        final int node;
        long atMillis;
        private long order;
        /** The life of the node for timers, of the node that was asked for deadlines. */
        int life;

        int target;
        long request;
        boolean decides;

        @Nullable
        Member from;

        @Nullable
        Message message;

        @Nullable
        Timer timer;

        @Nullable
        Command command;

        Entry(Kind kind, int node) {
            this.kind = kind;
            this.node = node;
        }

        private boolean before(Entry other) {
            return atMillis < other.atMillis || atMillis == other.atMillis && order < other.order;
        }
    }

    private Entry[] heap = new Entry[256];
    private int size;
    private long orders;

    boolean isEmpty() {
        return size == 0;
    }

    void add(Entry entry, long atMillis) {
        entry.atMillis = atMillis;
        entry.order = orders++;
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        int at = size++;
        while (at > 0 && entry.before(heap[(at - 1) >>> 1])) {
            heap[at] = heap[(at - 1) >>> 1];
            at = (at - 1) >>> 1;
        }
        heap[at] = entry;
    }

    Entry next() {
        Entry first = heap[0];
        Entry last = heap[--size];
        int at = 0;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && heap[child + 1].before(heap[child])) {
                child++;
            }
            if (!heap[child].before(last)) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = last;
        return first;
    }

    void forEach(Consumer<Entry> action) {
        for (int i = 0; i < size; i++) {
            action.accept(heap[i]);
        }
    }
}
