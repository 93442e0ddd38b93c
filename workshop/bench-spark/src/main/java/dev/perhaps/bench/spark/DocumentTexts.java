package dev.perhaps.bench.spark;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;

/**
 * Generated documents of 2 KB, of which one in five is a copy or a variant of another: those of
 * {@code bin/check-dedup}.
 */
final class DocumentTexts {
    private static final int BYTES = 2_000;
    private static final String[] WORDS = words();

    private DocumentTexts() {}

    private static String[] words() {
        SplittableRandom random = new SplittableRandom(3);
        return IntStream.range(0, 4_096)
                .mapToObj(i -> random.ints(2 + random.nextInt(9), 'a', 'z' + 1)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString())
                .toArray(String[]::new);
    }

    /** Of twenty documents the 9th and 10th are the first with 20 letters changed, and the 20th is the 19th. */
    static String text(long i) {
        int place = (int) (i % 20);
        if (place == 19) {
            return random(i - 1);
        }
        if (place == 8 || place == 9) {
            StringBuilder text = new StringBuilder(random(i - place));
            for (int k = 0; k < 20; k++) {
                text.setCharAt(place * 40 + k * 31, '#');
            }
            return text.toString();
        }
        return random(i);
    }

    private static String random(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder text = new StringBuilder(BYTES + 16);
        while (text.length() < BYTES) {
            text.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
        }
        text.setLength(BYTES);
        return text.toString();
    }

    /** Columns {@code id} and {@code text}, stored. */
    static Dataset<Row> stored(BenchSession session, long count) {
        Dataset<Row> numbers = session.spark().range(0, count, 1, 8).toDF("id");
        return session.stored(
                "documents-" + count,
                numbers.map(
                                (MapFunction<Row, scala.Tuple2<Long, String>>)
                                        row -> new scala.Tuple2<>(row.getLong(0), text(row.getLong(0))),
                                Encoders.tuple(Encoders.LONG(), Encoders.STRING()))
                        .toDF("id", "text"));
    }
}
