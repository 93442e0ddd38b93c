package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.KeyBytes;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.Keyspace;
import dev.perhaps.server.keyspace.Value;
import dev.perhaps.server.keyspace.ValueType;
import dev.perhaps.server.wire.ReplyWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/** Commands about keys of any type. */
final class KeyCommands {
    /** Matching takes up to the product of both lengths, while a lock is held. */
    private static final int MAX_PATTERN_BYTES = 1_024;

    private static final Set<String> EXPIRE_OPTIONS = Set.of("NX", "XX", "GT", "LT");
    private static final String GROUP = "generic";
    static final String NO_KEY = "ERR no such key";
    static final String BUSY_KEY = "BUSYKEY Target key name already exists.";
    private static final String BAD_PAYLOAD = "ERR DUMP payload version or checksum are wrong";
    private static final byte[] MAGIC = {(byte) 0x89, 'P', 'D', 1};
    private static final int SUM_BYTES = 4;

    private KeyCommands() {}

    static void addTo(CommandTable table) {
        table.add(GROUP, "DEL key [key ...]", "Removes keys.", Keys.ALL, KeyCommands::del, Flag.WRITE);
        table.add(GROUP, "UNLINK key [key ...]", "Removes keys.", Keys.ALL, KeyCommands::del, Flag.WRITE, Flag.FAST);
        table.add(
                GROUP,
                "EXISTS key [key ...]",
                "Returns the number of keys that exist.",
                Keys.ALL,
                KeyCommands::exists,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "TOUCH key [key ...]",
                "Returns the number of keys that exist.",
                Keys.ALL,
                KeyCommands::exists,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP, "TYPE key", "Returns the type of a key.", Keys.ONE, KeyCommands::type, Flag.READONLY, Flag.FAST);
        table.add(
                GROUP,
                "RENAME key newkey",
                "Renames a key; the new name is overwritten.",
                Keys.TWO,
                call -> rename(call, true),
                Flag.WRITE);
        table.add(
                GROUP,
                "RENAMENX key newkey",
                "Renames a key unless the new name exists.",
                Keys.TWO,
                call -> rename(call, false),
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "COPY source destination [DB destination-db] [REPLACE]",
                "Copies a key.",
                Keys.TWO,
                KeyCommands::copy,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "EXPIRE key seconds [NX] [XX] [GT] [LT]",
                "Lets a key expire after a time.",
                Keys.ONE,
                call -> expire(call, true, false),
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "PEXPIRE key milliseconds [NX] [XX] [GT] [LT]",
                "Lets a key expire after a time.",
                Keys.ONE,
                call -> expire(call, false, false),
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "EXPIREAT key unix-time-seconds [NX] [XX] [GT] [LT]",
                "Lets a key expire at a time.",
                Keys.ONE,
                call -> expire(call, true, true),
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "PEXPIREAT key unix-time-milliseconds [NX] [XX] [GT] [LT]",
                "Lets a key expire at a time.",
                Keys.ONE,
                call -> expire(call, false, true),
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "TTL key",
                "Returns the seconds until a key expires.",
                Keys.ONE,
                call -> ttl(call, true),
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "PTTL key",
                "Returns the milliseconds until a key expires.",
                Keys.ONE,
                call -> ttl(call, false),
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP, "PERSIST key", "Lets a key not expire.", Keys.ONE, KeyCommands::persist, Flag.WRITE, Flag.FAST);
        table.add(
                GROUP,
                "DUMP key",
                "Returns the value of a key as bytes that RESTORE of this server reads.",
                Keys.ONE,
                KeyCommands::dump,
                Flag.READONLY);
        table.add(
                GROUP,
                "RESTORE key ttl serialized-value [REPLACE] [ABSTTL]",
                "Sets a key to what DUMP returned.",
                Keys.ONE,
                KeyCommands::restore,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "KEYS pattern",
                "Returns the keys that match a pattern.",
                Keys.NONE,
                KeyCommands::keys,
                Flag.READONLY,
                Flag.UNLOCKED,
                Flag.NO_MULTI);
        table.add(
                GROUP,
                "SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]",
                "Returns some of the keys, and where to continue.",
                Keys.NONE,
                KeyCommands::scan,
                Flag.READONLY,
                Flag.UNLOCKED,
                Flag.NO_MULTI);
        table.add(
                GROUP,
                "OBJECT subcommand [key]",
                "Returns how a value is kept.",
                new Keys(2, 2, 1, false),
                KeyCommands::object,
                Flag.READONLY);
        table.addForms(
                "object",
                "ENCODING key",
                "Returns how the value of a key is kept.",
                "REFCOUNT key",
                "Returns 1 for every key.");
        table.add(
                "server",
                "MEMORY subcommand [key] [SAMPLES count]",
                "Returns the memory that a key takes.",
                new Keys(2, 2, 1, false),
                KeyCommands::memory,
                Flag.READONLY);
        table.addForms("memory", "USAGE key [SAMPLES count]", "Returns the memory of a key in bytes.");
        table.add(
                "server",
                "DBSIZE",
                "Returns the number of keys.",
                Keys.NONE,
                call -> call.reply().integer(call.database().keyspace().size()),
                Flag.READONLY,
                Flag.FAST,
                Flag.UNLOCKED);
        table.add(
                "server",
                "FLUSHALL [ASYNC] [SYNC]",
                "Removes all keys.",
                Keys.NONE,
                KeyCommands::flush,
                Flag.WRITE,
                Flag.ALL_KEYS);
        table.add(
                "server",
                "FLUSHDB [ASYNC] [SYNC]",
                "Removes all keys.",
                Keys.NONE,
                KeyCommands::flush,
                Flag.WRITE,
                Flag.ALL_KEYS);
    }

