package dev.perhaps.server.command;

import dev.perhaps.server.keyspace.KeyBytes;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.Keyspace;
import java.util.ArrayList;
import java.util.List;

/** Removes keys that have expired and that nobody asks for, some at a time. Thread-safe. */
final class ExpiryTask {
    /** The keys that are looked at, ten times per second, for having expired: it takes some 0.2 ms. */
    private static final int KEYS = 2_000;

    /** All keys are looked at in this many ticks, a minute, however many there are. */
    private static final int TICKS = 600;

    private static final int MAX_KEYS = 10_000;

    private final Database database;
    private final Keyspace keyspace;
    private long cursor;

    // Keys that are to expire: those that were seen in this round, and those of the last one.
    private long seen;
    private volatile long expiring;

    ExpiryTask(Database database) {
        this.database = database;
        this.keyspace = database.keyspace();
    }

    /** Returns the number of keys that are to expire, as it was when all of them were looked at last. */
    long expiring() {
        return expiring;
    }

    /** Continues where it ended the last time; returns the number of keys that were removed. */
    synchronized int run(long now) {
        List<KeyBytes> found = new ArrayList<>();
        int before;
        do {
            before = found.size();
            cursor = keyspace.scan(cursor, Math.max(KEYS, keyspace.size() / TICKS), entry -> {
                if (entry.expiresAtMillis() <= now) {
                    found.add(entry.key());
                } else if (entry.expiresAtMillis() != KeyEntry.NEVER) {
                    seen++;
                }
            });
            if (cursor == 0) {
                expiring = seen;
                seen = 0;
            }
            // Where many have expired, more are looked for at once.
        } while (cursor != 0 && found.size() - before > KEYS / 10 && found.size() < MAX_KEYS);
        int removed = 0;
        for (KeyBytes key : found) {
            if (database.problem() != null) {
                // Nobody sees them, and the log has no place for their removal.
                break;
            }
            try (Keyspace.Locks locks = keyspace.lock(Keyspace.stripesOf(key), true)) {
                KeyEntry entry = keyspace.find(key);
                List<Change> changes = new ArrayList<>(1);
                if (entry != null && entry.expiresAtMillis() <= now) {
                    keyspace.beforeChange(entry);
                    removed += database.removeExpired(entry, now, changes) ? 1 : 0;
                    database.log(null, now, changes);
                }
            }
        }
        return removed;
    }
}
