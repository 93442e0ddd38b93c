package dev.perhaps.spark.baskets;

import dev.perhaps.key.Key;
import dev.perhaps.similarity.baskets.CorrelatedItems.Rule;
import dev.perhaps.spark.duplicates.PackedWords;
import dev.perhaps.spark.duplicates.RowBatches;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/** What tasks do with baskets, items, and groups of items that are in the same baskets. */
final class ItemSteps {
    private ItemSteps() {}

    /** From baskets (items) to (item, content): one row per different item of a basket. */
    static Iterator<Row> contents(Iterator<Row> rows) {
        Key.Bytes key = Key.bytes();
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Map<ByteBuffer, byte[]> items = new LinkedHashMap<>();
                for (byte[] item : read().<byte[]>getList(0)) {
                    if (item != null) {
                        items.put(ByteBuffer.wrap(item), item);
                    }
                }
                long content = 0;
                for (byte[] item : items.values()) {
                    content += Rule.contentShare(key.hash(item, 0, item.length));
                }
                for (byte[] item : items.values()) {
                    out.accept(RowFactory.create(item, content));
                }
            }
        };
    }

    /** From (item, content), sorted, to (item, content, baskets): equal baskets together. */
    static Iterator<Row> counted(Iterator<Row> rows) {
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row first = read();
                byte[] item = first.getAs(0);
                long content = first.getLong(1);
                long baskets = 1;
                for (Row next = peek();
                        next != null && next.getLong(1) == content && Arrays.equals(next.getAs(0), item);
                        next = peek()) {
                    next = read();
                    baskets++;
                }
                out.accept(RowFactory.create(item, content, baskets));
            }
        };
    }

    /** From (item, content, baskets), sorted, to (high, low, support, item, signature, rare). */
    static Iterator<Row> signed(Iterator<Row> rows, ItemSettings settings) {
        Rule rule = settings.rule();
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                byte[] item = row.getAs(0);
                rule.start();
                rule.add(row.getLong(1), (int) Math.min(Integer.MAX_VALUE, row.getLong(2)));
                for (Row next = peek(); next != null && Arrays.equals(next.getAs(0), item); next = peek()) {
                    next = read();
                    rule.add(next.getLong(1), (int) Math.min(Integer.MAX_VALUE, next.getLong(2)));
                }
                long[][] keys = rule.rareKeys();
                LongStream.Builder rare = LongStream.builder();
                for (int place = 0; place < keys.length; place++) {
                    for (long key : keys[place]) {
                        rare.add(place).add(key);
                    }
                }
                out.accept(RowFactory.create(
                        rule.high(),
                        rule.low(),
                        rule.support(),
                        item,
                        PackedWords.bytes(rare.build().toArray()),
                        PackedWords.bytes(rule.signature())));
            }
        };
    }

    /**
     * From groups to (key, band, high, low, support, sketch); a rare key has the band −1 − its place, and no sketch.
     */
    static Iterator<Row> bands(Iterator<Row> rows, ItemSettings settings) {
        Rule rule = settings.rule();
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                GroupId group = GroupId.of(row, "high", "low", "support");
                int[] signature = PackedWords.ints(row.getAs("signature"));
                byte[] sketch = PackedWords.bytes(PackedWords.sketch(signature));
                long[] keys = rule.keys(signature);
                for (int band = 0; band < keys.length; band++) {
                    out.accept(RowFactory.create(keys[band], band, group.high(), group.low(), group.support(), sketch));
                }
                long[] rare = PackedWords.longs(row.getAs("rare"));
                for (int i = 0; i < rare.length; i += 2) {
                    out.accept(RowFactory.create(
                            rare[i + 1], (int) (-1 - rare[i]), group.high(), group.low(), group.support(), null));
                }
            }
        };
    }

    /** From groups of hot buckets to (key, band, high, low, support): one row per component, which is the band. */
    static Iterator<Row> values(Iterator<Row> rows) {
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                GroupId group = GroupId.of(row, "high", "low", "support");
                int[] signature = PackedWords.ints(row.getAs("signature"));
                for (int i = 0; i < signature.length; i++) {
                    out.accept(RowFactory.create((long) signature[i], i, group.high(), group.low(), group.support()));
                }
            }
        };
    }

    /** Of candidates with both signatures those that have enough components in common. */
    static Iterator<Row> checked(Iterator<Row> rows, ItemSettings settings) {
        Rule rule = settings.rule();
        return new RowBatches(rows) {
            @Override
            protected void work(Consumer<Row> out) {
                Row row = read();
                int[] a = PackedWords.ints(row.getAs("signature"));
                int[] b = PackedWords.ints(row.getAs("otherSignature"));
                if (rule.haveHits(a, b)) {
                    out.accept(GroupId.of(row, "high", "low", "support")
                            .with(GroupId.of(row, "otherHigh", "otherLow", "otherSupport")));
                }
            }
        };
    }
}
