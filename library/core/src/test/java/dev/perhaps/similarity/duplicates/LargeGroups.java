package dev.perhaps.similarity.duplicates;

import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.Shingles;
import dev.perhaps.similarity.search.UnionFind;
import dev.perhaps.similarity.text.SetBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Documents that resemble each other by the hundred and by the thousand, and the truth about them, pair by pair. */
final class LargeGroups {
    private static final SetBuilder SETS = new SetBuilder();

    private LargeGroups() {}

    static String text(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    /** Groups of variants of a text of 800 characters, each with {@code least} to {@code most} letters changed. */
    static List<String> variants(int groups, int members, int least, int most, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> texts = new ArrayList<>();
        for (int group = 0; group < groups; group++) {
            String original = text(random, 800);
            for (int member = 0; member < members; member++) {
                StringBuilder text = new StringBuilder(original);
                for (int edit = least + random.nextInt(most - least + 1); edit > 0; edit--) {
                    text.setCharAt(random.nextInt(text.length()), (char) ('A' + random.nextInt(26)));
                }
                texts.add(text.toString());
            }
        }
        return texts;
    }

    /** Groups of 10 to 64 variants of a text each, with up to {@code most} letters changed. */
    static List<String> smallGroups(int documents, int most, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> texts = new ArrayList<>();
        while (texts.size() < documents) {
            texts.addAll(variants(1, 10 + random.nextInt(55), 0, most, random.nextLong()));
        }
        return texts;
    }

    /**
     * Groups of 4 texts that differ in the last letter only, and 60 with 4 letters changed far from each other: these are at
     * 0.901 to the 4, and at 0.82 to each other.
     */
    static List<String> rims(int groups, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> texts = new ArrayList<>();
        for (int group = 0; group < groups; group++) {
            String original = text(random, 800);
            for (int member = 0; member < 64; member++) {
                StringBuilder text = new StringBuilder(original);
                if (member < 4) {
                    text.setCharAt(799, (char) ('A' + member));
                }
                for (int edit = 0; member >= 4 && edit < 4; edit++) {
                    text.setCharAt(200 * edit + 10 + random.nextInt(170), (char) ('A' + random.nextInt(26)));
                }
                texts.add(text.toString());
            }
        }
        return texts;
    }

    /** Sets of 400 items: each with 8 of its own in a row, followed by one that has up to 20 more exchanged. */
    static List<long[]> parentsAndChildren(int parents, SplittableRandom random) {
        int size = 400;
        int own = 8;
        long[] common = random.longs(size).toArray();
        List<long[]> sets = new ArrayList<>();
        for (int i = 0; i < parents; i++) {
            long[] parent = common.clone();
            int at = random.nextInt(size);
            for (int k = 0; k < own; k++) {
                parent[(at + k) % size] = random.nextLong();
            }
            long[] child = parent.clone();
            for (int k = 0; k < 20; k++) {
                child[(at + own + random.nextInt(size - own)) % size] = random.nextLong();
            }
            sets.add(parent);
            sets.add(child);
        }
        return sets;
    }

    /** A form of eight pieces, with four fields of ten values each and four of up to {@code most} free characters. */
    static List<String> template(int members, int piece, int most, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String[] form = new String[8];
        String[][] values = new String[8][10];
        for (int field = 0; field < 8; field++) {
            form[field] = text(random, piece);
            for (int value = 0; value < 10; value++) {
                values[field][value] = text(random, 8);
            }
        }
        List<String> texts = new ArrayList<>();
        for (int member = 0; member < members; member++) {
            StringBuilder text = new StringBuilder();
            for (int field = 0; field < 8; field++) {
                boolean chosen = field % 2 == 0;
                text.append(form[field]);
                text.append(chosen ? values[field][random.nextInt(10)] : text(random, random.nextInt(most + 1)));
            }
            texts.add(text.toString());
        }
        return texts;
    }

    /** A header of 600 characters and a body of 200, of which every fourth document shares a part with another one. */
    static List<String> header(int members, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String header = text(random, 600);
        List<String> texts = new ArrayList<>();
        for (int member = 0; member < members; member++) {
            if (member % 4 == 3) {
                String other = texts.get(random.nextInt(member));
                int shared = 710 + random.nextInt(60);
                texts.add(other.substring(0, shared) + text(random, 800 - shared));
            } else {
                texts.add(header + text(random, 200));
            }
        }
        return texts;
    }

    /** Each is the one before with just enough letters changed that the two are just at or above the threshold. */
    static List<String> chain(int members, double threshold, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> texts = new ArrayList<>();
        StringBuilder text = new StringBuilder(text(random, 1_000));
        int place = 0;
        // A run of x changed letters takes x + 9 of 991 shingles and gives as many: J = (982 − x) / (1000 + x).
        int run = (int) Math.floor((982 - 1_000 * threshold) / (1 + threshold));
        for (int member = 0; member < members; member++) {
            texts.add(text.toString());
            for (int i = 0; i < run; i++) {
                int at = (place + i) % 980 + 10;
                char before = text.charAt(at);
                text.setCharAt(at, (char) ('a' + (before - 'a' + 1 + random.nextInt(25)) % 26));
            }
            place += run + 37;
            place %= 980 - run;
        }
        return texts;
    }

    static long[][] sets(List<String> texts) {
        long[][] sets = new long[texts.size()][];
        for (int i = 0; i < sets.length; i++) {
            long[] hashes = Shingles.codePoints().hashes(texts.get(i));
            sets[i] = SETS.build(hashes, hashes.length);
        }
        return sets;
    }

    /**
     * What became of the documents.
     *
     * @param paired documents with a near duplicate
     * @param wronglyKept kept though another document of their true component is kept, but for one of each
     * @param pairs of one true component
     * @param apart of these, that ended in different clusters
     * @param missed pairs at or above the threshold that ended in different clusters
     */
    record Outcome(long paired, long wronglyKept, long pairs, long apart, long missed) {
        double keptShare() {
            return paired == 0 ? 0 : (double) wronglyKept / paired;
        }

        double apartShare() {
            return pairs == 0 ? 0 : (double) apart / pairs;
        }
    }

    /** The near duplicates of each that come after it, by comparing all pairs. */
    static int[][] truth(long[][] sets, double threshold) {
        return truth(sets, threshold, sets.length);
    }

    /** The same of groups that stand together, of up to {@code most} members each. */
    static int[][] truth(long[][] sets, double threshold, int most) {
        return IntStream.range(0, sets.length)
                .parallel()
                .mapToObj(a -> IntStream.range(a + 1, Math.min(sets.length, a + most))
                        .filter(b -> SetBuilder.jaccard(sets[a], sets[b], threshold) >= threshold)
                        .toArray())
                .toArray(int[][]::new);
    }

    static Outcome outcome(int[][] truth, Clusters clusters) {
        int count = truth.length;
        UnionFind components = new UnionFind(count);
        boolean[] paired = new boolean[count];
        long missed = 0;
        for (int a = 0; a < count; a++) {
            for (int b : truth[a]) {
                components.unite(a, b);
                paired[a] = true;
                paired[b] = true;
                missed += clusters.clusterOf(a) == clusters.clusterOf(b) ? 0 : 1;
            }
        }
        long[] keptOf = new long[count];
        long[] sizes = new long[count];
        Map<Long, Long> cells = new HashMap<>();
        long pairedCount = 0;
        for (int i = 0; i < count; i++) {
            int root = components.find(i);
            keptOf[root] += clusters.kept(i) ? 1 : 0;
            sizes[root]++;
            cells.merge((long) root << 32 | clusters.clusterOf(i), 1L, Long::sum);
            pairedCount += paired[i] ? 1 : 0;
        }
        long wrong = 0;
        long pairs = 0;
        for (int i = 0; i < count; i++) {
            wrong += Math.max(0, keptOf[i] - 1);
            pairs += sizes[i] * (sizes[i] - 1) / 2;
        }
        long together = cells.values().stream().mapToLong(n -> n * (n - 1) / 2).sum();
        return new Outcome(pairedCount, wrong, pairs, pairs - together, missed);
    }

    static Clusters run(List<String> texts, double threshold) throws IOException {
        return NearDuplicates.atLeast(threshold).run(Documents.of(texts));
    }
}
