package dev.perhaps.similarity.segments;

import dev.perhaps.sketch.Sketch;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the other rooms of similarity do with an index and its users cannot: look at its documents by number, and add
 * many of them with their clusters.
 */
public abstract class IndexInside {
    /*
     * The classes of an index are public, and what they show is for every user. So they show none of this; the class of
     * an index leaves its own IndexInside here when it is loaded, which is before anybody has an index.
     */
    private static volatile @Nullable IndexInside only;

    /** Leaves what {@link #get} returns. */
    public static void set(IndexInside inside) {
        only = inside;
    }

    /** The one that the class of an index has left. */
    public static IndexInside get() {
        return Objects.requireNonNull(only, "there is an index, so its class has been loaded");
    }

    /** The documents of an index as they are now. */
    public abstract Snapshot snapshot(Sketch index);

    /** Adds many at once, whose names are not there yet and whose states name numbers from the snapshot's count on. */
    public abstract void addAll(Sketch index, Addition[] batch);

    /** Makes a cluster, by the number that it is known by, part of the cluster known by the other one. */
    public abstract void join(Sketch index, int root, int other);
}
