package dev.perhaps.spark.duplicates;

import dev.perhaps.similarity.Documents;
import dev.perhaps.similarity.duplicates.Clusters;
import dev.perhaps.similarity.duplicates.DuplicateRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;

/** Compares the texts of whole components exactly: with that the edges are known, and which document is kept. */
final class ComponentComparison extends RowBatches {
    /*
     * Rows of a component are texts and pairs, in any order. Edges lie within a component, so all that follows from
     * them does. Several small components are compared at once: the library works them off one by one.
     */
    /** Kinds of rows that come out: a content with the kept document of its cluster, an edge, a link. */
    static final int HEAD = 0;

    static final int EDGE = 1;
    /** A cluster of the index that is part of another one now. */
    static final int LINK = 2;

    private static final long ENOUGH_BYTES = 1 << 22;

    private final DuplicateRule rule;
    private final List<Row> texts = new ArrayList<>();
    /** Of each pair both fingerprints, four numbers. */
    private final Numbers met = new Numbers();

    private final Numbers chosen = new Numbers();
    private final boolean hasEarlier;
    private final boolean isStar;
    private final List<Row> toEarlier = new ArrayList<>();
    private long bytes;

    /** With {@code hasEarlier}, rows have an edge to the index too, if they are one. */
    ComponentComparison(Iterator<Row> rows, DuplicateSettings settings, boolean hasEarlier) {
        super(rows);
        this.rule = settings.rule();
        this.hasEarlier = hasEarlier;
        this.isStar = settings.isStar();
    }

    /** Takes a whole component. */
    @Override
    protected void work(Consumer<Row> out) {
        long component = component();
        do {
            Row row = read();
            byte[] text = row.getAs("text");
            if (hasEarlier && row.getAs("edge") != null) {
                toEarlier.add(row);
            } else if (text == null) {
                Numbers pairs = row.<Boolean>getAs("chosen") ? chosen : met;
                pairs.add(row.getAs("high"));
                pairs.add(row.getAs("low"));
                pairs.add(row.getAs("otherHigh"));
                pairs.add(row.getAs("otherLow"));
            } else {
                texts.add(row);
                bytes += text.length;
            }
        } while (peek() != null && component() == component);
        if (bytes >= ENOUGH_BYTES) {
            compare(out);
        }
    }

    private long component() {
        Row row = peek();
        return row == null ? 0 : row.<Long>getAs("mark");
    }

    @Override
    protected void end(Consumer<Row> out) {
        compare(out);
    }

