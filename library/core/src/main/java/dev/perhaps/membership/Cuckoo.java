package dev.perhaps.membership;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.perhaps.frame.AbstractSketch;
import dev.perhaps.frame.Frame;
import dev.perhaps.frame.FrameReader;
import dev.perhaps.hash.Mix;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.cuckoo.CuckooBuckets;
import dev.perhaps.membership.cuckoo.CuckooTable;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;

/**
 * What the two cuckoo filters share: one table, or several if they grow, and the file. {@link CuckooFilter} keeps every
 * copy of an item and can remove, {@link CuckooSet} keeps each fingerprint once and cannot.
 */
abstract class Cuckoo<T> extends AbstractSketch implements HashFilter.Adds<T> {
    /*
     * Growing. When table k holds what it is for, table k + 1 is begun. It has twice the buckets and one bit more per
     * fingerprint, so half the error; the plan gives the first enough bits that all tables there can ever be, each as
     * full as it may get, stay under what was asked: f/2 + f/4 + … < f. An item goes to the oldest table that holds
     * less than it is for, which after removals need not be the newest: there it takes a free slot of its two buckets;
     * only in the newest table it moves others, which is slow when it fails.
     *
     * Items that come several times each leave less choice, and a table may find no room long before it holds what it
     * is for: at 91 % of the slots if all come twice, at 61 % if all come eight times. Then another table is begun too,
     * unless the newest is less than half full: so memory stays in proportion to what is kept. An item of which a table
     * with room has 2b copies already does not start another one: that is FULL, or one item that is added again and
     * again would double the memory again and again.
     *
     * Threads. An add may move fingerprints through the whole table, so changes take turns under one lock. A lookup
     * does not take it: it reads, and reads again under the lock if something changed meanwhile.
     */
    private static final long MIX = 0xD6E8FEB86659FD93L;

    // Modes in the file.
    private static final int MULTISET = 0;
    private static final int SET = 1;

    private final Key<T> key;
    private final int salt;
    private final long mix;
    private final Sizing sizing;
    private final boolean growing;
    private final boolean eachOnce;
    private final CuckooTable first;
    // The tables after the first: mostly none, and then a lookup has no loop.
    private CuckooTable[] more;
    // Only of the concurrent form.
    private final @Nullable StampedLock lock;

    Cuckoo(
            Key<T> key,
            int salt,
            Sizing sizing,
            boolean growing,
            boolean eachOnce,
            boolean concurrent,
            CuckooTable[] tables) {
        this.key = key;
        this.salt = salt;
        this.mix = Mix.salted(MIX, salt);
        this.sizing = sizing;
        this.growing = growing;
        this.eachOnce = eachOnce;
        this.first = tables[0];
        this.more = Arrays.copyOfRange(tables, 1, tables.length);
        this.lock = concurrent ? new StampedLock() : null;
    }

    @Override
    public final Kind kind() {
        return Kind.CUCKOO;
    }

    @Override
    public final Key<T> key() {
        return key;
    }

    @Override
    public final int salt() {
        return salt;
    }

    @Override
    public final Sizing sizing() {
        return sizing;
    }

    /** Returns the number of tables: one, and one more for each time the filter grew. */
    public final int tables() {
        return 1 + more.length;
    }

    /** Returns true if the filter adds another table when it holds the planned items. */
    public final boolean growing() {
        return growing;
    }

    /** Returns the number of bits of a fingerprint in the first table; each further table has one bit more. */
    public final int fingerprintBits() {
        return first.bits;
    }

    /** Returns the number of fingerprints per bucket: 1, 2 or 4. */
    public final int slots() {
        return first.slots;
    }

    @Override
    public final boolean mightContainHash(long hash) {
        return found(Mix.with(mix, hash)) != 0;
    }

    private long found(long x) {
        return lock == null ? foundUnlocked(x) : foundMeanwhile(lock, x);
    }

