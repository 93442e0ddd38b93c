package dev.perhaps.chord.cluster;

import dev.perhaps.chord.wire.Session;
import dev.perhaps.web.LineLog;
import dev.perhaps.web.Role;
import java.io.Closeable;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A log with one line per command of a client: time, address, role, holder, command, its object, bytes of files,
 * result, milliseconds, and the reason of a failure. Writing never blocks: see {@link LineLog}. Thread-safe.
 *
 * <pre>{@code
 * 2026-11-17T03:40:00.123Z 127.0.0.1:51234 client "alice" put "4a9f…" 11 ok 12 "-"
 * }</pre>
 */
public final class CommandLog implements Closeable {
    private final LineLog lines;

    private CommandLog(LineLog lines) {
        this.lines = lines;
    }

    /** Appends to a file; {@code -} is standard output. */
    public static CommandLog to(String name) throws IOException {
        return new CommandLog(LineLog.to(name));
    }

    /** How a command ended. */
    public enum Result {
        /** It was done. */
        OK,
        /** The caller may not do this. */
        REFUSED,
        /** It failed, and the reason was reported to the caller. */
        FAILED,
        /** The caller disconnected, or sent a malformed request. */
        BROKEN
    }

    /**
     * How a command ended.
     *
     * @param reason empty if all is well
     */
    public record Outcome(Result result, String reason) {}

    /** A command: its name, what it is about, and the bytes of files that it moved, either way. */
    public record Command(String name, String subject, long contentBytes) {}

    /** Adds a line about a command that took this number of nanoseconds. */
    public void add(String address, Session session, Command command, Outcome outcome, long nanos) {
        StringBuilder text = new StringBuilder(200);
        LineLog.now(text);
        text.append(' ').append(address).append(' ').append(role(session.roles()));
        quoted(session.holder(), text);
        text.append(' ').append(command.name);
        quoted(command.subject, text);
        text.append(' ').append(command.contentBytes);
        text.append(' ').append(outcome.result.name().toLowerCase(Locale.ROOT));
        text.append(' ').append(TimeUnit.NANOSECONDS.toMillis(nanos));
        quoted(outcome.reason, text);
        lines.add(text.toString());
    }

    /** The role that includes the others. */
    private static String role(Set<Role> roles) {
        return roles.contains(Role.PEER)
                ? "peer"
                : roles.contains(Role.OPERATOR) ? "operator" : roles.contains(Role.CLIENT) ? "client" : "-";
    }

    private static void quoted(String field, StringBuilder text) {
        text.append(" \"");
        LineLog.escape(field.isEmpty() ? "-" : field, text);
        text.append('"');
    }

    /** Lines that were not written. */
    public long dropped() {
        return lines.dropped();
    }

    @Override
    public void close() {
        lines.close();
    }
}