    private void compare(Consumer<Row> out) {
        texts.sort((a, b) -> ContentSteps.compareIds(a.getAs("id"), b.getAs("id")));
        Map<Fingerprint, Integer> places = new HashMap<>();
        List<Row> different = new ArrayList<>();
        for (Row row : texts) {
            if (places.putIfAbsent(Fingerprint.of(row), different.size()) == null) {
                different.add(row);
            }
        }
        long[] metPairs = pairs(met, places);
        long[] chosenPairs = pairs(chosen, places);
        EarlierDocuments earlier = new EarlierDocuments(toEarlier, places);
        texts.clear();
        toEarlier.clear();
        bytes = 0;
        try {
            Clusters clusters = rule.compare(documents(different), metPairs, chosenPairs, earlier.matches);
            give(different, clusters, earlier, out);
            if (!isStar) {
                earlier.giveLinks(different, clusters, out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Numbers that become more. */
    private static final class Numbers {
        private long[] all = new long[1 << 6];
        private int count;

        void add(long number) {
            if (count == all.length) {
                all = Arrays.copyOf(all, 2 * count);
            }
            all[count++] = number;
        }
    }

    /** Pairs by the places of both; the numbers are forgotten. */
    private static long[] pairs(Numbers numbers, Map<Fingerprint, Integer> places) {
        long[] pairs = new long[numbers.count / 4];
        for (int i = 0; i < pairs.length; i++) {
            long[] of = numbers.all;
            Integer a = places.get(new Fingerprint(of[4 * i], of[4 * i + 1]));
            Integer b = places.get(new Fingerprint(of[4 * i + 2], of[4 * i + 3]));
            if (a == null || b == null) {
                throw changed();
            }
            pairs[i] = DuplicateRule.pair(a, b);
        }
        numbers.count = 0;
        return pairs;
    }

    private static Documents documents(List<Row> rows) {
        return new Documents() {
            @Override
            public int count() {
                return rows.size();
            }

            @Override
            public byte[] utf8(int document) {
                return rows.get(document).getAs("text");
            }
        };
    }

    /** The documents of the index that edges lead to, numbered by the order in which they came into it. */
    private static final class EarlierDocuments {
        final DuplicateRule.EarlierMatches matches = new DuplicateRule.EarlierMatches();
        private final List<IndexTable.Root> numbered = new ArrayList<>();
        /** Two numbers per edge: that of a document, and that of the cluster's document in the index. */
        private final List<int[]> touched = new ArrayList<>();

        EarlierDocuments(List<Row> rows, Map<Fingerprint, Integer> places) {
            Map<IndexTable.Root, IndexTable.Root> rootOf = new HashMap<>();
            Map<IndexTable.Root, Boolean> isKept = new HashMap<>();
            for (Row row : rows) {
                Row edge = row.getAs("edge");
                IndexTable.Root root = new IndexTable.Root(edge.getAs("root_run"), edge.getAs("root"));
                rootOf.putIfAbsent(root, root);
                isKept.put(root, true);
            }
            for (Row row : rows) {
                Row edge = row.getAs("edge");
                IndexTable.Root document = new IndexTable.Root(edge.getAs("run"), edge.getAs("id"));
                rootOf.put(document, new IndexTable.Root(edge.getAs("root_run"), edge.getAs("root")));
                isKept.put(document, edge.getAs("kept"));
            }
            numbered.addAll(rootOf.keySet());
            numbered.sort((a, b) -> EarlierSteps.compareNumbers(a.run(), a.id(), b.run(), b.id()));
            Map<IndexTable.Root, Integer> numbers = new HashMap<>();
            for (IndexTable.Root document : numbered) {
                numbers.put(document, numbers.size());
            }
            for (IndexTable.Root document : numbered) {
                int number = matches.add(number(numbers, rootOf.get(document)), isKept.getOrDefault(document, false));
                assert numbered.get(number).equals(document);
            }
            for (Row row : rows) {
                Row edge = row.getAs("edge");
                Integer place = places.get(Fingerprint.of(row));
                if (place == null) {
                    throw changed();
                }
                int number = number(numbers, new IndexTable.Root(edge.getAs("run"), edge.getAs("id")));
                matches.edge(place, number, edge.getAs("jaccard"), edge.getAs("hits"), edge.getAs("exact"));
                touched.add(new int[] {
                    place, number(numbers, new IndexTable.Root(edge.getAs("root_run"), edge.getAs("root")))
                });
            }
        }

        private static int number(Map<IndexTable.Root, Integer> numbers, IndexTable.@Nullable Root document) {
            Integer number = document == null ? null : numbers.get(document);
            if (number == null) {
                throw new IllegalStateException("the index is damaged: build it again");
            }
            return number;
        }

        IndexTable.Root document(int number) {
            return numbered.get(number);
        }

        /** Clusters of the index that edges connect to others. */
        void giveLinks(List<Row> documents, Clusters clusters, Consumer<Row> out) {
            for (int[] edge : touched) {
                int head = clusters.clusterOf(edge[0]) - documents.size();
                if (head >= 0 && head != edge[1]) {
                    IndexTable.Root from = numbered.get(edge[1]);
                    IndexTable.Root to = numbered.get(head);
                    out.accept(RowFactory.create(LINK, 0L, 0L, from.id(), to.id(), null, from.run(), to.run(), null));
                }
            }
        }
    }

    private static IllegalStateException changed() {
        return new IllegalStateException(
                "the documents were not the same when they were read a second time:" + " store or cache them first");
    }

    private static void give(List<Row> documents, Clusters clusters, EarlierDocuments earlier, Consumer<Row> out) {
        int count = documents.size();
        for (int i = 0; i < count; i++) {
            Fingerprint content = Fingerprint.of(documents.get(i));
            Clusters.Edge match = clusters.match(i).orElse(null);
            int head = clusters.clusterOf(i);
            out.accept(RowFactory.create(
                    HEAD,
                    content.high(),
                    content.low(),
                    id(documents, earlier, head),
                    match == null ? null : id(documents, earlier, match.b()),
                    match == null ? null : (Double) match.jaccard(),
                    run(count, earlier, head),
                    match == null ? null : run(count, earlier, match.b()),
                    match == null ? null : (Boolean) match.exact()));
        }
        clusters.edges()
                .forEach(edge -> out.accept(RowFactory.create(
                        EDGE,
                        0L,
                        0L,
                        id(documents, earlier, edge.a()),
                        id(documents, earlier, edge.b()),
                        edge.jaccard(),
                        null,
                        run(count, earlier, edge.b()),
                        edge.exact())));
    }

    private static Object id(List<Row> documents, EarlierDocuments earlier, int number) {
        return number < documents.size()
                ? documents.get(number).getAs("id")
                : earlier.document(number - documents.size()).id();
    }

    private static @Nullable Integer run(int documents, EarlierDocuments earlier, int number) {
        return number < documents
                ? null
                : (Integer) earlier.document(number - documents).run();
    }
}
