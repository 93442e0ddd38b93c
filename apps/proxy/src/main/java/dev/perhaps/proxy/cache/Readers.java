package dev.perhaps.proxy.cache;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who is reading the body of a {@link Copy}. While it is in the cache, the cache counts its bytes; if it is evicted while
 * somebody still reads it, they are taken from a budget of their own, and if that is used up, the readers are told that they
 * have lost it. So the memory of the cache has a limit however slowly its pages are read. Safe for any number of threads.
 */
public final class Readers {
    /** Of a body so small that it is sent in one go. */
    static final Readers OF_A_SMALL_BODY = new Readers(0);

    private final long sizeBytes;
    private final Map<Object, Runnable> reading = new HashMap<>();
    private @Nullable Budget outside;
    private boolean counted;
    private boolean lost;

    Readers(long sizeBytes) {
        this.sizeBytes = sizeBytes;
    }

    /**
     * One more reads.
     *
     * @param lost called once if the bytes must go before the reader closes, from any thread, with nothing locked here
     * @return false if they must go now
     */
    public boolean open(Object reader, Runnable lost) {
        if (this == OF_A_SMALL_BODY) {
            return true;
        }
        synchronized (this) {
            reading.put(reader, lost);
            count();
            return !this.lost;
        }
    }

    /** One less reads; nothing happens if it did not. */
    public void close(Object reader) {
        if (this == OF_A_SMALL_BODY) {
            return;
        }
        synchronized (this) {
            reading.remove(reader);
            if (reading.isEmpty() && counted && outside != null) {
                outside.giveBack(sizeBytes);
                counted = false;
            }
        }
    }

    /** The copy is not in the cache, or no longer: its readers take its bytes from this budget. */
    void left(Budget budget) {
        if (this == OF_A_SMALL_BODY) {
            return;
        }
        List<Runnable> losers = List.of();
        synchronized (this) {
            outside = budget;
            boolean before = lost;
            count();
            if (lost && !before) {
                losers = List.copyOf(reading.values());
            }
        }
        losers.forEach(Runnable::run);
    }

    private void count() {
        assert Thread.holdsLock(this);
        if (outside != null && !reading.isEmpty() && !counted && !lost) {
            counted = outside.take(sizeBytes);
            lost = !counted;
        }
    }
}
