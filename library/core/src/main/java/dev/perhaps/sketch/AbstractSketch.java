package dev.perhaps.sketch;

import org.jspecify.annotations.Nullable;

/**
 * Equality of structures in memory: two are equal if they have the same kind, key, parameters and content, which means
 * the same bytes in a file. A concurrent structure is equal only to itself; {@link #contentEquals} compares its
 * content.
 *
 * <p>Both {@code equals} and {@code hashCode} read the whole structure, and both change when something is added. Do not
 * use a structure as a key of a map, or as an element of a set, unless it never changes again.
 */
public abstract class AbstractSketch implements Sketch {
    /** For the structures of this library. */
    protected AbstractSketch() {}

    @Override
    public final boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof AbstractSketch sketch
                        && isByContent(this)
                        && isByContent(sketch)
                        && contentEquals(sketch);
    }

    @Override
    public final int hashCode() {
        return isByContent(this) ? SketchBytes.hash(this) : System.identityHashCode(this);
    }

    private static boolean isByContent(AbstractSketch sketch) {
        return !(sketch instanceof Shareable<?> shareable && shareable.isConcurrent());
    }
}
