import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Writes a log whose lines come as often as words do: the r-th of 2,000,000 in proportion to r^-1.1. Same seed, same bytes. */
final class ZipfLog {
    private static final int LINES = 2_000_000;
    private static final double EXPONENT = 1.1;
    private static final long SEED = 42;

    private ZipfLog() {}

    public static void main(String[] args) throws IOException {
        long bytes = Long.parseLong(args[0]);
        SplittableRandom random = new SplittableRandom(SEED);
        byte[][] lines = new byte[LINES][];
        for (int i = 0; i < LINES; i++) {
            String line = "GET /shop/" + Integer.toString(random.nextInt(36 * 36), 36) + "/item-" + (i + 1) + ".html?from="
                    + Integer.toHexString(random.nextInt()) + " 200\n";
            lines[i] = line.getBytes(StandardCharsets.US_ASCII);
        }
        // Sums of the weights, and where in them each of 2^20 equal parts begins: a draw looks at few of them.
        double[] sums = new double[LINES + 1];
        for (int i = 0; i < LINES; i++) {
            sums[i + 1] = sums[i] + Math.pow(i + 1, -EXPONENT);
        }
        int parts = 1 << 20;
        int[] starts = new int[parts + 1];
        for (int part = 0, i = 0; part <= parts; part++) {
            while (i < LINES - 1 && sums[i + 1] < sums[LINES] * part / parts) {
                i++;
            }
            starts[part] = i;
        }
        try (OutputStream out = new BufferedOutputStream(new FileOutputStream(args[1]), 1 << 20)) {
            for (long written = 0; written < bytes; ) {
                double draw = random.nextDouble();
                int i = starts[(int) (draw * parts)];
                while (sums[i + 1] < draw * sums[LINES]) {
                    i++;
                }
                out.write(lines[i]);
                written += lines[i].length;
            }
        }
    }
}
