package dev.perhaps.spark.duplicates;

import dev.perhaps.similarity.duplicates.DuplicateRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;

/** What tasks do with new contents and the documents of an index. */
final class EarlierSteps {
    /** The band of rows that meet by their fingerprints. */
    static final int BY_FINGERPRINT = -1;
    /** In place of a number of different components: the text of the new content itself, and one that is the same. */
    static final int TEXT = -2;

    static final int SAME = -1;
    /** Of a large bucket as many with one signature are looked at. */
    private static final int MOST_SAME = 8;

    private EarlierSteps() {}

    /**
     * From documents, sorted by content, to (key, band, isNew, high, low, signature, nothing…): under all their keys.
     */
    static Iterator<Row> offered(Iterator<Row> rows, DuplicateSettings settings) {
        DuplicateRule rule = settings.rule();
        return new RowBatches(rows) {
            private @Nullable Fingerprint before;

            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                Fingerprint content = Fingerprint.of(row);
                if (content.equals(before)) {
                    return;
                }
                before = content;
                long[] signature = DuplicateRule.indexed(PackedWords.ints(row.getAs("signature")));
                byte[] bytes = PackedWords.bytes(signature);
                long[] keys = rule.earlierKeys(signature);
                for (int band = 0; band < keys.length; band++) {
                    out.accept(offer(keys[band], band, content, bytes));
                }
                out.accept(offer(content.high(), BY_FINGERPRINT, content, null));
            }
        };
    }

    private static Row offer(long key, int band, Fingerprint content, byte @Nullable [] signature) {
        return RowFactory.create(
                key, band, true, content.high(), content.low(), signature, null, null, null, null, null);
    }

    /**
     * From rows of the index to (key, band, isNew, high, low, signature, run, id, root_run, root, kept), under those of
     * their keys that a new content may have.
     */
    static Iterator<Row> indexed(
            Iterator<Row> rows,
            DuplicateSettings settings,
            Map<Object, IndexTable.Root> roots,
            Predicate<Long> isAsked) {
        DuplicateRule rule = settings.rule();
        int bytesOfSignature = PackedWords.bytes(DuplicateRule.indexed(new int[settings.components()])).length;
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                byte[] bytes = row.getAs("signature");
                if (bytes.length != bytesOfSignature) {
                    throw new IllegalArgumentException("the index is damaged: the signature of '" + row.getAs("id")
                            + "' has " + bytes.length + " bytes, not " + bytesOfSignature + ": build it again");
                }
                Fingerprint content = Fingerprint.of(row);
                long[] keys = rule.earlierKeys(PackedWords.longs(bytes));
                for (int band = 0; band < keys.length; band++) {
                    if (isAsked.test(keys[band])) {
                        out.accept(member(row, keys[band], band, content, bytes));
                    }
                }
                if (isAsked.test(content.high())) {
                    out.accept(member(row, content.high(), BY_FINGERPRINT, content, null));
                }
            }

            private Row member(Row row, long key, int band, Fingerprint content, byte @Nullable [] signature) {
                IndexTable.Root root = roots.getOrDefault(
                        row.getAs("cluster"), new IndexTable.Root(row.getAs("cluster_run"), row.getAs("cluster")));
                return RowFactory.create(
                        key,
                        band,
                        false,
                        content.high(),
                        content.low(),
                        signature,
                        row.getAs("run"),
                        row.getAs("id"),
                        root.run(),
                        root.id(),
                        row.getAs("kept"));
            }
        };
    }

    /** A document of the index in a bucket. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Member(Row row, long[] signature) {}

    /**
     * From both, sorted by key, band and isNew, to (high, low, different, run, id, root_run, root, kept, otherHigh,
     * otherLow): new contents with documents of the index.
     */
    static Iterator<Row> met(Iterator<Row> rows, DuplicateSettings settings) {
        DuplicateRule rule = settings.rule();
        return new RowBatches(rows) {
            private long key;
            private int band;

            private @Nullable Row nextOf(boolean isNew) {
                Row row = peek();
                return row != null
                                && row.<Long>getAs("key") == key
                                && row.<Integer>getAs("band") == band
                                && row.<Boolean>getAs("isNew") == isNew
                        ? read()
                        : null;
            }

            @Override
            protected void work(Consumer<Row> out) {
                Row first = peek();
                key = first == null ? 0 : first.<Long>getAs("key");
                band = first == null ? 0 : first.<Integer>getAs("band");
                List<Member> members = new ArrayList<>();
                for (Row row = nextOf(false); row != null; row = nextOf(false)) {
                    byte[] signature = row.getAs("signature");
                    members.add(new Member(row, signature == null ? new long[0] : PackedWords.longs(signature)));
                }
                boolean isLarge = band != BY_FINGERPRINT && DuplicateRule.isLargeEarlier(members.size());
                List<Member> all = isLarge ? ordered(rule, band, members) : members;
                for (Row row = nextOf(true); row != null; row = nextOf(true)) {
                    Fingerprint content = Fingerprint.of(row);
                    if (band == BY_FINGERPRINT) {
                        for (Member member : all) {
                            if (Fingerprint.of(member.row).equals(content)) {
                                out.accept(found(content, SAME, member.row));
                            }
                        }
                        continue;
                    }
                    long[] signature = PackedWords.longs(row.getAs("signature"));
                    int middle = isLarge ? place(rule, band, all, signature) : 0;
                    int from = isLarge ? Math.max(0, middle - DuplicateRule.earlierSide()) : 0;
                    int to = isLarge ? Math.min(all.size(), middle + DuplicateRule.earlierSide()) : all.size();
                    for (Member member : all.subList(from, to)) {
                        int hits = rule.earlierHits(signature, member.signature);
                        if (hits >= rule.leastHits()) {
                            out.accept(found(content, settings.components() - hits, member.row));
                        }
                    }
                }
            }
        };
    }

    /** Those that resemble each other side by side. */
    private static List<Member> ordered(DuplicateRule rule, int band, List<Member> members) {
        members.sort((a, b) -> {
            int ties = rule.compareTies(band, a.signature, b.signature);
            return ties != 0 ? ties : compareNumbers(a.row, b.row);
        });
        List<Member> some = new ArrayList<>();
        int same = 0;
        for (Member member : members) {
            boolean isSame = !some.isEmpty() && Arrays.equals(some.get(some.size() - 1).signature, member.signature);
            same = isSame ? same + 1 : 1;
            if (same <= MOST_SAME) {
                some.add(member);
            }
        }
        return some;
    }

    private static int place(DuplicateRule rule, int band, List<Member> members, long[] signature) {
        int low = 0;
        int high = members.size();
        while (low < high) {
            int middle = low + high >>> 1;
            if (rule.compareTies(band, members.get(middle).signature, signature) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static int compareNumbers(Row a, Row b) {
        return compareNumbers(a.<Integer>getAs("run"), a.getAs("id"), b.<Integer>getAs("run"), b.getAs("id"));
    }

    /** The order in which documents came into an index: by run, then by id, as Spark sorts it. */
    static int compareNumbers(int runA, Object a, int runB, Object b) {
        if (runA != runB) {
            return Integer.compare(runA, runB);
        }
        return a instanceof String text && b instanceof String other
                ? Arrays.compareUnsigned(text.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8))
                : ContentSteps.compareIds(a, b);
    }

    private static Row found(Fingerprint content, int different, Row member) {
        return RowFactory.create(
                content.high(),
                content.low(),
                different,
                member.getAs("run"),
                member.getAs("id"),
                member.getAs("root_run"),
                member.getAs("root"),
                member.getAs("kept"),
                member.getAs("high"),
                member.getAs("low"));
    }

    /**
     * From what met, sorted by content, different, run and id, to (high, low, run, id, root_run, root, kept, jaccard,
     * hits, exact): the edges of each content. If they are exact, with texts, that of the content first of all.
     */
    static Iterator<Row> edges(Iterator<Row> rows, DuplicateSettings settings, boolean isExact) {
        DuplicateRule rule = settings.rule();
        DuplicateRule.EarlierChoice choice = rule.earlierChoice();
        DuplicateRule.Reader reader = rule.reader();
        return new RowBatches(rows) {
            private @Nullable Fingerprint content;
            private long[] set = new long[0];
            private boolean isSame;
            private @Nullable Row before;

            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                if (!Fingerprint.of(row).equals(content)) {
                    content = Fingerprint.of(row);
                    choice.start();
                    isSame = false;
                    before = null;
                }
                int different = row.getAs("different");
                if (different == TEXT) {
                    set = set(row);
                    return;
                }
                if (isSame || before != null && compareNumbers(row, before) == 0) {
                    return;
                }
                before = row;
                if (different == SAME) {
                    isSame = true;
                    out.accept(edge(row, 1, settings.components(), true));
                    return;
                }
                Object root = row.getAs("root");
                long high = row.getAs("otherHigh");
                long low = row.getAs("otherLow");
                if (!choice.isWanted(root, row.getAs("kept"), high, low)) {
                    return;
                }
                int hits = settings.components() - different;
                double jaccard = isExact ? rule.jaccard(set, set(row)) : choice.estimate(hits);
                if (choice.isEdge(root, high, low, jaccard)) {
                    out.accept(edge(row, jaccard, hits, isExact));
                }
            }

            private long[] set(Row row) {
                byte[] text = row.getAs("text");
                if (text == null) {
                    throw new IllegalArgumentException(
                            "the index is damaged: the text of '" + row.getAs("id") + "' is missing: build it again");
                }
                try {
                    reader.read(text);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return reader.set();
            }

            private Row edge(Row row, double jaccard, int hits, boolean exact) {
                return RowFactory.create(
                        row.getAs("high"),
                        row.getAs("low"),
                        row.getAs("run"),
                        row.getAs("id"),
                        row.getAs("root_run"),
                        row.getAs("root"),
                        row.getAs("kept"),
                        jaccard,
                        hits,
                        exact);
            }
        };
    }

    /** From (id, text) to (id, high, low, signature, text), as an index stores documents. */
    static Iterator<Row> stored(Iterator<Row> rows, DuplicateSettings settings, boolean isExact) {
        DuplicateRule.Reader reader = settings.rule().reader();
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                byte[] text = row.getAs(1);
                try {
                    reader.read(text);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                out.accept(RowFactory.create(
                        row.get(0),
                        reader.high(),
                        reader.low(),
                        PackedWords.bytes(DuplicateRule.indexed(reader.signature())),
                        isExact ? text : null));
            }
        };
    }
}
