package dev.perhaps.similarity.duplicates;

import java.util.Arrays;

/** The edges of a graph without which it would have one more component. */
final class Bridges {
    /*
     * Tarjan (1974), without recursion: nodes are numbered as a depth-first search meets them; an edge to a node below
     * it is a bridge iff no edge leads from there, or from further below, to a node that was met before. Of two edges
     * between the same nodes neither is one.
     */
    private Bridges() {}

    /** Indices of the bridges, of the edges from {@code from[i]} to {@code to[i]} among the given number of nodes. */
    static int[] of(int nodes, int[] from, int[] to) {
        int[] starts = new int[nodes + 2];
        for (int i = 0; i < from.length; i++) {
            starts[from[i] + 2]++;
            starts[to[i] + 2]++;
        }
        Arrays.parallelPrefix(starts, Integer::sum);
        int[] edges = new int[2 * from.length];
        for (int i = 0; i < from.length; i++) {
            edges[starts[from[i] + 1]++] = i;
            edges[starts[to[i] + 1]++] = i;
        }
        int[] met = new int[nodes];
        int[] low = new int[nodes];
        int[] next = Arrays.copyOf(starts, nodes);
        int[] path = new int[nodes];
        int[] cameBy = new int[nodes];
        int[] bridges = new int[Math.min(nodes, from.length)];
        int count = 0;
        int clock = 0;
        for (int root = 0; root < nodes; root++) {
            int depth = 0;
            if (met[root] == 0) {
                path[depth++] = root;
                cameBy[root] = -1;
                met[root] = low[root] = ++clock;
            }
            while (depth > 0) {
                int node = path[depth - 1];
                if (next[node] < starts[node + 1]) {
                    int edge = edges[next[node]++];
                    int other = from[edge] == node ? to[edge] : from[edge];
                    if (edge == cameBy[node]) {
                        continue;
                    }
                    if (met[other] == 0) {
                        path[depth++] = other;
                        cameBy[other] = edge;
                        met[other] = low[other] = ++clock;
                    } else {
                        low[node] = Math.min(low[node], met[other]);
                    }
                } else if (--depth > 0) {
                    int above = path[depth - 1];
                    low[above] = Math.min(low[above], low[node]);
                    if (low[node] > met[above]) {
                        bridges[count++] = cameBy[node];
                    }
                }
            }
        }
        return Arrays.copyOf(bridges, count);
    }
}
