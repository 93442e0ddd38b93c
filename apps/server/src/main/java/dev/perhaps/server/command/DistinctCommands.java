package dev.perhaps.server.command;

import dev.perhaps.frequency.Distinct;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.server.keyspace.StringValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code PF*}: the number of distinct items. */
final class DistinctCommands {
    private static final String GROUP = "hyperloglog";

    /** The standard error of Redis; ours is not larger. */
    private static final double STANDARD_ERROR = 0.0081;

    private DistinctCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "PFADD key [element ...]",
                "Adds items; returns 1 if at least one was certainly not there before.",
                Keys.ONE,
                DistinctCommands::add,
                Flag.WRITE,
                Flag.DENYOOM,
                Flag.FAST);
        table.add(
                GROUP,
                "PFCOUNT key [key ...]",
                "Returns about how many distinct items were added to any of the keys.",
                Keys.ALL,
                DistinctCommands::count,
                Flag.READONLY);
        table.add(
                GROUP,
                "PFMERGE destkey [sourcekey ...]",
                "Adds the items of all keys to the first.",
                Keys.ALL,
                DistinctCommands::merge,
                Flag.WRITE,
                Flag.DENYOOM);
    }

    private static @Nullable Distinct<byte[]> find(Call call, int i) {
        KeyEntry entry = call.find(i);
        if (entry != null && entry.value() instanceof StringValue) {
            throw new CommandError("WRONGTYPE Key is not a valid HyperLogLog string value.");
        }
        return OwnSketches.typed(entry, Distinct.class);
    }

    private static Distinct<byte[]> create(Call call) {
        Distinct.Plan<byte[]> plan =
                Distinct.within(STANDARD_ERROR).of(OwnSketches.key(call)).concurrent();
        call.reserve(plan.sizeBytes(), plan.sizeBytes(), Database.OUT_OF_MEMORY);
        Distinct<byte[]> distinct = plan.build();
        call.put(call.key(1), new SketchValue(distinct));
        return distinct;
    }

    private static void add(Call call) {
        Distinct<byte[]> found = find(call, 1);
        boolean[] isNew = {found == null};
        // Before anything is changed: words that are not items of this sketch are refused.
        long[] hashes = found == null ? null : OwnSketches.hashes(found.key(), call, 2);
        Distinct<byte[]> distinct = found == null ? create(call) : found;
        long[] added = hashes == null ? OwnSketches.hashes(distinct.key(), call, 2) : hashes;
        call.change(call.key(1), () -> {
            for (long hash : added) {
                isNew[0] |= distinct.addHash(hash).isNew();
            }
            return isNew[0];
        });
        call.reply().integer(isNew[0] ? 1 : 0);
    }

    /** Those of the keys that are there; all fit together. */
    private static List<Distinct<byte[]>> all(Call call) {
        List<Distinct<byte[]>> all = new ArrayList<>();
        for (int i = 1; i < call.count(); i++) {
            Distinct<byte[]> distinct = find(call, i);
            if (distinct != null) {
                if (!all.isEmpty() && !all.get(0).fits(distinct)) {
                    throw new CommandError("ERR the keys do not fit: " + call.text(i)
                            + " was restored from another server, or has another number of registers");
                }
                all.add(distinct);
            }
        }
        OwnSketches.workOfMerge(call, all.size(), all.isEmpty() ? 0 : all.get(0).sizeBytes());
        return all;
    }

    private static void count(Call call) {
        List<Distinct<byte[]>> all = all(call);
        if (all.isEmpty()) {
            call.reply().integer(0);
            return;
        }
        Distinct<byte[]> union = all.size() == 1 ? all.get(0) : all.get(0).copy();
        all.subList(1, all.size()).forEach(union::merge);
        call.reply().integer(Math.round(union.estimate()));
    }

    private static void merge(Call call) {
        List<Distinct<byte[]>> all = all(call);
        boolean isNew = find(call, 1) == null;
        if (isNew && !all.isEmpty()) {
            // As the first that is there, also if it was restored from another server.
            call.reserve(all.get(0).sizeBytes(), all.get(0).sizeBytes(), Database.OUT_OF_MEMORY);
            call.put(call.key(1), new SketchValue(all.get(0).copy()));
        } else if (isNew) {
            create(call);
        }
        Distinct<byte[]> into = find(call, 1);
        if (into != null) {
            call.change(call.key(1), () -> {
                all.forEach(into::merge);
                return true;
            });
        }
        call.reply().ok();
    }
}
