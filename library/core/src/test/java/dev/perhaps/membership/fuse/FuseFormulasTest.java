package dev.perhaps.membership.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.membership.FuseFilter;
import dev.perhaps.sketch.Sizing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FuseFormulasTest {
    @ParameterizedTest
    @CsvSource({"0.9, 1", "0.5, 1", "0.4999, 2", "0.01, 7", "0.00390625, 8", "0.0039, 9", "0.004, 8", "0.0000153, 16"})
    void takesTheShortestFingerprintThatKeepsTheError(double error, int bits) {
        assertThat(FuseFormulas.fingerprintBits(error)).isEqualTo(bits);
        assertThat(FuseFormulas.falsePositives(bits)).isLessThanOrEqualTo(error).isGreaterThanOrEqualTo(error / 2);
    }

    /** The goal of this kind: from a million items on, at most 9.05 bits per item at 0.39 %. */
    @ParameterizedTest
    @ValueSource(longs = {1_000_000, 1_500_000, 3_000_000, 10_000_000, 50_000_000, 100_000_000, 1_000_000_000})
    void takesNineBitsAnItem(long items) {
        Sizing sizing = FuseFilter.expecting(items).falsePositives(1.0 / 256).sizing();
        assertThat(sizing.error()).isEqualTo(1.0 / 256);
        assertThat(sizing.bitsPerItem()).isBetween(9.0, 9.05);
    }

    @Test
    void buildsWithin32BytesAnItem() {
        for (long items = 200; items < 1_900_000_000; items = items * 3 / 2) {
            Sizing sizing = FuseFilter.expecting(items).fingerprintBits(8).sizing();
            assertThat((double) sizing.buildBytes() / items)
                    .as("%d items", items)
                    .isLessThan(32);
        }
        Sizing million = FuseFilter.expecting(1_000_000).sizing();
        assertThat(million.buildBytes() / 1e6).isBetween(23.5, 24.5);
    }

    @Test
    void hasWholeSegmentsWithRoomForAllItems() {
        for (long items = 1; items < 1_900_000_000; items = items * 5 / 4 + 1) {
            int bits = FuseFormulas.segmentBits(items);
            assertThat(FuseFormulas.segments(items)).isGreaterThanOrEqualTo(3);
            assertThat(FuseFormulas.slots(items)).isEqualTo(FuseFormulas.segments(items) << bits);
            assertThat((double) FuseFormulas.slots(items)).isGreaterThanOrEqualTo(items * 1.125);
        }
    }

    /** The last fingerprint is read as eight bytes from the byte it begins in. */
    @Test
    void leavesRoomToReadTheLastFingerprint() {
        for (int width = 1; width <= 32; width++) {
            for (int slots = 3; slots < 300; slots++) {
                long lastByte = (long) (slots - 1) * width / 8;
                assertThat(FuseFormulas.bytes(slots, width)).isGreaterThanOrEqualTo(lastByte + 8);
                assertThat(FuseFormulas.bytes(slots, width) % 8).isZero();
            }
        }
    }
}
