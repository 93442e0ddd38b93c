package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.perhaps.frame.Corruption;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes are refused with a {@link FormatException} or read as a structure, of whatever kind, that can be added to and
 * that writes itself again as something that reads as the same.
 */
class FramesFuzz {
    /** Checksums are put in, or none of what is behind them would ever be reached. */
    @MethodSource("seeds")
    @FuzzTest(maxDuration = "1m")
    void readsOrRefuses(byte[] bytes) throws IOException {
        byte[] file = Corruption.sealed(bytes);
        Sketch sketch;
        try {
            sketch = Perhaps.readFrom(new ByteArrayInputStream(file), file.length);
        } catch (FormatException e) {
            assertThat(e.getMessage()).isNotBlank();
            return;
        }
        assertThat(sketch.describe().toString()).isNotBlank();
        byte[] written = written(sketch);
        assertThat(written).hasSize((int) sketch.fileBytes());
        Sketch again = Perhaps.readFrom(new ByteArrayInputStream(written), written.length);
        assertThat(written(again)).isEqualTo(written);
        GoingOn.with(again, 20);
        assertThat(again.describe().toString()).isNotBlank();
    }

    private static byte[] written(Sketch sketch) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        sketch.writeTo(out);
        return out.toByteArray();
    }

    /** A file of every kind, and each of them with forged parameters and payload. */
    static Stream<byte[]> seeds() throws IOException {
        Random random = new Random(1);
        return Golden.files().stream()
                .map(FramesFuzz::bytes)
                .flatMap(good -> Stream.of(
                        good,
                        Corruption.forged(good, random),
                        Corruption.forged(good, random),
                        Corruption.anywhere(good, random)));
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
