package dev.perhaps.sketch;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** Compares structures by the bytes that they write, without keeping all of these bytes. */
final class SketchBytes {
    /*
     * Structures can only write, so their bytes cannot be read side by side. A window of the bytes of one is kept and
     * compared with what the other writes there, then the next window: one pass for all but very large structures.
     */
    private static final int WINDOW_BYTES = 1 << 26;

    private SketchBytes() {}

    static boolean same(Sketch one, Sketch other) {
        if (one == other) {
            return true;
        }
        long length = one.fileBytes();
        return one.kind() == other.kind()
                && length == other.fileBytes()
                && same(one, other, length, new byte[(int) Math.min(WINDOW_BYTES, length)]);
    }

    static boolean same(Sketch one, Sketch other, long length, byte[] window) {
        for (long from = 0; from < length; from += window.length) {
            Window kept = new Window(window, from, false);
            Window compared = new Window(window, from, true);
            write(one, kept);
            write(other, compared);
            // If other threads change the structure meanwhile, its length may change too.
            if (compared.differs || kept.filled != compared.filled) {
                return false;
            }
        }
        return true;
    }

    private static void write(Sketch sketch, Window window) {
        try {
            sketch.writeTo(window);
        } catch (IOException e) {
            if (!window.isDone()) {
                throw unwritable(sketch, e);
            }
        }
    }

    static UncheckedIOException unwritable(Sketch sketch, IOException e) {
        return new UncheckedIOException("a " + sketch.kind() + " cannot be written: " + e.getMessage(), e);
    }

    /**
     * Keeps the bytes of a window, or compares bytes with those kept; stops the writer as soon as the result is known.
     */
    private static final class Window extends OutputStream {
        private final byte[] kept;
        private final boolean compares;
        private long before;
        private int filled;
        private boolean differs;

        Window(byte[] kept, long from, boolean compares) {
            this.kept = kept;
            this.before = from;
            this.compares = compares;
        }

        boolean isDone() {
            return differs || filled == kept.length;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int skipped = (int) Math.min(before, length);
            before -= skipped;
            int from = offset + skipped;
            int count = Math.min(length - skipped, kept.length - filled);
            if (compares) {
                differs |= !Arrays.equals(bytes, from, from + count, kept, filled, filled + count);
            } else {
                System.arraycopy(bytes, from, kept, filled, count);
            }
            filled += count;
            if (count < length - skipped || differs) {
                throw new IOException("enough was written");
            }
        }
    }
}
