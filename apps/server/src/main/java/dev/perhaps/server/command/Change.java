package dev.perhaps.server.command;

import org.jspecify.annotations.Nullable;

/**
 * A command that has changed something, with everything that it depended on besides its arguments, the keys and the
 * time: if it is run again, it does the same.
 */
public final class Change {
    /**
     * What a command may take.
     *
     * @param freeBytes in all
     * @param maxKeyBytes of one key
     */
    public record Memory(long freeBytes, long maxKeyBytes) {}

    private final byte[][] words;
    private final @Nullable Memory memory;

    /** A command with these words, which must not be changed; {@code memory} is what it could take, null if it did not ask. */
    public Change(byte[][] words, @Nullable Memory memory) {
        this.words = words;
        this.memory = memory;
    }

    /** A change without a client: these words. */
    static Change of(byte[]... words) {
        return new Change(words, null);
    }

    /** Returns its words, the name first; they must not be changed. */
    public byte[][] words() {
        return words;
    }

    /** Returns what it could take, or null if it did not ask. */
    public @Nullable Memory memory() {
        return memory;
    }
}
