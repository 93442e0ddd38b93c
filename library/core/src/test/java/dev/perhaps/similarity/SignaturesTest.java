package dev.perhaps.similarity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.Golden;
import dev.perhaps.Perhaps;
import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SignaturesTest {
    private static final long[] HASHES = new SplittableRandom(24).longs(300).toArray();

    @TempDir
    private Path folder;

    static List<Signatures> everyFamily() {
        MinHash<String> minHash = MinHash.of(20);
        Hyperplanes planes = Hyperplanes.of(70).seeded(5);
        BitSample sample = BitSample.of(65).dimensions(190);
        return List.of(
                Signatures.of(minHash.sign(HASHES, 0, 300), minHash.sign(HASHES, 0, 0), minHash.sign(HASHES, 0, 1)),
                Signatures.of(MinHash.classic(9).sign(HASHES, 0, 300)),
                Signatures.of(
                        minHash.bits(4).sign(HASHES, 0, 5), minHash.bits(4).sign(HASHES, 0, 6)),
                Signatures.of(SimHash.of(100).of(Key.longs()).sign(HASHES, 0, 300)),
                Signatures.of(planes.sign(new double[] {1, 2}), planes.sign(new double[] {1, -2})),
                Signatures.of(sample.sign(new long[] {1, 2, 3})),
                Signatures.of(minHash));
    }

    static List<Signatures> golden() {
        return List.of(everyFamily().get(0), everyFamily().get(3), everyFamily().get(5));
    }

    @ParameterizedTest
    @MethodSource("golden")
    void readsAndWritesTheFirstVersion(Signatures built) throws IOException {
        Signatures read = (Signatures) Golden.check(built.kind().word() + "-1", built);
        assertThat(read.get(0)).isEqualTo(built.get(0));
    }

    @ParameterizedTest
    @MethodSource("everyFamily")
    void opensWhatItSaved(Signatures saved) throws IOException {
        Path file = folder.resolve("signatures");
        saved.save(file);
        assertThat(Files.size(file)).isEqualTo(saved.fileBytes());
        Signatures opened = (Signatures) Perhaps.open(file);
        assertThat(opened.describe()).isEqualTo(saved.describe());
        assertThat(opened.count()).isEqualTo(saved.count());
        assertThat(opened.family().fits(saved.family())).isTrue();
        for (int i = 0; i < saved.count(); i++) {
            assertThat(opened.get(i)).isEqualTo(saved.get(i));
            assertThat(opened.similarity(i, i)).isOne();
            assertThat(opened.hits(0, i)).isEqualTo(saved.get(0).hits(saved.get(i)));
        }
    }

    /** Checksums that fit, parameters or words that no writer leaves. */
    @ParameterizedTest
    @CsvSource({
        "MINHASH, 2, 1, 64, 1, 0, 0", // scheme
        "MINHASH, 0, 0, 64, 1, 0, 0", // components
        "MINHASH, 0, 1, 48, 1, 0, 0", // bits
        "MINHASH, 0, 1, 64, 9, 0, 0", // count
        "MINHASH, 0, 1, 64, 1, 7, 0", // dimensions
        "MINHASH, 0, 1, 64, 1, 0, -1", // a negative component
        "MINHASH, 0, 1, 64, 1, 0, 562949953421312", // round 2 of 2
        "MINHASH, 1, 1, 64, 1, 0, 2305843009213693951", // the modulus
        "MINHASH, 0, 1, 8, 1, 0, 256", // beyond the last component
        "SIMHASH, 0, 3, 2, 1, 0, 0",
        "SIMHASH, 0, 3, 1, 1, 0, 8",
        "SIMHASH, 1, 3, 1, 1, 0, 1", // vectors with a key of strings
        "BIT_SAMPLE, 0, 3, 1, 1, 0, 0",
    })
    void refusesWhatNoFamilyWrites(
            Kind kind, long scheme, long components, long bits, long count, long dimensions, long word)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(kind, Key.strings(), 8, scheme, components, bits, count, dimensions)
                .write(out, payload -> payload.longs(new long[] {word}));
        assertThatThrownBy(() -> Perhaps.readFrom(new ByteArrayInputStream(out.toByteArray()), 1_000))
                .isInstanceOf(FormatException.class);
    }

    @Test
    void refusesAnotherKeyAndAnotherKind() throws IOException {
        byte[] strings = bytes(Signatures.of(MinHash.of(8).sign(Set.of("a"))));
        assertThatThrownBy(() -> Signatures.readFrom(new ByteArrayInputStream(strings), Key.longs(), 1_000))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("'utf8'");
        assertThat(Signatures.readFrom(new ByteArrayInputStream(strings), Key.strings(), 1_000)
                        .get(0))
                .isEqualTo(MinHash.of(8).sign(Set.of("a")));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Frame.of(Kind.BLOOM, Key.strings(), 0).write(out, payload -> {});
        assertThatThrownBy(() -> Signatures.readFrom(new ByteArrayInputStream(out.toByteArray()), Key.strings(), 1_000))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("holds a bloom");
    }

    @Test
    void refusesASignatureOfAnotherFamily() {
        Signatures signatures = Signatures.of(MinHash.of(8));
        assertThatThrownBy(() -> signatures.add(MinHash.of(9).sign(Set.of("a"))))
                .hasMessageContaining("8 components against 9");
        assertThat(signatures.count()).isZero();
    }

    private static byte[] bytes(Signatures signatures) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        signatures.writeTo(out);
        return out.toByteArray();
    }
}
