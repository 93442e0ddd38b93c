package dev.perhaps.similarity.duplicates;

import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.search.FineSignatures;
import dev.perhaps.similarity.search.HotBucket;
import java.util.Arrays;
import java.util.function.IntToDoubleFunction;

/**
 * Estimates from the edges that were found how many more clusters there are than all pairs at or above the threshold
 * would give. Depends on the edges only.
 */
final class MissEstimate {
    /*
     * What is by itself and was not found leaves no trace, but what is like it and was found does. Of those that are
     * found with chance 1 − q, q / (1 − q) are lost for each one that is found (Horvitz and Thompson [1]). There is one
     * more cluster for each way to part one that comes true:
     *
     *     a bridge is not found                           pairs by themselves, chains
     *     of a content none of its other edges is found   groups; what hangs on it by bridges goes with it
     *
     * Larger parts have more edges to the rest, and are not counted.
     *
     * The chance q that a content v loses all its edges, to neighbours at similarities s_1, s_2, …, is not the product
     * of the chances of each: where all others are nearly the same text, a component of v's own signature that is off
     * differs from all of them. So similarities are taken apart: s_j = α·β_j, where α is what v shares with the text
     * that its neighbours are variants of, and is common to all its edges, and β_j is what neighbour j shares with it.
     * Neighbours j and k that have an edge too have s_jk = β_j·β_k, so α² = s_j·s_k / s_jk; the logarithms of that are
     * averaged over the closest neighbours. Where no two have an edge, s_jk is taken for the threshold. A bridge leads
     * from a group to a content with α = s / α of the group's end, or to a chain or a pair, with α = s and β = 1.
     *
     * Bands. In a band of r rows v agrees with a neighbour iff it agrees with the common text and the neighbour does
     * too; by chance α^r·g, g = 1 − ∏(1 − β_j^r). That fails in b bands with chance (1 − α^r·g)^b. A crowded content
     * has further passes, which use the same components and are worth WORTH of independent ones; but a content that
     * does not agree with the common text on any band of the first pass is not crowded, and is lost in all passes: (1 −
     * α^r)^b. The exception is a content that meets two others that lost the same item of the common text, and have the
     * same next one in its place: half of what differs is lost, the other half new; that many such others are met is
     * Poisson distributed, with the mean summed over the closest neighbour's neighbours.
     *
     * A link of a chain is a bridge too, but its ends also meet others: with a neighbour on the other side and that
     * one's neighbour an end is three in a bucket, and has the further passes whatever becomes of the link. The
     * similarity of those three is taken for the square of the end's strongest other edge; both ends must have such a
     * bucket.
     *
     * Components of MinHash.FAST are dealt without replacement, and so deviate less: for a set of n items by V = 1 −
     * k/n of the variance, half of it at the least. The chance to be in no band falls by about e^(−θ·h) with the number
     * h of equal components, and so is less by e^(−(1 − V)·θ²σ²/2) on average.
     *
     * Filter. A content that meets others is lost too if it has too few equal components with all of them: in the
     * signatures, or in the fine sketches if it is in hot buckets. The arc sine of the share that is equal is nearly
     * normal with a constant deviation, to the far tail. Of two neighbours these are correlated by λ_j·λ_k, where λ_j²
     * = (1 − α)/α · s_j/(1 − s_j): so given a common normal z they are independent, and z is integrated.
     *
     * Work: a few dozen searches for edges, and for each content that may be lost with a chance above NEGLIGIBLE some
     * 10 µs.
     *
     * [1] Horvitz and Thompson, "A generalization of sampling without replacement from a finite universe" (1952).
     */
    private static final double WORTH = 2;
    private static final int MAX_IN_BAND = 24;
    private static final int MAX_IN_FILTER = 8;
    private static final double NEGLIGIBLE = 1e-8;
    private static final double MAX_COMMON = 0.98;
    private static final double LEAST_VARIANCE = 0.5;
    private static final double STEP = 0.125;
    private static final double FAR = 8;

    private final Banding banding;
    private final Filter coarse;
    private final Filter fine;
    private final boolean[] crowded;
    private final boolean[] hot;
    private final IntToDoubleFunction items;

    /**
     * For each content whether it was banded in all passes, and whether it was in a hot bucket; and the number of its
     * items if they are dealt without replacement, else infinity. Later nodes are those of an index.
     */
    MissEstimate(Banding banding, int leastHits, boolean[] crowded, boolean[] hot, IntToDoubleFunction items) {
        this.banding = banding;
        this.coarse = new Filter(banding.components(), leastHits, 0);
        this.fine =
                new Filter(FineSignatures.COMPONENTS, HotBucket.least(banding.threshold()), FineSignatures.BY_CHANCE);
        this.crowded = crowded;
        this.hot = hot;
        this.items = items;
    }

