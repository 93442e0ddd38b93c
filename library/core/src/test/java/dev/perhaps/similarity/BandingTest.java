package dev.perhaps.similarity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.similarity.duplicates.Pairs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BandingTest {
    @Test
    void followsTheRuleOfTheLectures() {
        Banding banding = Banding.of(100).threshold(0.8).lecture();
        assertThat(banding.rows()).isEqualTo(10);
        assertThat(banding.bands()).isEqualTo(10);
        assertThat(banding.chance(0.8)).isEqualTo(0.679, within(0.000_5));
        assertThat(Banding.of(10).threshold(0.05).lecture().rows()).isOne();
    }

    @ParameterizedTest
    @CsvSource({"0.5, 3, 42", "0.7, 4, 32", "0.8, 6, 21", "0.9, 10, 12", "1, 128, 1"})
    void takesTheMostRowsThatKeepTheRecall(double threshold, int rows, int bands) {
        Banding banding = Banding.of(128).threshold(threshold).recall(0.99);
        assertThat(banding.rows()).isEqualTo(rows);
        assertThat(banding.bands()).isEqualTo(bands);
        assertThat(banding.chance(threshold)).isGreaterThanOrEqualTo(0.99);
    }

    @Test
    void keepsTheRecallAtEveryThreshold() {
        for (int percent = 5; percent <= 100; percent++) {
            Banding banding = Banding.of(128).threshold(percent / 100.0).recall(0.99);
            assertThat(banding.chance(percent / 100.0)).isGreaterThanOrEqualTo(0.99);
            assertThat(banding.bands() * banding.rows()).isLessThanOrEqualTo(128);
        }
    }

    @Test
    void tellsAnSCurve() {
        Banding banding = Banding.of(128).threshold(0.8).recall(0.99);
        assertThat(banding.chance(0)).isZero();
        assertThat(banding.chance(1)).isOne();
        double before = 0;
        for (int percent = 1; percent <= 100; percent++) {
            assertThat(banding.chance(percent / 100.0)).isGreaterThanOrEqualTo(before);
            before = banding.chance(percent / 100.0);
        }
        assertThat(banding.chance(0.01)).isEqualTo(21e-12, within(1e-15));
        assertThat(banding).hasToString("21 bands of 6 rows, finds 99.8 % at 0.8");
    }

    /**
     * 2,000 pairs at the threshold, of sets both smaller and larger than a signature: found with the chance stated, within
     * 4.4 standard errors below (α = 5·10⁻⁶), and above only as far as dealing without replacement helps.
     */
    @ParameterizedTest
    @CsvSource({"12, 6, 0.5", "45, 40, 0.8", "450, 400, 0.8", "950, 900, 0.9"})
    void findsPairsAtTheThresholdWithTheChanceStated(int size, int shared, double threshold) {
        MinHash<String> minHash = MinHash.of(128);
        Banding banding = Banding.of(128).threshold(threshold).lecture();
        int found = 0;
        for (int run = 0; run < 2_000; run++) {
            Pairs pair = Pairs.of(size, shared, run);
            Signature a = minHash.sign(pair.a(), 0, size);
            Signature b = minHash.sign(pair.b(), 0, size);
            found += isCandidate(banding, a, b) ? 1 : 0;
        }
        double chance = banding.chance(Pairs.of(size, shared, 0).jaccard());
        double error = Math.sqrt(chance * (1 - chance) / 2_000);
        assertThat(found / 2_000.0).isBetween(chance - 4.4 * error, Math.min(1, chance + 4.4 * error + 0.1));
    }

    private static boolean isCandidate(Banding banding, Signature a, Signature b) {
        for (int band = 0; band < banding.bands(); band++) {
            int row = band * banding.rows();
            int end = row + banding.rows();
            while (row < end && a.component(row) == b.component(row)) {
                row++;
            }
            if (row == end) {
                return true;
            }
        }
        return false;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 1.5, Double.NaN})
    void refusesAThresholdOutside(double threshold) {
        assertThatThrownBy(() -> Banding.of(128).threshold(threshold)).hasMessageContaining("got " + threshold);
    }

    @Test
    void refusesWhatCannotBeReached() {
        assertThatThrownBy(() -> Banding.of(128).threshold(0.8).recall(1)).hasMessageContaining("got 1.0");
        assertThatThrownBy(() -> Banding.of(4).threshold(0.1).recall(0.99))
                .hasMessageContaining("with chance 0.344 at most, got recall 0.99: take more components");
    }
}