    private long foundMeanwhile(StampedLock shared, long x) {
        long stamp = shared.tryOptimisticRead();
        if (stamp != 0) {
            long found = foundUnlocked(x);
            if (shared.validate(stamp)) {
                return found;
            }
        }
        stamp = shared.readLock();
        try {
            return foundUnlocked(x);
        } finally {
            shared.unlockRead(stamp);
        }
    }

    private long foundUnlocked(long x) {
        long found = first.found(x);
        CuckooTable[] after = more;
        return after.length == 0 ? found : found | foundInMore(after, x);
    }

    private static long foundInMore(CuckooTable[] after, long x) {
        long found = 0;
        for (CuckooTable table : after) {
            found |= table.found(x);
        }
        return found;
    }

    @Override
    public final int mightContainHashes(long[] hashes, int from, int to, long[] answerBits) {
        HashBatch.begin(hashes, from, to, answerBits);
        int count = 0;
        for (int at = from; at < to; at += 64) {
            int end = Math.min(at + 64, to);
            long answers = lock == null && more.length == 0
                    ? first.found64(mix, hashes, at, end - at)
                    : foundOneByOne(hashes, at, end);
            answerBits[(at - from) >>> 6] = answers;
            count += Long.bitCount(answers);
        }
        return count;
    }

    private long foundOneByOne(long[] hashes, int from, int to) {
        long answers = 0;
        for (int i = from; i < to; i++) {
            long found = found(Mix.with(mix, hashes[i]));
            answers |= (found | -found) >>> 63 << (i - from);
        }
        return answers;
    }

    @CanIgnoreReturnValue
    @Override
    public final Added addHash(long hash) {
        return addHash(hash, Long.MAX_VALUE);
    }

    /**
     * Adds the item with this hash of the key; {@code FULL}, with nothing changed, if the filter would have to grow to
     * more than {@code maxBytes} bytes.
     */
    @CanIgnoreReturnValue
    public final Added addHash(long hash, long maxBytes) {
        long x = Mix.with(mix, hash);
        long stamp = lock();
        try {
            return add(x, maxBytes);
        } finally {
            unlock(stamp);
        }
    }

    private long lock() {
        return lock == null ? 0 : lock.writeLock();
    }

    private void unlock(long stamp) {
        if (lock != null) {
            lock.unlock(stamp);
        }
    }

    /** Keeps changes out, and lets others read. */
    private long lockForReading() {
        return lock == null ? 0 : lock.readLock();
    }

    private Added add(long x, long maxBytes) {
        boolean present = foundUnlocked(x) != 0;
        if (present && eachOnce) {
            return Added.PRESENT;
        }
        if (!place(x, maxBytes)) {
            return Added.FULL;
        }
        return present ? Added.PRESENT : Added.ADDED;
    }

    /** {@inheritDoc} Tables after the first are freed. */
    @Override
    public final void clear() {
        long stamp = lock();
        try {
            first.clear();
            more = new CuckooTable[0];
        } finally {
            unlock(stamp);
        }
    }

    private boolean place(long x, long maxBytes) {
        if (!growing) {
            return first.add(x);
        }
        int newest = more.length;
        for (int i = 0; i < newest; i++) {
            if (hasRoom(i) && table(i).addWithoutMoving(x)) {
                return true;
            }
        }
        boolean repeated = false;
        for (int i = newest; i >= 0; i--) {
            if (hasRoom(i)) {
                if (table(i).add(x)) {
                    return true;
                }
                repeated |= table(i).isFullOf(x);
            }
        }
        CuckooTable last = table(newest);
        if (repeated || 2 * last.items() < itemsFor(newest) || !last.hasNext()) {
            return false;
        }
        if (last.nextBytes() > maxBytes - bytes(currentTables())) {
            return false;
        }
        CuckooTable next = last.next();
        CuckooTable[] grown = Arrays.copyOf(more, more.length + 1);
        grown[more.length] = next;
        // A lookup without the lock must not see the array before its content.
        VarHandle.releaseFence();
        more = grown;
        return next.add(x);
    }