    private static void del(Call call) {
        int removed = 0;
        for (int i = 1; i < call.count(); i++) {
            removed += call.remove(call.key(i)) ? 1 : 0;
        }
        call.reply().integer(removed);
    }

    private static void exists(Call call) {
        int found = 0;
        for (int i = 1; i < call.count(); i++) {
            found += call.find(i) != null ? 1 : 0;
        }
        call.reply().integer(found);
    }

    private static void type(Call call) {
        KeyEntry entry = call.find(1);
        call.reply().simple(entry == null ? "none" : entry.value().word());
    }

    private static KeyEntry existing(Call call, int i) {
        KeyEntry entry = call.find(i);
        if (entry == null) {
            throw new CommandError(NO_KEY);
        }
        return entry;
    }

    private static void rename(Call call, boolean overwrites) {
        KeyEntry entry = existing(call, 1);
        KeyBytes to = call.key(2);
        boolean isTaken = call.find(2) != null;
        if (!overwrites && isTaken) {
            call.reply().integer(0);
            return;
        }
        if (!to.equals(entry.key())) {
            call.rename(entry, to);
        }
        if (overwrites) {
            call.reply().ok();
        } else {
            call.reply().integer(1);
        }
    }

    private static void copy(Call call) {
        boolean replaces = false;
        for (int i = 3; i < call.count(); i++) {
            if (call.is(i, "REPLACE")) {
                replaces = true;
            } else if (call.is(i, "DB") && i + 1 < call.count()) {
                if (Numbers.orError(call.word(++i), CommandError.NOT_INTEGER) != 0) {
                    throw new CommandError("ERR DB index is out of range");
                }
            } else {
                throw new CommandError(CommandError.SYNTAX);
            }
        }
        if (call.key(1).equals(call.key(2))) {
            throw new CommandError("ERR source and destination objects are the same");
        }
        KeyEntry entry = call.find(1);
        if (entry == null || !replaces && call.find(2) != null) {
            call.reply().integer(0);
            return;
        }
        call.reserve(entry.sizeBytes(), entry.sizeBytes(), Database.OUT_OF_MEMORY);
        call.put(call.key(2), entry.value().copy()).expiresAtMillis(entry.expiresAtMillis());
        call.reply().integer(1);
    }

    /** The time that a word gives, in milliseconds since 1970. */
    static long time(Call call, int word, boolean isSeconds, boolean isAbsolute, String command) {
        long amount = Numbers.orError(call.word(word), CommandError.NOT_INTEGER);
        CommandError invalid = new CommandError("ERR invalid expire time in '" + command + "' command");
        long base = isAbsolute ? 0 : call.now();
        long most = Long.MAX_VALUE - 1 - base;
        if (isSeconds && (amount > most / 1_000 || amount < -most / 1_000) || amount > most || amount < -most) {
            throw invalid;
        }
        return base + (isSeconds ? amount * 1_000 : amount);
    }

    private static void expire(Call call, boolean isSeconds, boolean isAbsolute) {
        Set<String> options = new HashSet<>();
        for (int i = 3; i < call.count(); i++) {
            String option = call.upper(i);
            if (!EXPIRE_OPTIONS.contains(option)) {
                throw new CommandError("ERR Unsupported option " + call.text(i));
            }
            options.add(option);
        }
        if (options.contains("NX") && options.size() > 1) {
            throw new CommandError("ERR NX and XX, GT or LT options at the same time are not compatible");
        }
        if (options.contains("GT") && options.contains("LT")) {
            throw new CommandError("ERR GT and LT options at the same time are not compatible");
        }
        long at = time(call, 2, isSeconds, isAbsolute, call.command().name());
        KeyEntry entry = call.find(1);
        long before = entry == null ? KeyEntry.NEVER : entry.expiresAtMillis();
        boolean fits = options.stream().allMatch(option -> switch (option) {
            case "NX" -> before == KeyEntry.NEVER;
            case "XX" -> before != KeyEntry.NEVER;
            case "GT" -> at > before;
            default -> at < before;
        });
        if (entry == null || !fits) {
            call.reply().integer(0);
            return;
        }
        if (at <= call.now()) {
            call.remove(entry.key());
        } else {
            call.change(entry.key(), () -> {
                entry.expiresAtMillis(at);
                return true;
            });
        }
        call.reply().integer(1);
    }

