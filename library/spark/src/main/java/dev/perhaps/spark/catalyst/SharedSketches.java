package dev.perhaps.spark.catalyst;

import dev.perhaps.Perhaps;
import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Key;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Opens frames, each large one once per process: the tasks of an executor share it. They only read. Kept while there is
 * memory for it.
 */
final class SharedSketches {
    private static final int SMALL_BYTES = 1 << 16;
    private static final int MOST = 64;

    // By SHA-256 of the frame: what two users send to one cluster must not be mistaken for each other.
    private static final Map<ByteBuffer, SoftReference<Sketch>> OPEN = new LinkedHashMap<>(MOST, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, SoftReference<Sketch>> eldest) {
            return size() > MOST;
        }
    };

    private SharedSketches() {}

    static Sketch open(byte[] frame) {
        if (frame.length <= SMALL_BYTES) {
            return read(frame);
        }
        ByteBuffer digest = ByteBuffer.wrap(sha256(frame));
        synchronized (OPEN) {
            Sketch known = get(digest);
            if (known != null) {
                return known;
            }
            Sketch opened = read(frame);
            OPEN.put(digest, new SoftReference<>(opened));
            return opened;
        }
    }

    private static @Nullable Sketch get(ByteBuffer digest) {
        SoftReference<Sketch> reference = OPEN.get(digest);
        return reference == null ? null : reference.get();
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static Sketch read(byte[] frame) {
        try {
            Sketch sketch = Perhaps.fromBytes(frame);
            if (sketch instanceof TopK<?> top
                    && Key.strings().seeded(top.key().seed()).fits(top.key())) {
                // As bytes: a column may hold text that is not UTF-8, and a string would change it.
                Key.Bytes bytes = Key.bytes().seeded(top.key().seed());
                String part = ColumnKey.part(top.key().name());
                return part.isEmpty()
                        ? TopK.fromBytes(frame, bytes)
                        : TopK.fromBytes(frame, bytes.on(part, value -> value, value -> value));
            }
            return sketch;
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }
}