    /** A least number of equal components, some of which are equal by chance. */
    private record Filter(int components, int least, double byChance) {
        double share() {
            return (double) least / components;
        }

        /** Standard deviations from what is expected at a similarity to what is asked for. */
        double distance(double similarity) {
            double expected = similarity + (1 - similarity) * byChance;
            double asked = Math.max(0, least - 1.0) / components;
            return 2 * Math.sqrt(components) * (Math.asin(Math.sqrt(asked)) - Math.asin(Math.sqrt(expected)));
        }

        /** The share of the variance at a similarity that all edges of a content have in common. */
        double common(double similarity, double alpha) {
            double expected = similarity + (1 - similarity) * byChance;
            double scale = 1 - byChance;
            double shared = scale * scale * similarity * similarity * (1 / alpha - 1);
            return Math.min(MAX_COMMON, shared / (expected * (1 - expected)));
        }
    }

    /** Clusters too many, of the edges from {@code from[i]} to {@code to[i]} among the given number of nodes. */
    double clusters(int nodes, int[] from, int[] to, double[] similarities) {
        boolean[] bridge = new boolean[from.length];
        int[] bridges = Bridges.of(nodes, from, to);
        for (int edge : bridges) {
            bridge[edge] = true;
        }
        EdgeGraph graph = new EdgeGraph(nodes, from, to, similarities, bridge);
        double[] alphas = new double[nodes];
        int[][] closest = new int[nodes][];
        for (int node = 0; node < nodes; node++) {
            closest[node] = graph.closest(node);
            alphas[node] = closest[node].length == 0 ? 0 : graph.alpha(closest[node], banding.threshold());
        }
        for (int edge : bridges) {
            int leaf = alphas[to[edge]] > alphas[from[edge]] ? from[edge] : to[edge];
            double ofGroup = alphas[from[edge] + to[edge] - leaf];
            if (alphas[leaf] == 0 && ofGroup > 0) {
                alphas[leaf] = Math.min(1, similarities[edge] / ofGroup);
            }
        }
        double[] sharing = new double[nodes];
        for (int i = 0; i < from.length; i++) {
            sharing[from[i]] += sharing(alphas[to[i]]);
            sharing[to[i]] += sharing(alphas[from[i]]);
        }
        double sum = 0;
        for (int node = 0; node < nodes; node++) {
            if (closest[node].length > 0) {
                int center = graph.others[closest[node][closest[node].length - 1]];
                double[] own = Arrays.stream(closest[node])
                        .mapToDouble(place -> graph.similarities[place])
                        .toArray();
                sum += lostPerFound(own, alphas[node], sharing[center], 0, node);
            }
        }
        Strongest strongest = new Strongest(nodes, from, to, similarities);
        for (int edge : bridges) {
            int leaf = alphas[to[edge]] > alphas[from[edge]] ? from[edge] : to[edge];
            int center = from[edge] + to[edge] - leaf;
            double alpha = alphas[leaf] == 0 ? similarities[edge] : alphas[leaf];
            double again = crowdedBeside(strongest.beside(leaf, edge), leaf)
                    * crowdedBeside(strongest.beside(center, edge), center);
            sum += lostPerFound(new double[] {similarities[edge]}, alpha, sharing[center], again, leaf);
        }
        return sum;
    }

    /**
     * The chance that a content is in a bucket with a neighbour at this similarity and one more that is as close to
     * that.
     */
    private double crowdedBeside(double similarity, int content) {
        return similarity == 0 ? 0 : 1 - inNoBand(similarity * similarity, 1, inUnion(content));
    }

    private double inUnion(int content) {
        return items.applyAsDouble(content) * 2 / (1 + banding.threshold());
    }

    /** Of each node the edge at the highest similarity, and the similarity of the next. */
    private static final class Strongest {
        private final int[] edges;
        private final double[] first;
        private final double[] second;

        Strongest(int nodes, int[] from, int[] to, double[] similarities) {
            this.edges = new int[nodes];
            this.first = new double[nodes];
            this.second = new double[nodes];
            for (int edge = 0; edge < from.length; edge++) {
                take(from[edge], edge, similarities[edge]);
                take(to[edge], edge, similarities[edge]);
            }
        }

        private void take(int node, int edge, double similarity) {
            if (similarity > first[node]) {
                second[node] = first[node];
                first[node] = similarity;
                edges[node] = edge;
            } else {
                second[node] = Math.max(second[node], similarity);
            }
        }

        /** The highest similarity of a node's edges other than this one, or 0. */
        double beside(int node, int edge) {
            return edges[node] == edge ? second[node] : first[node];
        }
    }

