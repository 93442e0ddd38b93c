package dev.perhaps.server.command;

import dev.perhaps.guard.CacheTally;
import dev.perhaps.guard.Costs;
import dev.perhaps.guard.GuardReport;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.GuardValue;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.server.wire.WireNumbers;
import java.util.Locale;

/** {@code GUARD.*}: whether asking a cache pays, from what its clients report. */
final class GuardCommands {
    private static final String GROUP = "guard";
    private static final double DEFAULT_ERROR = 0.01;
    private static final double MAX_COST = 1e15;
    private static final long MAX_REPORTED = 1L << 53;

    private GuardCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "GUARD.RESERVE key [LOOKUP cost] [ORIGIN cost] [FILTER cost] [ERROR error]",
                "Creates a tally of a cache; costs in any unit, the error of the filter in front of it.",
                Keys.ONE,
                GuardCommands::reserve,
                Flag.WRITE,
                Flag.DENYOOM,
                Flag.FAST);
        table.add(
                GROUP,
                "GUARD.REPORT key [HIT count] [MISS count] [LOOKUP cost] [ORIGIN cost] [FILTER cost]",
                "Takes in hits, misses and costs; returns the number of hits and misses so far.",
                Keys.ONE,
                GuardCommands::report,
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "GUARD.ASK key",
                "Returns the cheapest action: always look up, consult the filter first, or never; and what each costs.",
                Keys.ONE,
                GuardCommands::ask,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "GUARD.INFO key",
                "Describes a tally of a cache.",
                Keys.ONE,
                GuardCommands::info,
                Flag.READONLY,
                Flag.FAST);
    }

    private static GuardValue existing(Call call) {
        GuardValue value = call.find(1, GuardValue.class);
        if (value == null) {
            throw new CommandError(BloomCommands.NOT_FOUND);
        }
        return value;
    }

    /** What the words after the key say; NaN and 0 where they say nothing. */
    private record Reported(long hits, long misses, double lookup, double origin, double filter, double error) {
        static Reported of(Call call, boolean creates) {
            if (call.count() % 2 != 0) {
                throw call.arity();
            }
            call.work(call.count());
            long hits = 0;
            long misses = 0;
            double lookup = Double.NaN;
            double origin = Double.NaN;
            double filter = Double.NaN;
            double error = DEFAULT_ERROR;
            for (int i = 2; i < call.count(); i += 2) {
                String option = call.upper(i);
                boolean isCount = option.equals("HIT") || option.equals("MISS");
                if (creates ? isCount : option.equals("ERROR")) {
                    throw new CommandError(CommandError.SYNTAX);
                }
                switch (option) {
                    case "HIT" -> hits = count(call, i + 1);
                    case "MISS" -> misses = count(call, i + 1);
                    case "LOOKUP" -> lookup = cost(call, i + 1);
                    case "ORIGIN" -> origin = cost(call, i + 1);
                    case "FILTER" -> filter = cost(call, i + 1);
                    case "ERROR" -> error = BloomCommands.errorRate(call.word(i + 1), "ERR bad error rate");
                    default -> throw new CommandError(CommandError.SYNTAX);
                }
            }
            if (lookup == 0) {
                throw new CommandError("ERR the cost of a lookup must be above 0");
            }
            return new Reported(hits, misses, lookup, origin, filter, error);
        }

        private static long count(Call call, int i) {
            long count = Numbers.orElse(call.word(i), -1);
            if (count < 0 || count > MAX_REPORTED) {
                throw new CommandError("ERR hits and misses must be in the range [0, " + MAX_REPORTED + "]");
            }
            return count;
        }

        private static double cost(Call call, int i) {
            double cost = WireNumbers.real(call.word(i)).orElse(-1);
            if (!(cost >= 0 && cost <= MAX_COST)) {
                throw new CommandError("ERR a cost must be a number in the range [0, 1e15]");
            }
            return cost;
        }

        void addTo(CacheTally tally) {
            if (hits + misses > 0) {
                tally.add(new CacheTally.Batch(hits, misses));
            }
            if (!Double.isNaN(lookup)) {
                tally.lookupCost(lookup);
            }
            if (!Double.isNaN(origin)) {
                tally.originCost(origin);
            }
            if (!Double.isNaN(filter)) {
                tally.filterCost(filter);
            }
        }
    }

    private static void reserve(Call call) {
        Reported reported = Reported.of(call, true);
        OwnSketches.refuseExisting(call);
        GuardValue value = new GuardValue(new CacheTally(), reported.error);
        reported.addTo(value.tally());
        call.reserve(value.sizeBytes(), value.sizeBytes(), Database.OUT_OF_MEMORY);
        call.put(call.key(1), value);
        call.reply().ok();
    }

    private static void report(Call call) {
        Reported reported = Reported.of(call, false);
        if (call.count() == 2) {
            throw call.arity();
        }
        CacheTally tally = existing(call).tally();
        long before = tally.hits() + tally.misses();
        if (reported.hits + reported.misses > Long.MAX_VALUE - before) {
            throw new CommandError("ERR the counters are full");
        }
        call.change(call.key(1), () -> {
            reported.addTo(tally);
            return true;
        });
        call.reply().integer(tally.hits() + tally.misses());
    }

    private static void ask(Call call) {
        GuardValue value = existing(call);
        if (value.tally().costs().isEmpty()) {
            throw new CommandError(
                    "ERR the cost of a lookup is not known: report it with GUARD.REPORT key LOOKUP cost");
        }
        CacheTally.Recommendation advice = value.tally()
                .advise(value.falsePositives())
                .orElseThrow(
                        () -> new CommandError("ERR nothing was reported: use GUARD.REPORT key HIT count MISS count"));
        ReplyWriter reply = call.reply();
        reply.map(8);
        reply.bulk("action");
        reply.bulk(advice.action().name().toLowerCase(Locale.ROOT));
        reply.bulk("sure");
        reply.bool(advice.sure());
        share(reply, advice.hitRate());
        number(reply, "cost of never", advice.never());
        number(reply, "cost of consult", advice.consult());
        number(reply, "cost of always", advice.always());
    }

    private static void share(ReplyWriter reply, GuardReport.Share share) {
        number(reply, "hit rate", share.value());
        number(reply, "at least", share.low());
        number(reply, "at most", share.high());
    }

    private static void number(ReplyWriter reply, String name, double value) {
        reply.bulk(name);
        if (Double.isNaN(value)) {
            reply.nil();
        } else {
            reply.number(value);
        }
    }

    private static void info(Call call) {
        GuardValue value = existing(call);
        CacheTally tally = value.tally();
        ReplyWriter reply = call.reply();
        reply.map(9);
        reply.bulk("hits");
        reply.integer(tally.hits());
        reply.bulk("misses");
        reply.integer(tally.misses());
        share(reply, tally.hitRate());
        number(reply, "lookup", tally.costs().map(Costs::lookup).orElse(Double.NaN));
        number(reply, "origin", tally.costs().map(Costs::origin).orElse(Double.NaN));
        number(
                reply,
                "filter",
                tally.hasFilter() ? tally.costs().map(Costs::filter).orElse(Double.NaN) : Double.NaN);
        number(reply, "error", value.falsePositives());
    }
}
