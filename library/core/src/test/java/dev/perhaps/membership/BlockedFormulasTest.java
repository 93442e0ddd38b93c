package dev.perhaps.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.perhaps.key.Key;
import dev.perhaps.membership.bloom.BlockedFormulas;
import dev.perhaps.membership.bloom.BlockedMasks;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arithmetic of blocked Bloom filters, compared with filters. */
class BlockedFormulasTest {
    private static final Sizing ANY = new Sizing(Kind.BLOCKED, 1, 0.5, 64, 0);

    /** A filter of {@code lines} lines with {@code items} items in it; {@code first} bits of each in its first word. */
    private static BlockedBloom<Long> filter(int lines, int first, int items, SplittableRandom random) {
        BlockedBloom<Long> filter = new BlockedBloom<>(Key.longs(), 0, ANY, first, false, new long[lines * 8]);
        for (int i = 0; i < items; i++) {
            filter.addHash(random.nextLong());
        }
        return filter;
    }

    /**
     * The error is exact, in small filters too: 1,000 filters, 2,000 absent keys each. The answers of one filter are not
     * independent, so σ is that of the 1,000 rates; the bound is 4σ, 1 in 16,000, both sides.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 60",
        "1, 3, 60",
        "2, 2, 150",
        "3, 4, 130",
        "3, 5, 100",
        "8, 6, 250",
        "8, 4, 400",
        "40, 2, 3000",
    })
    void expectsTheErrorThatFiltersHave(int lines, int first, int items) {
        SplittableRandom random = new SplittableRandom(lines * 100L + first);
        int filters = 1_000;
        int asks = 2_000;
        double sum = 0;
        double squares = 0;
        for (int n = 0; n < filters; n++) {
            BlockedBloom<Long> filter = filter(lines, first, items, random);
            int found = 0;
            for (int i = 0; i < asks; i++) {
                found += filter.mightContainHash(random.nextLong()) ? 1 : 0;
            }
            double rate = (double) found / asks;
            sum += rate;
            squares += rate * rate;
        }
        double mean = sum / filters;
        double deviation = Math.sqrt((squares / filters - mean * mean) / filters);
        assertThat(BlockedFormulas.falsePositives(lines, first, items)).isCloseTo(mean, within(4 * deviation));
    }

    @Test
    void growsWithTheItemsAndShrinksWithTheLines() {
        for (int first = 1; first <= BlockedMasks.MAX_BITS; first++) {
            for (int lines = 1; lines < 2_000; lines *= 3) {
                double error = BlockedFormulas.falsePositives(lines, first, 1_000);
                assertThat(BlockedFormulas.falsePositives(lines, first, 1_100)).isGreaterThan(error);
                assertThat(BlockedFormulas.falsePositives(lines + 1, first, 1_000))
                        .isLessThan(error);
            }
        }
    }

    @Test
    void findsTheFewestLines() {
        for (double error : new double[] {0.5, 0.1, 0.01, 0.001, 0.0001}) {
            for (int first = 1; first <= BlockedMasks.MAX_BITS; first++) {
                long lines = BlockedFormulas.lines(50_000, first, error);
                assertThat(BlockedFormulas.falsePositives(lines, first, 50_000)).isLessThanOrEqualTo(error);
                assertThat(BlockedFormulas.falsePositives(lines - 1, first, 50_000))
                        .isGreaterThan(error);
            }
        }
    }

    /** Bits an item in a large filter, which the class opening and the manual state. */
    @ParameterizedTest
    @CsvSource({"0.1, 4.9", "0.03, 7.6", "0.01, 10.4", "0.005, 12.2", "0.001, 17.2", "0.0001, 26.5"})
    void takesTheBitsThatAreStated(double error, double bitsPerItem) {
        Sizing sizing = BlockedBloom.expecting(10_000_000).falsePositives(error).sizing();
        assertThat(sizing.bitsPerItem()).isCloseTo(bitsPerItem, within(0.1));
        assertThat(sizing.error()).isBetween(error * 0.99, error);
    }

    /** Of 300 filters, at most 10 state more than was asked (the plan leaves room for 1 in 100), and most are near. */
    @ParameterizedTest
    @CsvSource({"5000, 0.03", "5000, 0.003", "20000, 0.01"})
    void leavesRoomForTheSwingOfASingleFilter(int items, double error) {
        SplittableRandom random = new SplittableRandom(items);
        BlockedBloom.Plan<Long> plan =
                BlockedBloom.expecting(items).falsePositives(error).of(Key.longs());
        int tooMuch = 0;
        double sum = 0;
        double squares = 0;
        int filters = 300;
        for (int n = 0; n < filters; n++) {
            BlockedBloom<Long> filter = plan.build();
            for (int i = 0; i < items; i++) {
                filter.addHash(random.nextLong());
            }
            double stated = filter.errorNow();
            tooMuch += stated > error ? 1 : 0;
            sum += stated;
            squares += stated * stated;
        }
        double mean = sum / filters;
        double deviation = Math.sqrt(squares / filters - mean * mean);
        assertThat(tooMuch).isLessThanOrEqualTo(10);
        assertThat(mean + 4 * deviation).isGreaterThan(error);
        // 4σ of a standard deviation that is measured over 300 filters is 16 % of it.
        int first = (plan.build().hashes() + 1) / 2;
        double expected = BlockedFormulas.deviation(plan.build().lines(), first, items) * mean;
        assertThat(deviation).isCloseTo(expected, within(0.2 * expected));
    }

    @Test
    void estimatesTheItemsFromTheBits() {
        SplittableRandom random = new SplittableRandom(1);
        for (int first = 1; first <= BlockedMasks.MAX_BITS; first++) {
            for (int items : new int[] {0, 100, 5_000, 50_000}) {
                long estimated = filter(2_000, first, items, random).itemsNow();
                assertThat((double) estimated).isCloseTo(items, within(1 + items * 0.02));
            }
        }
        assertThat(BlockedFormulas.distinct(1, 4, 512)).isFinite();
    }
}