    private static void ttl(Call call, boolean isSeconds) {
        KeyEntry entry = call.find(1);
        if (entry == null) {
            call.reply().integer(-2);
        } else if (entry.expiresAtMillis() == KeyEntry.NEVER) {
            call.reply().integer(-1);
        } else {
            long left = entry.expiresAtMillis() - call.now();
            call.reply().integer(isSeconds ? (left + 500) / 1_000 : left);
        }
    }

    private static void persist(Call call) {
        KeyEntry entry = call.find(1);
        boolean had = entry != null && entry.expiresAtMillis() != KeyEntry.NEVER;
        if (had) {
            call.change(call.key(1), () -> {
                existing(call, 1).expiresAtMillis(KeyEntry.NEVER);
                return true;
            });
        }
        call.reply().integer(had ? 1 : 0);
    }

    // Our own payload: magic, type, content, CRC-32C of everything before it.

    private static void dump(Call call) {
        KeyEntry entry = call.find(1);
        if (entry == null) {
            call.reply().nil();
            return;
        }
        if (entry.value().fileBytes() > ReplyWriter.MAX_REPLY_BYTES - 1_024) {
            throw new CommandError("ERR the value is too large for DUMP: use SCANDUMP");
        }
        call.reads(entry.value().fileBytes());
        call.reply().bulk((int) payloadBytes(entry.value()), out -> writePayload(entry.value(), out));
    }

    /** Returns the length of the payload of a value. */
    static long payloadBytes(Value value) {
        return MAGIC.length + 1 + value.fileBytes() + SUM_BYTES;
    }

    private static void writePayload(Value value, OutputStream out) throws IOException {
        CheckedOutputStream summed = new CheckedOutputStream(out, new CRC32C());
        summed.write(MAGIC);
        summed.write(value.type().number());
        value.writeTo(summed);
        out.write(ByteBuffer.allocate(SUM_BYTES)
                .putInt((int) summed.getChecksum().getValue())
                .array());
    }

    /** Returns the payload of a value; the caller has claimed its memory. */
    static byte[] payload(Value value) {
        ExactBytes out = new ExactBytes((int) payloadBytes(value));
        try {
            writePayload(value, out);
        } catch (IOException e) {
            throw new IllegalStateException("memory can be written", e);
        }
        return out.bytes();
    }

    /** Bytes of a known number: they are in memory once. */
    private static final class ExactBytes extends ByteArrayOutputStream {
        ExactBytes(int length) {
            super(length);
        }

        byte[] bytes() {
            return count == buf.length ? buf : toByteArray();
        }
    }

    static Value value(byte[] payload, long maxBytes) {
        CRC32C sum = new CRC32C();
        int body = payload.length - SUM_BYTES;
        if (body < MAGIC.length + 1 || ByteBuffer.wrap(payload, 0, 4).compareTo(ByteBuffer.wrap(MAGIC)) != 0) {
            throw new CommandError(BAD_PAYLOAD);
        }
        sum.update(payload, 0, body);
        if ((int) sum.getValue() != ByteBuffer.wrap(payload, body, SUM_BYTES).getInt()) {
            throw new CommandError(BAD_PAYLOAD);
        }
        ByteArrayInputStream in = new ByteArrayInputStream(payload, MAGIC.length + 1, body - MAGIC.length - 1);
        try {
            Value value = ValueType.numbered(payload[MAGIC.length]).read(in, maxBytes);
            if (in.available() > 0) {
                throw new CommandError("ERR Bad data format");
            }
            return value;
        } catch (IOException e) {
            throw new CommandError("ERR Bad data format");
        }
    }

    private static void restore(Call call) {
        boolean replaces = false;
        boolean isAbsolute = false;
        for (int i = 4; i < call.count(); i++) {
            switch (call.upper(i)) {
                case "REPLACE" -> replaces = true;
                case "ABSTTL" -> isAbsolute = true;
                default -> throw new CommandError(CommandError.SYNTAX);
            }
        }
        if (!replaces && call.find(1) != null) {
            throw new CommandError(BUSY_KEY);
        }
        long ttl = Numbers.orError(call.word(2), CommandError.NOT_INTEGER);
        if (ttl < 0) {
            throw new CommandError("ERR Invalid TTL value, must be >= 0");
        }
        long expires = ttl == 0 ? KeyEntry.NEVER : time(call, 2, false, isAbsolute, "restore");
        // A payload may be much smaller than what it becomes: all readers take this limit before they allocate.
        Value value = value(call.word(3), call.mostBytes());
        call.reserve(value.sizeBytes(), value.sizeBytes(), Database.OUT_OF_MEMORY);
        if (expires <= call.now()) {
            call.remove(call.key(1));
        } else {
            call.put(call.key(1), value).expiresAtMillis(expires);
        }
        call.reply().ok();
    }

