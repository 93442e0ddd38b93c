package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.perhaps.frame.Corruption;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes are refused, or read as a filter of a foreign format that writes the same bytes again. */
@SuppressWarnings("CheckReturnValue") // any answer will do
class ForeignFuzz {
    private static final byte[] BLOCK = new byte[32];

    @MethodSource("guavaSeeds")
    @FuzzTest(maxDuration = "1m")
    void readsGuavaOrRefuses(byte[] bytes) throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(bytes);
        try {
            GuavaBloom<String> filter = GuavaBloom.readFrom(in, GuavaBloom.Funnel.utf8(), bytes.length);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            filter.writeTo(out);
            assertThat(out.toByteArray()).isEqualTo(Arrays.copyOf(bytes, bytes.length - in.available()));
            assertThat(filter.toString()).isNotBlank();
            filter.mightContain("x");
        } catch (FormatException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> guavaSeeds() throws IOException {
        GuavaBloom<String> filter = GuavaBloom.expecting(20)
                .falsePositives(0.01)
                .of(GuavaBloom.Funnel.utf8())
                .build();
        filter.add("a");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return damaged(out.toByteArray());
    }

    @MethodSource("bip37Seeds")
    @FuzzTest(maxDuration = "1m")
    void readsBip37OrRefuses(byte[] bytes) {
        try {
            Bip37Filter filter = Bip37Filter.readFrom(bytes);
            assertThat(filter.toBytes()).isEqualTo(bytes);
            assertThat(filter.toString()).isNotBlank();
            filter.mightContain(new byte[] {1, 2, 3});
        } catch (FormatException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> bip37Seeds() {
        return damaged(HexFormat.of().parseHex("03614e9b050000000000000001"));
    }

    @MethodSource("bip158Seeds")
    @FuzzTest(maxDuration = "1m")
    void readsBip158OrRefuses(byte[] bytes) {
        try {
            Bip158Filter filter = Bip158Filter.readFrom(BLOCK, bytes);
            assertThat(filter.toBytes()).isEqualTo(bytes);
            assertThat(filter.toString()).isNotBlank();
            filter.mightContain(new byte[] {1, 2, 3});
        } catch (FormatException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> bip158Seeds() {
        byte[][] scripts = Stream.of("one", "two", "three")
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        return Stream.concat(
                damaged(Bip158Filter.of(BLOCK, Arrays.asList(scripts)).toBytes()),
                Stream.of(HexFormat.of().parseHex("019dfca8"), new byte[] {0}));
    }

    private static Stream<byte[]> damaged(byte[] good) {
        Random random = new Random(3);
        return Stream.concat(
                Stream.of(good),
                Stream.generate(() -> Corruption.anywhere(good, random)).limit(10));
    }
}
