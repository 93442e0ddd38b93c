package dev.perhaps.similarity;

import dev.perhaps.key.Key;
import dev.perhaps.sketch.Kind;

/**
 * Families of random hyperplanes, which estimate an angle, too high or too low: a component is the side of a plane on
 * which a vector lies, so two vectors at angle φ agree in it with probability 1 − φ/π. Angle and cosine are derived
 * from the share of equal components. Immutable and thread-safe.
 */
abstract sealed class AngleFamily extends Family permits SimHash, Hyperplanes {
    AngleFamily(int scheme, int components, Key<?> key) {
        super(Kind.SIMHASH, scheme, components, 1, key);
    }

    /** Returns the estimated angle in radians, 0 … π. */
    public final double angle(Signature a, Signature b) {
        return Math.PI * (1 - similarity(a, b));
    }

    /** Returns the standard error of {@link #angle} if the true angle is {@code angle}. */
    public final double angleError(double angle) {
        if (!(angle >= 0 && angle <= Math.PI)) {
            throw new IllegalArgumentException("angle must be in [0, π], got " + angle);
        }
        return Math.PI * standardError(1 - angle / Math.PI);
    }

    /** Returns the estimated cosine of the angle; of sets, |A ∩ B| / √(|A||B|). */
    public final double cosine(Signature a, Signature b) {
        return Math.cos(angle(a, b));
    }

    /**
     * Returns the standard error of {@link #cosine} if the true cosine is {@code cosine}, to first order: sin φ times
     * that of the angle.
     */
    public final double cosineError(double cosine) {
        if (!(cosine >= -1 && cosine <= 1)) {
            throw new IllegalArgumentException("cosine must be in [-1, 1], got " + cosine);
        }
        return Math.sqrt(1 - cosine * cosine) * angleError(Math.acos(cosine));
    }
}
