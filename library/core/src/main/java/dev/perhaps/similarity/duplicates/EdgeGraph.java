package dev.perhaps.similarity.duplicates;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Edges that are not bridges, from either end. */
final class EdgeGraph {
    private static final int MAX_IN_TRIANGLES = 8;

    private final int[] starts;
    final int[] others;
    final double[] similarities;

    EdgeGraph(int nodes, int[] from, int[] to, double[] ofEdges, boolean[] bridge) {
        this.starts = new int[nodes + 1];
        for (int i = 0; i < from.length; i++) {
            if (!bridge[i]) {
                starts[from[i] + 1]++;
                starts[to[i] + 1]++;
            }
        }
        Arrays.parallelPrefix(starts, Integer::sum);
        this.others = new int[starts[nodes]];
        this.similarities = new double[starts[nodes]];
        int[] ends = Arrays.copyOf(starts, nodes);
        for (int i = 0; i < from.length; i++) {
            if (!bridge[i]) {
                others[ends[from[i]]] = to[i];
                similarities[ends[from[i]]++] = ofEdges[i];
                others[ends[to[i]]] = from[i];
                similarities[ends[to[i]]++] = ofEdges[i];
            }
        }
    }

    /** Places of the edges of a node, the closest last. */
    int[] closest(int node) {
        return IntStream.range(starts[node], starts[node + 1])
                .boxed()
                .sorted(Comparator.comparingDouble(place -> similarities[place]))
                .mapToInt(place -> place)
                .toArray();
    }

    /** What a node with these edges shares with the text that its neighbours are variants of. */
    double alpha(int[] closest, double threshold) {
        double sum = 0;
        int triangles = 0;
        int least = Math.max(0, closest.length - MAX_IN_TRIANGLES);
        for (int i = closest.length; --i > least; ) {
            for (int j = i; --j >= least; ) {
                int one = closest[i];
                int other = closest[j];
                double between = similarity(others[one], others[other]);
                if (between > 0) {
                    sum += Math.log(similarities[one] * similarities[other] / between);
                    triangles++;
                }
            }
        }
        double strongest = similarities[closest[closest.length - 1]];
        double alpha = triangles == 0 ? strongest / Math.sqrt(threshold) : Math.exp(sum / triangles / 2);
        return Math.min(1, Math.max(strongest, alpha));
    }

    /**
     * The similarity of the edge between two nodes, or 0. The neighbours of a content ascend, those in the index come
     * last.
     */
    private double similarity(int a, int b) {
        int found = Arrays.binarySearch(others, starts[a], starts[a + 1], b);
        return found < 0 ? 0 : similarities[found];
    }
}
