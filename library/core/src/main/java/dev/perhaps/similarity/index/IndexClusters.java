package dev.perhaps.similarity.index;

import dev.perhaps.similarity.segments.Snapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** The groups of documents of an index that similar pairs connect. */
final class IndexClusters {
    /*
     * Every document asks for those that share a band with it. Pairs that are in one group already are not compared: of
     * n documents that are all alike, n - 1 pairs are, and the n² / 2 others cost a look at two numbers. The steps that
     * are told count all of them as compared: signatures that share one band and differ in the rest are.
     */
    private IndexClusters() {}

    static List<List<String>> of(Snapshot now, DocumentIndex index, double threshold, LongConsumer work) {
        if (!(threshold > 0 && threshold <= 1)) {
            throw new IllegalArgumentException("threshold must be in (0, 1], got " + threshold);
        }
        int documents = now.documents();
        int[] groups = new int[documents];
        for (int number = 0; number < documents; number++) {
            groups[number] = number;
            if (!now.isLiving(number)) {
                continue;
            }
            IndexQuery asked = IndexQuery.ofDocument(now, number, index);
            for (int other : asked.candidates(now, index.banding(), work)) {
                // The later of two asks.
                if (other < number
                        && now.isLiving(other)
                        && group(groups, other) != group(groups, number)
                        && asked.jaccard(now, other, index.banding(), threshold) >= threshold) {
                    int first = Math.min(group(groups, other), group(groups, number));
                    int second = Math.max(group(groups, other), group(groups, number));
                    groups[second] = first;
                }
            }
        }
        return named(now, groups);
    }

    /** The first document of a group; paths to it are halved on the way. */
    private static int group(int[] groups, int number) {
        int at = number;
        while (groups[at] != at) {
            groups[at] = groups[groups[at]];
            at = groups[at];
        }
        return at;
    }

    private static List<List<String>> named(Snapshot now, int[] groups) {
        Map<Integer, List<String>> names = new TreeMap<>();
        int[] sizes = new int[groups.length];
        for (int number = 0; number < groups.length; number++) {
            sizes[group(groups, number)]++;
        }
        for (int number = 0; number < groups.length; number++) {
            int group = group(groups, number);
            if (sizes[group] > 1) {
                names.computeIfAbsent(group, any -> new ArrayList<>()).add(DocumentIndex.text(now.utf8(number)));
            }
        }
        List<List<String>> clusters = new ArrayList<>(names.values());
        clusters.sort(Comparator.comparingInt((List<String> cluster) -> -cluster.size()));
        return clusters;
    }
}
