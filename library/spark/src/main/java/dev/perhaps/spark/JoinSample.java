package dev.perhaps.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * A sample of rows from all over a table: of partitions at equal distances, and in each of them from its first rows. A
 * table that is sorted by the key, as many are, has other keys at its beginning than elsewhere. The same rows are
 * sampled whenever the partitions have the same rows.
 */
final class JoinSample {
    static final int MAX_ROWS = 1 << 12;

    private static final int MAX_PARTITIONS = 16;
    private static final int MAX_ROWS_READ = 1 << 18;
    private static final long SEED = 42;

    private JoinSample() {}

    static List<Row> of(Dataset<Row> rows) {
        JavaRDD<Row> all = rows.javaRDD();
        int[] chosen = chosen(all.getNumPartitions());
        List<Row> sample = new ArrayList<>();
        if (chosen.length > 0) {
            RowReservoir reservoir = new RowReservoir(MAX_ROWS / chosen.length, MAX_ROWS_READ / chosen.length);
            for (List<Row> some : all.mapPartitions(reservoir).collectPartitions(chosen)) {
                sample.addAll(some);
            }
        }
        // Where few partitions of many have rows, the chosen ones may have none.
        return sample.isEmpty() ? rows.limit(MAX_ROWS).collectAsList() : sample;
    }

    /** Partitions at equal distances: the first, and none twice. */
    static int[] chosen(int partitions) {
        int count = Math.min(partitions, MAX_PARTITIONS);
        return IntStream.range(0, count)
                .map(i -> (int) ((long) i * partitions / count))
                .toArray();
    }

    /** Keeps rows of a partition, each of those that it reads with the same probability. */
    record RowReservoir(int rows, int rowsRead) implements FlatMapFunction<Iterator<Row>, Row> {
        @Override
        public Iterator<Row> call(Iterator<Row> all) {
            List<Row> kept = new ArrayList<>(rows);
            SplittableRandom random = new SplittableRandom(SEED);
            for (int read = 0; read < rowsRead && all.hasNext(); read++) {
                Row row = all.next();
                if (read < rows) {
                    kept.add(row);
                } else {
                    int place = random.nextInt(read + 1);
                    if (place < rows) {
                        kept.set(place, row);
                    }
                }
            }
            return kept.iterator();
        }
    }
}
