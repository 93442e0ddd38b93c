package dev.perhaps;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.perhaps.frame.Corruption;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Sketch;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files that somebody changed on purpose, with checksums that fit. A reader cannot tell every lie from a truth; but it
 * refuses with one clear line or reads something that can be described, written again and added to, and none of it takes
 * more memory than a multiple of the file's size and a constant.
 */
class ForgedFilesTest {
    private static final int ROUNDS = 2_000;
    private static final int ADDED = 100;
    private static final long CONSTANT_BYTES = 4 << 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest
    @MethodSource("dev.perhaps.Golden#files")
    void areRefusedOrRead(Path file) throws IOException {
        byte[] good = Files.readAllBytes(file);
        Random random = new Random(4);
        areRefusedOrRead(good, ROUNDS, round -> Corruption.forged(good, random));
    }

    /** Every parameter with every value at which a limit may lie. */
    @ParameterizedTest
    @MethodSource("dev.perhaps.Golden#files")
    void areRefusedOrReadWithExtremeParameters(Path file) throws IOException {
        byte[] good = Files.readAllBytes(file);
        List<byte[]> forged = Corruption.extremeParameters(good);
        areRefusedOrRead(good, forged.size(), forged::get);
    }

    private static void areRefusedOrRead(byte[] good, int rounds, IntFunction<byte[]> file) throws IOException {
        use(good); // loads classes, which takes memory that is not the file's
        int refused = 0;
        for (int round = 0; round < rounds; round++) {
            byte[] forged = file.apply(round);
            long before = THREADS.getCurrentThreadAllocatedBytes();
            try {
                use(forged);
            } catch (FormatException e) {
                assertThat(e.getMessage()).as("round %d", round).contains(" ").doesNotContain("null");
                refused++;
            } catch (RuntimeException | OutOfMemoryError e) {
                throw new UncheckedIOException("round " + round, new IOException(e));
            }
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("bytes in round %d", round).isLessThan(16L * forged.length + CONSTANT_BYTES);
        }
        assertThat(refused).isBetween(rounds / 10, rounds);
    }

    private static void use(byte[] file) throws IOException {
        Sketch read = Perhaps.readFrom(new ByteArrayInputStream(file), file.length);
        assertThat(read.describe().facts()).isNotEmpty();
        read.writeTo(OutputStream.nullOutputStream());
        GoingOn.with(read, ADDED);
        assertThat(read.describe().facts()).isNotEmpty();
    }
}
