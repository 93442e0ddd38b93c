package dev.perhaps.jdbc;

import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.Hashes;
import dev.perhaps.plan.Guard;
import dev.perhaps.plan.GuardReport;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A table with a guard before it: looks up what may be there, and answers the rest from a filter of all keys. Never misses a
 * row that was there when the filter was built, or whose key was {@link #added} before the row was; rows deleted since cost
 * a vain lookup until {@link #refresh}. About 10 bits a key at 1 %. Safe for any number of threads.
 *
 * <p>{@code GuardedTable.of(users, 0.01, Guard.plan(), name -> "all").get("nobody")}
 */
public final class GuardedTable<K, V> {
    /*
     * The filter is a Bloom filter that any number of threads may add to, with room for a quarter more keys than there are.
     *
     * Refreshing. A key that is added while the table is scanned might be in neither: its row came after the scan had
     * passed, its bits went into the old filter. So from before the scan until the new filter is in place, keys that are
     * added are also written down, and added to the new filter last. `added` holds the lock as a reader, refreshing takes it
     * as the writer for two short moments, and the scan runs without it.
     */
    private static final long LEAST_ROOM = 1_000;

    private final JdbcTable<K, V> table;
    private final double falsePositives;
    private final Guard<K, V> guard;
    private final ReadWriteLock places = new ReentrantReadWriteLock();
    private BloomFilter<K> filter;
    private @Nullable ConcurrentLinkedQueue<Long> addedMeanwhile;

    private GuardedTable(JdbcTable<K, V> table, double falsePositives, Guard.Plan plan, Function<? super K, ?> group) {
        this.table = table;
        this.falsePositives = falsePositives;
        this.filter = filterOf(table, table.keys(), falsePositives);
        this.guard = plan.store(filter, table::find, group);
    }

    /** Reads the table's keys into a filter with this error, and puts the planned guard before it. */
    public static <K, V> GuardedTable<K, V> of(
            JdbcTable<K, V> table, double falsePositives, Guard.Plan plan, Function<? super K, ?> group) {
        return new GuardedTable<>(table, falsePositives, plan, group);
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

    public Optional<V> get(K key) {
        return guard.get(key);
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
        try {
            BloomFilter<K> fresh = filterOf(table, table.keys(), falsePositives);
            places.writeLock().lock();
            try {
                meanwhile.forEach(fresh::addHash);
                filter = fresh;
                guard.replaceFilter(fresh);
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
