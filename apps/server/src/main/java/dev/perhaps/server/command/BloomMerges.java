package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.server.keyspace.BloomValue;
import dev.perhaps.server.keyspace.KeyEntry;
import java.util.ArrayList;
import java.util.List;

/** {@code BF.MERGE} and {@code BF.INTERCARD}: several Bloom filters at once. */
final class BloomMerges {
    private BloomMerges() {}

    static void merge(Call call) {
        KeyEntry into = call.find(1);
        HashFilter.Adds<?> first = BloomCommands.own(into == null ? call.find(2) : into);
        if (first != null) {
            mergeOwn(call, first);
            return;
        }
        List<RedisBloom> sources = new ArrayList<>();
        for (int i = 2; i < call.count(); i++) {
            sources.add(BloomCommands.existing(call, i).filter());
        }
        long all = 0;
        for (RedisBloom source : sources) {
            all += source.dataBytes();
        }
        OwnSketches.workOfMerge(call, sources.size(), all / sources.size() / Long.BYTES);
        // On a copy, so that nothing is changed if the last one does not fit.
        RedisBloom start =
                into == null ? sources.get(0) : BloomCommands.existing(call, 1).filter();
        long bytes = start.dataBytes();
        call.reserve(bytes, bytes, BloomCommands.NO_MEMORY);
        RedisBloom union = start.copy();
        for (RedisBloom source : sources) {
            if (!union.fits(source)) {
                throw new CommandError(
                        "ERR the filters do not fit: one was made by an old version of Redis, or they have"
                                + " too many sub-filters together");
            }
            if (source != start) {
                call.workOfPart(union.mergeSteps(source), "merge filters of fewer sub-filters");
                bytes += union.mergeBytes(source);
                call.reserve(bytes, bytes, BloomCommands.NO_MEMORY);
                union.merge(source);
            }
        }
        long expires = into == null ? KeyEntry.NEVER : into.expiresAtMillis();
        call.put(call.key(1), new BloomValue(union)).expiresAtMillis(expires);
        call.reply().ok();
    }

    private static void mergeOwn(Call call, HashFilter.Adds<?> first) {
        if (first instanceof ExpiringBloom<?>) {
            OwnSketches.<ExpiringBloom<byte[]>>merge(call, ExpiringBloom.class);
        } else if (first instanceof BloomFilter<?>) {
            OwnSketches.<BloomFilter<byte[]>>merge(call, BloomFilter.class);
        } else if (first instanceof BlockedBloom<?>) {
            OwnSketches.<BlockedBloom<byte[]>>merge(call, BlockedBloom.class);
        } else {
            throw new CommandError("ERR filters of kind '" + first.kind() + "' cannot be merged");
        }
    }

    static void intersection(Call call) {
        long keys = Numbers.orElse(call.word(1), 0);
        if (keys < 1 || keys > RedisBloom.MAX_INTERSECTED || keys != call.count() - 2) {
            throw new CommandError("ERR numkeys must be the number of keys, 1 to " + RedisBloom.MAX_INTERSECTED);
        }
        List<RedisBloom> filters = new ArrayList<>();
        for (int i = 2; i < call.count(); i++) {
            BloomValue value = call.find(i, BloomValue.class);
            if (value == null) {
                call.reply().integer(0);
                return;
            }
            filters.add(value.filter());
            call.reads(value.filter().dataBytes() << filters.size());
        }
        call.reply()
                .integer(RedisBloom.estimateIntersection(filters)
                        .orElseThrow(
                                () -> new CommandError("ERR the filters must have been reserved with the same error"
                                        + " rate and capacity, and must not have grown")));
    }
}
