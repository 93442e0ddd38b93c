package dev.perhaps.server.command;

import dev.perhaps.server.keyspace.KeyBytes;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.Value;
import dev.perhaps.server.wire.ReplyWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One command as it runs: its words, the reply, and the keys that it may use, whose locks are held. */
final class Call {
    /** The most steps of one command, each a few nanoseconds: it takes about a second. */
    static final long MAX_STEPS = 1L << 28;

    private static final long HASHED_BYTES_PER_STEP = 16;
    private static final long NANOS_PER_STEP = 4;
    private static final long MAX_NANOS = 4_000_000_000L;
    private static final long UNLIMITED = 1L << 60;

    private final Database database;
    private final ClientSession session;
    private final Command command;
    private final byte[][] words;
    private final ReplyWriter reply;
    private final long nowMillis;
    private final @Nullable KeyBytes key;
    private @Nullable KeyEntry entry;
    private boolean isEntryKnown;
    private Change.@Nullable Memory memory;
    private byte @Nullable [][] logged;
    private final boolean isReplayed;
    private boolean dependsOnMemory;
    private long putBytes;
    private long claimedBytes;
    private long partSteps;
    private boolean hasAll;
    private boolean hasChanged;

    /**
     * A call at this time. {@code key} is that of its second word, if it is the only one, or null; {@code memory} is what it could
     * take when it ran first, or null: it runs first, and may take what is free.
     */
    Call(
            Database database,
            ClientSession session,
            Command command,
            byte[][] words,
            long nowMillis,
            @Nullable KeyBytes key,
            Change.@Nullable Memory memory) {
        this.database = database;
        this.session = session;
        this.command = command;
        this.words = words;
        this.reply = session.reply();
        this.nowMillis = nowMillis;
        this.key = key;
        this.memory = memory;
        this.isReplayed = memory != null;
    }

    Database database() {
        return database;
    }

    ClientSession session() {
        return session;
    }

    Command command() {
        return command;
    }

    ReplyWriter reply() {
        return reply;
    }

    int count() {
        return words.length;
    }

    byte[] word(int i) {
        return words[i];
    }

    byte[][] words() {
        return words;
    }

    String text(int i) {
        return new String(words[i], StandardCharsets.UTF_8);
    }

    boolean is(int i, String option) {
        return words[i].length == option.length() && text(i).equalsIgnoreCase(option);
    }

    String upper(int i) {
        return text(i).toUpperCase(Locale.ROOT);
    }

    KeyBytes key(int i) {
        return i == 1 && key != null ? key : database.keyspace().key(words[i]);
    }

    CommandError arity() {
        return CommandError.arity(command.name());
    }

    /** The time of this call, in milliseconds since 1970: one for all that it does, and the same when it is replayed. */
    long now() {
        return nowMillis;
    }

    // Memory

    /** What it may take. Nothing was refused yet where it is unlimited. */
    private Change.Memory memory() {
        Change.Memory own = memory;
        if (own == null) {
            own = new Change.Memory(UNLIMITED, database.memory().maxKeyBytes());
            memory = own;
        }
        return own;
    }

    /**
     * Returns true, and claims the memory until the call ends, if this number of bytes fits, in all and in one key: beside what
     * was put before, and together with what was claimed before.
     */
    boolean fits(long moreBytes, long keyBytes) {
        Change.Memory own = memory();
        if (keyBytes > own.maxKeyBytes() || moreBytes > own.freeBytes() - putBytes) {
            dependsOnMemory = true;
            return false;
        }
        if (isReplayed || moreBytes <= claimedBytes) {
            return true;
        }
        long wanted = moreBytes - claimedBytes;
        MemoryBudget budget = database.memory();
        if (hasAll ? budget.claimMore(wanted) : budget.claim(wanted)) {
            claimedBytes = moreBytes;
            return true;
        }
        // When it is replayed, the same is refused, and what was granted before is granted.
        dependsOnMemory = true;
        memory = new Change.Memory(putBytes + moreBytes - 1, own.maxKeyBytes());
        return false;
    }

