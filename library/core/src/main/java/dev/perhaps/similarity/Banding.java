package dev.perhaps.similarity;

import dev.perhaps.io.Figures;

/**
 * Finds pairs without comparing all: the k components of a signature in b bands of r rows; two that agree on all rows of
 * any band are candidates. At similarity j that happens with chance 1 − (1 − j^r)^b, an S-curve that {@link #chance} tells;
 * the rest is missed. Immutable.
 *
 * <pre>{@code
 * Banding banding = Banding.of(128).threshold(0.8).recall(0.99);
 * double found = banding.chance(0.85);
 * }</pre>
 */
public final class Banding {
    /*
     * More rows make a band harder to agree on: fewer candidates, and more of the pairs at the threshold missed. The plan
     * takes the most rows whose chance at the threshold t is still the wanted recall; with ⌊k/r⌋ bands, what is left over
     * of the k components is not used.
     *
     * The lectures take the most rows with (k/r)·t^r ≥ 1, where one band in common is expected. That finds 60 to 99 % of the
     * pairs at t, 67.9 % for k = 100 and t = 0.8: offered, and not the default.
     *
     * The chance takes components for independent. Those of MinHash.of are dealt without replacement, which finds a trifle
     * more (docs/decisions/minhash.md).
     *
     * [1] Leskovec, Rajaraman and Ullman, "Mining of massive datasets", chapter 3. [2] Indyk and Motwani (1998).
     */
    private final int components;
    private final double threshold;
    private final int rows;

    private Banding(int components, double threshold, int rows) {
        this.components = components;
        this.threshold = threshold;
        this.rows = rows;
    }

    /** Bands of signatures of this number of components. */
    public static Components of(int components) {
        return new Components(components);
    }

    /** How many components there are; where the threshold lies is still to say. */
    public record Components(int components) {
        public Components {
            Family.checkedComponents(components);
        }

        /** Pairs from this similarity on are wanted. */
        public Plan threshold(double threshold) {
            return new Plan(components, threshold);
        }
    }

    /** What is wanted of the bands. */
    public record Plan(int components, double threshold) {
        public Plan {
            Family.checkedComponents(components);
            if (!(threshold > 0 && threshold <= 1)) {
                throw new IllegalArgumentException("threshold must be in (0, 1], got " + threshold);
            }
        }

        /** The most rows with which a pair at the threshold is still found with this chance. */
        public Banding recall(double recall) {
            if (!(recall > 0 && recall < 1)) {
                throw new IllegalArgumentException("recall must be in (0, 1), got " + recall);
            }
            for (int rows = components; rows >= 1; rows--) {
                Banding banding = new Banding(components, threshold, rows);
                if (banding.chance(threshold) >= recall) {
                    return banding;
                }
            }
            double most = new Banding(components, threshold, 1).chance(threshold);
            throw new IllegalArgumentException(components + " components find a pair at " + threshold
                    + " with chance " + Figures.significant(most) + " at most, got recall " + recall
                    + ": take more components, or ask for less recall");
        }

        /** A band for each component, as in the lectures' document graph. */
        public Banding singleRows() {
            return rows(1);
        }

        /** Bands of this number of rows. */
        public Banding rows(int rows) {
            assert rows >= 1 && rows <= components;
            return new Banding(components, threshold, rows);
        }

        /** The lectures' rule: the most rows with which a band in common is expected at the threshold. */
        public Banding lecture() {
            int rows = components;
            while (rows > 1 && (double) components / rows * Math.pow(threshold, rows) < 1) {
                rows--;
            }
            return new Banding(components, threshold, rows);
        }
    }

    /** Returns the number of components of a signature, of which {@code bands() * rows()} are used. */
    public int components() {
        return components;
    }

    /** Returns the similarity from which pairs are wanted. */
    public double threshold() {
        return threshold;
    }

    /** Returns the number of components per band. */
    public int rows() {
        return rows;
    }

    /** Returns the number of bands. */
    public int bands() {
        return components / rows;
    }

    /** The chance that a pair of this similarity becomes a candidate. */
    public double chance(double similarity) {
        Family.checkShare(similarity);
        // expm1 and log1p: a chance of 10⁻¹² is told as that, not as 0.
        return -Math.expm1(bands() * Math.log1p(-Math.pow(similarity, rows)));
    }

    @Override
    public String toString() {
        return bands() + " bands of " + rows + " rows, finds " + Figures.percent(chance(threshold)) + " at "
                + threshold;
    }
}
