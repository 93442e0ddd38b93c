package dev.perhaps.jdbc;

import dev.perhaps.guard.Guard;
import dev.perhaps.guard.GuardReport;
import dev.perhaps.key.Hashes;
import dev.perhaps.membership.BloomFilter;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A table with a guard in front of it: it looks up only keys that a filter of all keys does not rule out. About 10 bits
 * per key at 1 %. Safe for any number of threads.
 *
 * <p><b>{@link #get} does not find a row that another program inserts until the keys are read again.</b> So you must
 * say who inserts rows ({@link Writers}). If only this program does, and brackets each with {@link #inserting}, no row
 * is ever missed. If others do, the filter is used for a limited time only: after it, until {@link #refresh}, every
 * lookup goes to the table. A deleted row costs an unnecessary lookup until {@link #refresh}.
 *
 * <p>{@code GuardedTable.of(users, Writers.others(Duration.ofMinutes(1)), 0.01, Guard.plan(), name -> "all").get("nobody")}
 *
 * <p>Keys are hashed as Java has them. Where the database takes different keys for equal, as in a collation that
 * ignores case, use a {@link Column} whose key hashes what equal ones have in common.
 */
public final class GuardedTable<K, V> {
    /*
     * The filter is a Bloom filter that any number of threads may add to, with room for a quarter more keys than there
     * are.
     *
     * Refreshing. A key that is added while the table is scanned might be in neither: its row came after the scan had
     * passed, its bits went into the old filter. So from before the scan until the new filter is in place, keys that
     * are added are also written down, and added to the new filter last. `added` holds the lock as a reader, refreshing
     * takes it as the writer for two short moments, and the scan runs without it.
     *
     * A scan does not see what is not committed. So the key of a row that is being inserted, however long its
     * transaction takes, is written down from the start, if it was added before:
     *
     *     inserting(k)  ── insert ────────────────── commit ── close
     *                            refresh: ── scan ──                      the scan lacks k, the list has it
     *
     * When an insertion has been closed its row is visible, and the next scan finds it.
     *
     * Age. The age of a filter counts from before its scan: a row that came after that may have been missed by it. A
     * "no" of a filter younger than T is wrong only of rows younger than T. Nothing is refreshed within a lookup, which
     * would make one of them wait for a scan: a program calls refresh as often as it likes.
     */
    private static final long LEAST_ROOM = 1_000;

    private final JdbcTable<K, V> table;
    private final Writers writers;
    private final LongSupplier nanoTime;
    private final double falsePositives;
    private final Guard<K, V> guard;
    private final ReadWriteLock places = new ReentrantReadWriteLock();
    /** The hashes of keys whose rows are being inserted, and how many insertions there are of each. */
    private final ConcurrentMap<Long, Integer> inserting = new ConcurrentHashMap<>();

    private BloomFilter<K> filter;
    private @Nullable ConcurrentLinkedQueue<Long> addedMeanwhile;
    private volatile long readAtNanos;

    GuardedTable(
            JdbcTable<K, V> table,
            Writers writers,
            double falsePositives,
            Guard.Plan plan,
            Function<? super K, ?> group,
            LongSupplier nanoTime) {
        this.table = table;
        this.writers = writers;
        this.nanoTime = nanoTime;
        this.falsePositives = falsePositives;
        this.readAtNanos = nanoTime.getAsLong();
        this.filter = filterOf(table, table.keys(), falsePositives);
        this.guard = plan.store(filter, table::find, group);
    }

    /** Reads the keys of the table into a filter with this error, and builds the planned guard. */
    public static <K, V> GuardedTable<K, V> of(
            JdbcTable<K, V> table,
            Writers writers,
            double falsePositives,
            Guard.Plan plan,
            Function<? super K, ?> group) {
        Objects.requireNonNull(table, "table must not be null");
        Objects.requireNonNull(writers, "writers must not be null");
        Objects.requireNonNull(plan, "plan must not be null");
        Objects.requireNonNull(group, "group must not be null");
        // Refused now, not after a scan of the whole table.
        var unused = BloomFilter.expecting(1).falsePositives(falsePositives);
        return new GuardedTable<>(table, writers, falsePositives, plan, group, System::nanoTime);
    }

    private static <K> BloomFilter<K> filterOf(JdbcTable<K, ?> table, Hashes keys, double falsePositives) {
        BloomFilter<K> filter = BloomFilter.expecting(keys.count() + Math.max(LEAST_ROOM, keys.count() / 4))
                .falsePositives(falsePositives)
                .of(table.key())
                .concurrent()
                .build();
        keys.replay(filter::addHashes);
        return filter;
    }

    /**
     * Returns the row of this key, if there is one. A row of another program is found at the latest when it has the age
     * that {@link Writers#others} allows.
     */
    public Optional<V> get(K key) {
        return outdated() ? table.find(key) : guard.get(key);
    }

    /** Returns true if the keys were read too long ago, so that every lookup goes to the table. */
    public boolean outdated() {
        return !writers.trust(nanoTime.getAsLong() - readAtNanos);
    }

    /**
     * Adds the key of a row that this program is about to insert. Close the insertion when the row is visible to others
     * or will never be, that is after the commit or the rollback: until then, {@link #refresh} keeps the key although
     * its scan does not see the row. {@code try (GuardedTable.Insertion row = users.inserting("ada")) { … commit … }}
     */
    public Insertion inserting(K key) {
        long hash = table.key().hash(key);
        places.readLock().lock();
        try {
            var unused = inserting.merge(hash, 1, Integer::sum);
            addLocked(hash);
        } finally {
            places.readLock().unlock();
        }
        return new Insertion(inserting, hash);
    }

    /**
     * Adds the key of a row that is visible already, for example because a change log or a trigger of the database
     * reported it. The rows that this program inserts take {@link #inserting}: {@link #refresh} may lose a key that is
     * added before its row is visible.
     */
    public void added(K key) {
        long hash = table.key().hash(key);
        places.readLock().lock();
        try {
            addLocked(hash);
        } finally {
            places.readLock().unlock();
        }
    }

    private void addLocked(long hash) {
        filter.addHash(hash);
        if (addedMeanwhile != null) {
            addedMeanwhile.add(hash);
        }
    }

    /** A row that is being inserted; see {@link GuardedTable#inserting}. Thread-safe; only the first close counts. */
    public static final class Insertion implements AutoCloseable {
        private final ConcurrentMap<Long, Integer> inserting;
        private final long hash;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Insertion(ConcurrentMap<Long, Integer> inserting, long hash) {
            this.inserting = inserting;
            this.hash = hash;
        }

        /** Ends the insertion. */
        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                var unused = inserting.computeIfPresent(hash, (any, count) -> count == 1 ? null : count - 1);
            }
        }
    }

    /** Reads the keys again and replaces the filter; lookups continue meanwhile. */
    public synchronized void refresh() {
        ConcurrentLinkedQueue<Long> meanwhile = new ConcurrentLinkedQueue<>();
        writeDown(meanwhile);
        meanwhile.addAll(inserting.keySet());
        long before = nanoTime.getAsLong();
        try {
            BloomFilter<K> fresh = filterOf(table, table.keys(), falsePositives);
            places.writeLock().lock();
            try {
                meanwhile.forEach(fresh::addHash);
                filter = fresh;
                guard.replaceFilter(fresh);
                readAtNanos = before;
            } finally {
                places.writeLock().unlock();
            }
        } finally {
            writeDown(null);
        }
    }

    private void writeDown(@Nullable ConcurrentLinkedQueue<Long> here) {
        places.writeLock().lock();
        try {
            addedMeanwhile = here;
        } finally {
            places.writeLock().unlock();
        }
    }

    /** Returns true if the filter has clearly more keys than planned: time to {@link #refresh}. */
    public boolean overfilled() {
        places.readLock().lock();
        try {
            return filter.overfilled();
        } finally {
            places.readLock().unlock();
        }
    }

    /** Returns what was measured and saved so far. */
    public GuardReport report() {
        return guard.report();
    }
}
