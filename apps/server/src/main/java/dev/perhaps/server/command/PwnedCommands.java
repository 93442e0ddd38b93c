package dev.perhaps.server.command;

import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.LeakedHashesValue;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;

/**
 * {@code PWNED.*}: leaked passwords by their SHA-1. Who checks a password sends the first 5 digits of its hash and compares the rest: the
 * server does not learn the password, nor its hash.
 */
final class PwnedCommands {
    private static final String GROUP = "pwned";
    private static final int PREFIX_DIGITS = 5;
    /** The steps of writing a hash as digits. */
    private static final int DIGITS_STEPS = 40;

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private PwnedCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "PWNED.ADD key sha1 [count]",
                "Adds leaks of the password with this SHA-1, 40 hexadecimal digits; returns their number now.",
                Keys.ONE,
                PwnedCommands::add,
                Flag.WRITE,
                Flag.DENYOOM,
                Flag.FAST);
        table.add(
                GROUP,
                "PWNED.RANGE key prefix",
                "Returns the other 35 digits of all hashes that begin with these 5, each with its number of leaks.",
                Keys.ONE,
                PwnedCommands::range,
                Flag.READONLY);
        table.add(
                GROUP,
                "PWNED.INFO key",
                "Describes the hashes of leaked passwords.",
                Keys.ONE,
                PwnedCommands::info,
                Flag.READONLY,
                Flag.FAST);
    }

    private static String digits(Call call, int i, int count) {
        String text = new String(call.word(i), StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
        if (text.length() != count || !text.chars().allMatch(HexFormat::isHexDigit)) {
            throw new CommandError("ERR " + (count == PREFIX_DIGITS ? "a prefix" : "a SHA-1") + " has " + count
                    + " hexadecimal digits");
        }
        return text;
    }

    private static void add(Call call) {
        if (call.count() > 4) {
            throw call.arity();
        }
        byte[] hash = HEX.parseHex(digits(call, 2, 2 * LeakedHashesValue.HASH_BYTES));
        long leaks = call.count() == 4 ? Numbers.orElse(call.word(3), 0) : 1;
        if (leaks < 1 || leaks > LeakedHashesValue.MAX_COUNT) {
            throw new CommandError("ERR count must be in the range [1, " + LeakedHashesValue.MAX_COUNT + "]");
        }
        LeakedHashesValue found = call.find(1, LeakedHashesValue.class);
        LeakedHashesValue value = found == null ? new LeakedHashesValue() : found;
        if (value.leaks(hash) == 0) {
            if (value.isFull(hash)) {
                throw new CommandError(
                        "ERR at most " + LeakedHashesValue.MAX_IN_RANGE + " hashes may have the same first 5 digits");
            }
            long growth = value.growthBytes(hash);
            call.reserve(growth, value.sizeBytes() + growth, Database.OUT_OF_MEMORY);
        }
        int[] sum = new int[1];
        if (found == null) {
            sum[0] = value.add(hash, (int) leaks);
            call.put(call.key(1), value);
        } else {
            call.change(call.key(1), () -> {
                sum[0] = value.add(hash, (int) leaks);
                return true;
            });
        }
        call.reply().integer(sum[0]);
    }

    private static void range(Call call) {
        int prefix = Integer.parseInt(digits(call, 2, PREFIX_DIGITS), 16);
        LeakedHashesValue value = call.find(1, LeakedHashesValue.class);
        call.work(value == null ? 0 : value.size(prefix), DIGITS_STEPS);
        call.reply().array(value == null ? 0 : value.size(prefix));
        if (value != null) {
            value.forEach(prefix, (hash, leaks) -> {
                call.reply().array(2);
                call.reply().bulk(HEX.formatHex(hash).substring(PREFIX_DIGITS));
                call.reply().integer(leaks);
            });
        }
    }

    private static void info(Call call) {
        LeakedHashesValue value = call.find(1, LeakedHashesValue.class);
        if (value == null) {
            throw new CommandError(BloomCommands.NOT_FOUND);
        }
        call.reply().map(2);
        CuckooCommands.fact(call.reply(), "Size", value.sizeBytes());
        CuckooCommands.fact(call.reply(), "Hashes", value.count());
    }
}
