package dev.perhaps.cli.proxy;

import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.proxy.siblings.SiblingDirectory;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/**
 * The siblings that {@code --sibling} names. Their hosts are looked up repeatedly, as the origin's is: one that was restarted may
 * have another address. If a lookup fails, the last address stays. Confined to one thread.
 */
final class ConfiguredSiblings implements SiblingDirectory {
    private static final long LOOK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Map<String, HostPort> siblings;
    private final BiFunction<String, HostPort, InetSocketAddress> check;
    private final LongSupplier nanos;
    private final Map<String, InetSocketAddress> found = new LinkedHashMap<>();
    private long lookedNanos;

    /**
     * Looks all of them up.
     *
     * @param siblings where they are, by name
     * @param check looks up the address of one, and checks that it may be a sibling
     * @throws IllegalArgumentException if one cannot be looked up, or may not be a sibling; the message names it
     */
    ConfiguredSiblings(
            Map<String, HostPort> siblings, BiFunction<String, HostPort, InetSocketAddress> check, LongSupplier nanos) {
        this.siblings = Map.copyOf(siblings);
        this.check = check;
        this.nanos = nanos;
        siblings.forEach((name, at) -> {
            try {
                found.put(name, check.apply(name, at));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("--sibling " + name + "=" + at + ": " + e.getMessage(), e);
            }
        });
        this.lookedNanos = nanos.getAsLong();
    }

    @Override
    public Map<String, InetSocketAddress> siblings() {
        long now = nanos.getAsLong();
        if (now - lookedNanos >= LOOK_EVERY_NANOS) {
            lookedNanos = now;
            siblings.forEach((name, at) -> {
                try {
                    found.put(name, check.apply(name, at));
                } catch (IllegalArgumentException e) {
                    assert found.containsKey(name); // where it was
                }
            });
        }
        return Map.copyOf(found);
    }
}