    private static byte[] pattern(byte[] word) {
        if (word.length > MAX_PATTERN_BYTES) {
            throw new CommandError("ERR a pattern has at most " + MAX_PATTERN_BYTES + " bytes, got " + word.length);
        }
        return word;
    }

    private static void keys(Call call) {
        byte[] asked = pattern(call.word(1));
        Glob glob = new Glob(asked, Call.MAX_STEPS);
        List<byte[]> found = new ArrayList<>();
        long now = call.now();
        call.database().keyspace().scan(0, Long.MAX_VALUE, entry -> {
            if (entry.expiresAtMillis() > now && glob.matches(entry.key().bytes())) {
                found.add(entry.key().bytes());
            }
        });
        call.reply().array(found.size());
        found.forEach(call.reply()::bulk);
    }

    /** Redis takes any number of 64 bits; one that it has not returned is behind the end. */
    private static long cursor(byte[] word) {
        try {
            return Long.parseUnsignedLong(new String(word, StandardCharsets.ISO_8859_1));
        } catch (NumberFormatException e) {
            return Numbers.orError(word, "ERR invalid cursor");
        }
    }

    private static void scan(Call call) {
        long cursor = cursor(call.word(1));
        byte[] pattern = null;
        long count = 10;
        String type = null;
        for (int i = 2; i < call.count(); i += 2) {
            if (i + 1 == call.count()) {
                throw new CommandError(CommandError.SYNTAX);
            }
            switch (call.upper(i)) {
                case "MATCH" -> pattern = pattern(call.word(i + 1));
                case "COUNT" -> {
                    count = Numbers.orError(call.word(i + 1), CommandError.NOT_INTEGER);
                    if (count < 1) {
                        throw new CommandError(CommandError.SYNTAX);
                    }
                }
                case "TYPE" -> {
                    type = call.text(i + 1);
                    if (!ValueType.isWord(type)) {
                        throw new CommandError("ERR unknown type name '" + type + "'");
                    }
                }
                default -> throw new CommandError(CommandError.SYNTAX);
            }
        }
        List<byte[]> found = new ArrayList<>();
        long now = call.now();
        Glob glob = pattern == null ? null : new Glob(pattern, Call.MAX_STEPS);
        String only = type;
        long next = call.database().keyspace().scan(cursor, count, entry -> {
            if (entry.expiresAtMillis() > now
                    && (glob == null || glob.matches(entry.key().bytes()))
                    && (only == null || entry.value().word().equalsIgnoreCase(only))) {
                found.add(entry.key().bytes());
            }
        });
        ReplyWriter reply = call.reply();
        reply.array(2);
        reply.bulk(Long.toString(next));
        reply.array(found.size());
        found.forEach(reply::bulk);
    }

    private static void object(Call call) {
        if (call.count() == 2) {
            ConnectionCommands.helpOnly(call);
            return;
        }
        ConnectionCommands.exactly(call, 3);
        KeyEntry entry = call.find(2);
        switch (call.upper(1)) {
            case "ENCODING" -> {
                if (entry == null) {
                    call.reply().nil();
                } else {
                    call.reply().bulk(entry.value().encoding());
                }
            }
            case "REFCOUNT" -> {
                if (entry == null) {
                    call.reply().nil();
                } else {
                    call.reply().integer(1);
                }
            }
            default -> ConnectionCommands.helpOnly(call);
        }
    }

    private static void memory(Call call) {
        if (!call.is(1, "USAGE") || call.count() < 3) {
            ConnectionCommands.helpOnly(call);
            return;
        }
        if (call.count() > 3 && !(call.count() == 5 && call.is(3, "SAMPLES"))) {
            throw new CommandError(CommandError.SYNTAX);
        }
        KeyEntry entry = call.find(2);
        if (entry == null) {
            call.reply().nil();
        } else {
            call.reply().integer(entry.sizeBytes());
        }
    }

    private static void flush(Call call) {
        if (call.count() > 2 || call.count() == 2 && !call.is(1, "ASYNC") && !call.is(1, "SYNC")) {
            throw new CommandError(CommandError.SYNTAX);
        }
        call.reads((long) Long.BYTES * Keyspace.ALL_TABLES);
        // Not before: a snapshot ends here.
        call.database().keyspace().beforeClear();
        call.database().keyspace().clear();
        call.changed();
        call.reply().ok();
    }
}
