package dev.perhaps.server.command;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What was counted since the start, or since it was reset. Thread-safe. */
public final class Statistics {
    private static final int MAX_SLOW_WORDS = 32;
    private static final int MAX_SLOW_BYTES = 128;

    /** A command that took long. */
    record Slow(long id, long seconds, long micros, List<byte[]> words, String address, String name) {}

    /** How often a command ran, and how long in all. */
    record PerCommand(LongAdder calls, LongAdder nanos) {}

    private final LongAdder connections = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder commands = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final LongAdder changes = new LongAdder();
    private final LongAdder expirations = new LongAdder();
    private final Map<String, PerCommand> perCommand = new ConcurrentHashMap<>();
    private final Deque<Slow> slow = new ArrayDeque<>();
    private long slowId;

    void connected() {
        connections.increment();
    }

    void refused() {
        refusals.increment();
    }

    /** Counts calls of a command, and their time together. */
    void ran(String command, long calls, long nanos) {
        commands.add(calls);
        PerCommand counts = perCommand.computeIfAbsent(command, c -> new PerCommand(new LongAdder(), new LongAdder()));
        counts.calls.add(calls);
        counts.nanos.add(nanos);
    }

    void failed() {
        errors.increment();
    }

    void changed() {
        changes.increment();
    }

    void expired() {
        expirations.increment();
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

    Map<String, PerCommand> perCommand() {
        return perCommand;
    }

    void reset() {
        connections.reset();
        refusals.reset();
        commands.reset();
        errors.reset();
        expirations.reset();
        perCommand.clear();
    }

    synchronized void slow(long seconds, long micros, byte[][] words, String address, String name, int most) {
        List<byte[]> kept = new ArrayList<>();
        for (byte[] word : words) {
            if (kept.size() == MAX_SLOW_WORDS - 1 && words.length > MAX_SLOW_WORDS) {
                kept.add(Call.bytes("... (" + (words.length - MAX_SLOW_WORDS + 1) + " more arguments)"));
                break;
            }
            kept.add(word.length <= MAX_SLOW_BYTES ? word : java.util.Arrays.copyOf(word, MAX_SLOW_BYTES));
        }
        slow.addFirst(new Slow(slowId++, seconds, micros, kept, address, name));
        while (slow.size() > most) {
            slow.removeLast();
        }
    }

    synchronized List<Slow> slow() {
        return List.copyOf(slow);
    }

    synchronized void resetSlow() {
        slow.clear();
    }
}
