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

/** Compares the texts of whole components exactly: with that the edges are known, and which document is kept. */
final class ComponentComparison extends RowBatches {
    /*
     * Rows of a component are texts and pairs, in any order. Edges lie within a component, so all that follows from them
     * does. Several small components are compared at once: the library works them off one by one.
     */
    /** Kinds of rows that come out: a content with the kept document of its cluster, an edge. */
    static final int HEAD = 0;

    static final int EDGE = 1;
    private static final long ENOUGH_BYTES = 1 << 22;

    private final DuplicateRule rule;
    private final List<Row> texts = new ArrayList<>();
    /** Of each pair both fingerprints, four numbers. */
    private final Numbers met = new Numbers();

    private final Numbers chosen = new Numbers();
    private long bytes;

    ComponentComparison(Iterator<Row> rows, DuplicateSettings settings) {
        super(rows);
        this.rule = settings.rule();
    }

    /** Takes a whole component. */
    @Override
    protected void work(Consumer<Row> out) {
        long component = component();
        do {
            Row row = read();
            byte[] text = row.getAs("text");
            if (text == null) {
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
        texts.clear();
        bytes = 0;
        try {
            give(different, rule.compare(documents(different), metPairs, chosenPairs), out);
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
                throw new IllegalStateException("the documents were not the same when they were read a second time:"
                        + " store or cache them first");
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

    private static void give(List<Row> documents, Clusters clusters, Consumer<Row> out) {
        for (int i = 0; i < documents.size(); i++) {
            Fingerprint content = Fingerprint.of(documents.get(i));
            Clusters.Edge match = clusters.match(i).orElse(null);
            out.accept(RowFactory.create(
                    HEAD,
                    content.high(),
                    content.low(),
                    id(documents, clusters.clusterOf(i)),
                    match == null ? null : id(documents, match.b()),
                    match == null ? null : (Double) match.jaccard()));
        }
        clusters.edges()
                .forEach(edge -> out.accept(RowFactory.create(
                        EDGE, 0L, 0L, id(documents, edge.a()), id(documents, edge.b()), edge.jaccard())));
    }

    private static Object id(List<Row> documents, int number) {
        return documents.get(number).getAs("id");
    }
}
