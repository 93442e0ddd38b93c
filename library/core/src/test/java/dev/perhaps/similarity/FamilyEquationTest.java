package dev.perhaps.similarity;

import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.similarity.ElementHashProvider;
import com.dynatrace.hash4j.similarity.SimilarityHashPolicy;
import com.dynatrace.hash4j.similarity.SimilarityHashing;
import dev.perhaps.similarity.duplicates.Pairs;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pr[h(x) = h(y)] = e(x, y), for every family: the share of equal components over n functions is within 4.4 standard errors
 * √(e(1 − e)/n) of e, to either side, which happens by chance in one of 90,000 runs (α = 1.1·10⁻⁵ a case). The same share
 * of hash4j, where it has the family, is within 4.4 standard errors of a difference.
 */
class FamilyEquationTest {
    private static final double Z = 4.4;

    private static void assertEquation(double share, double exact, int functions) {
        double error = Math.sqrt(exact * (1 - exact) / functions);
        assertThat(share).isBetween(exact - Z * error, exact + Z * error);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "20, 16", "50, 5", "200, 150", "1000, 500", "3000, 2900"})
    void minHashAgreesWithChanceJaccard(int size, int shared) {
        MinHash<String> fast = MinHash.of(128);
        MinHash<String> classic = MinHash.classic(128);
        SimilarityHashPolicy peer = SimilarityHashing.minHash(128, 32);
        int runs = 300;
        long fastHits = 0;
        long classicHits = 0;
        long peerHits = 0;
        for (int run = 0; run < runs; run++) {
            Pairs pair = Pairs.of(size, shared, run);
            fastHits += fast.sign(pair.a(), 0, size).hits(fast.sign(pair.b(), 0, size));
            if (run < 100) {
                classicHits += classic.sign(pair.a(), 0, size).hits(classic.sign(pair.b(), 0, size));
                peerHits += peerHits(peer, pair);
            }
        }
        double exact = Pairs.of(size, shared, 0).jaccard();
        assertEquation((double) fastHits / (runs * 128), exact, runs * 128);
        assertEquation((double) classicHits / (100 * 128), exact, 100 * 128);
        assertEquation((double) fastHits / (runs * 128) - (double) peerHits / (100 * 128) + exact, exact, 75 * 128);
    }

    private static int peerHits(SimilarityHashPolicy peer, Pairs pair) {
        byte[] a = peer.createHasher().compute(ElementHashProvider.ofValues(pair.a()));
        byte[] b = peer.createHasher().compute(ElementHashProvider.ofValues(pair.b()));
        return peer.getNumberOfEqualComponents(a, b);
    }

    /** By the central limit: ten items and more. */
    @ParameterizedTest
    @CsvSource({"10, 5", "11, 8", "40, 20", "100, 90", "1000, 300", "1001, 0"})
    void simHashAgreesWithChanceOfTheAngle(int size, int shared) {
        SimHash<String> ours = SimHash.of(128);
        SimilarityHashPolicy peer = SimilarityHashing.fastSimHash(128);
        int runs = 100;
        long hits = 0;
        long peerHits = 0;
        for (int run = 0; run < runs; run++) {
            Pairs pair = Pairs.of(size, shared, run);
            hits += ours.sign(pair.a(), 0, size).hits(ours.sign(pair.b(), 0, size));
            peerHits += peerHits(peer, pair);
        }
        double exact = 1 - Math.acos(Pairs.of(size, shared, 0).cosine()) / Math.PI;
        double share = (double) hits / (runs * 128);
        if (size >= 40) {
            assertEquation(share, exact, runs * 128);
        }
        double bias = 0.082 / Math.sqrt(size) + Z * Math.sqrt(exact * (1 - exact) / (runs * 128));
        assertThat(share).isBetween(exact - bias, exact + bias);
        if (size != 10) {
            // The peer decides ties by the number of the bit: small sets of even size look more alike to it.
            assertEquation(share - (double) peerHits / (runs * 128) + exact, exact, runs * 64);
        }
    }

    /** Two dimensions, where anything but a round distribution of planes would show, and many. */
    @ParameterizedTest
    @CsvSource({"2, 0.1", "2, 0.7853981", "2, 1.5", "2, 3", "30, 0.5", "300, 2.2"})
    void hyperplanesAgreeWithChanceOfTheAngle(int dimensions, double angle) {
        int runs = dimensions == 300 ? 10 : 40;
        long hits = 0;
        for (int run = 0; run < runs; run++) {
            Hyperplanes planes = Hyperplanes.of(1_000).seeded(run);
            SplittableRandom random = new SplittableRandom(run);
            double[] x = new double[dimensions];
            double[] y = new double[dimensions];
            // Two orthogonal vectors of one length: (c, s) and (−s, c) in each plane of two coordinates.
            for (int i = 0; i < dimensions; i += 2) {
                double turn = random.nextDouble() * 2 * Math.PI;
                x[i] = Math.cos(turn);
                x[i + 1] = Math.sin(turn);
                y[i] = Math.cos(angle) * x[i] - Math.sin(angle) * x[i + 1];
                y[i + 1] = Math.cos(angle) * x[i + 1] + Math.sin(angle) * x[i];
            }
            hits += planes.sign(x).hits(planes.sign(y));
        }
        assertEquation((double) hits / (runs * 1_000), 1 - angle / Math.PI, runs * 1_000);
    }

    @ParameterizedTest
    @CsvSource({"64, 16", "100, 1", "100, 99", "1000, 500", "100000, 20000"})
    void bitSamplesAgreeWithChanceOfEqualBits(int dimensions, int different) {
        int runs = 200;
        long hits = 0;
        for (int run = 0; run < runs; run++) {
            BitSample sample = BitSample.of(128).dimensions(dimensions).seeded(run);
            SplittableRandom random = new SplittableRandom(run);
            long[] x = random.longs((dimensions + 63) / 64).toArray();
            long[] y = x.clone();
            for (int flipped = 0; flipped < different; ) {
                int p = random.nextInt(dimensions);
                if (((x[p >> 6] ^ y[p >> 6]) >>> p & 1) == 0) {
                    y[p >> 6] ^= 1L << p;
                    flipped++;
                }
            }
            hits += sample.sign(x).hits(sample.sign(y));
        }
        assertEquation((double) hits / (runs * 128), 1 - (double) different / dimensions, runs * 128);
    }
}
