package dev.perhaps.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.sun.management.ThreadMXBean;
import dev.perhaps.frame.Corruption;
import dev.perhaps.sketch.FormatException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.Random;

/**
 * One thousand random corruptions. The foreign formats have no checksum of their own, so a changed bit may give another
 * well-formed filter: each corruption is either refused with a {@link FormatException}, or read as exactly the bytes that
 * were given. Neither may take more memory than the bytes themselves, a few times, and a constant.
 */
final class Damage {
    private static final int ROUNDS = 1_000;
    private static final long CONSTANT_BYTES = 1 << 17;

    /** What may fail on bad bytes. */
    interface Step<A, B> {
        B of(A from) throws IOException;
    }

    private Damage() {}

    /** How many of the corruptions were refused. */
    static <F> int refused(byte[] good, long seed, Step<byte[], F> read, Step<F, byte[]> write) throws IOException {
        ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThat(write.of(read.of(good))).isEqualTo(good);
        Random random = new Random(seed);
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bad = corrupted(good, random);
            Outcome<F> first = outcome(read, bad);
            long before = memory.getCurrentThreadAllocatedBytes();
            // Measured the second time: the first failure of each sort links the code that makes its message.
            outcome(read, bad);
            long allocated = memory.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("bytes in round %d", round).isLessThan(4L * bad.length + CONSTANT_BYTES);
            if (first.filter.isPresent()) {
                assertThat(write.of(first.filter.get())).as("round %d", round).isEqualTo(bad);
            } else {
                assertThat(first.message).as("round %d", round).contains(" ").doesNotContain("null");
                refused++;
            }
        }
        return refused;
    }

    private record Outcome<F>(Optional<F> filter, String message) {}

    @CanIgnoreReturnValue
    private static <F> Outcome<F> outcome(Step<byte[], F> read, byte[] bytes) throws IOException {
        try {
            return new Outcome<>(Optional.of(read.of(bytes)), "");
        } catch (FormatException e) {
            return new Outcome<>(Optional.empty(), String.valueOf(e.getMessage()));
        }
    }

    /** Bits flipped, bytes cut off, bytes put after, stretches overwritten; half of the time near the beginning. */
    private static byte[] corrupted(byte[] good, Random random) {
        int at = random.nextInt(random.nextBoolean() ? Math.min(16, good.length) : good.length);
        return Corruption.from(good, at, random);
    }
}
