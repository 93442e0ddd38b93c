package dev.perhaps.server.command;

import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.QuotientFilter;
import dev.perhaps.membership.QuotientSet;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.sketch.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** {@code QF.*}: quotient filters, which remove, count, merge and grow. */
final class QuotientCommands {
    private static final String GROUP = "quotient";
    private static final String FULL = "ERR filter is full: use QF.GROW";

    /** The copies of an item that are looked at, or moved, in one step. */
    private static final long COPIES_PER_STEP = 64;

    /** A removal takes this many times as long as to count the copies. */
    private static final int REMOVAL_TIMES = 8;

    private QuotientCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "QF.RESERVE key error_rate capacity [GROWTO capacity]",
                "Creates an empty quotient filter; its error is met also when it has grown to the last number.",
                Keys.ONE,
                QuotientCommands::reserve,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "QF.ADD key item",
                "Adds an item, also one that is there; returns whether it certainly was not.",
                Keys.ONE,
                QuotientCommands::add,
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "QF.MADD key item [item ...]",
                "Adds items, all of them or none.",
                Keys.ONE,
                QuotientCommands::add,
                Flag.WRITE);
        table.add(
                GROUP,
                "QF.EXISTS key item",
                "Returns whether an item perhaps was added.",
                Keys.ONE,
                call -> OwnSketches.exists(call, filter(call.find(1))),
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "QF.MEXISTS key item [item ...]",
                "Returns for each item whether it perhaps was added.",
                Keys.ONE,
                call -> OwnSketches.exists(call, filter(call.find(1))),
                Flag.READONLY);
        table.add(
                GROUP,
                "QF.DEL key item",
                "Removes an item once.",
                Keys.ONE,
                QuotientCommands::remove,
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "QF.COUNT key item",
                "Returns how often an item was added, never too low.",
                Keys.ONE,
                QuotientCommands::count,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "QF.MERGE destkey sourcekey [sourcekey ...]",
                "Adds the items of all filters to the first, which grows if it must.",
                Keys.ALL,
                QuotientCommands::merge,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "QF.GROW key",
                "Doubles the capacity.",
                Keys.ONE,
                QuotientCommands::grow,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "QF.INFO key",
                "Describes a quotient filter.",
                Keys.ONE,
                call -> OwnSketches.info(
                        call,
                        existing(call),
                        "Slots",
                        "slots",
                        "Remainder bits",
                        "remainderBits",
                        "Spare bits",
                        "spareBits"),
                Flag.READONLY);
    }

    /** The filter of a key, or null if there is no key. */
    private static HashFilter.@Nullable Adds<byte[]> filter(@Nullable KeyEntry entry) {
        HashFilter.Adds<byte[]> filter = OwnSketches.typed(entry, HashFilter.Adds.class);
        if (filter != null && filter.kind() != Kind.QUOTIENT) {
            throw new CommandError(CommandError.WRONG_TYPE);
        }
        return filter;
    }

    private static HashFilter.Adds<byte[]> existing(Call call) {
        HashFilter.Adds<byte[]> filter = filter(call.find(1));
        if (filter == null) {
            throw new CommandError(BloomCommands.NOT_FOUND);
        }
        return filter;
    }

    /** The filter of a key that keeps every copy of an item: not a set that was loaded from a file. */
    private static QuotientFilter<byte[]> counting(Call call, int i) {
        QuotientFilter<byte[]> filter = OwnSketches.find(call, i, QuotientFilter.class);
        if (filter == null) {
            throw new CommandError(BloomCommands.NOT_FOUND);
        }
        return filter;
    }

    private static void reserve(Call call) {
        double rate = BloomCommands.errorRate(call.word(2), "ERR bad error rate");
        long capacity = BloomCommands.capacity(call.word(3), "ERR bad capacity");
        OptionalLong growTo = OptionalLong.empty();
        if (call.count() > 4) {
            if (call.count() != 6 || !call.is(4, "GROWTO")) {
                throw new CommandError(CommandError.SYNTAX);
            }
            growTo = OptionalLong.of(BloomCommands.capacity(call.word(5), "ERR bad capacity"));
            if (growTo.getAsLong() < capacity) {
                throw new CommandError("ERR GROWTO must be at least the capacity");
            }
        }
        OwnSketches.refuseExisting(call);
        QuotientFilter.Plan<byte[]> plan =
                QuotientFilter.expecting(capacity).falsePositives(rate).of(OwnSketches.key(call));
        QuotientFilter.Plan<byte[]> wanted = growTo.isPresent() ? plan.growingTo(growTo.getAsLong()) : plan;
        OwnSketches.create(call, OwnSketches.sizing(wanted).bytes(), wanted::build);
        call.reply().ok();
    }

    private static void add(Call call) {
        if (existing(call) instanceof QuotientSet<?>) {
            throw new CommandError("ERR a set from a file can be asked, but not changed");
        }
        QuotientFilter<byte[]> filter = counting(call, 1);
        long[] hashes = OwnSketches.hashes(filter.key(), call, 2);
        // Not when it is full: to take many copies back again would take long.
        if (hashes.length > filter.room()) {
            throw new CommandError(FULL);
        }
        work(call, filter, hashes);
        OwnSketches.addAll(call, filter, hashes, FULL);
    }

    /** Copies of an item are in a row: each that is added looks at those that are there and moves what is behind them. */
    private static void work(Call call, QuotientFilter<byte[]> filter, long[] hashes) {
        long[] sorted = hashes.clone();
        Arrays.sort(sorted);
        long start = System.nanoTime();
        for (int i = 0, looked = 0; i < sorted.length; looked++) {
            if (looked % OwnSketches.LOOKUPS == 0) {
                call.refuseIfSlow(start);
            }
            int end = i + 1;
            while (end < sorted.length && sorted[end] == sorted[i]) {
                end++;
            }
            long more = (long) end - i;
            long copies = filter.countHash(sorted[i]) + more / 2;
            call.workOfPart(more * (1 + copies / COPIES_PER_STEP), "send fewer copies of an item");
            i = end;
        }
        call.spentSince(start, 1);
    }

    private static void remove(Call call) {
        HashFilter.Adds<byte[]> filter = existing(call);
        if (filter instanceof QuotientFilter<byte[]> each) {
            long start = System.nanoTime();
            call.work(each.countHash(OwnSketches.hash(each.key(), call.word(2))) / COPIES_PER_STEP);
            call.spentSince(start, REMOVAL_TIMES);
        }
        OwnSketches.remove(call, filter);
    }

    private static void count(Call call) {
        HashFilter.Adds<byte[]> filter = filter(call.find(1));
        if (filter == null) {
            call.reply().integer(0);
            return;
        }
        long hash = OwnSketches.hash(filter.key(), call.word(2));
        call.reply()
                .integer(
                        filter instanceof QuotientFilter<?> each
                                ? each.countHash(hash)
                                : filter.mightContainHash(hash) ? 1 : 0);
    }

    private static void merge(Call call) {
        List<QuotientFilter<byte[]>> sources = new ArrayList<>();
        for (int i = 2; i < call.count(); i++) {
            sources.add(counting(call, i));
        }
        QuotientFilter<byte[]> found = OwnSketches.find(call, 1, QuotientFilter.class);
        QuotientFilter<byte[]> into = found == null ? sources.remove(0) : found;
        for (QuotientFilter<byte[]> source : sources) {
            if (!into.fits(source)) {
                throw new CommandError("ERR the filters must have been reserved with the same numbers, on this server,"
                        + " and fit into one together");
            }
        }
        OwnSketches.workOfMerge(call, sources.size(), into.sizeBytes());
        long bytes = into.mergedBytes(sources);
        call.reserve(bytes + (found == null ? into.sizeBytes() : 0), bytes, BloomCommands.NO_MEMORY);
        QuotientFilter<byte[]> union = found == null ? into.copy() : found;
        if (found == null) {
            mergeAll(union, sources);
            call.put(call.key(1), new SketchValue(union));
        } else {
            call.change(call.key(1), () -> {
                mergeAll(union, sources);
                return true;
            });
        }
        call.reply().ok();
    }

    private static void mergeAll(QuotientFilter<byte[]> into, List<QuotientFilter<byte[]>> sources) {
        try {
            into.mergeAll(sources);
        } catch (IllegalArgumentException e) {
            // Each of them fits, but not all together; nothing was changed.
            throw new CommandError("ERR " + e.getMessage());
        }
    }

    private static void grow(Call call) {
        QuotientFilter<byte[]> filter = counting(call, 1);
        long bytes = filter.grownBytes();
        if (bytes == 0) {
            throw new CommandError("ERR no spare bits are left: reserve the filter with GROWTO");
        }
        // Old and new slots are in memory at once.
        call.reserve(bytes, bytes, BloomCommands.NO_MEMORY);
        call.change(call.key(1), filter::grow);
        call.reply().ok();
    }
}