    /** Refuses with this error what does not fit; see {@link #fits}. */
    void reserve(long moreBytes, long keyBytes, String error) {
        if (!fits(moreBytes, keyBytes)) {
            throw new CommandError(error);
        }
        session.charge(Math.max(0, moreBytes) / Long.BYTES);
    }

    /** The most memory that a value which is loaded may take; it is claimed until the call ends, and others wait for it. */
    long mostBytes() {
        return mostBytes(0);
    }

    /** The most memory that a value may grow to which takes this many bytes now; claimed as by {@link #mostBytes()}. */
    long mostBytes(long nowBytes) {
        Change.Memory own = memory();
        if (!isReplayed && !hasAll) {
            long wanted = Math.min(own.freeBytes() - putBytes, own.maxKeyBytes() - nowBytes) - claimedBytes;
            hasAll = true;
            claimedBytes += database.memory().claimAll(Math.max(0, wanted));
            own = new Change.Memory(putBytes + claimedBytes, own.maxKeyBytes());
            memory = own;
        }
        dependsOnMemory = true;
        return Math.min(nowBytes + Math.max(0, own.freeBytes() - putBytes), own.maxKeyBytes());
    }

    /** Returns true if the call may take all that was free when it first asked for it. */
    boolean hasAllMemory() {
        return hasAll;
    }

    /** Returns true if it comes from the log, where it succeeded. */
    boolean isReplayed() {
        return isReplayed;
    }

    /** Gives back what was claimed and not used; called once, when the call has ended. */
    void settle() {
        if (claimedBytes > 0 || hasAll) {
            database.memory().release(claimedBytes, hasAll);
            claimedBytes = 0;
            hasAll = false;
        }
    }

    // Work

    /** Refuses a call that would take too many steps; called before the first of them. What is replayed is never refused. */
    void work(long steps) {
        if (isReplayed) {
            return;
        }
        if (steps < 0 || steps > MAX_STEPS) {
            throw new CommandError("ERR '" + command.name() + "' would take " + (steps < 0 ? "too many" : steps)
                    + " steps, more than the " + MAX_STEPS + " of one command: send fewer items per command");
        }
        session.charge(steps);
    }

    /** As {@link #work(long)}, for one of several parts whose steps become known one after the other. */
    void workOfPart(long steps, String remedy) {
        if (isReplayed) {
            return;
        }
        if (steps > MAX_STEPS - partSteps) {
            throw new CommandError("ERR '" + command.name() + "' would take more than the " + MAX_STEPS
                    + " steps of one command: " + remedy);
        }
        partSteps += steps;
        session.charge(steps);
    }

    /** The steps of two factors; what is too much stays too much. */
    void work(long times, long steps) {
        work(steps > 0 && times > Long.MAX_VALUE / steps ? Long.MAX_VALUE : times * steps);
    }

    /** The steps of hashing a word once: a long one takes longer. */
    static long stepsOfHash(byte[] word) {
        return 1 + word.length / HASHED_BYTES_PER_STEP;
    }

    /**
     * Refuses a call that has been looking for seconds: for what takes as long as others have made it, which nobody knows before.
     * Called before anything is changed, now and then. A call that is replayed was not refused when it ran first.
     */
    void refuseIfSlow(long startNanos) {
        if (!isReplayed && System.nanoTime() - startNanos > MAX_NANOS) {
            throw new CommandError("ERR '" + command.name() + "' takes more than " + MAX_NANOS / 1_000_000_000
                    + " seconds: send fewer items per command");
        }
    }

    /** Counts the time since this as steps, this many times. */
    void spentSince(long startNanos, int times) {
        session.charge(times * ((System.nanoTime() - startNanos) / NANOS_PER_STEP));
    }

    /** Says that the call reads this number of bytes: once is as large as a key may be, but not often in one transaction. */
    void reads(long bytes) {
        session.charge(bytes / Long.BYTES);
    }

