package dev.perhaps.spark.duplicates;

import dev.perhaps.similarity.duplicates.DuplicateRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;

/** What tasks do with contents that meet in buckets. */
final class BucketSteps {
    /**
     * Kinds of rows that a bucket gives: a pair, a member that is banded again, a member of a hot bucket, of a cut one.
     */
    static final int PAIR = 0;

    static final int CROWD = 1;
    static final int HOT = 2;
    static final int CUT = 3;

    private BucketSteps() {}

    private abstract static class ByBucket extends RowBatches {
        ByBucket(Iterator<Row> rows) {
            super(rows);
        }

        final @Nullable Row nextOf(long key, int band) {
            Row row = peek();
            return row != null && row.<Long>getAs("key") == key && row.<Integer>getAs("band") == band ? read() : null;
        }
    }

    /**
     * From (key, band, high, low, sketch), sorted by key and band, to (kind, key, band, high, low, otherHigh,
     * otherLow).
     */
    static Iterator<Row> met(Iterator<Row> rows, DuplicateSettings settings) {
        DuplicateRule rule = settings.rule();
        int most = settings.components() - rule.leastHits();
        int bands = rule.banding().bands();
        return new ByBucket(rows) {
            /** No more of a bucket is held than what tells whether it is cut. */
            @Override
            protected void work(Consumer<Row> out) {
                List<Row> members = new ArrayList<>(List.of(read()));
                long key = members.get(0).getAs("key");
                int band = members.get(0).getAs("band");
                Row next = nextOf(key, band);
                while (next != null && !DuplicateRule.isCut(members.size())) {
                    members.add(next);
                    next = nextOf(key, band);
                }
                int pass = band / bands;
                boolean isCrowd = pass == 0 && DuplicateRule.isCrowd(members.size());
                boolean isHot = DuplicateRule.isHot(members.size()) && !DuplicateRule.isWithoutHot(pass);
                int kind = DuplicateRule.isCut(members.size()) ? CUT : HOT;
                for (Row member : members) {
                    mark(member, isCrowd, isHot, kind, key, band, out);
                }
                for (; next != null; next = nextOf(key, band)) {
                    mark(next, isCrowd, isHot, kind, key, band, out);
                }
                if (!DuplicateRule.isHot(members.size())) {
                    pairs(members, most, out);
                }
            }
        };
    }

    private static void mark(
            Row member, boolean isCrowd, boolean isHot, int kind, long key, int band, Consumer<Row> out) {
        Fingerprint content = Fingerprint.of(member);
        if (isCrowd) {
            out.accept(RowFactory.create(CROWD, 0L, 0, content.high(), content.low(), null, null));
        }
        if (isHot) {
            out.accept(RowFactory.create(kind, key, band, content.high(), content.low(), null, null));
        }
    }

    /** All pairs of which the sketches say that they may have enough components in common. */
    private static void pairs(List<Row> members, int mostDifferent, Consumer<Row> out) {
        if (members.size() < 2) {
            return;
        }
        long[][] sketches = members.stream()
                .map(row -> PackedWords.longs(row.getAs("sketch")))
                .toArray(long[][]::new);
        for (int i = 0; i < sketches.length; i++) {
            for (int j = i + 1; j < sketches.length; j++) {
                if (PackedWords.different(sketches[i], sketches[j]) <= mostDifferent) {
                    Fingerprint one = Fingerprint.of(members.get(i));
                    Fingerprint other = Fingerprint.of(members.get(j));
                    boolean isFirst = one.compareTo(other) < 0;
                    Fingerprint a = isFirst ? one : other;
                    Fingerprint b = isFirst ? other : one;
                    out.accept(RowFactory.create(PAIR, 0L, 0, a.high(), a.low(), b.high(), b.low()));
                }
            }
        }
    }

    /** From (key, band, high, low, signature, fine), sorted by key and band, to pairs. */
    static Iterator<Row> hotPairs(Iterator<Row> rows, DuplicateSettings settings) {
        DuplicateRule rule = settings.rule();
        int bands = rule.banding().bands();
        return new ByBucket(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                List<Row> members = new ArrayList<>(List.of(read()));
                long key = members.get(0).getAs("key");
                int band = members.get(0).getAs("band");
                for (Row next = nextOf(key, band); next != null; next = nextOf(key, band)) {
                    members.add(next);
                }
                members.sort(Comparator.comparing(Fingerprint::of));
                int[][] signatures = DuplicateRule.isCut(members.size())
                        ? members.stream()
                                .map(row -> PackedWords.ints(row.getAs("signature")))
                                .toArray(int[][]::new)
                        : new int[0][];
                long[][] fine = members.stream()
                        .map(row -> PackedWords.longs(row.getAs("fine")))
                        .toArray(long[][]::new);
                LongStream.Builder pairs = LongStream.builder();
                rule.hotPairs(
                        band / bands, band % bands, signatures, fine, (a, b) -> pairs.add(DuplicateRule.pair(a, b)));
                Fingerprint[] contents = members.stream().map(Fingerprint::of).toArray(Fingerprint[]::new);
                long[] different = pairs.build().sorted().distinct().toArray();
                giveLater(Arrays.stream(different)
                        .mapToObj(pair -> pair(contents[(int) (pair >>> 32)], contents[(int) pair]))
                        .iterator());
            }
        };
    }

    /** A pair that was chosen, the lesser content first. */
    private static Row pair(Fingerprint a, Fingerprint b) {
        Fingerprint first = a.compareTo(b) < 0 ? a : b;
        Fingerprint second = a.compareTo(b) < 0 ? b : a;
        return RowFactory.create(first.high(), first.low(), second.high(), second.low(), true);
    }

    /** From members of cut buckets with their values to (value, high, low): one row per value. */
    static Iterator<Row> values(Iterator<Row> rows) {
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                Fingerprint content = Fingerprint.of(row);
                char[] values = PackedWords.chars(row.getAs("values"));
                for (int i = 0; i < values.length; i++) {
                    out.accept(RowFactory.create(i << 16 | values[i], content.high(), content.low()));
                }
            }
        };
    }

    /** From (value, high, low), sorted by value, to pairs that share a value of few. */
    static Iterator<Row> sharing(Iterator<Row> rows) {
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                List<Fingerprint> members = new ArrayList<>();
                int value = peekedValue();
                while (peek() != null && peekedValue() == value) {
                    Fingerprint content = Fingerprint.of(read());
                    if (DuplicateRule.areFew(members.size())) {
                        members.add(content);
                    }
                }
                for (int i = 0; DuplicateRule.areFew(members.size()) && i < members.size(); i++) {
                    for (int j = i + 1; j < members.size(); j++) {
                        out.accept(pair(members.get(i), members.get(j)));
                    }
                }
            }

            private int peekedValue() {
                Row row = peek();
                return row == null ? -1 : row.<Integer>getAs("value");
            }
        };
    }

    /** From pairs with the fine signatures of both to those that are close. */
    static Iterator<Row> close(Iterator<Row> rows, DuplicateSettings settings) {
        DuplicateRule rule = settings.rule();
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                if (rule.areClose(PackedWords.longs(row.getAs("fine")), PackedWords.longs(row.getAs("otherFine")))) {
                    out.accept(pair(Fingerprint.of(row), Fingerprint.ofOther(row)));
                }
            }
        };
    }
}
