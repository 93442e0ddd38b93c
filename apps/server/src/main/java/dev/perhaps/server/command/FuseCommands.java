package dev.perhaps.server.command;

import dev.perhaps.key.Hashes;
import dev.perhaps.key.Key;
import dev.perhaps.membership.FuseFilter;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.HashesValue;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.sketch.Sizing;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code FUSE.*}: the smallest filters, of sets that do not change. */
final class FuseCommands {
    /*
     * FUSE.BUILD with items makes a filter of what fits into one request. For more, FUSE.ADD collects the hashes of items under
     * the key, 8 bytes each, and FUSE.BUILD without items makes the filter of them in their place.
     */
    private static final String GROUP = "fuse";
    private static final double DEFAULT_ERROR = 1.0 / 256;

    private FuseCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "FUSE.BUILD key [ERROR error] [REPLACE] [ITEMS item [item ...]]",
                "Builds the filter of these items, or of those that FUSE.ADD has collected.",
                Keys.ONE,
                FuseCommands::build,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "FUSE.ADD key item [item ...]",
                "Collects items for FUSE.BUILD; returns the number of all.",
                Keys.ONE,
                FuseCommands::add,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "FUSE.EXISTS key item",
                "Returns whether an item perhaps is in the set.",
                Keys.ONE,
                call -> OwnSketches.exists(call, find(call)),
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "FUSE.MEXISTS key item [item ...]",
                "Returns for each item whether it perhaps is in the set.",
                Keys.ONE,
                call -> OwnSketches.exists(call, find(call)),
                Flag.READONLY);
        table.add(GROUP, "FUSE.INFO key", "Describes a fuse filter.", Keys.ONE, FuseCommands::info, Flag.READONLY);
    }

    private static @Nullable FuseFilter<byte[]> find(Call call) {
        KeyEntry entry = call.find(1);
        if (entry != null && entry.value() instanceof HashesValue) {
            throw new CommandError("ERR the filter is not built yet: use FUSE.BUILD");
        }
        return OwnSketches.typed(entry, FuseFilter.class);
    }

    private static void add(Call call) {
        HashesValue value = call.find(1, HashesValue.class);
        long[] hashes = OwnSketches.hashes(OwnSketches.key(call), call, 2);
        long growth = HashesValue.growthBytes(value, hashes.length);
        if (growth == Long.MAX_VALUE) {
            throw new CommandError("ERR at most " + HashesValue.MAX_HASHES + " items can be collected");
        }
        // Old and new array are in memory at once.
        call.reserve(growth, growth, Database.OUT_OF_MEMORY);
        if (value == null) {
            HashesValue made = new HashesValue(call.database().seed());
            made.add(hashes);
            call.put(call.key(1), made);
            call.reply().integer(made.count());
            return;
        }
        call.change(call.key(1), () -> {
            value.add(hashes);
            return true;
        });
        call.reply().integer(value.count());
    }

    private static void build(Call call) {
        double error = DEFAULT_ERROR;
        boolean replaces = false;
        int items = 0;
        for (int i = 2; i < call.count() && items == 0; i++) {
            switch (call.text(i).toUpperCase(Locale.ROOT)) {
                case "ERROR" ->
                    error = BloomCommands.errorRate(
                            ++i < call.count() ? call.word(i) : new byte[0], "ERR bad error rate");
                case "REPLACE" -> replaces = true;
                case "ITEMS" -> items = i + 1;
                default -> throw new CommandError(CommandError.SYNTAX);
            }
        }
        KeyEntry entry = call.find(1);
        HashesValue collected = entry != null && entry.value() instanceof HashesValue value ? value : null;
        if (items == 0 && collected == null) {
            throw new CommandError(
                    entry == null ? "ERR not found: collect items with FUSE.ADD first" : CommandError.WRONG_TYPE);
        }
        if (items == call.count()) {
            throw call.arity();
        }
        if (items > 0 && !replaces) {
            OwnSketches.refuseExisting(call);
        }
        long seed = collected == null || items > 0 ? call.database().seed() : collected.seed();
        long[] hashes = items > 0
                ? OwnSketches.hashes(OwnSketches.key(call), call, items)
                : collected == null ? new long[0] : collected.hashes();
        FuseFilter.Plan<byte[]> plan = FuseFilter.expecting(hashes.length)
                .falsePositives(error)
                .of(Key.bytes().seeded(seed));
        Sizing sizing = OwnSketches.sizing(plan);
        call.reserve(sizing.bytes() + sizing.buildBytes(), sizing.bytes(), BloomCommands.NO_MEMORY);
        FuseFilter<byte[]> filter = plan.buildFrom(Hashes.of(hashes));
        long expires = entry == null ? KeyEntry.NEVER : entry.expiresAtMillis();
        call.put(call.key(1), new SketchValue(filter)).expiresAtMillis(expires);
        call.reply().integer(filter.itemsNow());
    }

    private static void info(Call call) {
        FuseFilter<byte[]> filter = find(call);
        if (filter == null) {
            throw new CommandError(BloomCommands.NOT_FOUND);
        }
        OwnSketches.info(call, filter, "Fingerprint bits", "fingerprintBits");
    }
}
