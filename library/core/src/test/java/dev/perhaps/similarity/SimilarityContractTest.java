package dev.perhaps.similarity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.Perhaps;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every family of signatures promises. */
class SimilarityContractTest {
    private static final int RUNS = 200;

    /** Sizes of two sets and of what they share: even, odd and mixed, tiny, one inside the other, equal. */
    private static final int[][] SETS = {
        {1, 1, 1},
        {1, 2, 1},
        {2, 2, 1},
        {3, 2, 2},
        {3, 5, 3},
        {4, 4, 4},
        {31, 31, 16},
        {32, 32, 16},
        {49, 50, 40},
        {66, 66, 33},
        {100, 7, 7},
        {128, 130, 126},
        {301, 300, 270}
    };

    static Stream<SimilaritySubject> subjects() {
        return SimilaritySubject.all();
    }

    /** Signatures of sets that can be united. */
    static Stream<SimilaritySubject> mergeable() {
        return SimilaritySubject.all().filter(subject -> subject.family().apply(1) instanceof MinHash<?>);
    }

    /** Vectors of zeros have no angle. */
    static Stream<SimilaritySubject> withAnEmptySet() {
        return SimilaritySubject.all().filter(subject -> !(subject.family().apply(1) instanceof Hyperplanes));
    }

    static Stream<SimilaritySubject> withoutAnEmptySet() {
        return SimilaritySubject.all().filter(subject -> subject.family().apply(1) instanceof Hyperplanes);
    }

    /**
     * n = 200 estimates by 256 components. The mean is within 4.4 standard errors of the truth (α = 10⁻⁵), and what a family
     * states as its bias; the root of the mean square is at most 1.22 times what is stated (α = 10⁻⁵), and the bias.
     */
    @ParameterizedTest
    @MethodSource("subjects")
    void keepsItsStatedErrorForEvenOddAndTinySets(SimilaritySubject subject) {
        for (int[] set : SETS) {
            SplittableRandom random = new SplittableRandom(set[0] * 1_000L + set[2]);
            double truth = subject.truth().of(set[0], set[1], set[2]);
            double stated = subject.family().apply(1).standardError(truth);
            double bias = subject.biasOfOne() / Math.sqrt(Math.min(set[0], set[1]));
            double sum = 0;
            double squares = 0;
            for (int run = 0; run < RUNS; run++) {
                Family family = subject.family().apply(run);
                long[] all = random.longs(set[0] + set[1] - set[2]).toArray();
                Signature a = subject.sign(family, all, 0, set[0]);
                Signature b = subject.sign(family, all, set[0] - set[2], all.length);
                assertThat(family.similarity(a, b)).isEqualTo(family.similarity(b, a));
                double error = family.similarity(a, b) - truth;
                sum += error;
                squares += error * error;
            }
            String as = "sets of " + set[0] + " and " + set[1] + " with " + set[2] + " in common";
            assertThat(sum / RUNS).as(as).isCloseTo(0, within(bias + 4.4 * stated / Math.sqrt(RUNS) + 1e-7));
            assertThat(Math.sqrt(squares / RUNS)).as(as).isLessThanOrEqualTo(bias + 1.22 * stated + 1e-7);
        }
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void findsWhatIsEqualAlike(SimilaritySubject subject) {
        Family family = subject.family().apply(3);
        for (int size : new int[] {1, 2, 3, 10, 301}) {
            long[] all = new SplittableRandom(size).longs(size).toArray();
            Signature one = subject.sign(family, all, 0, size);
            assertThat(one).isEqualTo(subject.sign(family, all, 0, size));
            assertThat(family.similarity(one, one)).isOne();
        }
    }

    @ParameterizedTest
    @MethodSource("withAnEmptySet")
    void signsTheEmptySetAsItself(SimilaritySubject subject) {
        Family family = subject.family().apply(3);
        long[] none = {};
        Signature empty = subject.sign(family, none, 0, 0);
        assertThat(family.similarity(empty, subject.sign(family, none, 0, 0))).isOne();
        long[] all = new SplittableRandom(1).longs(300).toArray();
        assertThat(family.similarity(empty, subject.sign(family, all, 0, 300))).isLessThan(1);
    }

    @ParameterizedTest
    @MethodSource("withoutAnEmptySet")
    void refusesAVectorOfZeros(SimilaritySubject subject) {
        assertThatThrownBy(() -> subject.sign(subject.family().apply(3), new long[4], 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("vector of zeros");
    }

    @ParameterizedTest
    @MethodSource("mergeable")
    void unitesToTheSignatureOfBoth(SimilaritySubject subject) {
        MinHash<?> family = (MinHash<?>) subject.family().apply(3);
        for (int size : new int[] {0, 1, 2, 7, 40, 2_000}) {
            for (int other : new int[] {0, 1, 13, 900}) {
                long[] all =
                        new SplittableRandom(size + other).longs(size + other).toArray();
                Signature united =
                        family.union(subject.sign(family, all, 0, size), subject.sign(family, all, size, size + other));
                assertThat(united).isEqualTo(subject.sign(family, all, 0, size + other));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void estimatesTheSameAfterSavingAndOpening(SimilaritySubject subject) throws IOException {
        Family family = subject.family().apply(5);
        long[] all = new SplittableRandom(6).longs(150).toArray();
        Signatures saved = Signatures.of(subject.sign(family, all, 0, 100), subject.sign(family, all, 20, 150));
        Signatures opened = (Signatures) Perhaps.fromBytes(saved.toBytes());
        assertThat(opened.family().fits(family)).isTrue();
        assertThat(opened.similarity(0, 1)).isEqualTo(saved.similarity(0, 1));
        assertThat(opened.get(0)).isEqualTo(saved.get(0));
        // What is signed after opening is of the same family as what was signed before.
        assertThat(subject.sign(opened.family(), all, 20, 150)).isEqualTo(saved.get(1));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void refusesASignatureOfAnotherSeed(SimilaritySubject subject) {
        Family family = subject.family().apply(5);
        Family other = subject.family().apply(6);
        long[] all = new SplittableRandom(6).longs(10).toArray();
        Signature one = subject.sign(family, all, 0, 10);
        Signature two = subject.sign(other, all, 0, 10);
        assertThat(family.fits(other)).isFalse();
        assertThatThrownBy(() -> family.similarity(one, two))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("seed 5")
                .hasMessageContaining("seed 6");
    }
}
