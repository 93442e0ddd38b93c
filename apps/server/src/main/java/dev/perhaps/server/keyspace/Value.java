package dev.perhaps.server.keyspace;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** The value of a key. Changed only under the write lock of its key. */
public interface Value {
    /** Returns its type, which is also written before its bytes. */
    ValueType type();

    /** Returns the word that {@code TYPE} returns. */
    default String word() {
        return type().word();
    }

    /** Returns the memory that it takes, in bytes. */
    long sizeBytes();

    /** Returns a value with the same content that does not change with this one. */
    Value copy();

    /**
     * Returns a value with the same content that is only written, never changed: it may share with this one what this one does not
     * change either.
     */
    default Value frozen() {
        return copy();
    }

    /** Returns the memory that {@link #frozen} takes beside this value, in bytes. */
    default long frozenBytes() {
        return sizeBytes();
    }

    /** Returns what {@code OBJECT ENCODING} says of it. */
    String encoding();

    /**
     * Returns a view of its content as it is now, which is written while the value changes, or null if it has none; the lock of
     * the key is held.
     *
     * @param maxBytes the memory that the view may take for what changes
     */
    default @Nullable ValueView view(long maxBytes) {
        return null;
    }

    /** Writes its content; {@link ValueType#read} reads it. */
    void writeTo(OutputStream out) throws IOException;

    /** Returns the length of what {@link #writeTo} writes. */
    long fileBytes();
}
