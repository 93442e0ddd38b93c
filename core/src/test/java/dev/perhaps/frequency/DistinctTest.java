package dev.perhaps.frequency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Perhaps;
import dev.perhaps.io.FormatException;
import dev.perhaps.io.Frame;
import dev.perhaps.io.Kind;
import dev.perhaps.key.Key;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DistinctTest {
    @TempDir
    private Path folder;

    /**
     * 400 runs. The root mean square of the relative errors is known to ± 1 / √800 = 3.5 % of itself, so [0.86, 1.14] of
     * the stated error is four standard errors to either side; small numbers are estimated better than stated.
     */
    @ParameterizedTest
    @CsvSource({"0.05, 100000, 0.86, 1.14", "0.02, 50000, 0.86, 1.14", "0.02, 300, 0.05, 1.14"})
    void errsByTheStandardErrorItStates(double asked, int items, double least, double most) {
        double squares = 0;
        double stated = 0;
        for (int run = 0; run < 400; run++) {
            Distinct<Long> distinct = Distinct.within(asked).of(Key.longs()).build();
            SplittableRandom random = new SplittableRandom(run);
            for (int i = 0; i < items; i++) {
                distinct.addHash(random.nextLong());
            }
            stated = distinct.standardError();
            squares += Math.pow(distinct.estimate() / items - 1, 2);
        }
        assertThat(stated).isBetween(asked / Math.sqrt(2), asked);
        assertThat(Math.sqrt(squares / 400) / stated).isBetween(least, most);
    }

    @Test
    void countsWhatComesTwiceOnce() {
        Distinct<String> distinct = Distinct.within(0.0031).build();
        for (int i = 0; i < 3_000; i++) {
            distinct.add("visitor " + i % 1_000);
        }
        assertThat(distinct.estimate()).isBetween(995.0, 1_005.0);
        assertThat(Distinct.within(0.1).build().estimate()).isZero();
    }

    /** All hashes of one shard of 64 share their six high bits: the registers must not. */
    @Test
    void standsBehindASplitOnTheSameHash() {
        Distinct<Long> distinct = Distinct.within(0.02).of(Key.longs()).build();
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 100_000; i++) {
            distinct.addHash(random.nextLong() >>> 6);
        }
        assertThat(distinct.estimate()).isBetween(92_000.0, 108_000.0);
    }

    @Test
    void mergesToTheBytesOfBothTogether() throws IOException {
        Distinct<Long> left = Distinct.within(0.03).of(Key.longs()).build();
        Distinct<Long> right = Distinct.within(0.03).of(Key.longs()).build();
        Distinct<Long> both = Distinct.within(0.03).of(Key.longs()).build();
        for (long i = 0; i < 5_000; i++) {
            (i % 3 == 0 ? left : right).add(i);
            both.add(i);
        }
        Distinct<Long> before = left.copy();
        left.merge(right);
        assertThat(bytes(left)).isEqualTo(bytes(both)).isNotEqualTo(bytes(before));
    }

    @Test
    void refusesToMergeAnotherShapeOrSeed() {
        Distinct<String> one = Distinct.within(0.01).build();
        assertThatThrownBy(() -> one.merge(Distinct.within(0.1).build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8192 registers against 64");
        Distinct<String> seeded =
                Distinct.within(0.01).of(Key.strings().seeded(9)).build();
        assertThat(one.fits(seeded)).isFalse();
        assertThatThrownBy(() -> one.merge(seeded)).hasMessageContaining("seed 0 against utf8 with seed 9");
    }

    @Test
    void opensWhatItSaved() throws IOException {
        Distinct<String> distinct = Distinct.within(0.05).build();
        distinct.add("Zürich");
        distinct.add("Uster");
        Path file = folder.resolve("cities");
        distinct.save(file);
        assertThat(Files.size(file)).isEqualTo(distinct.fileBytes());
        assertThat(Distinct.open(file, Key.strings()).estimate()).isEqualTo(distinct.estimate());
        assertThat(Perhaps.open(file).describe()).isEqualTo(distinct.describe());
        assertThatThrownBy(() -> Perhaps.openFilter(file, Key.strings()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("holds a distinct, which is no filter");
    }

    /** At p = 4 a register is 0, 12, 16, 18, or 20 and more. */
    @ParameterizedTest
    @ValueSource(bytes = {1, 8, 13, 15, 17, 19})
    void refusesARegisterThatNoHashLeaves(byte register) throws IOException {
        byte[] state = new byte[16];
        state[5] = register;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.DISTINCT, Key.strings(), 16, 4).write(out, payload -> payload.bytes(state));
        assertThatThrownBy(() -> Perhaps.readFrom(new ByteArrayInputStream(out.toByteArray()), 1_000))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("a register of " + register);
    }

    /** The greatest register that a hash can leave, everywhere: the estimate was Infinity. */
    @ParameterizedTest
    @ValueSource(ints = {4, 8, 16})
    void refusesRegistersThatSayMoreItemsThanHashes(int precision) throws IOException {
        byte[] state = new byte[1 << precision];
        Arrays.fill(state, (byte) 0xFF);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.DISTINCT, Key.strings(), state.length, precision).write(out, payload -> payload.bytes(state));
        assertThatThrownBy(() -> Perhaps.readFrom(new ByteArrayInputStream(out.toByteArray()), 1 << 20))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("an estimate of ");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1, -0.1, Double.NaN, 0.000_3})
    void refusesAnErrorItCannotKeep(double error) {
        assertThatThrownBy(() -> Distinct.within(error))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("got " + error);
    }

    private static byte[] bytes(Distinct<?> distinct) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        distinct.writeTo(out);
        return out.toByteArray();
    }
}