    private boolean hasRoom(int i) {
        return table(i).items() < itemsFor(i);
    }

    /** The number of items that a table is for. */
    private long itemsFor(int i) {
        return i == 0 ? sizing.items() : table(i).room();
    }

    private CuckooTable table(int i) {
        return i == 0 ? first : more[i - 1];
    }

    /** Takes out one copy, from the newest table that has one (CuckooTable says why). */
    final boolean take(long hash) {
        long stamp = lock();
        try {
            long x = Mix.with(mix, hash);
            for (int i = more.length; i >= 0; i--) {
                if (table(i).remove(x)) {
                    return true;
                }
            }
            return false;
        } finally {
            unlock(stamp);
        }
    }

    final long copies(long hash) {
        long stamp = lockForReading();
        try {
            long x = Mix.with(mix, hash);
            long copies = 0;
            for (int i = 0; i < tables(); i++) {
                copies += table(i).copies(x);
            }
            return copies;
        } finally {
            unlock(stamp);
        }
    }

    /**
     * {@inheritDoc} Exact for tables of up to 4,096 slots; for larger ones, the expected rate for the slots in use (a
     * little too high if items are there several times).
     */
    @Override
    public final double errorNow() {
        long stamp = lockForReading();
        try {
            double error = 0;
            for (int i = 0; i < tables(); i++) {
                double ofTable = table(i).error(eachOnce);
                // In a set, an item that one table reports as present is never put into another one: the rates add up.
                error = eachOnce ? error + ofTable : error + ofTable - error * ofTable;
            }
            return Math.min(1, error);
        } finally {
            unlock(stamp);
        }
    }

    @Override
    public final long itemsNow() {
        long stamp = lockForReading();
        try {
            long items = 0;
            for (int i = 0; i < tables(); i++) {
                items += table(i).items();
            }
            return items;
        } finally {
            unlock(stamp);
        }
    }

    /** {@inheritDoc} Never true of a growing filter, which adds another table. */
    @Override
    public final boolean overfilled() {
        return !growing && itemsNow() > sizing.items();
    }

    @Override
    public final double load() {
        double slots = 0;
        for (CuckooTable table : currentTables()) {
            slots += (double) table.buckets * table.slots;
        }
        return itemsNow() / slots;
    }

    @Override
    public final long sizeBytes() {
        return bytes(currentTables());
    }

    @Override
    public final long fileBytes() {
        return frame(currentTables()).fileBytes();
    }

    @Override
    public final Description describe() {
        return HashFilter.Adds.super
                .describe()
                .count("slotsPerBucket", first.slots)
                .count("fingerprintBits", first.bits)
                .count("buckets", first.buckets)
                .flag("removes", !eachOnce)
                .flag("growing", growing)
                .count("tables", tables())
                .flag("concurrent", isConcurrent());
    }

    @Override
    public final String toString() {
        return sizing + (eachOnce ? ", each once, " : ", ") + Figures.percent(load())
                + " of the slots in use, error now " + Figures.percent(errorNow());
    }

    /** Returns true if threads may share this filter while it changes. */
    public final boolean isConcurrent() {
        return lock != null;
    }

    /** The tables themselves, as many as there are now. */
    final CuckooTable[] currentTables() {
        CuckooTable[] after = more;
        CuckooTable[] tables = new CuckooTable[1 + after.length];
        tables[0] = first;
        System.arraycopy(after, 0, tables, 1, after.length);
        return tables;
    }

    /** The tables of a copy. */
    final CuckooTable[] copyTables() {
        long stamp = lockForReading();
        try {
            CuckooTable[] copies = new CuckooTable[tables()];
            for (int i = 0; i < copies.length; i++) {
                copies[i] = table(i).copy();
            }
            return copies;
        } finally {
            unlock(stamp);
        }
    }

