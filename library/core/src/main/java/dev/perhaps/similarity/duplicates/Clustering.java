package dev.perhaps.similarity.duplicates;

import dev.perhaps.similarity.search.DistinctTexts;
import dev.perhaps.similarity.search.PairIds;
import dev.perhaps.similarity.search.UnionFind;
import java.util.Arrays;
import java.util.Comparator;
import java.util.TreeMap;

/**
 * Which content is kept for each: its head, a content's number, or the complement of a document's number in the index.
 * Depends on the contents, the edges and the index only.
 */
final class Clustering {
    private static final int OPEN = Integer.MIN_VALUE;

    private final DistinctTexts contents;
    private final long[] pairs;
    private final EarlierEdges earlier;
    private final boolean keepFirst;

    Clustering(DistinctTexts contents, long[] pairs, EarlierEdges earlier, boolean keepFirst) {
        this.contents = contents;
        this.pairs = pairs;
        this.earlier = earlier;
        this.keepFirst = keepFirst;
    }

    static int inIndex(int number) {
        return ~number;
    }

    static boolean isInIndex(int head) {
        return head < 0;
    }

    /**
     * One for all that edges connect: one that was kept earlier, of several that with the first number, else the best.
     */
    int[] components() {
        int count = contents.count();
        // The clusters of the index that edges touch stand behind the contents.
        TreeMap<Integer, Integer> touched = new TreeMap<>();
        for (int content = 0; content < count; content++) {
            for (EarlierEdges.Edge edge : earlier.of(content)) {
                int root = earlier.index.root(edge.number());
                touched.putIfAbsent(root, count + touched.size());
            }
        }
        UnionFind components = new UnionFind(count + touched.size());
        for (long pair : pairs) {
            components.unite(PairIds.first(pair), PairIds.second(pair));
        }
        for (int content = 0; content < count; content++) {
            for (EarlierEdges.Edge edge : earlier.of(content)) {
                components.unite(content, touched.getOrDefault(earlier.index.root(edge.number()), content));
            }
        }
        int[] best = new int[count];
        for (int content = 0; content < count; content++) {
            int component = components.find(content);
            // The least member comes first, and stands for the component until a better one comes.
            if (component == content || rank(content, best[component]) < 0) {
                best[component] = content;
            }
        }
        // By number, from the last: of several that were kept the first stays.
        touched.descendingMap().forEach((root, node) -> {
            if (earlier.index.isKept(root)) {
                best[components.find(node)] = inIndex(root);
            }
        });
        int[] heads = new int[count];
        for (int content = 0; content < count; content++) {
            heads[content] = best[components.find(content)];
        }
        return heads;
    }

    /**
     * Those kept earlier, then in the order in which they would be kept: each takes the open ones that it has an edge
     * to.
     */
    int[] stars() {
        int count = contents.count();
        int[] heads = new int[count];
        for (int content = 0; content < count; content++) {
            heads[content] = earlierHead(content);
        }
        int[] starts = new int[count + 1];
        for (long pair : pairs) {
            starts[PairIds.first(pair) + 1]++;
            starts[PairIds.second(pair) + 1]++;
        }
        Arrays.parallelPrefix(starts, Integer::sum);
        int[] ends = Arrays.copyOf(starts, count);
        int[] others = new int[2 * pairs.length];
        for (long pair : pairs) {
            others[ends[PairIds.first(pair)]++] = PairIds.second(pair);
            others[ends[PairIds.second(pair)]++] = PairIds.first(pair);
        }
        Integer[] ranked = new Integer[count];
        Arrays.setAll(ranked, i -> i);
        Comparator<Integer> byRank = this::rank;
        Arrays.sort(ranked, byRank.thenComparing(Comparator.naturalOrder()));
        for (int content : ranked) {
            if (heads[content] == OPEN) {
                heads[content] = content;
                for (int i = starts[content]; i < ends[content]; i++) {
                    heads[others[i]] = heads[others[i]] == OPEN ? content : heads[others[i]];
                }
            }
        }
        return heads;
    }

    /**
     * The kept document of the index that a content has the strongest edge to; the same content has the edges of its
     * twin.
     */
    private int earlierHead(int content) {
        int head = OPEN;
        double jaccard = 0;
        for (EarlierEdges.Edge edge : earlier.of(content)) {
            boolean same = edge.jaccard() == 1 && edge.exact();
            int number = same ? earlier.index.root(edge.number()) : edge.number();
            if (earlier.index.isKept(number) && edge.jaccard() > jaccard) {
                head = inIndex(number);
                jaccard = edge.jaccard();
            }
        }
        return head;
    }

    /**
     * Below 0 if a is the one to keep. Numbers ascend by fingerprint, so of two equally long ones the earlier is
     * better.
     */
    private int rank(int a, int b) {
        int one = contents.first(a);
        int other = contents.first(b);
        return keepFirst ? Integer.compare(one, other) : Long.compare(contents.lengths[other], contents.lengths[one]);
    }
}
