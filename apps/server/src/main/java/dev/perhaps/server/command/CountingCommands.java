package dev.perhaps.server.command;

import dev.perhaps.membership.CountingBloom;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;

/** {@code CBF.*}: counting Bloom filters, which remove and count. */
final class CountingCommands {
    private static final String GROUP = "counting";
    private static final String FULL = "ERR filter is full";

    private CountingCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "CBF.RESERVE key error_rate capacity [COMPACT]",
                "Creates an empty counting Bloom filter; a compact one takes half of the memory and can be full.",
                Keys.ONE,
                CountingCommands::reserve,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "CBF.ADD key item",
                "Adds an item, also one that is there; returns whether it certainly was not.",
                Keys.ONE,
                call -> OwnSketches.addAll(call, existing(call), FULL),
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "CBF.MADD key item [item ...]",
                "Adds items, all of them or none.",
                Keys.ONE,
                call -> OwnSketches.addAll(call, existing(call), FULL),
                Flag.WRITE);
        table.add(
                GROUP,
                "CBF.DEL key item",
                "Removes an item once; remove only what was added.",
                Keys.ONE,
                call -> OwnSketches.remove(call, existing(call)),
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "CBF.EXISTS key item",
                "Returns whether an item perhaps was added.",
                Keys.ONE,
                call -> OwnSketches.exists(call, OwnSketches.<CountingBloom<byte[]>>find(call, 1, CountingBloom.class)),
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "CBF.MEXISTS key item [item ...]",
                "Returns for each item whether it perhaps was added.",
                Keys.ONE,
                call -> OwnSketches.exists(call, OwnSketches.<CountingBloom<byte[]>>find(call, 1, CountingBloom.class)),
                Flag.READONLY);
        table.add(
                GROUP,
                "CBF.COUNT key item",
                "Returns how often an item was added, never too low; 16 is 16 or more unless the filter is compact.",
                Keys.ONE,
                CountingCommands::count,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "CBF.MERGE destkey sourcekey [sourcekey ...]",
                "Adds the counters of all filters to the first.",
                Keys.ALL,
                call -> OwnSketches.<CountingBloom<byte[]>>merge(call, CountingBloom.class),
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "CBF.INFO key",
                "Describes a counting Bloom filter.",
                Keys.ONE,
                call -> OwnSketches.info(call, existing(call), "Counters", "counters", "Hashes", "hashes"),
                Flag.READONLY);
    }

    private static CountingBloom<byte[]> existing(Call call) {
        return OwnSketches.existing(call, 1, CountingBloom.class);
    }

    private static void reserve(Call call) {
        double rate = BloomCommands.errorRate(call.word(2), "ERR bad error rate");
        long capacity = BloomCommands.capacity(call.word(3), "ERR bad capacity");
        boolean isCompact = call.count() == 5 && call.is(4, "COMPACT");
        if (call.count() > 4 && !isCompact) {
            throw new CommandError(CommandError.SYNTAX);
        }
        OwnSketches.refuseExisting(call);
        CountingBloom.Plan<byte[]> plan =
                CountingBloom.expecting(capacity).falsePositives(rate).of(OwnSketches.key(call));
        CountingBloom.Plan<byte[]> wanted = isCompact ? plan.compact() : plan;
        OwnSketches.create(call, OwnSketches.sizing(wanted).bytes(), wanted::build);
        call.reply().ok();
    }

    private static void count(Call call) {
        CountingBloom<byte[]> filter = OwnSketches.find(call, 1, CountingBloom.class);
        call.reply().integer(filter == null ? 0 : filter.countHash(OwnSketches.hash(filter.key(), call.word(2))));
    }
}
