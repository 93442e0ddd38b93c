package dev.perhaps.bench.similarity;

import dev.perhaps.bench.Fact;
import dev.perhaps.bench.Goal;
import dev.perhaps.bench.Goal.Faster;
import dev.perhaps.bench.Goal.Level;
import dev.perhaps.bench.Goal.NoWorse;
import dev.perhaps.bench.Measure;
import java.util.ArrayList;
import java.util.List;

/** The goals of signatures. */
final class SimilarityGoals {
    private SimilarityGoals() {}

    static List<Goal> all() {
        List<Goal> goals = new ArrayList<>(List.of(
                new Faster(SignRows.MINHASH, Measure.SIGN, SignRows.SUPER_ALONE, 2),
                new Faster(SignRows.MINHASH, Measure.SIGN, SignRows.SUPER, 2),
                new Faster(SignRows.MINHASH, Measure.SIGN, SignRows.TEXTBOOK, 20),
                new NoWorse(SignRows.MINHASH, Fact.RMSE, SignRows.SUPER),
                new NoWorse(SignRows.MINHASH, Fact.RMSE, SignRows.TEXTBOOK)));
        for (int bits : SignRows.angleBits()) {
            goals.add(new Level(SignRows.simHash(bits), Measure.SIGN, SignRows.fastSimHash(bits)));
            goals.add(new NoWorse(SignRows.simHash(bits), Fact.RMSE, SignRows.fastSimHash(bits)));
        }
        return goals;
    }
}
