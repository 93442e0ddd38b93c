package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.StringValue;
import java.nio.charset.StandardCharsets;

/** Plain values, for tools that need them. */
final class StringCommands {
    private static final String GROUP = "string";

    private StringCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "GET key",
                "Returns the string of a key.",
                Keys.ONE,
                StringCommands::get,
                Flag.READONLY,
                Flag.OPTIMISTIC,
                Flag.FAST);
        table.add(
                GROUP,
                "SET key value [NX] [XX] [GET] [KEEPTTL] [EX seconds] [PX milliseconds] [EXAT unix-time-seconds] [PXAT unix-time-milliseconds]",
                "Sets the string of a key.",
                Keys.ONE,
                StringCommands::set,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "INCR key",
                "Adds one to the number in a key.",
                Keys.ONE,
                StringCommands::incr,
                Flag.WRITE,
                Flag.FAST,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "MGET key [key ...]",
                "Returns the strings of keys.",
                Keys.ALL,
                StringCommands::mget,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "MSET key value [key value ...]",
                "Sets the strings of keys.",
                Keys.PAIRS,
                StringCommands::mset,
                Flag.WRITE,
                Flag.DENYOOM);
    }

    private static void value(Call call, byte[] bytes) {
        call.reply().bulk(bytes);
    }

    private static void get(Call call) {
        StringValue value = call.find(1, StringValue.class);
        if (value == null) {
            call.reply().nil();
        } else {
            value(call, value.bytes());
        }
    }

    private static void mget(Call call) {
        call.reply().array(call.count() - 1);
        for (int i = 1; i < call.count(); i++) {
            StringValue value = call.findOnly(i, StringValue.class);
            if (value == null) {
                call.reply().nil();
            } else {
                value(call, value.bytes());
            }
        }
    }

    private static void set(Call call) {
        boolean isNew = false;
        boolean isOld = false;
        boolean returnsOld = false;
        boolean keeps = false;
        long expires = KeyEntry.NEVER;
        for (int i = 3; i < call.count(); i++) {
            switch (call.upper(i)) {
                case "NX" -> isNew = true;
                case "XX" -> isOld = true;
                case "GET" -> returnsOld = true;
                case "KEEPTTL" -> keeps = true;
                case "EX", "PX", "EXAT", "PXAT" -> {
                    if (i + 1 == call.count() || expires != KeyEntry.NEVER) {
                        throw new CommandError(CommandError.SYNTAX);
                    }
                    expires = KeyCommands.time(
                            call,
                            i + 1,
                            call.upper(i).startsWith("E"),
                            call.upper(i).endsWith("AT"),
                            "set");
                    if (Numbers.orElse(call.word(i + 1), 0) <= 0) {
                        throw new CommandError("ERR invalid expire time in 'set' command");
                    }
                    i++;
                }
                default -> throw new CommandError(CommandError.SYNTAX);
            }
        }
        if (isNew && isOld || keeps && expires != KeyEntry.NEVER) {
            throw new CommandError(CommandError.SYNTAX);
        }
        KeyEntry before = call.find(1);
        StringValue old = returnsOld ? Call.typed(before, StringValue.class) : null;
        boolean sets = !(isNew && before != null || isOld && before == null);
        if (sets) {
            call.reserve(call.word(2).length, call.word(2).length, Database.OUT_OF_MEMORY);
            long kept = keeps && before != null ? before.expiresAtMillis() : expires;
            call.put(call.key(1), new StringValue(call.word(2))).expiresAtMillis(kept);
        }
        if (returnsOld) {
            if (old == null) {
                call.reply().nil();
            } else {
                value(call, old.bytes());
            }
        } else if (sets) {
            call.reply().ok();
        } else {
            call.reply().nil();
        }
    }

    private static void incr(Call call) {
        StringValue value = call.find(1, StringValue.class);
        long number = value == null ? 0 : Numbers.orError(value.bytes(), CommandError.NOT_INTEGER);
        if (number == Long.MAX_VALUE) {
            throw new CommandError("ERR increment or decrement would overflow");
        }
        StringValue next = new StringValue(Long.toString(number + 1).getBytes(StandardCharsets.US_ASCII));
        KeyEntry before = call.find(1);
        long expires = before == null ? KeyEntry.NEVER : before.expiresAtMillis();
        call.put(call.key(1), next).expiresAtMillis(expires);
        call.reply().integer(number + 1);
    }

    private static void mset(Call call) {
        if (call.count() % 2 == 0) {
            throw call.arity();
        }
        long bytes = 0;
        long longest = 0;
        for (int i = 2; i < call.count(); i += 2) {
            bytes += call.word(i).length;
            longest = Math.max(longest, call.word(i).length);
        }
        call.reserve(bytes, longest, Database.OUT_OF_MEMORY);
        for (int i = 1; i < call.count(); i += 2) {
            call.put(call.key(i), new StringValue(call.word(i + 1)));
        }
        call.reply().ok();
    }
}
