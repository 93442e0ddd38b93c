package dev.perhaps.server.command;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Where a database stores its changes, so that they survive a restart. Thread-safe. */
public interface Durability {
    /** Returns why nothing may be changed now, as the text of an error, or null. */
    @Nullable
    String problem();

    /**
     * Takes what ran at this time as one record: after a crash all of it is there or nothing. The caller holds the locks of its
     * keys, so that records about one key are in the order in which they ran. Returns the number of the record.
     */
    long append(long nowMillis, List<Change> changes);

    /**
     * Returns null if replies may be sent to a client whose last record is this one (0: it has made none), or else what to wait
     * for; it fails if a record cannot be written.
     */
    @Nullable
    CompletableFuture<Void> beforeReply(long number);

    /** Returns true if this record would survive a crash. */
    boolean isDurable(long number);

    /** Writes a snapshot, after the one that is being written, if any. */
    CompletableFuture<Void> save();

    /** Returns true while a snapshot is being written. */
    boolean isSaving();

    /** Writes a snapshot, and reads all keys again from the disk. */
    CompletableFuture<Void> reload();

    /** Writes all records to the disk. */
    CompletableFuture<Void> sync();

    /** Returns when the newest snapshot was complete, in seconds since 1970. */
    long lastSaveSeconds();

    /** Keeps the lines of all users; returns when they are on the disk. */
    void keepUsers(List<String> lines);

    /** Gives the names and values of {@code INFO persistence}. */
    void describe(BiConsumer<String, Object> line);
}
