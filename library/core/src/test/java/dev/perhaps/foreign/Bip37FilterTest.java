package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.foreign.Bip37Filter.Update;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Bip37FilterTest {
    private static final byte[] ONE = bytes("99108ad8ed9bb6274d3980bab5a85c048f0950c8");
    private static final byte[] ONE_BUT_A_BIT = bytes("19108ad8ed9bb6274d3980bab5a85c048f0950c8");
    private static final byte[] TWO = bytes("b5a2c786d9ef4658287ced5914b37a1b4aa32eee");
    private static final byte[] THREE = bytes("b9300670b4c5366e95b2699e8b18bc75e5f729c5");

    @Test
    void writesThePublishedBytes() {
        checkPublished(0, "03614e9b050000000000000001");
    }

    @Test
    void writesThePublishedBytesWithATweak() {
        checkPublished(2147483649L, "03ce4299050000000100008001");
    }

    private static void checkPublished(long tweak, String expected) {
        Bip37Filter filter = Bip37Filter.expecting(3)
                .falsePositives(0.01)
                .tweak(tweak)
                .updating(Update.ALL)
                .build();
        assertThat(filter.mightContain(ONE)).isFalse();
        assertThat(filter.add(ONE)).isEqualTo(Added.ADDED);
        assertThat(filter.mightContain(ONE)).isTrue();
        assertThat(filter.mightContain(ONE_BUT_A_BIT)).isFalse();
        filter.add(TWO);
        filter.add(THREE);
        assertThat(filter.add(ONE)).isEqualTo(Added.PRESENT);
        assertThat(hex(filter)).isEqualTo(expected);
    }

    /** The published filter of a public key and its hash. */
    @Test
    void writesThePublishedBytesOfAKey() {
        Bip37Filter filter = Bip37Filter.expecting(2)
                .falsePositives(0.001)
                .updating(Update.ALL)
                .build();
        filter.add(bytes("045b81f0017e2091e2edcd5eecf10d5bdd120a5514cb3ee65b8447ec18bfc4575c"
                + "6d5bf415e54e03b1067934a0f0ba76b01c6b9ab227142ee1d543764b69d901e0"));
        assertThat(hex(filter)).isEqualTo("0302c12b080000000000000001");
        filter.add(bytes("477abbacd4113f2e6b100526222eedd953c26a64"));
        assertThat(hex(filter)).isEqualTo("038fc16b080000000000000001");
    }

    @Test
    void readsWhatItWrote() throws FormatException {
        for (Update update : Update.values()) {
            Bip37Filter filter = Bip37Filter.expecting(500)
                    .falsePositives(0.001)
                    .tweak(4294967295L)
                    .updating(update)
                    .build();
            filter.add(ONE);
            Bip37Filter read = Bip37Filter.readFrom(filter.toBytes());
            assertThat(read.toBytes()).isEqualTo(filter.toBytes());
            assertThat(read.mightContain(ONE)).isTrue();
            assertThat(read.mightContain(TWO)).isFalse();
            assertThat(read.update()).isEqualTo(update);
            assertThat(read.tweak()).isEqualTo(4294967295L);
            assertThat(read.hashes()).isEqualTo(9);
            assertThat(read.sizeBytes()).isEqualTo(898);
        }
    }

    /** BIP 37: 36,000 bytes are "20,000 items with a false positive rate of < 0.1 % or 10,000 items and 0.0001 %". */
    @Test
    void plansUpToTheLimitsAndNotBeyond() {
        assertThat(Bip37Filter.expecting(20_000).falsePositives(0.001).sizeBytes())
                .isBetween(35_000, Bip37Filter.MAX_BYTES);
        assertThat(Bip37Filter.expecting(10_000).falsePositives(0.000001).sizeBytes())
                .isBetween(35_000, Bip37Filter.MAX_BYTES);
        assertThat(Bip37Filter.expecting(1).falsePositives(1e-300).hashes()).isEqualTo(Bip37Filter.MAX_HASHES);
        assertThatThrownBy(() ->
                        Bip37Filter.expecting(30_000).falsePositives(0.001).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("30,000 items")
                .hasMessageContaining("BIP 37 allows 36,000 bytes");
        assertThatThrownBy(() -> Bip37Filter.expecting(Long.MAX_VALUE)
                        .falsePositives(0.5)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("BIP 37 allows");
    }

    @Test
    void refusesImpossiblePlans() {
        assertThatThrownBy(() -> Bip37Filter.expecting(0)).hasMessage("items must be at least 1, got 0");
        for (double rate : new double[] {0, 1, -0.1, 1.5, Double.NaN}) {
            assertThatThrownBy(() -> Bip37Filter.expecting(3).falsePositives(rate))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("falsePositives must be in (0, 1), got " + rate);
        }
        for (long tweak : new long[] {-1, 4294967296L}) {
            assertThatThrownBy(() -> Bip37Filter.expecting(3).tweak(tweak))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("tweak must be in [0, 4294967295], got " + tweak);
        }
        // 4 bits are no byte, and a filter without bytes matches everything.
        assertThatThrownBy(() -> Bip37Filter.expecting(1).falsePositives(0.1).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("matches everything");
        assertThatThrownBy(
                        () -> Bip37Filter.expecting(1_000).falsePositives(0.7).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("matches everything");
    }

    @Test
    void matchesEverythingWithoutBytesOrWithoutHashes() throws FormatException {
        for (String payload : new String[] {"00050000000000000001", "0100000000000000000000"}) {
            Bip37Filter filter = Bip37Filter.readFrom(bytes(payload));
            assertThat(filter.mightContain(ONE)).isTrue();
            assertThat(filter.add(ONE)).isEqualTo(Added.PRESENT);
            assertThat(filter.errorNow()).isEqualTo(1);
            assertThat(hex(filter)).isEqualTo(payload);
        }
    }

    /** n = 100,000 questions, α = 6·10⁻⁵ (4σ, both sides). */
    @Test
    void statesTheErrorThatIsMeasured() {
        Bip37Filter filter =
                Bip37Filter.expecting(1_000).falsePositives(0.01).tweak(7).build();
        Random random = new Random(1);
        byte[] item = new byte[32];
        for (int i = 0; i < 1_000; i++) {
            random.nextBytes(item);
            filter.add(item);
        }
        int asks = 100_000;
        int found = 0;
        for (int i = 0; i < asks; i++) {
            random.nextBytes(item);
            found += filter.mightContain(item) ? 1 : 0;
        }
        double expected = filter.errorNow() * asks;
        double deviation = Math.sqrt(expected * (1 - filter.errorNow()));
        assertThat((double) found).isBetween(expected - 4 * deviation, expected + 4 * deviation);
        assertThat(filter.errorNow()).isBetween(0.008, 0.012);
        assertThat(filter.toString()).contains("1.17 KiB", "6 hashes", "tweak 7", "update NONE", "error now");
    }

    @Test
    void refusesMalformedPayloads() {
        checkRefused("", "cut short in the size of the filter");
        checkRefused("03614e9b0500000000000000", "cut short: 11 bytes after the size of the filter where 12 belong");
        checkRefused("03614e9b05000000000000000100", "longer than it should be");
        checkRefused("03614e9b330000000000000001", "asks for 51 hashes, and at most 50");
        checkRefused("03614e9bffffffff0000000001", "asks for 4294967295 hashes");
        checkRefused("03614e9b050000000000000003", "its flags are 3");
        checkRefused("03614e9b0500000000000000ff", "its flags are 255");
        checkRefused("fda18c", "the size of the filter is 36001, and at most 36000");
        checkRefused("feffffffff", "the size of the filter is 4294967295");
        checkRefused("fd0300614e9b050000000000000001", "written in 3 bytes instead of 1");
    }

    private static void checkRefused(String payload, String message) {
        assertThatThrownBy(() -> Bip37Filter.readFrom(bytes(payload)))
                .as(payload)
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(message);
    }

    @Test
    void refusesOrKeepsEveryCorruption() throws IOException {
        Bip37Filter filter =
                Bip37Filter.expecting(40).falsePositives(0.001).tweak(99).build();
        filter.add(ONE);
        int refused = Damage.refused(filter.toBytes(), 2, Bip37Filter::readFrom, Bip37Filter::toBytes);
        // Of what cuts, appends or hits the size, the hashes or the flags, all; of what hits the bits, nothing.
        assertThat(refused).isBetween(500, 900);
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private static String hex(Bip37Filter filter) {
        return HexFormat.of().formatHex(filter.toBytes());
    }
}
