package dev.perhaps.similarity;

import dev.perhaps.io.Figures;

/**
 * Finds similar pairs without comparing all of them: the k components of a signature are split into b bands of r rows,
 * and two signatures that agree on all rows of any band are candidates. A pair of similarity j is found with
 * probability 1 − (1 − j^r)^b, see {@link #chance}; other pairs are missed. Immutable.
 *
 * <pre>{@code
 * Banding banding = Banding.of(128).threshold(0.8).recall(0.99);
 * double found = banding.chance(0.85);
 * }</pre>
 */
public final class Banding {
    /*
     * More rows make a band harder to agree on: fewer candidates, and more of the pairs at the threshold missed. The
     * plan takes the most rows whose chance at the threshold t is still the wanted recall; with ⌊k/r⌋ bands, what is
     * left over of the k components is not used.
     *
     * The lectures take the most rows with (k/r)·t^r ≥ 1, where one band in common is expected. That finds 60 to 99 %
     * of the pairs at t, 67.9 % for k = 100 and t = 0.8: offered, and not the default.
     *
     * The formula assumes independent components. Those of MinHash.of are drawn without replacement, which finds
     * slightly more (docs/decisions/minhash.md).
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

    /** Starts a plan for signatures with this number of components. */
    public static Components of(int components) {
        return new Components(components);
    }

    /** The number of components of a plan whose threshold is not given yet. */
    public record Components(int components) {
        public Components {
            Family.checkedComponents(components);
        }

        /** Sets the similarity, in (0, 1], from which pairs are wanted. */
        public Plan threshold(double threshold) {
            return new Plan(components, threshold);
        }
    }

    /** Describes bands before their number is chosen. Immutable. */
    public record Plan(int components, double threshold) {
        public Plan {
            Family.checkedComponents(components);
            if (!(threshold > 0 && threshold <= 1)) {
                throw new IllegalArgumentException("threshold must be in (0, 1], got " + threshold);
            }
        }

        /** Returns the bands with the most rows that find a pair at the threshold with at least this probability. */
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

        /** Returns one band per component, as in the document graph of the lectures. */
        public Banding singleRows() {
            return rows(1);
        }

        /** Returns bands with this number of rows. */
        public Banding rows(int rows) {
            assert rows >= 1 && rows <= components;
            return new Banding(components, threshold, rows);
        }

        /**
         * Returns the bands of the lectures' rule: the most rows with which one common band is expected at the
         * threshold.
         */
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

    /** Returns the probability that a pair of this similarity becomes a candidate. */
    public double chance(double similarity) {
        Family.checkShare(similarity);
        // expm1 and log1p: a probability of 10⁻¹² is returned as that, not as 0.
        return -Math.expm1(bands() * Math.log1p(-Math.pow(similarity, rows)));
    }

    @Override
    public String toString() {
        return bands() + " bands of " + rows + " rows, finds " + Figures.percent(chance(threshold)) + " at "
                + threshold;
    }
}
