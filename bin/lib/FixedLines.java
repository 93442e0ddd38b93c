import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.SplittableRandom;

/** Writes different lines of one length, newline included, up to a number of bytes. Same seed, same bytes. */
final class FixedLines {
    private static final long SEED = 42;
    private static final int LETTER_BITS = 4;

    private FixedLines() {}

    public static void main(String[] args) throws IOException {
        int length = Integer.parseInt(args[0]);
        long bytes = Long.parseLong(args[1]);
        SplittableRandom random = new SplittableRandom(SEED);
        byte[] line = new byte[length];
        line[length - 1] = '\n';
        try (OutputStream out = new BufferedOutputStream(new FileOutputStream(args[2]), 1 << 20)) {
            for (long written = 0; written + length <= bytes; written += length) {
                long bits = 0;
                for (int i = 0; i < length - 1; i++) {
                    bits = i % (Long.SIZE / LETTER_BITS) == 0 ? random.nextLong() : bits >>> LETTER_BITS;
                    line[i] = (byte) ('a' + (bits & 0xF));
                }
                out.write(line);
            }
        }
    }
}
