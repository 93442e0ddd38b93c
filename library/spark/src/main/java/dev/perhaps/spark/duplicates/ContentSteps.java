package dev.perhaps.spark.duplicates;

import dev.perhaps.similarity.duplicates.DuplicateRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;

/** What tasks do with texts, and with documents that are sorted by their contents. */
final class ContentSteps {
    private ContentSteps() {}

    /** From (id, text) to (high, low, id, length, signature): all that later steps need of most documents. */
    static Iterator<Row> signed(Iterator<Row> rows, DuplicateSettings settings) {
        DuplicateRule.Reader reader = settings.rule().reader();
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                if (row.isNullAt(0)) {
                    throw new IllegalArgumentException("a document has no id: the id must not be null");
                }
                open(reader, row.getAs(1));
                out.accept(RowFactory.create(
                        reader.high(),
                        reader.low(),
                        row.get(0),
                        reader.length(),
                        PackedWords.bytes(reader.signature())));
            }
        };
    }

    private static void open(DuplicateRule.Reader reader, byte[] text) {
        try {
            reader.read(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** From (id, text) to (high, low, id, text) of those whose fingerprint may be wanted. */
    static Iterator<Row> wanted(Iterator<Row> rows, DuplicateSettings settings, Predicate<Long> isWanted) {
        DuplicateRule.Reader reader = settings.rule().reader();
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                open(reader, row.getAs(1));
                if (isWanted.test(reader.high())) {
                    out.accept(RowFactory.create(reader.high(), reader.low(), row.get(0), row.get(1)));
                }
            }
        };
    }

    /**
     * From (high, low, mark, text) to (high, low, mark, signature, fine, values), the last of those that are marked.
     */
    static Iterator<Row> fine(Iterator<Row> rows, DuplicateSettings settings) {
        DuplicateRule.Reader reader = settings.rule().reader();
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                open(reader, row.getAs("text"));
                long mark = row.getAs("mark");
                try {
                    byte[] fine = PackedWords.bytes(reader.fineSignature());
                    out.accept(RowFactory.create(
                            reader.high(),
                            reader.low(),
                            mark,
                            mark > 0 ? PackedWords.bytes(reader.signature()) : null,
                            fine,
                            mark > 0 ? PackedWords.bytes(reader.fineValues()) : null));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }

    /** Documents of one content. */
    private abstract static class ByContent extends RowBatches {
        ByContent(Iterator<Row> rows) {
            super(rows);
        }

        final @Nullable Row nextOf(Fingerprint content) {
            Row row = peek();
            return row != null && Fingerprint.of(row).equals(content) ? read() : null;
        }
    }

    /** From documents, sorted by content, to (key, band, high, low, sketch): one row per band of some passes. */
    static Iterator<Row> bands(Iterator<Row> rows, DuplicateSettings settings, int firstPass, int lastPass) {
        DuplicateRule rule = settings.rule();
        return new ByContent(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                Fingerprint content = Fingerprint.of(row);
                int[] signature = PackedWords.ints(row.getAs("signature"));
                byte[] sketch = PackedWords.bytes(PackedWords.sketch(signature));
                for (int pass = firstPass; pass <= lastPass; pass++) {
                    long[] keys = rule.keys(signature, pass);
                    for (int band = 0; band < keys.length; band++) {
                        out.accept(RowFactory.create(
                                keys[band], pass * keys.length + band, content.high(), content.low(), sketch));
                    }
                }
                while (nextOf(content) != null) {
                    // The same content.
                }
            }
        };
    }

    /** The order in which documents of one content would be kept. */
    private static Comparator<Row> byRank(DuplicateSettings settings) {
        Comparator<Row> byId = (a, b) -> compareIds(a.getAs("id"), b.getAs("id"));
        return settings.isFirstKept()
                ? byId
                : Comparator.<Row>comparingLong(row -> -row.<Long>getAs("length"))
                        .thenComparing(byId);
    }

    @SuppressWarnings("unchecked") // ids are strings or integers, all of one type
    static int compareIds(Object a, Object b) {
        return ((Comparable<Object>) a).compareTo(b);
    }

    /**
     * From documents with a mark, sorted by content, to (high, low, id, mark) of the one that stands for its content.
     */
    static Iterator<Row> representatives(Iterator<Row> rows, DuplicateSettings settings) {
        Comparator<Row> byRank = byRank(settings);
        return new ByContent(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row best = read();
                Fingerprint content = Fingerprint.of(best);
                for (Row row = nextOf(content); row != null; row = nextOf(content)) {
                    best = byRank.compare(row, best) < 0 ? row : best;
                }
                out.accept(RowFactory.create(content.high(), content.low(), best.getAs("id"), best.getAs("mark")));
            }
        };
    }

    /**
     * From documents with the head and the match of their content, sorted by content, to (id, cluster, kept, match,
     * jaccard, copy, cluster_run, match_run, exact).
     */
    static Iterator<Row> clusters(Iterator<Row> rows, DuplicateSettings settings) {
        Comparator<Row> byRank = byRank(settings);
        return new ByContent(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                List<Row> documents = new ArrayList<>(List.of(read()));
                Fingerprint content = Fingerprint.of(documents.get(0));
                for (Row row = nextOf(content); row != null; row = nextOf(content)) {
                    documents.add(row);
                }
                documents.sort(byRank);
                Row best = documents.get(0);
                Object id = best.getAs("id");
                Object head = best.getAs("a") == null ? id : best.getAs("a");
                Integer headRun = best.getAs("a_run");
                for (int i = 0; i < documents.size(); i++) {
                    Object match = i > 0 ? id : best.getAs("b");
                    Object jaccard = i > 0 ? (Double) 1.0 : best.getAs("jaccard");
                    Integer matchRun = i > 0 ? null : best.getAs("b_run");
                    Object exact = i > 0 ? (Boolean) true : best.getAs("exact");
                    if (match == null && documents.size() > 1) {
                        match = documents.get(1).getAs("id");
                        jaccard = 1.0;
                        exact = true;
                    }
                    boolean kept = i == 0 && headRun == null && head.equals(id);
                    out.accept(RowFactory.create(
                            documents.get(i).getAs("id"), head, kept, match, jaccard, i > 0, headRun, matchRun, exact));
                }
            }
        };
    }
}
