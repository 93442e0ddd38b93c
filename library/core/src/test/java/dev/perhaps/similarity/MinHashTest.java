package dev.perhaps.similarity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.similarity.ElementHashProvider;
import com.dynatrace.hash4j.similarity.SimilarityHashPolicy;
import com.dynatrace.hash4j.similarity.SimilarityHashing;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.duplicates.Pairs;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MinHashTest {
    static List<MinHash<String>> both() {
        return List.of(MinHash.of(128), MinHash.classic(100));
    }

    /**
     * The lectures' sketch: 3,000 pairs at J = 0.8, k = 100. Pearson's χ² of the hit counts against Binomial(100, 0.8), in
     * classes ≤ 70, 71, …, 89, ≥ 90: 20 degrees of freedom, between 5.9 and 45.3 (α = 0.001 to either side).
     */
    @Test
    void classicHitsFollowTheBinomialDistribution() {
        MinHash<String> classic = MinHash.classic(100);
        int runs = 3_000;
        int[] seen = new int[21];
        for (int run = 0; run < runs; run++) {
            Pairs pair = Pairs.of(45, 40, run);
            int hits = classic.sign(pair.a(), 0, 45).hits(classic.sign(pair.b(), 0, 45));
            seen[Math.max(0, Math.min(20, hits - 70))]++;
        }
        double[] expected = new double[21];
        double chance = Math.pow(0.2, 100);
        for (int hits = 0; hits <= 100; hits++) {
            expected[Math.max(0, Math.min(20, hits - 70))] += chance * runs;
            chance *= (100.0 - hits) / (hits + 1) * 0.8 / 0.2;
        }
        double chiSquare = 0;
        for (int i = 0; i < 21; i++) {
            chiSquare += Math.pow(seen[i] - expected[i], 2) / expected[i];
        }
        assertThat(chiSquare).isBetween(5.9, 45.3);
    }

    /**
     * 1,500 pairs each. The root mean square error is known to ± 1 / √3,000 = 1.8 % of itself: at most 1.08 of the stated
     * error (four of those), and not below 0.6 of it, which is what dealing without replacement can save.
     */
    @ParameterizedTest
    @CsvSource({"5, 3", "30, 24", "100, 67", "300, 267", "1500, 1000"})
    void fastErrsByNoMoreThanTheStandardErrorItStates(int size, int shared) {
        MinHash<String> fast = MinHash.of(128);
        double squares = 0;
        for (int run = 0; run < 1_500; run++) {
            Pairs pair = Pairs.of(size, shared, 100 + run);
            double estimate = fast.jaccard(fast.sign(pair.a(), 0, size), fast.sign(pair.b(), 0, size));
            squares += Math.pow(estimate - pair.jaccard(), 2);
        }
        double stated = fast.standardError(Pairs.of(size, shared, 0).jaccard());
        assertThat(Math.sqrt(squares / 1_500) / stated).isBetween(0.6, 1.08);
    }

    /** 1,000 pairs; errors of both are known to 2.2 %, their ratio to 3.2 %: within four of those, hash4j is not better. */
    @Test
    void errsNoMoreThanSuperMinHash() {
        MinHash<String> fast = MinHash.of(128);
        SimilarityHashPolicy peer = SimilarityHashing.superMinHash(128, 32);
        double ours = 0;
        double theirs = 0;
        for (int run = 0; run < 1_000; run++) {
            Pairs pair = Pairs.of(400, 300, run);
            double exact = pair.jaccard();
            ours += Math.pow(fast.jaccard(fast.sign(pair.a(), 0, 400), fast.sign(pair.b(), 0, 400)) - exact, 2);
            byte[] a = peer.createHasher().compute(ElementHashProvider.ofValues(pair.a()));
            byte[] b = peer.createHasher().compute(ElementHashProvider.ofValues(pair.b()));
            theirs += Math.pow(peer.getFractionOfEqualComponents(a, b) - exact, 2);
        }
        assertThat(Math.sqrt(ours / theirs)).isBetween(0.7, 1.13);
    }

    @ParameterizedTest
    @MethodSource("both")
    void signsASetWhateverItsOrderAndRepetitions(MinHash<String> minHash) {
        assertThat(minHash.sign(List.of("a", "b", "c", "b", "a"))).isEqualTo(minHash.sign(Set.of("c", "b", "a")));
    }

    @ParameterizedTest
    @MethodSource("both")
    void findsTheEmptySetAlikeItselfOnly(MinHash<String> minHash) {
        Signature empty = minHash.sign(List.of());
        assertThat(minHash.jaccard(empty, minHash.sign(Set.of()))).isOne();
        assertThat(minHash.jaccard(empty, minHash.sign(Set.of("a")))).isZero();
    }

    /** All hashes of one shard of 64 share their six high bits: the bins must not. */
    @Test
    void standsBehindASplitOnTheSameHash() {
        MinHash<String> minHash = MinHash.of(1_024);
        Pairs pair = Pairs.of(3_000, 2_000, 5);
        long[] a = Arrays.stream(pair.a()).map(hash -> hash >>> 6).toArray();
        long[] b = Arrays.stream(pair.b()).map(hash -> hash >>> 6).toArray();
        double estimate = minHash.jaccard(minHash.sign(a, 0, 3_000), minHash.sign(b, 0, 3_000));
        assertThat(estimate).isBetween(0.43, 0.57);
    }

    /** Serial numbers are as good as hashes. */
    @Test
    void signsNumbersInSequence() {
        MinHash<Long> minHash = MinHash.of(1_024).of(Key.longs());
        long[] serial = new long[2_000];
        Arrays.setAll(serial, i -> i);
        double estimate = minHash.jaccard(minHash.sign(serial, 0, 1_500), minHash.sign(serial, 500, 2_000));
        assertThat(estimate).isBetween(0.43, 0.57);
    }

    /** 2,000 pairs: the mean within 4.4 standard errors of J, the error within 8 % of the stated one or below it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8, 16, 32})
    void correctsForBitsThatAgreeByChance(int bits) {
        BitMinHash<String> small = MinHash.of(128).bits(bits);
        double sum = 0;
        double squares = 0;
        for (int run = 0; run < 2_000; run++) {
            Pairs pair = Pairs.of(500, 400, run);
            double error = small.jaccard(small.sign(pair.a(), 0, 500), small.sign(pair.b(), 0, 500)) - pair.jaccard();
            sum += error;
            squares += error * error;
        }
        double stated = small.standardError(2.0 / 3);
        assertThat(sum / 2_000).isBetween(-4.4 * stated / Math.sqrt(2_000), 4.4 * stated / Math.sqrt(2_000));
        assertThat(Math.sqrt(squares / 2_000) / stated).isBetween(0.75, 1.08);
        assertThat(small.signatureBytes()).isEqualTo(128L * bits / 8);
    }

    @Test
    void countsEqualComponentsOfAnyWidthLikeTheirDefinition() {
        MinHash<String> full = MinHash.of(77);
        for (int bits : new int[] {1, 2, 4, 8, 16, 32}) {
            BitMinHash<String> small = full.bits(bits);
            Pairs pair = Pairs.of(60, 30, bits);
            Signature a = small.sign(pair.a(), 0, 60);
            Signature b = small.sign(pair.b(), 0, 60);
            int equal = 0;
            for (int i = 0; i < 77; i++) {
                equal += a.component(i) == b.component(i) ? 1 : 0;
            }
            assertThat(a.hits(b)).isEqualTo(equal);
            assertThat(small.shrink(full.sign(pair.a(), 0, 60))).isEqualTo(a);
        }
    }

    @Test
    void refusesSignaturesOfAnotherFamily() {
        MinHash<String> minHash = MinHash.of(128);
        Signature ours = minHash.sign(Set.of("a"));
        assertThatThrownBy(() -> minHash.jaccard(ours, MinHash.of(64).sign(Set.of("a"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("128 components against 64");
        assertThatThrownBy(() -> minHash.union(ours, minHash.bits(8).sign(Set.of("a"))))
                .hasMessageContaining("64 bits per component against 8");
        assertThatThrownBy(() -> ours.hits(MinHash.classic(128).sign(Set.of("a"))))
                .hasMessageContaining("minhash against classic minhash");
        assertThatThrownBy(() ->
                        ours.hits(MinHash.of(128).of(Key.strings().seeded(3)).sign(Set.of("a"))))
                .hasMessageContaining("seed 0 against utf8 with seed 3");
    }

    @Test
    void refusesWhatCannotBe() {
        assertThatThrownBy(() -> MinHash.of(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> MinHash.of(1 << 15)).hasMessageContaining("got 32768");
        assertThatThrownBy(() -> MinHash.of(8).bits(3)).hasMessageContaining("got 3");
        assertThatThrownBy(() -> MinHash.of(8).standardError(1.5)).hasMessageContaining("got 1.5");
        assertThatThrownBy(() -> MinHash.of(8).sign(new long[3], 0, 3, new long[7]))
                .hasMessageContaining("got 7");
    }
}
