import dev.perhaps.cli.input.HashedLines;
import dev.perhaps.cli.input.Input;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.frequency.TopBytes;
import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Measures what a line costs in the structures of the commands, on one thread and in memory: nanoseconds to hash it, and to
 * add it or look it up. It takes the first lines of a file, and plans for all of its lines.
 */
final class LineCosts {
    private static final int SAMPLE_BYTES = 100_000_000;
    private static final int ROUNDS = 5;
    /** As 'perhaps top' has by default. */
    private static final int COUNTERS = 1 << 14;

    private static long sum;

    private LineCosts() {}

    public static void main(String[] args) throws IOException {
        Path file = Path.of(args[0]);
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(SAMPLE_BYTES);
        }
        int[] starts = starts(bytes);
        int lines = starts.length - 1;
        long all = Math.max(lines, Math.round((double) Files.size(file) / bytes.length * lines));
        long[] hashes = new long[lines];
        Key.Bytes key = Key.bytes();
        double hash = best(lines, () -> {
            for (int i = 0; i < lines; i++) {
                hashes[i] = key.hash(bytes, starts[i], starts[i + 1] - 1);
            }
        });
        BloomFilter<byte[]> bloom = BloomFilter.expecting(all).of(key).build();
        double add = best(lines, () -> sum += bloom.addHashes(hashes, 0, lines));
        long[] answerBits = new long[(lines + Long.SIZE - 1) / Long.SIZE];
        double ask = best(lines, () -> sum += bloom.mightContainHashes(hashes, 0, lines, answerBits));
        CountMin<byte[]> counts = CountMin.within(0.001).of(key).build();
        double count = best(lines, () -> counts.addHashes(hashes, 0, lines));
        Distinct<byte[]> distinct = Distinct.within(0.0031).of(key).build();
        double different = best(lines, () -> distinct.addHashes(hashes, 0, lines));
        TopBytes top = TopBytes.of(TopK.of(10).capacity(COUNTERS));
        double topped = best(lines, () -> {
            for (int i = 0; i < lines; i++) {
                top.add(bytes, starts[i], starts[i + 1] - 1, 1);
            }
        });
        Input input = Input.all(List.of(args[0])).get(0);
        double floor = best(1, () -> read(input, key));
        if (sum == 0) {
            throw new IllegalStateException("the results were left out");
        }
        print("build", "hash %.1f ns twice, estimate %.1f ns, add %.1f ns", hash, different, add);
        print("check", "hash %.1f ns, look up %.1f ns", hash, ask);
        print("count", "hash %.1f ns, add %.1f ns", hash, count);
        print("distinct", "hash %.1f ns, add %.1f ns", hash, different);
        print("top", "hash and add %.1f ns", topped);
        print("floor", "%.2f", Files.size(file) / floor);
    }

    private static void read(Input input, Key.Bytes key) {
        try {
            HashedLines.read(
                    input, Input.Meter.NONE, key, HashedLines.Preparation.NONE, block -> sum += block.count());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void print(String row, String format, Object... values) {
        System.out.println(row + "\t" + String.format(Locale.ROOT, format, values));
    }

    /** Where the whole lines begin, and behind the last. */
    private static int[] starts(byte[] bytes) {
        int[] starts = new int[1 << 10];
        int count = 1;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                if (count == starts.length) {
                    starts = Arrays.copyOf(starts, 2 * count);
                }
                starts[count++] = i + 1;
            }
        }
        return Arrays.copyOf(starts, count);
    }

    /** Nanoseconds per line in the fastest round. */
    private static double best(int lines, Runnable work) {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            work.run();
            best = Math.min(best, (double) (System.nanoTime() - start) / lines);
        }
        return best;
    }
}
