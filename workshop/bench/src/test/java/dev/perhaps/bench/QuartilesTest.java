package dev.perhaps.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class QuartilesTest {
    @Test
    void takesTheMiddleOfAnOddNumberOfFigures() {
        assertThat(Quartiles.of(7, 1, 3, 5, 9, 13, 11)).isEqualTo(new Quartiles(4, 7, 10));
    }

    @Test
    void liesBetweenTheNeighboursOfAnEvenNumberOfFigures() {
        assertThat(Quartiles.of(4, 1, 3, 2)).isEqualTo(new Quartiles(1.75, 2.5, 3.25));
    }

    @Test
    void isTheFigureItselfIfThereIsOne() {
        assertThat(Quartiles.of(2.5)).isEqualTo(new Quartiles(2.5, 2.5, 2.5));
    }

    @Test
    void leavesTheFiguresAsTheyWere() {
        double[] figures = {3, 1, 2};
        Quartiles.of(figures);
        assertThat(figures).containsExactly(3, 1, 2);
    }

    @Test
    void refusesNoFigures() {
        assertThatThrownBy(Quartiles::of).isInstanceOf(IllegalArgumentException.class);
    }

    /** A machine that is three times slower in one round changes no ratio. */
    @Test
    void takesARatioWithinARound() {
        Quartiles ratio = Quartiles.ofRatio(new double[] {10, 30, 10, 5}, new double[] {20, 60, 20, 10});
        assertThat(ratio).isEqualTo(new Quartiles(2, 2, 2));
    }

    @Test
    void refusesARatioOfDifferentNumbersOfRounds() {
        assertThatThrownBy(() -> Quartiles.ofRatio(new double[3], new double[4]))
                .hasMessageContaining("3 rounds against 4");
    }

    @Test
    void isLevelIfTheQuartilesIncludeOne() {
        assertThat(new Quartiles(0.9, 0.95, 1).level()).isTrue();
        assertThat(new Quartiles(1, 1.2, 1.4).level()).isTrue();
        assertThat(new Quartiles(1.01, 1.2, 1.4).level()).isFalse();
        assertThat(new Quartiles(0.8, 0.9, 0.99).level()).isFalse();
    }

    @Test
    void agreesWithASecondWayToFindTheMedian() {
        double[] figures = new double[101];
        for (int i = 0; i < figures.length; i++) {
            figures[i] = Math.sin(i);
        }
        double median = Quartiles.of(figures).median();
        long below = java.util.Arrays.stream(figures).filter(f -> f < median).count();
        assertThat(below).isEqualTo(50);
        assertThat(median).isCloseTo(0, within(0.1));
    }
}
