package dev.perhaps.server.keyspace;

import dev.perhaps.key.Key;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All keys, in {@value #STRIPES} stripes with a lock each: commands on keys of different stripes run at once, and
 * readers of one stripe run at once. The caller must hold the locks of the keys concerned, taken together by {@link
 * #lock}.
 */
public final class Keyspace {
    /*
     *     hash of a key   | … | 6 bits: table of the stripe | 6 bits: stripe |
     *
     * A stripe has 64 tables, so that SCAN can continue at a table: a cursor is the number of the next of 4,096 tables, and a
     * key that stays is in the same table all the time, so that it is returned.
     *
     * A key that is only read can be read without a lock: see `optimistic`. It costs no write to memory that other readers of
     * that stripe use, so that they do not slow each other down.
     *
     * A set of stripes is the bits of a long. Locks are taken from the lowest to the highest bit, so that no two callers wait
     * for each other.
     */
    static final int STRIPES = 64;
    private static final long RETAINED_FROM_BYTES = 1 << 20;

    /** The bits of a hash that choose the stripe and its table. */
    static final int TABLE_BITS = 12;

    private static final int TABLES = 64;
    private static final long ALL = -1;

    private static final class Stripe {
        final StampedLock lock = new StampedLock();
        final EntryTable[] tables = new EntryTable[TABLES];
        final Map<KeyBytes, List<Runnable>> watchers = new HashMap<>();
        final AtomicInteger size = new AtomicInteger();

        /** The part of {@link #usedBytes} that its entries take; changed under its write lock. */
        long countedBytes;

        Stripe() {
            for (int i = 0; i < TABLES; i++) {
                tables[i] = new EntryTable();
            }
        }
    }

    /** The locks that one caller holds; given back by {@link #close}. */
    public final class Locks implements AutoCloseable {
        private final long stripes;
        private final boolean isWriting;
        private final long[] stamps;

        private Locks(long stripes, boolean isWriting) {
            this.stripes = stripes;
            this.isWriting = isWriting;
            this.stamps = new long[Long.bitCount(stripes)];
            int i = 0;
            for (long rest = stripes; rest != 0; rest &= rest - 1) {
                StampedLock lock = Keyspace.this.stripes[Long.numberOfTrailingZeros(rest)].lock;
                stamps[i++] = isWriting ? lock.writeLock() : lock.readLock();
            }
        }

        private Locks(long stripe, long stamp) {
            this.stripes = stripe;
            this.isWriting = false;
            this.stamps = new long[] {stamp};
        }

        @Override
        public void close() {
            int i = 0;
            for (long rest = stripes; rest != 0; rest &= rest - 1) {
                StampedLock lock = Keyspace.this.stripes[Long.numberOfTrailingZeros(rest)].lock;
                if (isWriting) {
                    lock.unlockWrite(stamps[i++]);
                } else {
                    lock.unlockRead(stamps[i++]);
                }
            }
        }
    }

    private final Stripe[] stripes = new Stripe[STRIPES];
    private final Key.Bytes hashing;
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicLong retainedBytes = new AtomicLong();
    /** The number of the newest snapshot: changed with all locks held, read with one of them. */
    private int snapshot;

    private volatile @Nullable Preserver preserver;

    /** An empty keyspace whose tables are hashed with this seed. */
    public Keyspace(long seed) {
        hashing = Key.bytes().seeded(seed);
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    /** Returns the key with this name. */
    public KeyBytes key(byte[] name) {
        return new KeyBytes(name, hashing.hash(name));
    }

    private static int stripe(KeyBytes key) {
        return stripe(key.hash());
    }

    private static int stripe(long hash) {
        return (int) hash & (STRIPES - 1);
    }

    private EntryTable table(KeyBytes key) {
        return stripes[stripe(key)].tables[(int) (key.hash() >>> 6) & (TABLES - 1)];
    }

    /** Returns the set of stripes that a key is in. */
    public static long stripesOf(KeyBytes key) {
        return 1L << stripe(key);
    }

    /** Takes the locks of these stripes. */
    public Locks lock(long set, boolean forWriting) {
        return new Locks(set, forWriting);
    }

    /** Takes the lock of one key for writing; returns what {@link #unlockWriting} needs. */
    public long lockWriting(KeyBytes key) {
        return stripes[stripe(key)].lock.writeLock();
    }

    /** The same without waiting: returns 0 if somebody else has it. */
    public long tryLockWriting(KeyBytes key) {
        return stripes[stripe(key)].lock.tryWriteLock();
    }

    /** Gives it back. */
    public void unlockWriting(KeyBytes key, long stamp) {
        stripes[stripe(key)].lock.unlockWrite(stamp);
    }

    /** Takes the lock of one key for reading; returns what {@link #unlockReading} needs. */
    public long lockReading(KeyBytes key) {
        return stripes[stripe(key)].lock.readLock();
    }

    /** Gives it back. */
    public void unlockReading(KeyBytes key, long stamp) {
        stripes[stripe(key)].lock.unlockRead(stamp);
    }

    /**
     * Begins to read a key without a lock; returns 0 if it is being changed. What was read counts only if {@link #isUnchanged}
     * says so afterwards.
     */
    public long optimistic(KeyBytes key) {
        return stripes[stripe(key)].lock.tryOptimisticRead();
    }

    /** Returns true if nothing of the key's stripe has changed since {@link #optimistic} returned this. */
    public boolean isUnchanged(KeyBytes key, long stamp) {
        return stripes[stripe(key)].lock.validate(stamp);
    }

    /** Takes all locks. */
    public Locks lockAll(boolean forWriting) {
        return new Locks(ALL, forWriting);
    }

    /** Returns the entry of a key, expired or not, or null. */
    public @Nullable KeyEntry find(KeyBytes key) {
        return table(key).find(key);
    }

    /** Says that the entry has changed: its memory is counted, and who watches it is told. */
    public void changed(KeyEntry entry) {
        changed(entry, 0);
    }

    private void changed(KeyEntry entry, long claimedBytes) {
        count(entry, entry.sizeBytes(), claimedBytes);
        if (!stripes[stripe(entry.hash())].watchers.isEmpty()) {
            tellWatchers(entry.key());
        }
    }

    /** Counts what an entry takes now, and gives a claim back in the same step. */
    private void count(KeyEntry entry, long bytes, long claimedBytes) {
        long more = bytes - entry.countedBytes() - claimedBytes;
        if (more != 0) {
            usedBytes.addAndGet(more);
        }
        if (bytes > entry.countedBytes() && entry.value() instanceof HashesValue) {
            retain(entry); // a longer array took the place of one that a snapshot may share
        }
        if (bytes != entry.countedBytes()) {
            stripes[stripe(entry.hash())].countedBytes += bytes - entry.countedBytes();
            entry.countedBytes(bytes);
        }
    }

    /**
     * Claims memory for what is about to be allocated; false, and nothing is claimed, if all entries and claims would take more
     * than {@code maxBytes}. A claim is given back by {@link #unclaim}, or by {@link #put} of what it was for.
     */
    public boolean claim(long bytes, long maxBytes) {
        while (true) {
            long used = usedBytes.get();
            if (bytes > maxBytes - used - retainedBytes.get()) {
                return false;
            }
            if (usedBytes.compareAndSet(used, used + bytes)) {
                return true;
            }
        }
    }

    /** Gives back what {@link #claim} has claimed. */
    public void unclaim(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    /** Gives a key a value; another one, and its time to live, are replaced. */
    public KeyEntry put(KeyBytes key, Value value) {
        return put(key, value, 0);
    }

    /** The same, for which this number of bytes was claimed: they are given back. */
    public KeyEntry put(KeyBytes key, Value value, long claimedBytes) {
        KeyEntry entry = find(key);
        if (entry == null) {
            entry = new KeyEntry(key, value);
            table(key).add(entry);
            stripes[stripe(key)].size.incrementAndGet();
        } else {
            retain(entry);
            entry.value(value);
            entry.expiresAtMillis(KeyEntry.NEVER);
        }
        entry.snapshot(snapshot);
        changed(entry, claimedBytes);
        return entry;
    }

    /** A large value that goes while a snapshot is written stays in memory until that has it: it is counted until then. */
    private void retain(KeyEntry entry) {
        if (preserver != null && entry.countedBytes() > RETAINED_FROM_BYTES) {
            retainedBytes.addAndGet(entry.countedBytes());
        }
    }

    /** Removes a key; returns false if it was not there. */
    public boolean remove(KeyBytes key) {
        KeyEntry entry = table(key).remove(key);
        if (entry == null) {
            return false;
        }
        stripes[stripe(key)].size.decrementAndGet();
        retain(entry);
        count(entry, 0, 0);
        tellWatchers(key);
        return true;
    }

    /** Removes all keys; the caller holds all locks. Empty tables take the place of the others, however many keys those have. */
    public void clear() {
        if (preserver != null) {
            forAll(this::retain);
        }
        for (Stripe stripe : stripes) {
            for (KeyBytes key : List.copyOf(stripe.watchers.keySet())) {
                if (find(key) != null) {
                    tellWatchers(key);
                }
            }
            for (int i = 0; i < TABLES; i++) {
                stripe.tables[i] = new EntryTable();
            }
            stripe.size.set(0);
            usedBytes.addAndGet(-stripe.countedBytes);
            stripe.countedBytes = 0;
        }
    }

    private void forAll(Consumer<KeyEntry> visitor) {
        for (Stripe stripe : stripes) {
            for (EntryTable table : stripe.tables) {
                table.forEach(visitor);
            }
        }
    }

    /** Returns the number of keys, expired ones included. */
    public long size() {
        long size = 0;
        for (Stripe stripe : stripes) {
            size += stripe.size.get();
        }
        return size;
    }

    /** Returns the memory that all entries and claims take, and values that a snapshot still needs, in bytes. */
    public long usedBytes() {
        return usedBytes.get() + retainedBytes.get();
    }

    /**
     * Visits the tables from the cursor on until at least this many entries were seen; takes the locks itself. Returns the
     * cursor to continue with, 0 at the end.
     */
    public long scan(long cursor, long count, Consumer<KeyEntry> visitor) {
        long seen = 0;
        for (long at = cursor; at >= 0 && at < (long) STRIPES * TABLES; at++) {
            Stripe stripe = stripes[(int) (at / TABLES)];
            long stamp = stripe.lock.readLock();
            try {
                seen += stripe.tables[(int) (at % TABLES)].forEach(visitor);
            } finally {
                stripe.lock.unlockRead(stamp);
            }
            if (seen >= count) {
                return at + 1 == (long) STRIPES * TABLES ? 0 : at + 1;
            }
        }
        return 0;
    }

    // Snapshots

    /** Takes entries as they were when a snapshot began, before they change. */
    public interface Preserver {
        /** Takes this entry, whose write lock is held. */
        void preserve(KeyEntry entry);

        /** All entries are about to go: the snapshot ends, and is started again. */
        void cancel();
    }

    /** Begins a snapshot of all entries as they are; the caller holds all locks. */
    public void beginSnapshot(Preserver taker) {
        snapshot++;
        retainedBytes.set(0);
        preserver = taker;
    }

    /** Ends a snapshot, whether it is complete or not. */
    public void endSnapshot() {
        preserver = null;
        retainedBytes.set(0);
    }

    /** Says that an entry is about to change; the caller holds its write lock. */
    public void beforeChange(KeyEntry entry) {
        Preserver taker = preserver;
        if (taker != null && isForSnapshot(entry)) {
            taker.preserve(entry);
        }
    }

    /** Says that all entries are about to go; the caller holds all locks. */
    public void beforeClear() {
        Preserver taker = preserver;
        if (taker != null) {
            taker.cancel();
        }
    }

    /**
     * Returns true, once, for an entry that the snapshot does not have yet; the caller holds its write lock, or is the one
     * thread that takes entries under read locks.
     */
    public boolean isForSnapshot(KeyEntry entry) {
        if (entry.snapshot() == snapshot) {
            return false;
        }
        entry.snapshot(snapshot);
        return true;
    }

    /** The number of tables, each of which {@link #tryTable} returns. */
    public static final int ALL_TABLES = STRIPES * TABLES;

    /** Returns the entries of a table, or null if its lock cannot be taken within about a millisecond. */
    public @Nullable List<KeyEntry> tryTable(int number) throws InterruptedException {
        Stripe stripe = stripes[number / TABLES];
        long stamp = stripe.lock.tryReadLock(1, TimeUnit.MILLISECONDS);
        if (stamp == 0) {
            return null;
        }
        try {
            return stripe.tables[number % TABLES].entries();
        } finally {
            stripe.lock.unlockRead(stamp);
        }
    }

    /** Takes the read lock of a key, or returns null if that is not possible within about a millisecond. */
    public @Nullable Locks tryLock(KeyBytes key) throws InterruptedException {
        StampedLock lock = stripes[stripe(key)].lock;
        long stamp = lock.tryReadLock(1, TimeUnit.MILLISECONDS);
        return stamp == 0 ? null : new Locks(stripesOf(key), stamp);
    }

    /** Calls this once, when the key changes next. */
    public void watch(KeyBytes key, Runnable watcher) {
        stripes[stripe(key)]
                .watchers
                .computeIfAbsent(key, k -> new ArrayList<>())
                .add(watcher);
    }

    /** Takes a watcher back. */
    public void unwatch(KeyBytes key, Runnable watcher) {
        Map<KeyBytes, List<Runnable>> watchers = stripes[stripe(key)].watchers;
        List<Runnable> all = watchers.get(key);
        if (all != null && all.remove(watcher) && all.isEmpty()) {
            watchers.remove(key);
        }
    }

    private void tellWatchers(KeyBytes key) {
        Map<KeyBytes, List<Runnable>> watchers = stripes[stripe(key)].watchers;
        if (!watchers.isEmpty()) {
            List<Runnable> all = watchers.remove(key);
            if (all != null) {
                all.forEach(Runnable::run);
            }
        }
    }
}
