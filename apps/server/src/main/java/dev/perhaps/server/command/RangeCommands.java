package dev.perhaps.server.command;

import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.server.wire.WireNumbers;

/** {@code RANGE.*}: how many numbers are in a range, and quantiles. */
final class RangeCommands {
    private static final String GROUP = "range";
    private static final int MAX_BITS = 64;

    private RangeCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "RANGE.CREATE key error [BITS bits] [CONFIDENCE probability]",
                "Creates counts of numbers; the error is a share of all. With BITS, numbers are 0 to 2^bits - 1.",
                Keys.ONE,
                RangeCommands::create,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "RANGE.ADD key number [number ...]",
                "Counts numbers, all of them or none; returns how many were counted so far.",
                Keys.ONE,
                RangeCommands::add,
                Flag.WRITE);
        table.add(
                GROUP,
                "RANGE.COUNT key low high",
                "Returns how many numbers are in a range, both ends included, never too low.",
                Keys.ONE,
                RangeCommands::count,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "RANGE.QUANTILE key quantile [quantile ...]",
                "Returns the numbers at quantiles.",
                Keys.ONE,
                RangeCommands::quantile,
                Flag.READONLY);
        table.add(
                GROUP,
                "RANGE.MERGE destkey sourcekey [sourcekey ...]",
                "Adds the counts of all keys to the first.",
                Keys.ALL,
                call -> OwnSketches.<RangeCounts>merge(call, RangeCounts.class),
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "RANGE.INFO key",
                "Describes counts of numbers.",
                Keys.ONE,
                RangeCommands::info,
                Flag.READONLY,
                Flag.FAST);
    }

    private static RangeCounts existing(Call call) {
        return OwnSketches.<RangeCounts>existing(call, 1, RangeCounts.class);
    }

    private static void create(Call call) {
        if (call.count() % 2 == 0) {
            throw call.arity();
        }
        RangeCounts.Plan plan = RangeCounts.within(BloomCommands.errorRate(call.word(2), "ERR bad error"))
                .seeded(call.database().seed());
        for (int i = 3; i < call.count(); i += 2) {
            switch (call.upper(i)) {
                case "BITS" -> {
                    long bits = Numbers.orElse(call.word(i + 1), 0);
                    if (bits < 1 || bits > MAX_BITS) {
                        throw new CommandError("ERR bits must be in the range [1, 64]");
                    }
                    plan = plan.universe((int) bits);
                }
                case "CONFIDENCE" -> {
                    double chance = WireNumbers.real(call.word(i + 1)).orElse(0);
                    if (!(chance > 0 && chance < 1)) {
                        throw new CommandError("ERR confidence must be in the range (0.000000, 1.000000)");
                    }
                    plan = plan.confidence(chance);
                }
                default -> throw new CommandError(CommandError.SYNTAX);
            }
        }
        OwnSketches.refuseExisting(call);
        long bytes;
        try {
            bytes = plan.sizing().bytes();
        } catch (IllegalArgumentException e) {
            throw new CommandError("ERR could not create counts: " + e.getMessage());
        }
        OwnSketches.create(call, bytes, plan::build);
        call.reply().ok();
    }

    private static void add(Call call) {
        RangeCounts counts = existing(call);
        long[] numbers = new long[call.count() - 2];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = number(call, 2 + i);
            if (numbers[i] < counts.least() || numbers[i] > counts.greatest()) {
                throw new CommandError(
                        "ERR numbers must be in the range [" + counts.least() + ", " + counts.greatest() + "]");
            }
        }
        work(call, counts, numbers.length);
        if (numbers.length > Long.MAX_VALUE - counts.total()) {
            throw new CommandError("ERR the counters are full");
        }
        call.change(call.key(1), () -> {
            for (long number : numbers) {
                counts.add(number);
            }
            return true;
        });
        call.reply().integer(counts.total());
    }

    /** Each number is counted in every row of every level. */
    private static void work(Call call, RangeCounts counts, long numbers) {
        call.work(
                numbers, (long) counts.sizing().universeBits() * counts.sizing().depth());
    }

    private static long number(Call call, int i) {
        return Numbers.orError(call.word(i), CommandError.NOT_INTEGER);
    }

    /** Numbers outside of what can be counted are allowed here: there are none. */
    private static void count(Call call) {
        RangeCounts counts = existing(call);
        long low = Math.max(number(call, 2), counts.least());
        long high = Math.min(number(call, 3), counts.greatest());
        call.reply().integer(low > high ? 0 : counts.estimate(low, high));
    }

    private static void quantile(Call call) {
        RangeCounts counts = existing(call);
        double[] quantiles = new double[call.count() - 2];
        for (int i = 0; i < quantiles.length; i++) {
            quantiles[i] = WireNumbers.real(call.word(2 + i)).orElse(-1);
            if (!(quantiles[i] >= 0 && quantiles[i] <= 1)) {
                throw new CommandError("ERR quantiles must be in the range [0, 1]");
            }
        }
        work(call, counts, quantiles.length);
        call.reply().array(quantiles.length);
        for (double quantile : quantiles) {
            if (counts.total() == 0) {
                call.reply().nil();
            } else {
                call.reply().integer(counts.quantile(quantile));
            }
        }
    }

    private static void info(Call call) {
        RangeCounts counts = existing(call);
        RangeCounts.Sizing sizing = counts.sizing();
        ReplyWriter reply = call.reply();
        reply.map(7);
        CuckooCommands.fact(reply, "Size", counts.sizeBytes());
        CuckooCommands.fact(reply, "Count", counts.total());
        CuckooCommands.fact(reply, "Least", counts.least());
        CuckooCommands.fact(reply, "Greatest", counts.greatest());
        reply.simple("Error");
        reply.number(sizing.error());
        reply.simple("Confidence");
        reply.number(sizing.confidence());
        CuckooCommands.fact(
                reply, "Too high by at most", (long) Math.floor(counts.bound().error()));
    }
}
