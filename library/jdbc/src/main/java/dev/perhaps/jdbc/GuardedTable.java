package dev.perhaps.jdbc;

import dev.perhaps.guard.Guard;
import dev.perhaps.guard.GuardReport;
import dev.perhaps.key.Hashes;
import dev.perhaps.membership.BloomFilter;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A table with a guard before it: looks up what may be there, and answers the rest from a filter of all keys. About 10 bits
 * per key at 1 %. Safe for any number of threads.
 *
 * <p><b>A row that another program writes is not there for the guard</b>, and {@link #get} says so, until the keys are read
 * anew. So whoever builds one must say who writes ({@link Writers}). If only this program does, and calls {@link #added} before
 * every row that it inserts, no row is ever missed. If others do, the filter is believed for a limited time only: after it,
 * until {@link #refresh}, every lookup goes to the table. Rows deleted since cost a wasted lookup until {@link #refresh}.
 *
 * <p>{@code GuardedTable.of(users, Writers.others(Duration.ofMinutes(1)), 0.01, Guard.plan(), name -> "all").get("nobody")}
 */
public final class GuardedTable<K, V> {
    /*
     * The filter is a Bloom filter that any number of threads may add to, with room for a quarter more keys than there are.
     *
     * Refreshing. A key that is added while the table is scanned might be in neither: its row came after the scan had
     * passed, its bits went into the old filter. So from before the scan until the new filter is in place, keys that are
     * added are also written down, and added to the new filter last. `added` holds the lock as a reader, refreshing takes it
     * as the writer for two short moments, and the scan runs without it.
     *
     * Age. The age of a filter counts from before its scan: a row that came after that may have been missed by it. A "no" of a
     * filter younger than T is wrong only of rows younger than T. Nothing is refreshed within a lookup, which would make one
     * of them wait for a scan: a program calls refresh as often as it likes.
     */
    private static final long LEAST_ROOM = 1_000;

    private final JdbcTable<K, V> table;
    private final Writers writers;
    private final LongSupplier nanoTime;
    private final double falsePositives;
    private final Guard<K, V> guard;
    private final ReadWriteLock places = new ReentrantReadWriteLock();
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

    /** Reads the table's keys into a filter with this error, and puts the planned guard before it. */
    public static <K, V> GuardedTable<K, V> of(
            JdbcTable<K, V> table,
            Writers writers,
            double falsePositives,
            Guard.Plan plan,
            Function<? super K, ?> group) {
        Objects.requireNonNull(table, "table must not be null");
        Objects.requireNonNull(writers, "writers must not be null");
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
     * The row of this key, if there is one. Written by another program, it is found at the latest when it is as old as {@link
     * Writers#others} allows.
     */
    public Optional<V> get(K key) {
        return outdated() ? table.find(key) : guard.get(key);
    }

    /** True if the keys were read too long ago for the filter to be believed, so that every lookup goes to the table. */
    public boolean outdated() {
        return !writers.trust(nanoTime.getAsLong() - readAtNanos);
    }

    /** Tells of a key that is about to come into the table: to be called before its row is there for others to see. */
    public void added(K key) {
        long hash = table.key().hash(key);
        places.readLock().lock();
        try {
            filter.addHash(hash);
            if (addedMeanwhile != null) {
                addedMeanwhile.add(hash);
            }
        } finally {
            places.readLock().unlock();
        }
    }

    /** Reads the keys anew, and puts a fresh filter in the old one's place; lookups go on meanwhile. */
    public synchronized void refresh() {
        ConcurrentLinkedQueue<Long> meanwhile = new ConcurrentLinkedQueue<>();
        writeDown(meanwhile);
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

    /** True if there are clearly more keys in the filter than it was planned for: time to {@link #refresh}. */
    public boolean overfilled() {
        places.readLock().lock();
        try {
            return filter.overfilled();
        } finally {
            places.readLock().unlock();
        }
    }

    /** What was measured and saved until now. */
    public GuardReport report() {
        return guard.report();
    }
}
