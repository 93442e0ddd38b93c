package dev.perhaps.similarity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AngleTest {
    /** The bits that a plain loop over counters finds. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 8, 9, 255, 257, 1_001})
    void countsLikeAPlainLoop(int items) {
        SimHash<String> simHash = SimHash.of(100);
        long[] hashes = new SplittableRandom(items).longs(items).toArray();
        int[] counts = new int[100];
        for (long hash : hashes) {
            Signature one = simHash.sign(new long[] {hash}, 0, 1);
            for (int i = 0; i < 100; i++) {
                counts[i] += one.component(i) == 1 ? 1 : -1;
            }
        }
        Signature all = simHash.sign(hashes, 0, items);
        for (int i = 0; i < 100; i++) {
            if (counts[i] != 0) {
                assertThat(all.component(i)).isEqualTo(counts[i] > 0 ? 1 : 0);
            }
        }
    }

    /**
     * Pairs of disjoint sets of two items: half of all bits are ties. 12,800 bits agree with chance ½ within 4.4 standard
     * errors (α = 1.1·10⁻⁵); answering every tie with 1 would give 5/8.
     */
    @Test
    void doesNotFindDisjointSetsAlikeByTies() {
        SimHash<String> simHash = SimHash.of(128);
        int hits = 0;
        for (int run = 0; run < 100; run++) {
            Pairs pair = Pairs.of(2, 0, run);
            hits += simHash.sign(pair.a(), 0, 2).hits(simHash.sign(pair.b(), 0, 2));
        }
        assertThat(hits / 12_800.0).isBetween(0.5 - 4.4 * 0.5 / Math.sqrt(12_800), 0.5 + 4.4 * 0.5 / Math.sqrt(12_800));
    }

    /**
     * 400 pairs at cosine 0.6, k = 512. The root mean square of the errors is known to 3.5 % of itself: within four of
     * those of what is stated for the cosine.
     */
    @Test
    void derivesTheCosineWithItsError() {
        SimHash<String> simHash = SimHash.of(512);
        double squares = 0;
        for (int run = 0; run < 400; run++) {
            Pairs pair = Pairs.of(200, 120, run);
            double cosine = simHash.cosine(simHash.sign(pair.a(), 0, 200), simHash.sign(pair.b(), 0, 200));
            squares += Math.pow(cosine - 0.6, 2);
        }
        assertThat(Math.sqrt(squares / 400) / simHash.cosineError(0.6)).isBetween(0.86, 1.14);
    }

    @Test
    void signsDenseAndSparseVectorsAlike() {
        Hyperplanes planes = Hyperplanes.of(200);
        Signature dense = planes.sign(new double[] {0, 2, 0, 0, -1.5});
        assertThat(planes.sign(new long[] {1, 4}, new double[] {2, -1.5})).isEqualTo(dense);
        assertThat(planes.sign(new float[] {0, 2, 0, 0, -1.5f})).isEqualTo(dense);
        assertThat(planes.sign(new double[] {0, 2e300, 0, 0, -1.5e300})).isEqualTo(dense);
        assertThat(planes.angle(dense, planes.sign(new double[] {0, -2, 0, 0, 1.5})))
                .isEqualTo(Math.PI, within(1e-12));
        assertThat(planes.seeded(1).sign(new double[] {0, 2, 0, 0, -1.5}).words())
                .isNotEqualTo(dense.words());
    }

    /** The known quantiles, and both tails. */
    @Test
    void knowsTheNormalDistribution() {
        assertThat(Normal.quantile(0.5)).isZero();
        assertThat(Normal.quantile(0.975)).isEqualTo(1.959963985, within(1e-8));
        assertThat(Normal.quantile(0.001)).isEqualTo(-3.090232306, within(1e-8));
        assertThat(Normal.quantile(0.999)).isEqualTo(3.090232306, within(1e-8));
        assertThat(Normal.quantile(-1L)).isBetween(7.9, 8.4);
    }

    @Test
    void refusesWhatHasNoAngle() {
        Hyperplanes planes = Hyperplanes.of(8);
        assertThatThrownBy(() -> planes.sign(new double[3])).hasMessageContaining("vector of zeros");
        assertThatThrownBy(() -> planes.sign(new double[] {1, Double.NaN})).hasMessageContaining("got NaN");
        assertThatThrownBy(() -> planes.sign(new long[] {1}, new double[0])).hasMessageContaining("got 0 and 1");
        assertThatThrownBy(() -> planes.cosineError(1.1)).hasMessageContaining("got 1.1");
        assertThatThrownBy(() -> planes.angleError(4)).hasMessageContaining("got 4");
        assertThatThrownBy(() -> planes.angle(
                        planes.sign(new double[] {1}), SimHash.of(8).sign(List.of("a"))))
                .hasMessageContaining("simhash of vectors against simhash of sets");
    }

    @Test
    void refusesVectorsOfAnotherLength() {
        BitSample sample = BitSample.of(64).dimensions(100);
        assertThatThrownBy(() -> sample.sign(new long[3])).hasMessageContaining("got 3");
        assertThatThrownBy(() -> BitSample.of(64).dimensions(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> sample.hammingError(101)).hasMessageContaining("got 101");
        Signature zeros = sample.sign(new long[2]);
        assertThat(sample.hamming(zeros, sample.sign(new long[] {-1, -1}))).isEqualTo(100);
        assertThat(sample.hammingError(50)).isEqualTo(6.25);
        assertThat(sample.fits(BitSample.of(64).dimensions(101))).isFalse();
    }
}