    /** What the log needs to run this call again. */
    Change change() {
        return new Change(logged == null ? words : logged, dependsOnMemory ? memory : null);
    }

    /** Puts other words into the log: for a command that depends on what is not there when it is replayed. */
    void logAs(byte[]... others) {
        logged = others;
    }

    // Keys

    /** The entry of a key, or null if there is none or it has expired. */
    @Nullable
    @SuppressWarnings("ReferenceEquality") // the object itself; another one of the same key is looked up again
    KeyEntry find(KeyBytes wanted) {
        KeyEntry found =
                wanted == key && isEntryKnown ? entry : database.keyspace().find(wanted);
        if (wanted == key) {
            known(found);
        }
        return found == null || found.expiresAtMillis() <= nowMillis ? null : found;
    }

    /** Says which entry the only key has, so that it is not looked for again. */
    void known(@Nullable KeyEntry found) {
        entry = found;
        isEntryKnown = true;
    }

    @Nullable
    KeyEntry find(int i) {
        return find(key(i));
    }

    /** The value of a key of this type, or null if there is no key; another type is refused. */
    <V extends Value> @Nullable V find(int i, Class<V> type) {
        return typed(find(i), type);
    }

    static <V extends Value> @Nullable V typed(@Nullable KeyEntry found, Class<V> type) {
        if (found == null) {
            return null;
        }
        Value value = found.value();
        if (!type.isInstance(value)) {
            throw new CommandError(CommandError.WRONG_TYPE);
        }
        return type.cast(value);
    }

    /** The value of a key if it has this type, or null. */
    <V extends Value> @Nullable V findOnly(int i, Class<V> type) {
        KeyEntry found = find(i);
        Value value = found == null ? null : found.value();
        return type.isInstance(value) ? type.cast(value) : null;
    }

    /** Changes the value of a key that is there; the change returns false if it did nothing. */
    void change(KeyBytes changing, BooleanSupplier change) {
        KeyEntry found = find(changing);
        if (found == null) {
            throw new IllegalStateException("a key that is not there cannot change");
        }
        try {
            hasChanged |= change.getAsBoolean();
        } catch (CommandError e) {
            throw e;
        } catch (RuntimeException | Error e) {
            // How far it came is not known: what is replayed comes as far.
            hasChanged = true;
            throw e;
        } finally {
            database.keyspace().changed(found);
        }
    }

    /** Gives a key a value, in place of an expired one or of any; refused if not both key and value fit. */
    KeyEntry put(KeyBytes at, Value value) {
        long bytes = KeyEntry.sizeBytes(at, value);
        if (!fits(bytes, 0)) {
            throw new CommandError(Database.OUT_OF_MEMORY);
        }
        long claimed = Math.min(claimedBytes, bytes);
        claimedBytes -= claimed;
        hasChanged = true;
        KeyEntry made = database.keyspace().put(at, value, claimed);
        isEntryKnown = false;
        putBytes += bytes;
        return made;
    }

    /** Gives the value of an entry, and its time to live, to another key, and removes the first. */
    void rename(KeyEntry from, KeyBytes to) {
        long moreBytes = (long) to.bytes().length - from.key().bytes().length;
        reserve(Math.max(0, moreBytes), 0, Database.OUT_OF_MEMORY);
        hasChanged = true;
        isEntryKnown = false;
        // In this order: memory that is free in between could be claimed by others.
        database.keyspace().put(to, from.value()).expiresAtMillis(from.expiresAtMillis());
        database.keyspace().remove(from.key());
    }

    /** Removes a key, expired or not; returns true if it was there and had not expired. */
    boolean remove(KeyBytes at) {
        boolean isThere = find(at) != null;
        if (database.keyspace().remove(at)) {
            hasChanged = true;
        }
        isEntryKnown = false;
        return isThere;
    }

    /** Says that something has changed that {@link #change}, {@link #put} and {@link #remove} did not see. */
    void changed() {
        hasChanged = true;
    }

    boolean hasChanged() {
        return hasChanged;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
