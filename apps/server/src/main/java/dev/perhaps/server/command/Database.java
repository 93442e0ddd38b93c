package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.keyspace.KeyBytes;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.operation.Failures;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.server.operation.Setting;
import dev.perhaps.server.operation.Statistics;
import dev.perhaps.server.wire.ReplyTooLarge;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.web.OutOfMemoryGuard;
import dev.perhaps.web.StrangerLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands: looks them up, checks arguments, rights and memory, and takes the locks of their keys. Threads of
 * different connections may run commands at once.
 */
public final class Database {
    /*
     * begin    the requests that were read at once: the clock is read for all of them, and again when half a millisecond is over
     * run      unknown command, number of words, authentication and rights, MULTI: is it queued?
     * execute  locks of the keys (EXEC: of all its commands), expired keys removed, the handler, the record for the log
     * end      calls of one command in a row are counted together
     *
     * Most commands have one key and take one path of their own (`one`); those that only look something up read without a lock,
     * and run again with one if the key was changed meanwhile.
     *
     * A handler checks everything before it changes anything. If it refuses, what it wrote of a reply is taken back.
     *
     * The log has commands, not their effects: what a handler does may depend on its words, its keys, the settings, the seed,
     * Call.now and Call.reserve, and on nothing else. Then a command that is replayed does what it did. A change of the settings
     * is in the log too, and so is the removal of a key that has expired, as a DEL.
     */

    /** The version of Redis whose commands these are. */
    public static final String REDIS_VERSION = "8.0.0";

    static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";
    private static final long CLOCK_NANOS = 500_000;

    private static final Change.Memory UNLIMITED = new Change.Memory(1L << 60, 1L << 60);
    private static final byte[] CONFIG = Call.bytes("CONFIG");
    private static final byte[] SET = Call.bytes("SET");
    private static final byte[] DEL = Call.bytes("DEL");

    private final Keyspace keyspace;
    private final ServerSettings settings;
    private final Users users;
    private final Statistics statistics = new Statistics();
    private final CommandTable table = CommandTable.all();
    private final Map<Long, ClientSession> sessions = new ConcurrentHashMap<>();
    private final CommandMonitor monitor = new CommandMonitor();
    private final Failures failures = new Failures();
    private final MemoryBudget memory;
    private final Transactions transactions;
    private final ExpiryTask expiry;
    private final LongSupplier clock;
    private final long seed;
    private volatile StrangerLog strangers = new StrangerLog(line -> {});
    private volatile Runnable shutdown = () -> {};
    private volatile @Nullable Durability durability;
    private boolean isReplaying;
    private volatile @Nullable Path files;

    /**
     * A database that reads this clock, in milliseconds since 1970, and hashes the items of structures of its own with this
     * seed.
     */
    public Database(Keyspace keyspace, ServerSettings settings, Users users, LongSupplier clock, long seed) {
        this.keyspace = keyspace;
        this.settings = settings;
        this.users = users;
        this.clock = clock;
        this.seed = seed;
        this.memory = new MemoryBudget(keyspace, settings);
        this.transactions = new Transactions(this);
        this.expiry = new ExpiryTask(this);
    }

    /** Tells this, with a stack trace, when a command fails by an error of this program. */
    public void complaints(Consumer<String> listener) {
        failures.tell(listener);
        strangers = new StrangerLog(listener);
    }

    /** Logs an event that clients can cause at will, at a limited rate. */
    public void stranger(String line) {
        strangers.accept(line);
    }

    /** Tells how many lines of {@link #stranger} were left out; called now and then. */
    public void flushStrangers() {
        strangers.flush();
    }

    /** A client at this address gave a wrong password for this user. */
    void wrongPassword(ClientSession session, String user) {
        statistics.hadWrongPassword();
        stranger("wrong user or password of " + session.address() + " for the user '" + user + "'");
    }

    /** Keeps all changes from now on; without this they are in memory only. */
    public void durability(Durability log) {
        durability = log;
        logSettings(settings.all());
    }

