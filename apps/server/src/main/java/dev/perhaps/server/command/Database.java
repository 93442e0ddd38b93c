package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.keyspace.KeyBytes;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.wire.ReplyWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands: looks them up, checks words, rights and memory, and takes the locks of their keys. Threads of different
 * connections may run commands at once.
 */
public final class Database {
    /*
     * run      unknown command, number of words, authentication and rights, MULTI: is it queued?
     * execute  locks of the keys (EXEC: of all its commands), expired keys removed, the handler
     *
     * A handler checks everything before it changes anything. If it refuses, what it wrote of a reply is taken back.
     */

    /** The version of Redis whose commands these are. */
    public static final String REDIS_VERSION = "8.0.0";

    /** What the keys may take of Java's memory; the rest is for requests, replies and copies. */
    private static final long HEAP_BYTES = Runtime.getRuntime().maxMemory() / 4 * 3;

    private static final int MAX_SHOWN = 128;

    private final Keyspace keyspace;
    private final ServerSettings settings;
    private final Users users;
    private final Statistics statistics = new Statistics();
    private final CommandTable table = CommandTable.all();
    private final Map<Long, ClientSession> sessions = new ConcurrentHashMap<>();
    private final Map<Long, ClientSession> monitors = new ConcurrentHashMap<>();
    private final LongSupplier clock;
    private volatile Runnable shutdown = () -> {};

    /** A database that reads this clock, in milliseconds since 1970. */
    public Database(Keyspace keyspace, ServerSettings settings, Users users, LongSupplier clock) {
        this.keyspace = keyspace;
        this.settings = settings;
        this.users = users;
        this.clock = clock;
    }

    /** Called by {@code SHUTDOWN}. */
    public void shutdown(Runnable action) {
        shutdown = action;
    }

    Runnable shutdown() {
        return shutdown;
    }

    /** Returns all keys. */
    public Keyspace keyspace() {
        return keyspace;
    }

    /** Returns the settings. */
    public ServerSettings settings() {
        return settings;
    }

    /** Returns what was counted. */
    public Statistics statistics() {
        return statistics;
    }

    Users users() {
        return users;
    }

    CommandTable table() {
        return table;
    }

    Map<Long, ClientSession> sessions() {
        return sessions;
    }

    Map<Long, ClientSession> monitors() {
        return monitors;
    }

    long now() {
        return clock.getAsLong();
    }

    // Clients

    /** Takes a new client; returns false if there are too many. */
    public boolean connect(ClientSession session) {
        if (sessions.size() >= settings.maxClients.whole()) {
            statistics.refused();
            return false;
        }
        sessions.put(session.id(), session);
        statistics.connected();
        if (users.isOpen()) {
            session.user(Users.DEFAULT);
        }
        return true;
    }

    /** Forgets a client. */
    public void disconnect(ClientSession session) {
        sessions.remove(session.id());
        monitors.remove(session.id());
        unwatch(session);
    }

    /** Returns the number of clients. */
    public int clients() {
        return sessions.size();
    }

    // Memory

    /** Refuses with this error if this number of bytes does not fit, in all or in one key. */
    void reserve(long moreBytes, long keyBytes, String error) {
        if (keyBytes > maxKeyBytes() || moreBytes > maxBytes() - keyspace.usedBytes()) {
            throw new CommandError(error);
        }
    }

    /** The most memory that all keys may take: what is set, and never more than Java can give. */
    long maxBytes() {
        long most = settings.maxMemory.whole();
        return most > 0 ? Math.min(most, HEAP_BYTES) : HEAP_BYTES;
    }

    /** The most memory that one key may take. */
    long maxKeyBytes() {
        long most = settings.maxKeyMemory.whole();
        return most > 0 ? Math.min(most, maxBytes()) : maxBytes();
    }

    // Commands

    /** Runs a request of a client and writes its reply. */
    public void run(ClientSession session, byte[][] words) {
        ReplyWriter reply = session.reply();
        int mark = reply.mark();
        try {
            Command command = admitted(session, words);
            if (session.isQueuing() && !command.is(Flag.IMMEDIATE)) {
                if (command.is(Flag.NO_MULTI)) {
                    throw new CommandError("ERR Command not allowed inside a transaction");
                }
                session.queue(words);
                reserve(session.queuedBytes(), 0, OUT_OF_MEMORY);
                reply.simple("QUEUED");
                return;
            }
            long start = System.nanoTime();
            execute(session, command, words);
            took(session, command, words, System.nanoTime() - start);
        } catch (CommandError e) {
            reply.reset(mark);
            reply.error(e.text());
            statistics.failed();
            session.breakQueue();
        }
    }

