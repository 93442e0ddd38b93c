package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisTDigestTest {
    private static RedisTDigest of(int compression, double... values) {
        RedisTDigest digest = RedisTDigest.of(compression);
        for (double value : values) {
            digest.add(value, 1);
        }
        return digest;
    }

    private static byte[] bytes(RedisTDigest digest) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        digest.writeTo(out);
        assertThat(digest.fileBytes()).isEqualTo(out.size());
        return out.toByteArray();
    }

    /** The number of values below, and half of those that equal it. */
    private static double rank(double[] sorted, double value) {
        long below = Arrays.stream(sorted).filter(x -> x < value).count();
        long equal = Arrays.stream(sorted).filter(x -> x == value).count();
        return below + equal / 2.0;
    }

    @Test
    void itNamesAValueThatIsNotFiniteAndTimesBelowOne() {
        RedisTDigest digest = RedisTDigest.of(100);
        assertThatThrownBy(() -> digest.add(Double.NaN, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("value must be finite and times at least 1, got NaN and 0");
        assertThat(digest.count()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 100, 1_000})
    void itIsExactForAtMostAsManyNumbersAsTheCompression(int compression) {
        Random random = new Random(compression);
        for (int n = 1; n <= compression; n = 2 * n + 1) {
            double[] values = IntStream.range(0, n)
                    .mapToDouble(i -> random.nextInt(2 * compression) - compression)
                    .toArray();
            RedisTDigest digest = of(compression, values);
            Arrays.sort(values);
            for (int i = 0; i < n; i++) {
                assertThat(digest.byRank(i)).isEqualTo(values[i]);
                assertThat(digest.byReverseRank(i)).isEqualTo(values[n - 1 - i]);
                assertThat(digest.quantile((i + 0.25) / n)).isEqualTo(values[i]);
                assertThat(digest.rank(values[i])).isEqualTo(rank(values, values[i]));
                assertThat(digest.rank(values[i] + 0.5)).isEqualTo(rank(values, values[i] + 0.5));
            }
            assertThat(digest.trimmedMean(0, 1))
                    .isCloseTo(Arrays.stream(values).average().orElseThrow(), within(1e-9 * compression));
            assertThat(digest.quantile(0)).isEqualTo(values[0]);
            assertThat(digest.quantile(1)).isEqualTo(values[n - 1]);
        }
    }

    static Stream<Arguments> inputs() {
        DoubleUnaryOperator exponential = u -> -Math.log(1 - u);
        DoubleUnaryOperator fewValues = u -> Math.floor(20 * u * u);
        DoubleUnaryOperator heavyTail = u -> Math.pow(1 - u, -3);
        return Stream.of("random", "sorted", "reversed", "ends first")
                .flatMap(order -> Stream.of(
                        Arguments.of(order, "uniform", (DoubleUnaryOperator) u -> u),
                        Arguments.of(order, "exponential", exponential),
                        Arguments.of(order, "few values", fewValues),
                        Arguments.of(order, "heavy tail", heavyTail)));
    }

    /**
     * n = 200,000 numbers, fixed seed: the rank of every estimated quantile is within three nodes, units of the scale, of the asked
     * one, and the rank of every value too, on both sides; the least and the largest are exact.
     */
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("inputs")
    void ranksErrByLessThanThreeNodes(String order, String shape, DoubleUnaryOperator inverse) {
        int n = 200_000;
        int compression = 100;
        Random random = new Random(7);
        double[] sorted = random.doubles(n).map(inverse).sorted().toArray();
        RedisTDigest digest = RedisTDigest.of(compression);
        double[] shuffled = sorted.clone();
        for (int i = n - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            double swap = shuffled[i];
            shuffled[i] = shuffled[j];
            shuffled[j] = swap;
        }
        for (int i = 0; i < n; i++) {
            digest.add(
                    switch (order) {
                        case "random" -> shuffled[i];
                        case "sorted" -> sorted[i];
                        case "reversed" -> sorted[n - 1 - i];
                        default -> sorted[i % 2 == 0 ? i / 2 : n - 1 - i / 2];
                    },
                    1);
        }
        assertThat(digest.count()).isEqualTo(n);
        assertThat(digest.min()).isEqualTo(sorted[0]);
        assertThat(digest.max()).isEqualTo(sorted[n - 1]);
        assertThat(digest.mergedNodes()).isLessThanOrEqualTo(2 * compression + 1);
        for (double q : new double[] {0.0001, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999}) {
            double estimate = digest.quantile(q);
            double below = Arrays.stream(sorted).filter(x -> x < estimate).max().orElse(estimate);
            double above = Arrays.stream(sorted).filter(x -> x > estimate).min().orElse(estimate);
            // A value between two that occur often has the rank of either.
            long least = Arrays.stream(sorted).filter(x -> x < below).count();
            long most = Arrays.stream(sorted).filter(x -> x <= above).count();
            assertThat(scale(q, compression))
                    .as("quantile %s = %s", q, estimate)
                    .isBetween(scale((double) least / n, compression) - 3, scale((double) most / n, compression) + 3);
            double value = sorted[(int) (q * n)];
            double from = (double) Arrays.stream(sorted).filter(x -> x < value).count() / n;
            double to = (double) Arrays.stream(sorted).filter(x -> x <= value).count() / n;
            // A node mixes values where one that occurs often ends.
            assertThat(scale(digest.rank(value) / n, compression))
                    .as("rank of %s", value)
                    .isBetween(scale(from, compression) - 3, scale(to, compression) + 3);
        }
        assertThat(digest.trimmedMean(0.1, 0.9))
                .isBetween(mean(sorted, compression, 0.1, 0.9, -3), mean(sorted, compression, 0.1, 0.9, 3));
    }

    /** The mean between two quantiles that are this many units of the scale further. */
    private static double mean(double[] sorted, int compression, double low, double high, double units) {
        return Arrays.stream(
                        sorted, (int) (sorted.length * quantile(scale(low, compression) + units, compression)), (int)
                                (sorted.length * quantile(scale(high, compression) + units, compression)))
                .average()
                .orElseThrow();
    }

    private static double quantile(double scale, int compression) {
        return (Math.sin(Math.PI / compression * scale) + 1) / 2;
    }

    private static double scale(double q, int compression) {
        return compression / Math.PI * Math.asin(2 * q - 1);
    }

    @Test
    void mergingAddsAllNumbersOfTheOther() {
        Random random = new Random(3);
        RedisTDigest all = RedisTDigest.of(200);
        double[] values = random.doubles(40_000).map(u -> 100 * u).toArray();
        for (int part = 0; part < 4; part++) {
            RedisTDigest one = RedisTDigest.of(100 + part);
            for (int i = part; i < values.length; i += 4) {
                one.add(values[i], 1);
            }
            all.merge(one);
        }
        assertThat(all.count()).isEqualTo(40_000);
        Arrays.sort(values);
        assertThat(all.min()).isEqualTo(values[0]);
        assertThat(all.max()).isEqualTo(values[values.length - 1]);
        for (double q : new double[] {0.01, 0.5, 0.99}) {
            assertThat(all.quantile(q)).isCloseTo(100 * q, within(1.6));
        }
        all.merge(all);
        assertThat(all.count()).isEqualTo(80_000);
        assertThat(all.quantile(0.5)).isCloseTo(50, within(1.6));
    }

    @Test
    void numbersAtTheEndsOfADoubleStayFinite() {
        RedisTDigest digest = RedisTDigest.of(10);
        for (int i = 0; i < 1_000; i++) {
            digest.add(i % 2 == 0 ? Double.MAX_VALUE : -Double.MAX_VALUE, 1);
        }
        for (int i = 0; i <= 100; i++) {
            assertThat(digest.quantile(i / 100.0)).isFinite();
            assertThat(digest.rank((i - 50) * 1e306)).isBetween(0.0, 1_000.0);
        }
        assertThat(digest.trimmedMean(0, 1)).isFinite();
    }

    @Test
    void itHoldsAsManyNumbersAsALongAndRefusesMoreWithoutAChange() throws IOException {
        RedisTDigest digest = RedisTDigest.of(100);
        digest.add(1, Long.MAX_VALUE - 1);
        digest.add(2, 1);
        byte[] before = bytes(digest);
        assertThatThrownBy(() -> digest.add(3, 1)).isInstanceOf(ArithmeticException.class);
        RedisTDigest other = of(100, 3);
        assertThatThrownBy(() -> digest.merge(other)).isInstanceOf(ArithmeticException.class);
        assertThat(bytes(digest)).isEqualTo(before);
        assertThat(digest.quantile(0.5)).isEqualTo(1);
    }

    @Test
    void anEmptyOneKnowsNothing() {
        RedisTDigest digest = RedisTDigest.of(100);
        assertThat(digest.quantile(0.5)).isNaN();
        assertThat(digest.byRank(0)).isNaN();
        assertThat(digest.byReverseRank(0)).isNaN();
        assertThat(digest.rank(1)).isNaN();
        assertThat(digest.share(1)).isNaN();
        assertThat(digest.min()).isNaN();
        assertThat(digest.trimmedMean(0, 1)).isNaN();
        digest.add(4, 1);
        digest.reset();
        assertThat(digest.max()).isNaN();
        assertThat(digest.count()).isZero();
    }

    /** A digest that is queried between additions, copied or read back has the same bytes as one that is not. */
    @Test
    void queriesCopiesAndBytesChangeNothing() throws IOException {
        Random random = new Random(11);
        RedisTDigest plain = RedisTDigest.of(20);
        RedisTDigest queried = RedisTDigest.of(20);
        for (int i = 0; i < 5_000; i++) {
            double value = random.nextGaussian();
            plain.add(value, 1 + i % 3);
            queried.add(value, 1 + i % 3);
            if (i % 97 == 0) {
                assertThat(queried.quantile(0.5)).isFinite();
                queried = i % 2 == 0
                        ? queried.copy()
                        : RedisTDigest.readFrom(new ByteArrayInputStream(bytes(queried)), queried.sizeBytes());
            }
        }
        assertThat(bytes(queried)).isEqualTo(bytes(plain));
        assertThat(queried.quantile(0.9)).isEqualTo(plain.quantile(0.9));
    }

    @Test
    void everyDamagedByteIsRefusedOrReadAsSomeDigestAndATooLargeOneIsNotAllocated() throws IOException {
        RedisTDigest digest = of(10, 3, 1, 2, 2, 5);
        byte[] good = bytes(digest);
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThatThrownBy(() -> RedisTDigest.readFrom(new ByteArrayInputStream(cut), 1 << 20))
                    .isInstanceOf(FormatException.class);
        }
        for (int at = 0; at < good.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] damaged = good.clone();
                damaged[at] ^= (byte) (1 << bit);
                try {
                    RedisTDigest read = RedisTDigest.readFrom(new ByteArrayInputStream(damaged), 1 << 20);
                    assertThat(read.quantile(0.5)).isBetween(read.min(), read.max());
                    assertThat(read.sizeBytes()).isLessThanOrEqualTo(1 << 20);
                } catch (FormatException e) {
                    assertThat(e).hasMessageMatching(".*(digest|early).*");
                }
            }
        }
        byte[] huge = bytes(digest);
        huge[2] = 0x0f;
        assertThatThrownBy(() -> RedisTDigest.readFrom(new ByteArrayInputStream(huge), 1 << 20))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("allowed");
        assertThatThrownBy(() -> RedisTDigest.of(0)).hasMessageContaining("got 0");
        assertThatThrownBy(() -> digest.add(Double.NaN, 1)).hasMessageContaining("NaN");
    }
}
