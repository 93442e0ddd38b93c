package dev.perhaps.frequency;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.PayloadOutput;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.FormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Writes and reads the values that a structure keeps; its key defines the bytes of each value. */
final class ValueCodec<T> {
    private static final int CHUNK_BYTES = 1 << 16;

    private final Key.Stored<T> key;
    private final List<T> values;
    private long bytes = -1;

    ValueCodec(Key.Stored<T> key, List<T> values) {
        this.key = key;
        this.values = values;
    }

    /** How many bytes {@link #writeTo} will write. */
    long bytes() throws IOException {
        if (bytes < 0) {
            bytes = inChunks(chunk -> {});
        }
        return bytes;
    }

    void writeTo(PayloadOutput out) throws IOException {
        inChunks(out::bytes);
    }

    private interface Chunks {
        void take(byte[] chunk) throws IOException;
    }

    @CanIgnoreReturnValue
    private long inChunks(Chunks chunks) throws IOException {
        long sum = 0;
        ByteArrayOutputStream chunk = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(chunk);
        for (T value : values) {
            key.write(value, out);
            if (chunk.size() >= CHUNK_BYTES) {
                sum += chunk.size();
                chunks.take(chunk.toByteArray());
                chunk.reset();
            }
        }
        chunks.take(chunk.toByteArray());
        return sum + chunk.size();
    }

    /** Reads this number of values, which must be all there is. */
    static <T> List<T> read(Key.Stored<T> key, byte[] bytes, int count) throws FormatException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        List<T> values = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                values.add(key.read(in));
            }
            if (in.available() != 0) {
                throw new FormatException(in.available() + " bytes are left behind the last value: it is damaged");
            }
        } catch (FormatException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            throw new FormatException("value " + values.size() + " of " + count + " cannot be read ("
                    + (e.getMessage() == null ? "cut short" : e.getMessage()) + "): it is damaged");
        }
        return values;
    }

    /** Reads this number of words in little-endian order. */
    static long[] longs(ByteArrayInputStream in, int count) throws IOException {
        if (in.available() / Long.BYTES < count) {
            throw new FormatException(
                    count + " words are asked for where " + in.available() + " bytes are left: it is damaged");
        }
        long[] words = new long[count];
        ByteBuffer.wrap(in.readNBytes(count * Long.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(words);
        return words;
    }
}