    /** The chance that a content is in a bucket with one that lost the same item of the common text, of a given row. */
    private double sharing(double alpha) {
        return alpha == 0 ? 0 : (1 - alpha) / 2 * Math.pow(alpha, banding.rows() - 1);
    }

    /**
     * Contents lost per content found, with edges at these similarities, ascending, if further passes are had by the
     * chance {@code again} whatever becomes of these edges.
     */
    private double lostPerFound(double[] similarities, double fitted, double sharing, double again, int content) {
        boolean isCrowded = content < crowded.length && crowded[content];
        boolean isHot = content < hot.length && hot[content];
        double inUnion = inUnion(content);
        double closest = similarities[similarities.length - 1];
        double alpha = similarities.length == 1 && !isCrowded ? closest : Math.max(fitted, closest);
        double nobody = 1;
        for (int i = similarities.length; --i >= Math.max(0, similarities.length - MAX_IN_BAND); ) {
            nobody *= 1 - Math.pow(similarities[i] / alpha, banding.rows());
        }
        double company = isCrowded ? company(alpha, sharing) : 0;
        double inNoBand = inNoBand(alpha, 1 - nobody, isCrowded, company, again, inUnion);
        Filter filter = isHot ? fine : coarse;
        // A content with slightly too few equal components in the signature is less often in a common band.
        double seldom = isHot ? inNoBand : inNoBand(coarse.share(), 1 - nobody, isCrowded, company, again, inUnion);
        double lost = inNoBand + filtered(filter, similarities, alpha, inUnion) * (1 - seldom);
        return lost / (1 - lost);
    }

    private double inNoBand(
            double alpha, double meets, boolean isCrowded, double company, double again, double inUnion) {
        double inOnePass = inNoBand(alpha, meets, inUnion);
        double inAllPasses = Math.pow(inOnePass, WORTH);
        double alone = inNoBand(alpha, 1 + company, inUnion);
        double byItself = isCrowded ? alone + (1 - alone) * inAllPasses : inOnePass;
        return (1 - again) * byItself + again * inAllPasses;
    }

    /**
     * How often a content meets two others in a band that does not agree with the common text in one row, because they
     * lost the same item: as a share of the bands that do agree.
     */
    private double company(double alpha, double sharing) {
        double rowLost = banding.rows() * (1 - alpha) / 2 / alpha;
        return rowLost * (1 - Math.exp(-sharing) * (1 + sharing));
    }

    /**
     * The chance that no band of a pass, which agrees with the common text at alpha, brings a content to a neighbour.
     */
    private double inNoBand(double alpha, double meets, double inUnion) {
        if (alpha >= 1) {
            return Math.pow(Math.max(0, 1 - meets), banding.bands());
        }
        double band = Math.min(MAX_COMMON, Math.pow(alpha, banding.rows()) * meets);
        double slope = banding.bands() * banding.rows() * band / alpha / (1 - band) / banding.components();
        double variance = banding.components() * alpha * (1 - alpha);
        double narrower = 1 - variance(banding.components(), inUnion);
        return Math.pow(1 - band, banding.bands()) * Math.exp(-narrower * slope * slope * variance / 2);
    }

    /** The variance of the number of equal components as a share of that of independent ones. */
    private static double variance(int components, double inUnion) {
        return Math.max(LEAST_VARIANCE, 1 - components / inUnion);
    }

    /** The chance that all edges of a content have too few equal components. */
    private static double filtered(Filter filter, double[] similarities, double alpha, double inUnion) {
        int edges = Math.min(MAX_IN_FILTER, similarities.length);
        double deviation = Math.sqrt(variance(filter.components, inUnion));
        double ofClosest = NormalShare.below(filter.distance(similarities[similarities.length - 1]) / deviation);
        if (edges == 1 || ofClosest < NEGLIGIBLE) {
            return ofClosest;
        }
        double[] distances = new double[edges];
        double[] common = new double[edges];
        double[] own = new double[edges];
        for (int i = 0; i < edges; i++) {
            double similarity = similarities[similarities.length - 1 - i];
            double share = filter.common(similarity, alpha);
            distances[i] = filter.distance(similarity) / deviation;
            common[i] = Math.sqrt(share);
            own[i] = Math.sqrt(1 - share);
        }
        double sum = 0;
        for (double z = -FAR + STEP / 2; z < FAR; z += STEP) {
            double all = NormalShare.below(z + STEP / 2) - NormalShare.below(z - STEP / 2);
            for (int i = 0; i < edges && all > NEGLIGIBLE * NEGLIGIBLE; i++) {
                all *= NormalShare.below((distances[i] - common[i] * z) / own[i]);
            }
            sum += all;
        }
        return sum;
    }
}
