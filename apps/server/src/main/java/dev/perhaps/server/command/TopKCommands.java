package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisTopK;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.TopKValue;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.server.wire.WireNumbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code TOPK.*}: the most frequent items. */
final class TopKCommands {
    private static final String GROUP = "topk";
    /** The steps of one comparison while a list is sorted. */
    private static final int SORT_STEPS = 4;

    private static final long MAX_INCREMENT = 100_000;
    private static final String BAD_INCREMENT = "TopK: increment must be an integer greater or equal to 0"
            + " ".repeat(28) + "and smaller or equal to 100,000";

    private TopKCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "TOPK.RESERVE key k [width depth decay] [WINDOW duration]",
                "Creates an empty top list.",
                Keys.ONE,
                TopKCommands::reserve,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "TOPK.ADD key item [item ...]",
                "Adds items; returns those that leave the list.",
                Keys.ONE,
                TopKCommands::add,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "TOPK.INCRBY key item increment [item increment ...]",
                "Adds items several times each.",
                Keys.ONE,
                TopKCommands::increment,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "TOPK.QUERY key item [item ...]",
                "Returns for each item whether it is in the list.",
                Keys.ONE,
                TopKCommands::query,
                Flag.READONLY);
        table.add(
                GROUP,
                "TOPK.COUNT key item [item ...]",
                "Returns the counts of items.",
                Keys.ONE,
                TopKCommands::count,
                Flag.READONLY);
        table.add(
                GROUP,
                "TOPK.LIST key [WITHCOUNT]",
                "Returns the list, the most frequent first.",
                Keys.ONE,
                TopKCommands::list,
                Flag.READONLY);
        table.add(
                GROUP,
                "TOPK.INFO key",
                "Describes a top list.",
                Keys.ONE,
                TopKCommands::info,
                Flag.READONLY,
                Flag.FAST);
    }

    private static long size(Call call, int i, String name) {
        long value = Numbers.orElse(call.word(i), 0);
        if (value < 1 || value > 0xffffffffL) {
            throw new CommandError("TopK: invalid " + name);
        }
        return value;
    }

    private static void reserve(Call call) {
        boolean hasWindow = call.count() > 3 && call.is(call.count() - 2, "WINDOW");
        if (hasWindow && call.count() != 5) {
            throw new CommandError("TopK: a list with a window takes no width, depth and decay");
        }
        if (call.count() != 3 && call.count() != 6 && !hasWindow) {
            throw call.arity();
        }
        if (call.find(1) != null) {
            throw new CommandError("TopK: key already exists");
        }
        long k = size(call, 2, "k");
        if (hasWindow) {
            WindowCommands.createTop(call, k, BloomCommands.window(call, 4));
            return;
        }
        long width = call.count() == 3 ? 8 : size(call, 3, "width");
        long depth = call.count() == 3 ? 7 : size(call, 4, "depth");
        double decay = call.count() == 3 ? 0.9 : WireNumbers.real(call.word(5)).orElse(0);
        if (!(decay > 0 && decay <= 1)) {
            throw new CommandError("TopK: invalid decay value. must be '<= 1' & '> 0'");
        }
        long bytes = RedisTopK.sizeBytes(k, width, depth);
        String error = "ERR Insufficient memory to create topk data structure";
        if (bytes == Long.MAX_VALUE) {
            throw new CommandError(error);
        }
        call.reserve(bytes, bytes, error);
        call.put(call.key(1), new TopKValue(RedisTopK.of(k, width, depth, decay)));
        call.reply().ok();
    }

    private static RedisTopK existing(Call call) {
        TopKValue value = call.find(1, TopKValue.class);
        if (value == null) {
            throw new CommandError("TopK: key does not exist");
        }
        return value.list();
    }

    private static void add(Call call) {
        long[] increments = new long[call.count() - 2];
        Arrays.fill(increments, 1);
        if (WindowCommands.top(call) != null) {
            WindowCommands.addAll(call, 1, increments);
            return;
        }
        addAll(call, existing(call), 1, increments);
    }

    private static void increment(Call call) {
        if (call.count() % 2 != 0) {
            throw call.arity();
        }
        RedisTopK top = WindowCommands.top(call) == null ? existing(call) : null;
        long[] increments = new long[call.count() / 2 - 1];
        for (int i = 0; i < increments.length; i++) {
            increments[i] = Numbers.orElse(call.word(3 + 2 * i), -1);
            if (increments[i] < 0 || increments[i] > MAX_INCREMENT) {
                throw new CommandError(BAD_INCREMENT);
            }
        }
        if (top == null) {
            WindowCommands.addAll(call, 2, increments);
        } else {
            addAll(call, top, 2, increments);
        }
    }

    private static void addAll(Call call, RedisTopK top, int step, long[] increments) {
        long bytes = 0;
        long steps = 0;
        for (int i = 0; i < increments.length; i++) {
            byte[] item = call.word(2 + step * i);
            bytes += item.length;
            // It is hashed in each row, and where it is not in the cell it decays the count there once per copy.
            steps += Call.stepsOfHash(item) + Math.max(1, increments[i]) - 1;
        }
        call.reserve(bytes, top.sizeBytes() + bytes, Database.OUT_OF_MEMORY);
        call.work(top.depth(), steps);
        List<byte @Nullable []> out = new ArrayList<>();
        call.change(call.key(1), () -> {
            for (int i = 0; i < increments.length; i++) {
                out.add(top.add(call.word(2 + step * i), increments[i]));
            }
            return true;
        });
        call.reply().array(out.size());
        for (byte[] item : out) {
            if (item == null) {
                call.reply().nil();
            } else {
                call.reply().bulk(item);
            }
        }
    }

    private static void query(Call call) {
        if (WindowCommands.top(call) != null) {
            WindowCommands.queryTop(call);
            return;
        }
        RedisTopK top = existing(call);
        call.reply().array(call.count() - 2);
        for (int i = 2; i < call.count(); i++) {
            call.reply().bool(top.contains(call.word(i)));
        }
    }

    private static void count(Call call) {
        if (WindowCommands.top(call) != null) {
            WindowCommands.countTop(call);
            return;
        }
        RedisTopK top = existing(call);
        long steps = 0;
        for (int i = 2; i < call.count(); i++) {
            steps += Call.stepsOfHash(call.word(i));
        }
        call.work(top.depth(), steps);
        call.reply().array(call.count() - 2);
        for (int i = 2; i < call.count(); i++) {
            call.reply().integer(top.count(call.word(i)));
        }
    }

    private static void list(Call call) {
        if (call.count() > 3) {
            throw call.arity();
        }
        RedisTopK top = WindowCommands.top(call) == null ? existing(call) : null;
        boolean hasCounts = call.count() == 3;
        if (hasCounts && !"WITHCOUNT".startsWith(call.text(2).toUpperCase(Locale.ROOT))) {
            throw new CommandError("WITHCOUNT keyword expected");
        }
        if (top == null) {
            WindowCommands.list(call, hasCounts);
            return;
        }
        call.reads(top.sizeBytes());
        call.work(top.k(), SORT_STEPS * (long) (Long.SIZE - Long.numberOfLeadingZeros(top.k())));
        List<RedisTopK.Ranked> items = top.list();
        call.reply().array(items.size() * (hasCounts ? 2 : 1));
        for (RedisTopK.Ranked item : items) {
            call.reply().bulk(item.item());
            if (hasCounts) {
                call.reply().integer(item.count());
            }
        }
    }

    private static void info(Call call) {
        if (WindowCommands.top(call) != null) {
            WindowCommands.describeTop(call);
            return;
        }
        RedisTopK top = existing(call);
        ReplyWriter reply = call.reply();
        reply.map(4);
        CuckooCommands.fact(reply, "k", top.k());
        CuckooCommands.fact(reply, "width", top.width());
        CuckooCommands.fact(reply, "depth", top.depth());
        reply.simple("decay");
        reply.number(top.decay());
    }
}