    static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";

    private Command admitted(ClientSession session, byte[][] words) {
        String name = new String(words[0], StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
        Command command = table.named(name);
        if (command == null) {
            throw new CommandError(unknown(words));
        }
        if (!command.takes(words.length)) {
            throw CommandError.arity(name);
        }
        if (!session.isKnown() && !command.is(Flag.NO_AUTH)) {
            throw new CommandError("NOAUTH Authentication required.");
        }
        users.check(session.user(), command, words);
        session.ran(name, clock.getAsLong());
        if (!monitors.isEmpty() && !command.is(Flag.SECRET)) {
            monitored(session, words);
        }
        return command;
    }

    private static String unknown(byte[][] words) {
        StringBuilder text =
                new StringBuilder("ERR unknown command '" + shown(words[0]) + "', with args beginning with: ");
        for (int i = 1; i < words.length && text.length() < MAX_SHOWN; i++) {
            text.append('\'').append(shown(words[i])).append("' ");
        }
        return text.toString();
    }

    private static String shown(byte[] word) {
        return new String(word, 0, Math.min(word.length, MAX_SHOWN), StandardCharsets.ISO_8859_1);
    }

    private void execute(ClientSession session, Command command, byte[][] words) {
        if (command.is(Flag.UNLOCKED)) {
            command.handler().run(new Call(this, session, command, words));
            return;
        }
        try (Keyspace.Locks locks = lock(command, words, command.is(Flag.WRITE))) {
            runLocked(session, command, words);
        }
    }

    private Keyspace.Locks lock(Command command, byte[][] words, boolean isWriting) {
        return command.is(Flag.ALL_KEYS)
                ? keyspace.lockAll(isWriting)
                : keyspace.lock(stripes(command, words), isWriting);
    }

    private long stripes(Command command, byte[][] words) {
        long set = 0;
        for (int i = 1; i < words.length; i++) {
            if (command.isKey(i, words)) {
                set |= Keyspace.stripesOf(keyspace.key(words[i]));
            }
        }
        return set;
    }

    /** Runs a command whose locks are held. */
    private void runLocked(ClientSession session, Command command, byte[][] words) {
        if (command.is(Flag.WRITE)) {
            removeExpired(command, words);
            if (command.is(Flag.DENYOOM)) {
                reserve(0, 0, OUT_OF_MEMORY);
            }
        }
        Call call = new Call(this, session, command, words);
        try {
            command.handler().run(call);
        } finally {
            if (call.hasChanged()) {
                statistics.changed();
            }
        }
    }

    private void removeExpired(Command command, byte[][] words) {
        long now = now();
        for (int i = 1; i < words.length; i++) {
            if (command.isKey(i, words)) {
                KeyBytes key = keyspace.key(words[i]);
                KeyEntry entry = keyspace.find(key);
                if (entry != null && entry.expiresAtMillis() <= now) {
                    keyspace.remove(key);
                    statistics.expired();
                }
            }
        }
    }

    /** Removes keys that have expired, some at a time; returns how many. */
    public int expire() {
        List<KeyBytes> found = new ArrayList<>();
        long now = now();
        for (long cursor = 0; ; ) {
            cursor = keyspace.scan(cursor, 1_000, entry -> {
                if (entry.expiresAtMillis() <= now) {
                    found.add(entry.key());
                }
            });
            if (cursor == 0 || found.size() >= 10_000) {
                break;
            }
        }
        int removed = 0;
        for (KeyBytes key : found) {
            try (Keyspace.Locks locks = keyspace.lock(Keyspace.stripesOf(key), true)) {
                KeyEntry entry = keyspace.find(key);
                if (entry != null && entry.expiresAtMillis() <= now && keyspace.remove(key)) {
                    statistics.expired();
                    removed++;
                }
            }
        }
        return removed;
    }

    // Transactions

    /** Runs the queued commands at once: with the locks of all their keys. */
    void exec(ClientSession session) {
        ReplyWriter reply = session.reply();
        if (!session.isQueuing()) {
            throw new CommandError("ERR EXEC without MULTI");
        }
        boolean isBroken = session.isBroken();
        List<byte[][]> queued = session.endQueue();
        if (isBroken) {
            unwatch(session);
            throw new CommandError("EXECABORT Transaction discarded because of previous errors.");
        }
        long stripes = 0;
        for (KeyBytes key : session.watched().keySet()) {
            stripes |= Keyspace.stripesOf(key);
        }
        boolean isAll = false;
        for (byte[][] words : queued) {
            Command command = known(words);
            isAll |= command.is(Flag.ALL_KEYS);
            stripes |= stripes(command, words);
        }
        try (Keyspace.Locks locks = isAll ? keyspace.lockAll(true) : keyspace.lock(stripes, true)) {
            unwatchLocked(session);
            if (session.isDirty()) {
                session.isDirty(false);
                reply.nilArray();
                return;
            }
            reply.array(queued.size());
            for (byte[][] words : queued) {
                int mark = reply.mark();
                try {
                    runLocked(session, known(words), words);
                } catch (CommandError e) {
                    reply.reset(mark);
                    reply.error(e.text());
                }
            }
        }
    }

    private Command known(byte[][] words) {
        Command command = table.named(new String(words[0], StandardCharsets.UTF_8).toLowerCase(Locale.ROOT));
        if (command == null) {
            throw new CommandError(unknown(words));
        }
        return command;
    }

    void watch(ClientSession session, KeyBytes key) {
        if (session.watched().containsKey(key)) {
            return;
        }
        Runnable watcher = () -> session.isDirty(true);
        session.watched().put(key, watcher);
        try (Keyspace.Locks locks = keyspace.lock(Keyspace.stripesOf(key), true)) {
            keyspace.watch(key, watcher);
        }
    }

    /** Forgets what a session watches. */
    void unwatch(ClientSession session) {
        for (KeyBytes key : List.copyOf(session.watched().keySet())) {
            try (Keyspace.Locks locks = keyspace.lock(Keyspace.stripesOf(key), true)) {
                Runnable watcher = session.watched().remove(key);
                if (watcher != null) {
                    keyspace.unwatch(key, watcher);
                }
            }
        }
        session.isDirty(false);
    }

    private void unwatchLocked(ClientSession session) {
        session.watched().forEach(keyspace::unwatch);
        session.watched().clear();
    }

    // Watching

    private void took(ClientSession session, Command command, byte[][] words, long nanos) {
        statistics.ran(command.name(), nanos);
        long most = settings.slowMicros.whole();
        if (most >= 0 && nanos / 1_000 > most) {
            byte[][] shown = command.is(Flag.SECRET) ? new byte[][] {words[0], Call.bytes("(redacted)")} : words;
            statistics.slow(clock.getAsLong() / 1_000, nanos / 1_000, shown, session.address(), session.name(), (int)
                    settings.slowLength.whole());
        }
    }

    private void monitored(ClientSession session, byte[][] words) {
        long micros = clock.getAsLong() * 1_000;
        StringBuilder line = new StringBuilder();
        line.append(String.format(
                Locale.ROOT, "%d.%06d [0 %s]", micros / 1_000_000, micros % 1_000_000, session.address()));
        for (byte[] word : words) {
            line.append(' ').append(quoted(word));
            if (line.length() > 64 * 1024) {
                line.append(" ...");
                break;
            }
        }
        String text = line.toString();
        monitors.values().forEach(monitor -> monitor.connection().send(text));
    }

    private static String quoted(byte[] word) {
        StringBuilder text = new StringBuilder("\"");
        for (byte b : word) {
            if (b == '"' || b == '\\') {
                text.append('\\').append((char) b);
            } else if (b >= 32 && b < 127) {
                text.append((char) b);
            } else {
                text.append(String.format("\\x%02x", b));
            }
            if (text.length() > 1_024) {
                return text.append("...\"").toString();
            }
        }
        return text.append('"').toString();
    }

    @Nullable
    ClientSession session(long id) {
        return sessions.get(id);
    }
}