    /** Where changes are kept, or null if they are in memory only. */
    public @Nullable Durability durability() {
        return durability;
    }

    /** Returns null if replies may be sent to a client whose last record is this one (0: none), or else what to wait for. */
    public @Nullable CompletableFuture<Void> beforeReply(long number) {
        Durability log = durability;
        return log == null ? null : log.beforeReply(number);
    }

    /** Returns true if this record of the log would survive a crash. */
    public boolean isDurable(long number) {
        Durability log = durability;
        return log != null && log.isDurable(number);
    }

    /** The seed of structures whose bytes are ours: one per data directory, which no client knows. */
    long seed() {
        return seed;
    }

    /** Lets {@code PERHAPS.LOAD} and {@code PERHAPS.SAVE} use the files in this folder, which need not exist yet. */
    public void files(Path folder) {
        files = folder;
    }

    @Nullable
    Path files() {
        return files;
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

    CommandMonitor monitor() {
        return monitor;
    }

    MemoryBudget memory() {
        return memory;
    }

    Transactions transactions() {
        return transactions;
    }

    // Clients

    /** Takes a new client; returns false if there are too many. */
    public boolean connect(ClientSession session) {
        if (sessions.size() >= settings.maxClients.whole() && !dropStranger()) {
            statistics.refused();
            stranger("a client at " + session.address() + " was refused: there are " + settings.maxClients.whole()
                    + " clients already (maxclients)");
            return false;
        }
        if (users.isOpen()) {
            session.user(Users.DEFAULT);
        }
        sessions.put(session.id(), session);
        statistics.connected();
        return true;
    }

    /** Closes the oldest client that has not authenticated, so that strangers cannot keep others away; false if there is none. */
    private boolean dropStranger() {
        ClientSession oldest = null;
        for (ClientSession each : sessions.values()) {
            if (!each.isKnown() && (oldest == null || each.id() < oldest.id())) {
                oldest = each;
            }
        }
        if (oldest == null || sessions.remove(oldest.id()) == null) {
            return false;
        }
        statistics.refused();
        oldest.connection().kill();
        return true;
    }

    /** Forgets a client. */
    public void disconnect(ClientSession session) {
        sessions.remove(session.id());
        monitor.remove(session);
        transactions.unwatch(session);
    }

    /** Returns the number of clients. */
    public int clients() {
        return sessions.size();
    }

    // Commands

    /** Begins to run requests of a client that were read at once; {@link #end} ends it. */
    public void begin(ClientSession session) {
        session.isRunning(true);
        session.startNanos(System.nanoTime());
        session.readClock(clock.getAsLong());
    }

    /** Ends what {@link #begin} began. */
    public void end(ClientSession session) {
        session.isRunning(false);
        count(session);
    }

    /** Runs a request of a client and writes its reply. */
    public void run(ClientSession session, byte[][] words) {
        if (session.isRunning()) {
            runOne(session, words);
            return;
        }
        begin(session);
        try {
            runOne(session, words);
        } finally {
            end(session);
        }
    }

    private void runOne(ClientSession session, byte[][] words) {
        ReplyWriter reply = session.reply();
        int mark = reply.mark();
        long logged = session.logged();
        session.beginSteps();
        try {
            Command command = admitted(session, words);
            if (session.isQueuing() && !command.is(Flag.IMMEDIATE)) {
                transactions.queue(session, command, words);
                return;
            }
            if (session.counted() != command) {
                count(session);
                session.counted(command);
            }
            execute(session, command, words);
            took(session, command, words);
        } catch (CommandError e) {
            refused(session, mark, e.text());
        } catch (ReplyTooLarge e) {
            refused(session, mark, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // Locks and claims were given back on the way here; what was changed is in the log.
            refused(session, mark, failures.add(session.lastCommand(), e));
        }
        if (session.logged() != logged) {
            session.addLoggedReply(mark, reply.mark());
        }
    }

    private void refused(ClientSession session, int mark, String error) {
        session.startNanos(System.nanoTime());
        session.reply().reset(mark);
        session.reply().error(error);
        statistics.failed();
        session.breakQueue();
    }

    private Command admitted(ClientSession session, byte[][] words) {
        Command command = known(words);
        if (!command.takes(words.length)) {
            throw CommandError.arity(command.name());
        }
        if (!session.isKnown() && !command.is(Flag.NO_AUTH)) {
            throw new CommandError("NOAUTH Authentication required.");
        }
        long steps = users.check(session.user(), command, words);
        if (steps > 0) {
            session.charge(steps);
        }
        if (session.clockAgeNanos() > CLOCK_NANOS) {
            session.readClock(clock.getAsLong());
        }
        session.ran(command.name());
        if (!monitor.isEmpty() && !command.is(Flag.SECRET)) {
            monitor.show(session, words, clock.getAsLong());
        }
        return command;
    }

    private void execute(ClientSession session, Command command, byte[][] words) {
        boolean isWriting = command.is(Flag.WRITE);
        if (command.is(Flag.UNLOCKED) || command.hasNoKey() && !isWriting && !command.is(Flag.ALL_KEYS)) {
            handle(new Call(this, session, command, words, session.nowMillis(), null, null));
            return;
        }
        if (isWriting) {
            refuseIfNotDurable();
        }
        if (command.hasOneKey() && !command.is(Flag.ALL_KEYS)) {
            KeyBytes key = keyspace.key(words[1]);
            if (isWriting) {
                write(session, command, words, key);
            } else {
                read(session, command, words, key);
            }
            return;
        }
        try (Keyspace.Locks locks = lock(command, words, isWriting)) {
            long now = readClock(session);
            List<Change> changes = new ArrayList<>(1);
            try {
                runLocked(session, command, words, now, changes);
            } finally {
                log(session, now, changes);
            }
        }
    }

    private void read(ClientSession session, Command command, byte[][] words, KeyBytes key) {
        if (command.is(Flag.OPTIMISTIC) && readOptimistically(session, command, words, key)) {
            return;
        }
        long stamp = keyspace.lockReading(key);
        try {
            handle(new Call(this, session, command, words, session.nowMillis(), key, null));
        } finally {
            keyspace.unlockReading(key, stamp);
        }
    }

    /** Runs a command that only looks something up; returns false, and has replied nothing, if its key was changed meanwhile. */
    private boolean readOptimistically(ClientSession session, Command command, byte[][] words, KeyBytes key) {
        long stamp = keyspace.optimistic(key);
        if (stamp == 0) {
            return false;
        }
        int mark = session.reply().mark();
        try {
            handle(new Call(this, session, command, words, session.nowMillis(), key, null));
        } catch (RuntimeException e) {
            // A structure that is being changed may be in any state, and reading it may fail in any way.
            if (keyspace.isUnchanged(key, stamp)) {
                throw e;
            }
        }
        if (keyspace.isUnchanged(key, stamp)) {
            return true;
        }
        session.reply().reset(mark);
        return false;
    }

    private void write(ClientSession session, Command command, byte[][] words, KeyBytes key) {
        long stamp = keyspace.tryLockWriting(key);
        if (stamp == 0) {
            stamp = keyspace.lockWriting(key);
            session.readClock(clock.getAsLong());
        }
        long now = session.nowMillis();
        try {
            List<Change> changes = durability == null ? List.of() : new ArrayList<>(1);
            try {
                KeyEntry entry = keyspace.find(key);
                if (entry != null) {
                    keyspace.beforeChange(entry);
                    entry = removeExpired(entry, now, changes) ? null : entry;
                }
                if (command.is(Flag.DENYOOM)) {
                    memory.refuseIfFull(0);
                }
                Call call = new Call(this, session, command, words, now, key, null);
                call.known(entry);
                handle(call, changes);
            } finally {
                log(session, now, changes);
            }
        } finally {
            keyspace.unlockWriting(key, stamp);
        }
    }

    private static void handle(Call call) {
        try {
            call.command().handler().run(call);
        } finally {
            call.settle();
        }
    }

    private void handle(Call call, List<Change> changes) {
        try {
            handle(call);
        } finally {
            if (call.hasChanged()) {
                statistics.changed();
                if (durability != null) {
                    changes.add(call.change());
                }
            }
        }
    }

    /** Returns why nothing may be changed now, or null. */
    public @Nullable String problem() {
        Durability log = durability;
        return log == null ? null : log.problem();
    }

    void refuseIfNotDurable() {
        String problem = problem();
        if (problem != null) {
            throw new CommandError(problem);
        }
    }

    /** Reads the clock after the locks were taken: a command that waited for them may not see what has expired meanwhile. */
    long readClock(ClientSession session) {
        session.readClock(clock.getAsLong());
        return session.nowMillis();
    }

    /** Tells of a command that has failed by an error of this program; returns the error for its client. */
    String failed(Command command, RuntimeException cause) {
        return failures.add(command.name(), cause);
    }

    /** Tells of something else that has failed by an error of this program. */
    public void failed(String what, Throwable cause) {
        failures.add(what, cause);
    }

    /** Hands over what has changed, while the locks of its keys are held. */
    void log(@Nullable ClientSession session, long now, List<Change> changes) {
        Durability log = durability;
        if (log != null && !changes.isEmpty()) {
            long number = log.append(now, changes);
            if (session != null) {
                session.logged(number);
            }
        }
    }

    /** Changes settings; the log must know them in the order in which commands have used them. */
    void change(List<Setting> changed, Runnable change) {
        if (isReplaying) {
            change.run();
            return;
        }
        refuseIfNotDurable();
        try (Keyspace.Locks locks = keyspace.lockAll(true)) {
            change.run();
            logSettings(changed);
        }
    }

    private void logSettings(Collection<Setting> changed) {
        log(null, clock.getAsLong(), commands(changed));
    }

    private static List<Change> commands(Collection<Setting> some) {
        List<Change> changes = new ArrayList<>();
        for (Setting setting : some) {
            if (!setting.isFixed()) {
                changes.add(Change.of(CONFIG, SET, Call.bytes(setting.name()), Call.bytes(setting.text())));
            }
        }
        return changes;
    }

    /** Returns commands that set all settings as they are: a new log begins with them. */
    public List<Change> settingsAsChanges() {
        return commands(settings.all());
    }

    private Keyspace.Locks lock(Command command, byte[][] words, boolean isWriting) {
        return command.is(Flag.ALL_KEYS)
                ? keyspace.lockAll(isWriting)
                : keyspace.lock(stripes(command, words), isWriting);
    }

    long stripes(Command command, byte[][] words) {
        long set = 0;
        for (int i = 1; i < words.length; i++) {
            if (command.isKey(i, words)) {
                set |= Keyspace.stripesOf(keyspace.key(words[i]));
            }
        }
        return set;
    }

    /** Runs a command whose locks are held; adds what it has changed. */
    void runLocked(ClientSession session, Command command, byte[][] words, long now, List<Change> changes) {
        if (command.is(Flag.WRITE)) {
            prepare(command, words, now, changes);
            if (command.is(Flag.DENYOOM)) {
                memory.refuseIfFull(0);
            }
        }
        handle(new Call(this, session, command, words, now, null, null), changes);
    }

    /** Before a command changes keys: those that have expired are removed, and a snapshot that is being written keeps them. */
    private void prepare(Command command, byte[][] words, long now, List<Change> changes) {
        for (int i = 1; i < words.length; i++) {
            if (command.isKey(i, words)) {
                KeyEntry entry = keyspace.find(keyspace.key(words[i]));
                if (entry != null) {
                    keyspace.beforeChange(entry);
                    removeExpired(entry, now, changes);
                }
            }
        }
    }

    boolean removeExpired(KeyEntry entry, long now, List<Change> changes) {
        if (entry.expiresAtMillis() > now) {
            return false;
        }
        keyspace.remove(entry.key());
        statistics.expired();
        if (durability != null) {
            changes.add(Change.of(DEL, entry.key().bytes()));
        }
        return true;
    }

    /** Removes keys that have expired, some at a time: continues where it ended the last time; returns how many. */
    public int expire() {
        return expiry.run(clock.getAsLong());
    }

    /** Returns the number of keys that are to expire, as it was when all keys were looked at last: within a minute. */
    long expiring() {
        return expiry.expiring();
    }

    // What is read from the log

    /**
     * Runs what the log has of one record; nobody else uses the database meanwhile, and the caller may hold all locks.
     *
     * @throws FormatException if a command changes nothing now: what was acknowledged would be lost at the next snapshot
     */
    public void replay(ClientSession session, long nowMillis, List<Change> changes) throws FormatException {
        isReplaying = true;
        for (Change change : changes) {
            Command command = table.named(change.words()[0]);
            if (command == null || !command.takes(change.words().length)) {
                throw new FormatException(
                        "the log has a command that is not known, '" + CommandError.shown(change.words()[0])
                                + "': it was written by a newer version, or is damaged");
            }
            session.reply().reset(0);
            session.beginSteps();
            Change.Memory memoryThen = change.memory() == null ? UNLIMITED : change.memory();
            Call call = new Call(this, session, command, change.words(), nowMillis, null, memoryThen);
            try {
                handle(call);
            } catch (CommandError e) {
                // A command may have changed something and then refused the rest: so it does again.
                refuseIfLost(call, e.text());
            } catch (RuntimeException | Error e) {
                OutOfMemoryGuard.check(e);
                // So did the command when it ran first.
                failures.add(command.name(), e);
                refuseIfLost(call, e.toString());
            }
        }
    }

    /** Only commands that changed something are in the log: one that fails now, and changes nothing, is lost. */
    private void refuseIfLost(Call call, String problem) throws FormatException {
        statistics.failed();
        if (!call.hasChanged()) {
            throw new FormatException("the log has a '" + call.command().name()
                    + "' that changed keys when it ran first and fails now (" + CommandError.shown(Call.bytes(problem))
                    + "): start the version of the server that wrote it");
        }
    }

    Command known(byte[][] words) {
        Command command = table.named(words[0]);
        if (command == null) {
            throw CommandError.unknown(words);
        }
        return command;
    }

    // Watching

    /** Returns the families of commands, in the order of their names. */
    public Collection<String> families() {
        Set<String> families = new TreeSet<>();
        table.commands().forEach(command -> families.add(command.group()));
        return families;
    }

    /** Returns the number of commands of a family that were run. */
    public long commandsOf(String family) {
        long sum = 0;
        for (Map.Entry<String, Statistics.PerCommand> each :
                statistics.perCommand().entrySet()) {
            Command command = table.named(each.getKey());
            if (command != null && command.group().equals(family)) {
                sum += each.getValue().calls().sum();
            }
        }
        return sum;
    }

    /** Returns the most memory that all keys may take, in bytes. */
    public long maxKeysBytes() {
        return memory.maxBytes();
    }

    /** Counts what the session has noted of one command. */
    private void count(ClientSession session) {
        Command counted = session.counted();
        if (counted != null && session.countedCalls() > 0) {
            statistics.ran(counted.name(), session.countedCalls(), session.countedNanos());
            session.counted(null);
        }
    }

    private void took(ClientSession session, Command command, byte[][] words) {
        long end = System.nanoTime();
        long nanos = end - session.startNanos();
        session.startNanos(end);
        session.count(nanos);
        long most = settings.slowMicros.whole();
        if (most >= 0 && nanos / 1_000 > most) {
            byte[][] shown = command.is(Flag.SECRET) ? new byte[][] {words[0], Call.bytes("(redacted)")} : words;
            statistics.slow(clock.getAsLong() / 1_000, nanos / 1_000, shown, session.address(), session.name(), (int)
                    settings.slowLength.whole());
        }
    }

    @Nullable
    ClientSession session(long id) {
        return sessions.get(id);
    }
}
