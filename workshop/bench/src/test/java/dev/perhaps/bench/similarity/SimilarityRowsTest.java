package dev.perhaps.bench.similarity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SimilarityRowsTest {
    private static final TextPairs SOURCE = new TextPairs(1);
    private static final byte[][] TEXTS = SOURCE.texts(2_000, 6_000);
    private static final TextPairs.Pair[] PAIRS = SOURCE.pairs();

    static List<SignRow> rows() {
        return SignRows.all();
    }

    /**
     * 200 pairs between J = 0.3 and 1. Errors above 0.15 would be those of 11 components; below 0.002 the row would have looked at
     * the texts.
     */
    @ParameterizedTest
    @MethodSource("rows")
    void estimatesTheSimilarityThatItIsSaidTo(SignRow row) {
        assertThat(row.maker().apply(1).sign(TEXTS, 0, TEXTS.length))
                .isNotEqualTo(row.maker().apply(2).sign(TEXTS, 0, 1));
        for (double error : SignContest.errors(row, PAIRS)) {
            assertThat(error).isBetween(0.002, 0.15);
        }
    }

    @Test
    void writesTheSameTextsEveryTime() {
        TextPairs again = new TextPairs(1);
        assertThat(again.texts(2_000, 6_000)).isDeepEqualTo(TEXTS);
        assertThat(PAIRS).allSatisfy(pair -> assertThat(pair.jaccard).isBetween(0.02, 1.0));
    }

    /** A goal that names a row which is not there would never be judged, and nobody would notice. */
    @Test
    void everyGoalSpeaksOfRowsThatThereAre() {
        Set<String> rows = new HashSet<>();
        SignRows.all().forEach(row -> assertThat(rows.add(row.name())).isTrue());
        assertThat(SimilarityGoals.all())
                .isNotEmpty()
                .allSatisfy(goal -> assertThat(rows).containsAll(goal.rows()));
    }
}
