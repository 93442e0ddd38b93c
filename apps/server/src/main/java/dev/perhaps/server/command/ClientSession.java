package dev.perhaps.server.command;

import dev.perhaps.server.keyspace.KeyBytes;
import dev.perhaps.server.wire.ReplyWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The state of one client. Used by the thread of its connection, except for volatile fields. */
public final class ClientSession {
    /** What a session needs of its connection. */
    public interface Connection {
        /** Closes it when the replies so far are sent. */
        void closeAfterReplies();

        /** Closes it now; may be called by any thread. */
        void kill();

        /** Sends a reply of a monitor; may be called by any thread. */
        void send(String line);
    }

    private final long id;
    private final String address;
    private final String localAddress;
    private final long startMillis;
    private final Connection connection;
    private final ReplyWriter reply;
    private volatile String name = "";
    private volatile String library = "";
    private volatile String libraryVersion = "";
    private volatile String user = "";
    private volatile String lastCommand = "NULL";
    private volatile long lastMillis;
    private volatile int version = 2;
    private volatile boolean isDirty;
    private boolean isMonitor;

    // What runs now: a batch of requests that were read at once. See Database.begin.
    private boolean isRunning;
    private long nowMillis;
    private long clockNanos;
    private long startNanos;
    private @Nullable Command counted;
    private long countedCalls;
    private long countedNanos;

    // What was written to the log, and a command whose reply comes later.
    private final List<LoggedReply> loggedReplies = new ArrayList<>();
    private long logged;
    private @Nullable LateReply late;

    // What the request that runs has taken so far, in steps.
    private static final long MAX_STEPS = 1L << 30;
    private long steps;
    private boolean isInTransaction;

    // A transaction: null where there is none.
    private final List<byte[][]> queued = new ArrayList<>();
    private boolean isQueuing;
    private boolean isBroken;
    private long queuedBytes;
    private final Map<KeyBytes, Runnable> watched = new LinkedHashMap<>();
    private long watchedBytes;

    /** A session of a new connection. */
    public ClientSession(
            long id, String address, String localAddress, long nowMillis, Connection connection, ReplyWriter reply) {
        this.id = id;
        this.address = address;
        this.localAddress = localAddress;
        this.startMillis = nowMillis;
        this.lastMillis = nowMillis;
        this.connection = connection;
        this.reply = reply;
    }

    /** A reply about a change: the number of its record in the log, and where the reply begins and ends. */
    public record LoggedReply(long number, int start, int end) {}

    /** A reply that is written when something else is done. */
    public record LateReply(CompletableFuture<Void> done, Consumer<@Nullable Throwable> reply) {}

    /** The last record that a command of this client has made, or 0. */
    long logged() {
        return logged;
    }

    void logged(long number) {
        logged = number;
    }

    void addLoggedReply(int start, int end) {
        loggedReplies.add(new LoggedReply(logged, start, end));
    }

    /** Returns the replies about changes since this was last asked. */
    public List<LoggedReply> takeLoggedReplies() {
        if (loggedReplies.isEmpty()) {
            return List.of();
        }
        List<LoggedReply> all = List.copyOf(loggedReplies);
        loggedReplies.clear();
        return all;
    }

    /** Runs this to write the reply, on the thread of the connection, when that is done; no command runs before. */
    void replyAfter(CompletableFuture<Void> done, Consumer<@Nullable Throwable> write) {
        late = new LateReply(done, write);
    }

    /** Returns the reply that is to be waited for, or null. */
    public @Nullable LateReply late() {
        return late;
    }

    /** Forgets the reply that was to be waited for. */
    public void endLate() {
        late = null;
    }

    /** Returns true if the client may send more than a few words. */
    public boolean isKnown() {
        return !user.isEmpty();
    }

    long id() {
        return id;
    }

    String address() {
        return address;
    }

    String localAddress() {
        return localAddress;
    }

    Connection connection() {
        return connection;
    }

    ReplyWriter reply() {
        return reply;
    }

    String name() {
        return name;
    }

    void name(String text) {
        name = text;
    }

    void library(String text) {
        library = text;
    }

    void libraryVersion(String text) {
        libraryVersion = text;
    }

    String user() {
        return user;
    }

    void user(String text) {
        user = text;
    }

