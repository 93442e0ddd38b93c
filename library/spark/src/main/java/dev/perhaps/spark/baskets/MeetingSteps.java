package dev.perhaps.spark.baskets;

import dev.perhaps.similarity.baskets.CorrelatedItems.Rule;
import dev.perhaps.spark.duplicates.PackedWords;
import dev.perhaps.spark.duplicates.RowBatches;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;

/** What tasks do with groups that meet in buckets: rows sorted by key and band. */
final class MeetingSteps {
    /** Kinds of rows that a bucket gives: a pair to check, a pair that is joined exactly, a member of a hot bucket. */
    static final int PAIR = 0;

    static final int JOINED = 1;
    static final int HOT = 2;

    private MeetingSteps() {}

    private abstract static class ByBucket extends RowBatches {
        ByBucket(Iterator<Row> rows) {
            super(rows);
        }

        final @Nullable Row nextOf(Row first) {
            Row row = peek();
            return row != null && row.getLong(0) == first.getLong(0) && row.getInt(1) == first.getInt(1)
                    ? read()
                    : null;
        }
    }

    private static GroupId group(Row row) {
        return new GroupId(row.getLong(2), row.getLong(3), row.getInt(4));
    }

    private static Row pair(int kind, GroupId a, GroupId b) {
        Row pair = a.with(b);
        return RowFactory.create(
                kind, 0L, 0, pair.get(0), pair.get(1), pair.get(2), pair.get(3), pair.get(4), pair.get(5));
    }

    /** From (key, band, high, low, support, sketch) to (kind, key, band, high, low, support, otherHigh, …). */
    static Iterator<Row> met(Iterator<Row> rows, ItemSettings settings) {
        Rule rule = settings.rule();
        int mostDifferent = settings.components() - rule.leastHits();
        return new ByBucket(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row first = read();
                if (first.getInt(1) < 0) {
                    giveLater(joined(first));
                    return;
                }
                // No more of a bucket is held than what tells whether it is hot.
                List<Row> members = new ArrayList<>(List.of(first));
                Row next = nextOf(first);
                while (next != null && !Rule.isHot(members.size())) {
                    members.add(next);
                    next = nextOf(first);
                }
                if (!Rule.isHot(members.size())) {
                    giveLater(pairs(members));
                    return;
                }
                members.forEach(member -> hot(member, out));
                for (; next != null; next = nextOf(first)) {
                    hot(next, out);
                }
            }

            private Iterator<Row> joined(Row first) {
                int[] sizes = rule.rareSizes(-1 - first.getInt(1));
                List<GroupId> smaller = new ArrayList<>();
                List<GroupId> larger = new ArrayList<>();
                for (Row row = first; row != null; row = nextOf(first)) {
                    (row.getInt(4) == sizes[0] ? smaller : larger).add(group(row));
                }
                boolean isOneSize = sizes[0] == sizes[1];
                return IntStream.range(0, smaller.size())
                        .boxed()
                        .flatMap(i -> (isOneSize ? smaller.subList(i + 1, smaller.size()) : larger)
                                .stream().map(other -> pair(JOINED, smaller.get(i), other)))
                        .iterator();
            }

            private Iterator<Row> pairs(List<Row> members) {
                GroupId[] groups = members.stream().map(MeetingSteps::group).toArray(GroupId[]::new);
                long[][] sketches = members.size() < 2
                        ? new long[1][]
                        : members.stream()
                                .map(row -> PackedWords.longs(row.getAs(5)))
                                .toArray(long[][]::new);
                return IntStream.range(0, groups.length)
                        .boxed()
                        .flatMap(i -> IntStream.range(i + 1, groups.length)
                                .filter(j -> rule.areLikely(groups[i].support(), groups[j].support())
                                        && PackedWords.different(sketches[i], sketches[j]) <= mostDifferent)
                                .mapToObj(j -> pair(PAIR, groups[i], groups[j])))
                        .iterator();
            }
        };
    }

    private static void hot(Row member, Consumer<Row> out) {
        GroupId group = group(member);
        out.accept(RowFactory.create(
                HOT,
                member.getLong(0),
                member.getInt(1),
                group.high(),
                group.low(),
                group.support(),
                null,
                null,
                null));
    }

    /** From (key, band, high, low, support, signature) of hot buckets to pairs to check. */
    static Iterator<Row> hotPairs(Iterator<Row> rows, ItemSettings settings) {
        Rule rule = settings.rule();
        return new ByBucket(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row first = read();
                List<Row> members = new ArrayList<>();
                for (Row row = first; row != null; row = nextOf(first)) {
                    members.add(row);
                }
                members.sort(Comparator.comparing(MeetingSteps::group));
                GroupId[] groups = members.stream().map(MeetingSteps::group).toArray(GroupId[]::new);
                int[][] signatures = members.stream()
                        .map(row -> PackedWords.ints(row.getAs(5)))
                        .toArray(int[][]::new);
                Stream.Builder<int[]> pairs = Stream.builder();
                rule.hotPairs(first.getInt(1), signatures, (a, b) -> {
                    if (rule.areLikely(groups[a].support(), groups[b].support())) {
                        pairs.add(new int[] {a, b});
                    }
                });
                giveLater(pairs.build()
                        .map(pair -> groups[pair[0]].with(groups[pair[1]]))
                        .iterator());
            }
        };
    }

    /** From (key, band, high, low, support) of components to pairs that share one of few. */
    static Iterator<Row> sharing(Iterator<Row> rows, ItemSettings settings) {
        Rule rule = settings.rule();
        return new ByBucket(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row first = read();
                List<GroupId> members = new ArrayList<>();
                for (Row row = first; row != null; row = nextOf(first)) {
                    if (Rule.areFew(members.size())) {
                        members.add(group(row));
                    }
                }
                for (int i = 0; Rule.areFew(members.size()) && i < members.size(); i++) {
                    for (GroupId other : members.subList(i + 1, members.size())) {
                        if (rule.areLikely(members.get(i).support(), other.support())) {
                            out.accept(members.get(i).with(other));
                        }
                    }
                }
            }
        };
    }
}
