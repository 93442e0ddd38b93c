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
    private long putBytes;
    private boolean hasChanged;

    /**
     * A call at this time. {@code key} is that of its second word, if it is the only one, or null; {@code memory} is what it may
     * take, or null: as much as there is when it first asks.
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

    /** What it may take: looked up once, so that a call that is replayed from the log finds the same. */
    private Change.Memory memory() {
        Change.Memory own = memory;
        if (own == null) {
            own = database.memory(putBytes);
            memory = own;
        }
        return own;
    }

    /** Refuses with this error if this number of bytes does not fit, in all or in one key. */
    void reserve(long moreBytes, long keyBytes, String error) {
        if (keyBytes > memory().maxKeyBytes() || moreBytes > memory().freeBytes() - putBytes) {
            throw new CommandError(error);
        }
    }

    /** The most memory that a value which is loaded may take. */
    long mostBytes() {
        return Math.min(Math.max(0, memory().freeBytes() - putBytes), memory().maxKeyBytes());
    }

    /** The most memory that a value may grow to which takes this many bytes now. */
    long mostBytes(long nowBytes) {
        return Math.min(nowBytes + Math.max(0, memory().freeBytes() - putBytes), memory().maxKeyBytes());
    }

    /** What the log needs to run this call again. */
    Change change() {
        return new Change(logged == null ? words : logged, memory);
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
        } finally {
            database.keyspace().changed(found);
        }
    }

    /** Gives a key a value, in place of an expired one or of any. */
    KeyEntry put(KeyBytes at, Value value) {
        hasChanged = true;
        KeyEntry made = database.keyspace().put(at, value);
        isEntryKnown = false;
        putBytes += made.sizeBytes();
        return made;
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
