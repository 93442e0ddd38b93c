package dev.perhaps.server.operation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters since the start, or since they were reset. Thread-safe. */
public final class Statistics {
    private static final int MAX_SLOW_WORDS = 32;
    private static final int MAX_SLOW_BYTES = 128;

    /** A command that took long. */
    public record Slow(long id, long seconds, long micros, List<byte[]> words, String address, String name) {}

    /** How often a command ran, and how long in all. */
    public record PerCommand(LongAdder calls, LongAdder nanos) {}

    private final LongAdder connections = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder commands = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final LongAdder changes = new LongAdder();
    private final LongAdder expirations = new LongAdder();
    private final LongAdder wrongPasswords = new LongAdder();
    private final Map<String, PerCommand> perCommand = new ConcurrentHashMap<>();
    private final Deque<Slow> slow = new ArrayDeque<>();
    private long slowId;

    /** Counts a connection. */
    public void connected() {
        connections.increment();
    }

    /** Counts a connection that was refused. */
    public void refused() {
        refusals.increment();
    }

    /** Counts calls of a command, and their time together. */
    public void ran(String command, long calls, long nanos) {
        commands.add(calls);
        PerCommand counts = perCommand.computeIfAbsent(command, c -> new PerCommand(new LongAdder(), new LongAdder()));
        counts.calls.add(calls);
        counts.nanos.add(nanos);
    }

    /** Counts a command that was refused. */
    public void failed() {
        errors.increment();
    }

    /** Counts a command that changed something. */
    public void changed() {
        changes.increment();
    }

    /** Counts a key that expired. */
    public void expired() {
        expirations.increment();
    }

    /** Counts a client that gave a wrong user or password. */
    public void hadWrongPassword() {
        wrongPasswords.increment();
    }

    /** Returns how often a client gave a wrong user or password. */
    public long wrongPasswords() {
        return wrongPasswords.sum();
    }

    /** Returns the number of commands that took long, also of those that are no longer kept. */
    public synchronized long slowCommands() {
        return slowId;
    }

    /** Returns the number of connections taken. */
    public long connections() {
        return connections.sum();
    }

    /** Returns the number of connections refused because there were too many. */
    public long refusals() {
        return refusals.sum();
    }

    /** Returns the number of commands run. */
    public long commands() {
        return commands.sum();
    }

    /** Returns the number of commands refused. */
    public long errors() {
        return errors.sum();
    }

    /** Returns the number of commands that changed something. */
    public long changes() {
        return changes.sum();
    }

    /** Returns the number of keys that expired. */
    public long expirations() {
        return expirations.sum();
    }

    /** Returns the counts of each command. */
    public Map<String, PerCommand> perCommand() {
        return perCommand;
    }

    /** Starts again at zero. */
    public void reset() {
        connections.reset();
        refusals.reset();
        commands.reset();
        errors.reset();
        expirations.reset();
        perCommand.clear();
    }

    /** Adds a command that took long, and keeps this many. */
    public synchronized void slow(long seconds, long micros, byte[][] words, String address, String name, int most) {
        List<byte[]> kept = new ArrayList<>();
        for (byte[] word : words) {
            if (kept.size() == MAX_SLOW_WORDS - 1 && words.length > MAX_SLOW_WORDS) {
                kept.add(("... (" + (words.length - MAX_SLOW_WORDS + 1) + " more arguments)")
                        .getBytes(StandardCharsets.UTF_8));
                break;
            }
            kept.add(word.length <= MAX_SLOW_BYTES ? word : java.util.Arrays.copyOf(word, MAX_SLOW_BYTES));
        }
        slow.addFirst(new Slow(slowId++, seconds, micros, kept, address, name));
        while (slow.size() > most) {
            slow.removeLast();
        }
    }

    /** Returns the commands that took long, the newest first. */
    public synchronized List<Slow> slow() {
        return List.copyOf(slow);
    }

    /** Forgets the commands that took long. */
    public synchronized void resetSlow() {
        slow.clear();
    }
}
