package dev.perhaps.similarity.search;

/** Components of a graph whose edges come one by one. Not thread-safe. */
public final class UnionFind {
    private final int[] parents;

    public UnionFind(int count) {
        parents = new int[count];
        for (int i = 0; i < count; i++) {
            parents[i] = i;
        }
    }

    /** The least member of the component. */
    public int find(int member) {
        while (parents[member] != member) {
            parents[member] = parents[parents[member]];
            member = parents[member];
        }
        return member;
    }

    public void unite(int a, int b) {
        int left = find(a);
        int right = find(b);
        parents[Math.max(left, right)] = Math.min(left, right);
    }
}