    // Parameters in the file (docs/format.md): buckets, slots and bits of the first table, mode, growing, tables, items
    // planned, error planned. Payload: the words of each table.
    private Frame frame(CuckooTable[] tables) {
        return Frame.of(
                        Kind.CUCKOO,
                        key,
                        bytes(tables),
                        first.buckets,
                        first.slots,
                        first.bits,
                        eachOnce ? SET : MULTISET,
                        growing ? 1 : 0,
                        tables.length,
                        sizing.items(),
                        Double.doubleToRawLongBits(sizing.error()))
                .salted(salt);
    }

    private static long bytes(CuckooTable[] tables) {
        long bytes = 0;
        for (CuckooTable table : tables) {
            bytes += table.words.length * (long) Long.BYTES;
        }
        return bytes;
    }

    /** {@inheritDoc} A concurrent filter writes a snapshot. */
    @Override
    public final void writeTo(OutputStream out) throws IOException {
        CuckooTable[] now = isConcurrent() ? copyTables() : currentTables();
        frame(now).write(out, payload -> {
            for (CuckooTable table : now) {
                payload.longs(table.words);
            }
        });
    }

    /** Reads a filter of either mode. */
    static <T> Cuckoo<T> readEither(FrameReader in, Key<T> key) throws IOException {
        Frame frame = in.frame(Kind.CUCKOO, key);
        long buckets = frame.parameter(0);
        long slots = frame.parameter(1);
        long bits = frame.parameter(2);
        long mode = frame.parameter(3);
        long grows = frame.parameter(4);
        long count = frame.parameter(5);
        long items = frame.parameter(6);
        double error = frame.parameterAsDouble(7);
        frame.require(slots == 1 || slots == 2 || slots == 4, "slots per bucket of", slots);
        frame.require(bits >= CuckooTable.MIN_BITS && bits <= CuckooTable.MAX_BITS, "fingerprint bits", bits);
        frame.require(buckets >= 2 && buckets % 2 == 0 && buckets <= CuckooBuckets.MAX_WORDS * 64L, "buckets", buckets);
        frame.require(mode == MULTISET || mode == SET, "mode", mode);
        frame.require(grows == 0 || grows == 1, "growing", grows);
        frame.require(count >= 1 && count <= (grows == 0 ? 1 : CuckooTable.MAX_BITS - bits + 1), "tables", count);
        frame.require(items > 0 && items <= buckets * slots, "planned items", items);
        frame.require(error > 0 && error <= 1, "planned error", error);

        long[] words = wordsOfTables(frame, buckets, (int) slots, (int) bits, (int) count);
        CuckooTable[] tables = new CuckooTable[(int) count];
        for (int i = 0; i < tables.length; i++) {
            tables[i] = new CuckooTable(i, buckets, (int) slots, (int) bits, in.longs(words[i]), 0);
        }
        in.end();
        for (CuckooTable table : tables) {
            frame.require(table.endsInZeros(), "bits behind the last bucket", "that are set");
            table.recount();
        }
        Sizing sizing = new Sizing(Kind.CUCKOO, items, error, words[0] * Long.BYTES, 0);
        return mode == SET
                ? new CuckooSet<>(key, frame.salt(), sizing, grows == 1, false, tables)
                : new CuckooFilter<>(key, frame.salt(), sizing, grows == 1, false, tables);
    }

    /** The length of each table, if all of them together are what the payload has room for. */
    private static long[] wordsOfTables(Frame frame, long buckets, int slots, int bits, int count) throws IOException {
        long[] words = new long[count];
        long bytes = 0;
        for (int i = 0; i < count && bytes <= frame.payloadBytes(); i++) {
            words[i] = CuckooBuckets.wordsFor(buckets << i, slots, bits + i);
            bytes += words[i] * Long.BYTES;
        }
        frame.require(bytes == frame.payloadBytes(), "a payload of bytes", frame.payloadBytes());
        return words;
    }
}
