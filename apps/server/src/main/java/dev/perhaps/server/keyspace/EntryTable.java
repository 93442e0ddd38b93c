package dev.perhaps.server.keyspace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Some of the keys, by their hash. Changed under a write lock; {@link #find} may run meanwhile, and then may be wrong. */
final class EntryTable {
    /*
     *     places   | e1 | – | e2 | … |      as many as a power of two, at least as many as entries, and at most 8 times as many
     *                 |       |
     *                 e5      e3 → e4       entries of one place: a list through KeyEntry.next
     *
     * An entry is its own node: it takes 32 bytes less than in a HashMap. The lists keep their order when the table
     * grows and when it shrinks, where one list is put behind another: a reader that follows one in the meantime still
     * reaches its end.
     */
    private static final int FIRST_PLACES = 2;
    private static final int MAX_PLACES = 1 << 30;

    /** A table with this many places per entry shrinks to half: it is far from both limits then. */
    private static final int MAX_PLACES_PER_ENTRY = 8;

    private @Nullable KeyEntry[] places = new KeyEntry[FIRST_PLACES];
    private int size;

    private static int place(long hash, int length) {
        // The lower bits have chosen the stripe and the table.
        return (int) (hash >>> Keyspace.TABLE_BITS) & (length - 1);
    }

    @Nullable
    KeyEntry find(KeyBytes key) {
        @Nullable KeyEntry[] now = places;
        KeyEntry entry = now[place(key.hash(), now.length)];
        while (entry != null && !entry.is(key)) {
            entry = entry.next();
        }
        return entry;
    }

    /** Adds an entry whose key is not there. */
    void add(KeyEntry entry) {
        if (size >= places.length && size < MAX_PLACES) {
            grow();
        }
        int place = place(entry.hash(), places.length);
        entry.next(places[place]);
        places[place] = entry;
        size++;
    }

    private void grow() {
        int length = places.length;
        @Nullable KeyEntry[] more = new KeyEntry[2 * length];
        for (int i = 0; i < length; i++) {
            KeyEntry lowEnd = null;
            KeyEntry highEnd = null;
            for (KeyEntry entry = places[i]; entry != null; entry = entry.next()) {
                if (place(entry.hash(), 2 * length) == i) {
                    if (lowEnd == null) {
                        more[i] = entry;
                    } else {
                        lowEnd.next(entry);
                    }
                    lowEnd = entry;
                } else {
                    if (highEnd == null) {
                        more[i + length] = entry;
                    } else {
                        highEnd.next(entry);
                    }
                    highEnd = entry;
                }
            }
            if (lowEnd != null) {
                lowEnd.next(null);
            }
            if (highEnd != null) {
                highEnd.next(null);
            }
        }
        places = more;
    }

    /** Halves the places: what was in the upper half goes behind what is in the lower one. */
    private void shrink() {
        int length = places.length / 2;
        @Nullable KeyEntry[] fewer = Arrays.copyOf(places, length);
        for (int i = 0; i < length; i++) {
            KeyEntry low = fewer[i];
            KeyEntry high = places[i + length];
            if (low == null) {
                fewer[i] = high;
            } else if (high != null) {
                KeyEntry end = low;
                for (KeyEntry next = end.next(); next != null; next = end.next()) {
                    end = next;
                }
                end.next(high);
            }
        }
        places = fewer;
    }

    /** The number of places, which take memory also where they are empty. */
    int places() {
        return places.length;
    }

    /** Removes an entry; returns it, or null if it was not there. */
    @Nullable
    KeyEntry remove(KeyBytes key) {
        int place = place(key.hash(), places.length);
        KeyEntry before = null;
        for (KeyEntry entry = places[place]; entry != null; entry = entry.next()) {
            if (entry.is(key)) {
                if (before == null) {
                    places[place] = entry.next();
                } else {
                    before.next(entry.next());
                }
                size--;
                while (places.length > FIRST_PLACES && places.length > (long) MAX_PLACES_PER_ENTRY * size) {
                    shrink();
                }
                return entry;
            }
            before = entry;
        }
        return null;
    }

    /** Visits all entries; returns how many there are. */
    int forEach(Consumer<KeyEntry> visitor) {
        if (size > 0) {
            for (KeyEntry first : places) {
                for (KeyEntry entry = first; entry != null; entry = entry.next()) {
                    visitor.accept(entry);
                }
            }
        }
        return size;
    }

    /** Returns all entries. */
    List<KeyEntry> entries() {
        List<KeyEntry> all = new ArrayList<>(size);
        forEach(all::add);
        return all;
    }
}
