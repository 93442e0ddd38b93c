package dev.perhaps.server.operation;

import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.server.wire.WireNumbers;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code CONFIG} shows and sets. */
public final class ServerSettings {
    /** When the log is synced: one of {@link #FSYNC_WORDS}. */
    public static final String FSYNC = "appendfsync";

    /** A snapshot is written when the log has grown by this much of the last one, in percent; 0: never. */
    public static final String REWRITE_PERCENTAGE = "auto-aof-rewrite-percentage";

    /** No snapshot is written by itself before the log has this many bytes. */
    public static final String REWRITE_MIN_SIZE = "auto-aof-rewrite-min-size";

    /** Before each reply, once per second, or when the system likes. */
    public static final List<String> FSYNC_WORDS = List.of("always", "everysec", "no");

    private final Map<String, Setting> all = new LinkedHashMap<>();
    public final Setting bloomError = add(Setting.rate("bf-error-rate", 0.01, RedisBloom.MAX_ERROR));
    public final Setting bloomCapacity = add(Setting.whole("bf-initial-size", 100, 1, RedisBloom.MAX_CAPACITY));
    public final Setting bloomExpansion = add(Setting.whole("bf-expansion-factor", 2, 0, RedisBloom.MAX_EXPANSION));
    public final Setting cuckooBucketSize = add(Setting.whole("cf-bucket-size", 2, 1, 255));
    /** In a range that depends on {@link #cuckooBucketSize}: {@link #conflict}. */
    public final Setting cuckooCapacity =
            add(Setting.whole("cf-initial-size", 1024, Long.MIN_VALUE / 2, Long.MAX_VALUE / 2));

    public final Setting cuckooIterations = add(Setting.whole("cf-max-iterations", 20, 1, 65_535));
    public final Setting cuckooExpansion = add(Setting.whole("cf-expansion-factor", 1, 0, 32_768));
    public final Setting cuckooMaxExpansions = add(Setting.whole("cf-max-expansions", 32, 1, 65_536));
    public final Setting maxMemory = add(Setting.memory("maxmemory", 0));
    public final Setting maxKeyMemory = add(Setting.memory("max-key-memory", 0));
    public final Setting maxClients = add(Setting.whole("maxclients", 10_000, 1, 1_000_000));
    public final Setting timeout = add(Setting.whole("timeout", 0, 0, Integer.MAX_VALUE));
    public final Setting slowMicros = add(Setting.whole("slowlog-log-slower-than", 10_000, -1, Long.MAX_VALUE / 2));
    public final Setting slowLength = add(Setting.whole("slowlog-max-len", 128, 0, 10_000));

    /** What the keys may take of Java's memory, if nothing else needs much; the rest is for requests, replies and copies. */
    private static final long MAX_KEYS_BYTES = Runtime.getRuntime().maxMemory() / 4 * 3;

    /** What everything that is limited may take of it together: it must also be collected. */
    private static final long MAX_ALL_BYTES = Runtime.getRuntime().maxMemory() / 10 * 9;

    private static final long LEAST_KEYS_BYTES = 1 << 20;
    private static final long MAX_CUCKOO_CAPACITY = 1 << 30;

    /** The settings as they are by default. */
    public ServerSettings() {
        keysBeside(0);
        add(Setting.fixed("databases", "1"));
        add(Setting.fixed("maxmemory-policy", "noeviction"));
        add(Setting.fixed("proto-max-bulk-len", "67108864"));
        add(Setting.fixed("save", ""));
    }

    private Setting add(Setting setting) {
        all.put(setting.name(), setting);
        return setting;
    }

    /**
     * Returns the most memory for keys, in bytes, beside this number of bytes for requests and for what a data directory
     * needs: the start refuses more, and so does {@code CONFIG SET maxmemory}.
     */
    public static long mostKeyBytes(long otherBytes) {
        return Math.max(LEAST_KEYS_BYTES, Math.min(MAX_KEYS_BYTES, MAX_ALL_BYTES - otherBytes));
    }

    /** Limits the memory of all keys to what Java has beside this number of bytes. */
    public final void keysBeside(long otherBytes) {
        maxMemory.atMost(mostKeyBytes(otherBytes));
    }

    /** A setting that does not go with the others, and why. */
    public record Conflict(Setting setting, String problem) {}

    /** Returns what is wrong with settings together, as they would be with these values; null if nothing is. */
    public @Nullable Conflict conflict(Map<Setting, byte[]> values) {
        long bucket = value(cuckooBucketSize, values);
        long items = value(cuckooCapacity, values);
        if (items >= 2 * bucket && items <= MAX_CUCKOO_CAPACITY) {
            return null;
        }
        if (values.containsKey(cuckooCapacity)) {
            return new Conflict(cuckooCapacity, cuckooCapacity.outside(2 * bucket, MAX_CUCKOO_CAPACITY));
        }
        return values.containsKey(cuckooBucketSize)
                ? new Conflict(cuckooBucketSize, cuckooBucketSize.outside(1, items / 2))
                : null;
    }

    private static long value(Setting setting, Map<Setting, byte[]> values) {
        byte[] word = values.get(setting);
        return word == null ? setting.whole() : WireNumbers.integer(word).orElse(0);
    }

    /** Adds what a server has that keeps its changes: when the log is synced, and when a snapshot is written. */
    public void addDurable(String fsync) {
        add(Setting.word(FSYNC, fsync, FSYNC_WORDS));
        add(Setting.whole(REWRITE_PERCENTAGE, 100, 0, 1_000_000));
        add(Setting.memory(REWRITE_MIN_SIZE, 64 << 20));
    }

    /** Shows a text that may not be set. */
    public void show(String name, String text) {
        add(Setting.fixed(name, text));
    }

    /** Sets a number by the name of its setting. */
    public void set(String name, long value) {
        Setting setting = all.get(name);
        byte[] word = Long.toString(value).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        String problem = setting == null ? "there is no setting " + name : setting.problem(word);
        if (setting == null || !problem.isEmpty()) {
            throw new IllegalArgumentException(problem);
        }
        setting.set(word);
    }

    /** Returns the text of a setting. */
    public String text(String name) {
        return existing(name).text();
    }

    /** Returns the number of a setting. */
    public long get(String name) {
        return existing(name).whole();
    }

    private Setting existing(String name) {
        Setting setting = all.get(name);
        if (setting == null) {
            throw new IllegalArgumentException("there is no setting " + name);
        }
        return setting;
    }

    /** Returns all settings, in the order in which they were added. */
    public Collection<Setting> all() {
        return all.values();
    }

    /** Returns a setting, or null. */
    @Nullable
    public Setting named(String name) {
        return all.get(name);
    }
}
