package dev.perhaps.similarity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(4)));
        }
        return text.toString();
    }

    private static Set<String> shingles(String text, int size) {
        Set<String> set = new HashSet<>();
        for (int i = 0; i + size <= text.length(); i++) {
            set.add(text.substring(i, i + size));
        }
        return set;
    }

    /** Against sets of substrings and bits counted one by one. */
    @Test
    void isExactBesideItsEstimates() {
        SplittableRandom random = new SplittableRandom(1);
        for (int run = 0; run < 50; run++) {
            String a = text(random, 300);
            String b = a.substring(0, random.nextInt(300)) + text(random, random.nextInt(300));
            b = run % 2 == 0 ? b : (b + a).substring(0, 300);
            Comparison comparison = Comparison.of(utf8(a), utf8(b), Shingles.codePoints(4), 256);
            Set<String> left = shingles(a, 4);
            Set<String> right = shingles(b, 4);
            Set<String> both = new HashSet<>(left);
            both.retainAll(right);
            if (b.length() >= 4) {
                assertThat(comparison.sizeA()).isEqualTo(left.size());
                assertThat(comparison.sizeB()).isEqualTo(right.size());
                assertThat(comparison.common()).isEqualTo(both.size());
                assertThat(comparison.jaccard().exact())
                        .isEqualTo((double) both.size() / (left.size() + right.size() - both.size()));
                assertThat(comparison.cosine().exact())
                        .isCloseTo(both.size() / Math.sqrt((double) left.size() * right.size()), within(1e-12));
            }
            assertThat(comparison.hamming().isPresent()).isEqualTo(a.length() == b.length());
            int differing = 0;
            for (int i = 0; i < Math.min(a.length(), b.length()); i++) {
                differing += Integer.bitCount(a.charAt(i) ^ b.charAt(i));
            }
            int expected = differing;
            comparison.hamming().ifPresent(hamming -> {
                assertThat(hamming.bits()).isEqualTo(2_400);
                assertThat(hamming.distance()).isEqualTo(expected);
                assertThat(hamming.equal().exact()).isCloseTo(1 - expected / 2_400.0, within(1e-12));
            });
        }
    }

    /**
     * 400 pairs each: estimates lie within one standard error for two of three and within four always. Both sides: a share
     * within one of 0.683 ± 0.1 (more than 4 standard deviations of 0.023), or up to 0.9 for Jaccard and the cosine, whose errors
     * are smaller than told for small sets (components dealt without replacement; functions of ±1). The bits that are sampled
     * are the same in all pairs, so their 400 errors are not independent, and the share may be as far off.
     */
    @Test
    void errsAsMuchAsItSays() {
        SplittableRandom random = new SplittableRandom(2);
        int pairs = 400;
        int[] within = new int[3];
        for (int run = 0; run < pairs; run++) {
            String a = text(random, 2_000);
            String b = a.substring(0, 1_000 + random.nextInt(600));
            b += text(random, 2_000 - b.length());
            Comparison comparison = Comparison.of(utf8(a), utf8(b), Shingles.codePoints(8), 512);
            Comparison.Estimate[] estimates = {
                comparison.jaccard(),
                comparison.cosine(),
                comparison.hamming().orElseThrow().equal()
            };
            for (int i = 0; i < 3; i++) {
                double error = Math.abs(estimates[i].estimate() - estimates[i].exact());
                assertThat(error).isLessThan(4.5 * estimates[i].standardError());
                within[i] += error <= estimates[i].standardError() ? 1 : 0;
            }
        }
        assertThat(within[0] / (double) pairs).isBetween(0.58, 0.9);
        assertThat(within[1] / (double) pairs).isBetween(0.58, 0.9);
        assertThat(within[2] / (double) pairs).isBetween(0.5, 0.9);
    }

    @Test
    void knowsTheEnds() {
        Comparison same = Comparison.of(utf8("the same text"), utf8("the same text"), Shingles.codePoints(), 64);
        assertThat(same.jaccard()).isEqualTo(new Comparison.Estimate(1, 1, 0));
        assertThat(same.cosine()).isEqualTo(new Comparison.Estimate(1, 1, 0));
        assertThat(same.hamming()).hasValue(new Comparison.Hamming(104, 0, new Comparison.Estimate(1, 1, 0)));
        Comparison other = Comparison.of(utf8("the same text"), utf8("THE OTHER ONE"), Shingles.codePoints(), 64);
        assertThat(other.jaccard().exact()).isZero();
        assertThat(other.cosine().exact()).isZero();
        assertThat(other.common()).isZero();

        Comparison empty = Comparison.of(new byte[0], new byte[0], Shingles.codePoints(), 64);
        assertThat(empty.jaccard().exact()).isEqualTo(1);
        assertThat(empty.hamming()).isEmpty();
        assertThat(Comparison.of(new byte[0], utf8("x"), Shingles.codePoints(), 64)
                        .jaccard()
                        .exact())
                .isZero();

        Shingles evened = Shingles.codePoints(3).normalised();
        Comparison formed = Comparison.of(utf8("\uFDFA \u0390 Text"), utf8("\uFDFA  \u0390  TEXT"), evened, 64);
        assertThat(formed.jaccard().exact()).isEqualTo(1);
        assertThat(formed.hamming()).isEmpty();
        assertThat(formed).hasToString("J = 1.00, 6 shingles in common of 6 and 6");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Comparison.of(new byte[0], new byte[0], Shingles.codePoints(), 0));
    }
}
