package dev.perhaps.chord.wire;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of incoming connections. Strangers, which have not proved yet that they know a secret, never take the
 * places of those which have. Everything happens on the event loop.
 */
public final class Admission<G> {
    /*
     * A stranger always gets in: if there are too many, of all or of its address, the one that has been silent for longest
     * goes. Who is honest needs a few milliseconds, and is no longer a stranger. Each use of those who are known has places of
     * its own, so that commands do not shut out peers, nor the other way round.
     */
    static final int MAX_STRANGERS = 1_024;
    static final int MAX_STRANGERS_PER_ADDRESS = 512;
    static final int MAX_COMMANDS_PER_ADDRESS = 512;

    private static final Map<Session.Use, Integer> MAX_KNOWN = new EnumMap<>(
            Map.of(Session.Use.MESSAGES, 1_024, Session.Use.PEER_CALLS, 4_096, Session.Use.COMMANDS, 1_024));

    private record Known(String address, Session.Use use) {}

    private final Map<G, String> strangers = new LinkedHashMap<>();
    private final Map<String, Integer> strangersByAddress = new HashMap<>();
    private final Map<G, Known> known = new HashMap<>();
    private final Map<Session.Use, Integer> byUse = new EnumMap<>(Session.Use.class);
    private final Map<String, Integer> commandsByAddress = new HashMap<>();

    /** Adds a new connection from this address. Returns the one to close for it, if there are too many. */
    @Nullable
    G arrived(G guest, String address) {
        G oldest = null;
        if (strangersByAddress.getOrDefault(address, 0) >= MAX_STRANGERS_PER_ADDRESS) {
            oldest = oldestFrom(address);
        } else if (strangers.size() >= MAX_STRANGERS) {
            oldest = strangers.keySet().iterator().next();
        }
        if (oldest != null) {
            left(oldest);
        }
        strangers.put(guest, address);
        strangersByAddress.merge(address, 1, Integer::sum);
        return oldest;
    }

    private @Nullable G oldestFrom(String address) {
        Iterator<Map.Entry<G, String>> all = strangers.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<G, String> each = all.next();
            if (each.getValue().equals(address)) {
                return each.getKey();
            }
        }
        return null;
    }

    /** Admits a connection that has proved its identity. Returns false if there are too many of its kind. */
    boolean admits(G guest, Session.Use use) {
        String address = strangers.get(guest);
        if (address == null) {
            return false;
        }
        left(guest);
        boolean isCommand = use == Session.Use.COMMANDS;
        if (byUse.getOrDefault(use, 0) >= MAX_KNOWN.getOrDefault(use, 0)
                || isCommand && commandsByAddress.getOrDefault(address, 0) >= MAX_COMMANDS_PER_ADDRESS) {
            return false;
        }
        known.put(guest, new Known(address, use));
        byUse.merge(use, 1, Integer::sum);
        if (isCommand) {
            commandsByAddress.merge(address, 1, Integer::sum);
        }
        return true;
    }

    /** Removes a closed connection; a second call has no effect. */
    void left(G guest) {
        String address = strangers.remove(guest);
        if (address != null) {
            decrease(strangersByAddress, address);
        }
        Known gone = known.remove(guest);
        if (gone != null) {
            decrease(byUse, gone.use);
            if (gone.use == Session.Use.COMMANDS) {
                decrease(commandsByAddress, gone.address);
            }
        }
    }

    private static <K> void decrease(Map<K, Integer> counts, K key) {
        counts.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    }

    /** Returns the number of identified connections by use. */
    public Map<Session.Use, Integer> known() {
        return Map.copyOf(byUse);
    }

    public int strangers() {
        return strangers.size();
    }
}
