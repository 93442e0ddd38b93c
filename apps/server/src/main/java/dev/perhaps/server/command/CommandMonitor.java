package dev.perhaps.server.command;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The clients that see every command, after MONITOR. Thread-safe. */
final class CommandMonitor {
    private static final int MAX_LINE = 64 << 10;
    private static final int MAX_WORD = 1_024;

    private final Map<Long, ClientSession> watching = new ConcurrentHashMap<>();

    void add(ClientSession session) {
        watching.put(session.id(), session);
    }

    void remove(ClientSession session) {
        watching.remove(session.id());
    }

    boolean isEmpty() {
        return watching.isEmpty();
    }

    /** Shows a command of a session to all who watch. */
    void show(ClientSession session, byte[][] words, long nowMillis) {
        long micros = nowMillis * 1_000;
        StringBuilder line = new StringBuilder();
        line.append(String.format(
                Locale.ROOT, "%d.%06d [0 %s]", micros / 1_000_000, micros % 1_000_000, session.address()));
        for (byte[] word : words) {
            line.append(' ').append(quoted(word));
            if (line.length() > MAX_LINE) {
                line.append(" ...");
                break;
            }
        }
        String text = line.toString();
        watching.values().forEach(each -> each.connection().send(text));
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
            if (text.length() > MAX_WORD) {
                return text.append("...\"").toString();
            }
        }
        return text.append('"').toString();
    }
}
