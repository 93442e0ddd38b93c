package dev.perhaps.frequency;

import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Shareable;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Objects;

/**
 * What the structures over a sliding window share: panes, the lock of the concurrent form, time, merging and writing.
 * Adding and estimating are in the subclasses, so that the hot path has no virtual call through this class.
 *
 * @param <S> the sketch of a pane
 * @param <W> the structure itself
 */
abstract class Sliding<T, S extends Sketch & Mergeable<S>, W extends Sliding<T, S, W>> extends AbstractSketch
        implements Mergeable<W>, Shareable<W> {
    final Panes<S> panes;
    final OptionalLock lock;

    Sliding(Panes<S> panes, boolean concurrent) {
        this.panes = panes;
        this.lock = OptionalLock.of(concurrent);
    }

    /** Returns the key that hashes the values. */
    public abstract Key<T> key();

    /** This structure, with these panes. */
    abstract W with(Panes<S> other, boolean concurrent);

    /** A copy of the sketch of a pane. */
    abstract S copyOf(S pane);

    /** The sum of all counts of a pane. */
    abstract long totalOf(S pane);

    /** The frame of what is in the panes now; only of the plain form. */
    abstract Frame frame();

    /** The plural of its name, for messages. */
    abstract String plural();

    abstract W self();

    /** Forgets everything; the time starts again too. */
    public final void clear() {
        lock.lock();
        try {
            panes.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Moves the window to this time, in milliseconds since 1970, without an event; an earlier time changes nothing. */
    public final void advanceTo(long millis) {
        lock.lock();
        try {
            panes.advanceTo(millis);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the sum of all counts since {@link #sinceMillis}. */
    public final long total() {
        lock.lock();
        try {
            return panes.living().stream().mapToLong(this::totalOf).reduce(0, Panes::plus);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the sum of all counts as of this time, in milliseconds since 1970; nothing changes. */
    public final long total(long atMillis) {
        lock.lock();
        try {
            return panes.living(atMillis).stream().mapToLong(this::totalOf).reduce(0, Panes::plus);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the duration of the window. */
    public final Duration window() {
        return Duration.ofMillis(panes.windowMillis());
    }

    /** Returns the time since which events are counted: one window ago, or up to one pane more. */
    public final long sinceMillis() {
        lock.lock();
        try {
            return panes.sinceMillis();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the newest time so far. */
    public final long newestMillis() {
        lock.lock();
        try {
            return panes.newestMillis();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the sum of the counts that were too old for the window. */
    public final long late() {
        lock.lock();
        try {
            return panes.late();
        } finally {
            lock.unlock();
        }
    }

    /** Returns true if both have the same key, window and number of panes, and panes of the same shape. */
    @Override
    public final boolean fits(W other) {
        Objects.requireNonNull(other, "other must not be null");
        return difference(other).isEmpty();
    }

    private String difference(W other) {
        return key().fits(other.key()) ? panes.difference(other.panes) : key().against(other.key());
    }

    /** Adds the counts of another one; the window ends at the newer of both times. */
    @Override
    public final void merge(W other) {
        Objects.requireNonNull(other, "other must not be null");
        String difference = difference(other);
        if (!difference.isEmpty()) {
            throw new IllegalArgumentException("these " + plural() + " do not fit: " + difference);
        }
        // Never under two locks at once: two that are merged with each other would wait forever.
        W theirs = other.snapshot();
        lock.lock();
        try {
            panes.merge(theirs.panes, this::totalOf);
        } finally {
            lock.unlock();
        }
    }

    /** Returns a copy that shares no mutable state with this one. */
    public final W copy() {
        lock.lock();
        try {
            return with(panes.copy(this::copyOf), isConcurrent());
        } finally {
            lock.unlock();
        }
    }

    /** Returns this one, or a copy that no other thread changes. */
    final W snapshot() {
        return isConcurrent() ? with(copy().panes, false) : self();
    }

    @Override
    public final boolean isConcurrent() {
        return lock.exists();
    }

    /** {@inheritDoc} Threads take turns: every count is as exact as in the plain form. */
    @Override
    public final W concurrent() {
        return isConcurrent() ? self() : with(panes, true);
    }

    @Override
    public final long fileBytes() {
        return snapshot().frame().fileBytes();
    }

    @Override
    public final void writeTo(OutputStream out) throws IOException {
        W now = snapshot();
        now.frame().write(out, now.panes::writeTo);
    }
}
