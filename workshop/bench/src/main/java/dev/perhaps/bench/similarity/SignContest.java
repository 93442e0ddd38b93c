package dev.perhaps.bench.similarity;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.Fact;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import dev.perhaps.bench.similarity.SignRow.Signer;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures families on the same texts: all of them sign in alternating rounds, then each estimates pairs with several
 * seeds.
 */
public final class SignContest {
    /** Seeds of which the median is taken. */
    public static final int SEEDS = 7;

    private static final long WARM_UP_NANOS = 1_500_000_000;

    private final String title;
    private final List<SignRow> rows;
    private long sum;

    SignContest(String title, List<SignRow> rows) {
        this.title = title;
        this.rows = rows;
    }

    void run(byte[][] texts, TextPairs.Pair[] pairs, Rounds rounds, BenchProgress progress, Results into) {
        List<Rounds.Turn> turns = new ArrayList<>();
        for (SignRow row : rows) {
            progress.say(title + ", warming up: " + row.name());
            Signer signer = row.maker().apply(0);
            long start = System.nanoTime();
            for (int at = 0; System.nanoTime() - start < WARM_UP_NANOS; at = (at + 1) % texts.length) {
                sum += signer.sign(texts, at, at + 1);
            }
            int count = (int) Math.max(1, texts.length * row.share());
            long bytes = 0;
            for (int i = 0; i < count; i++) {
                bytes += texts[i].length;
            }
            turns.add(new Rounds.Turn(
                    row.name(), Measure.SIGN, bytes, () -> {}, () -> sum += signer.sign(texts, 0, count)));
        }
        rounds.play(title, turns, into);
        if (sum == 0) {
            throw new IllegalStateException("signatures of nothing but zeros");
        }
        for (SignRow row : rows) {
            progress.say(title + ", counting errors: " + row.name());
            into.fact(row.name(), Fact.RMSE, errors(row, pairs));
        }
    }

    /** The root mean square error for each seed. */
    static double[] errors(SignRow row, TextPairs.Pair[] pairs) {
        double[] errors = new double[SEEDS];
        for (int seed = 0; seed < SEEDS; seed++) {
            Signer signer = row.maker().apply(seed + 1);
            double squares = 0;
            for (TextPairs.Pair pair : pairs) {
                double truth = row.ofAngle() ? pair.angle : pair.jaccard;
                squares += Math.pow(signer.similarity(pair.a, pair.b) - truth, 2);
            }
            errors[seed] = Math.sqrt(squares / pairs.length);
        }
        return errors;
    }
}