    void version(int number) {
        version = number;
        reply.version(number);
    }

    /** Notes the last command. A write that others must see costs more than to look whether it is needed. */
    void ran(String command) {
        if (!lastCommand.equals(command)) {
            lastCommand = command;
        }
        if (lastMillis != nowMillis) {
            lastMillis = nowMillis;
        }
    }

    String lastCommand() {
        return lastCommand;
    }

    // The time of a batch

    boolean isRunning() {
        return isRunning;
    }

    void isRunning(boolean does) {
        isRunning = does;
    }

    /** The time of the command that runs, in milliseconds since 1970. */
    long nowMillis() {
        return nowMillis;
    }

    /** Returns when the command that runs began, or the one before it ended, as {@link System#nanoTime} has it. */
    public long startNanos() {
        return startNanos;
    }

    void startNanos(long nanos) {
        startNanos = nanos;
    }

    /** How long ago the clock was read. */
    long clockAgeNanos() {
        return startNanos - clockNanos;
    }

    void readClock(long millis) {
        nowMillis = millis;
        clockNanos = startNanos;
    }

    /** The command whose calls are counted here until another one comes, or null. */
    @Nullable
    Command counted() {
        return counted;
    }

    void counted(@Nullable Command command) {
        counted = command;
        countedCalls = 0;
        countedNanos = 0;
    }

    void count(long nanos) {
        countedCalls++;
        countedNanos += nanos;
    }

    long countedCalls() {
        return countedCalls;
    }

    long countedNanos() {
        return countedNanos;
    }

    /** Begins to count the steps of a request. */
    void beginSteps() {
        steps = 0;
    }

    /** Counts steps that a command is about to take; refuses those that are too many for one transaction. */
    void charge(long more) {
        if (isInTransaction && more > MAX_STEPS - steps) {
            throw new CommandError("ERR the commands of a transaction may take " + MAX_STEPS
                    + " steps together: send fewer of them per transaction");
        }
        steps = Math.min(MAX_STEPS, steps + Math.min(more, MAX_STEPS));
    }

    /** Says whether the commands that run now were queued. */
    void isInTransaction(boolean is) {
        isInTransaction = is;
    }

    /** Returns true if the client sees every command, after MONITOR: it has nothing to send. */
    public boolean isMonitor() {
        return isMonitor;
    }

    void isMonitor(boolean on) {
        isMonitor = on;
    }

    boolean isQueuing() {
        return isQueuing;
    }

    void beginQueue() {
        isQueuing = true;
    }

    void queue(byte[][] words) {
        for (byte[] word : words) {
            queuedBytes += 32 + word.length;
        }
        queued.add(words);
    }

    /** Returns the memory of the commands that wait for EXEC, in bytes. */
    public long queuedBytes() {
        return queuedBytes;
    }

    void breakQueue() {
        isBroken |= isQueuing;
    }

    boolean isBroken() {
        return isBroken;
    }

    List<byte[][]> endQueue() {
        List<byte[][]> all = List.copyOf(queued);
        queued.clear();
        queuedBytes = 0;
        isQueuing = false;
        isBroken = false;
        return all;
    }

    Map<KeyBytes, Runnable> watched() {
        return watched;
    }

    /** Returns the memory of the keys that are watched, in bytes. */
    public long watchedBytes() {
        return watchedBytes;
    }

    void watchedBytes(long bytes) {
        watchedBytes = bytes;
    }

    boolean isDirty() {
        return isDirty;
    }

    void isDirty(boolean changed) {
        isDirty = changed;
    }

    /** The line of {@code CLIENT LIST}. */
    String line(long nowMillis) {
        return "id=" + id + " addr=" + address + " laddr=" + localAddress + " fd=-1 name=" + name + " age="
                + (nowMillis - startMillis) / 1000 + " idle=" + (nowMillis - lastMillis) / 1000 + " flags="
                + (isMonitor ? "O" : isQueuing ? "x" : "N") + " db=0 sub=0 psub=0 ssub=0 multi="
                + (isQueuing ? queued.size() : -1) + " watch=" + watched.size()
                + " qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=" + queuedBytes
                + " rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=0 events=r cmd=" + lastCommand + " user=" + user
                + " redir=-1 resp=" + version + " lib-name=" + library + " lib-ver=" + libraryVersion;
    }
}
