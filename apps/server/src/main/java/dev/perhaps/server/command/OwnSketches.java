package dev.perhaps.server.command;

import dev.perhaps.key.Key;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Mergeable;
import dev.perhaps.sketch.Sizing;
import dev.perhaps.sketch.Sketch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the families of the library's own structures share: finding and making them, and the hashes of items. */
final class OwnSketches {
    static final String DIFFERENT =
            "ERR the keys must have been made with the same numbers, on this server: different is ";

    private static final int FEW_SOURCES = 8;

    /** After this many lookups it is seen whether they take too long: a filter of many copies of few items is slow. */
    static final int LOOKUPS = 256;

    private OwnSketches() {}

    /** The structure of this class that a key holds, or null if there is no key; another value is refused. */
    @SuppressWarnings("unchecked") // items are hashed by hash(), which knows the key
    static <S extends Sketch> @Nullable S typed(@Nullable KeyEntry entry, Class<? super S> type) {
        if (entry == null) {
            return null;
        }
        if (!(entry.value() instanceof SketchValue value) || !type.isInstance(value.sketch())) {
            throw new CommandError(CommandError.WRONG_TYPE);
        }
        return (S) value.sketch();
    }

    static <S extends Sketch> @Nullable S find(Call call, int i, Class<? super S> type) {
        return typed(call.find(i), type);
    }

    /** The structure of this class that a key holds; no key and another value are refused. */
    static <S extends Sketch> S existing(Call call, int i, Class<? super S> type) {
        S found = find(call, i, type);
        if (found == null) {
            throw new CommandError(BloomCommands.NOT_FOUND);
        }
        return found;
    }

    /** The key of what is made here: bytes, hashed with a seed that no client knows. */
    static Key.Bytes key(Call call) {
        return Key.bytes().seeded(call.database().seed());
    }

    /** The hash of an item as the structure's key has it: of its bytes, or of the number that they are. */
    static long hash(Key<?> key, byte[] item) {
        if (key instanceof Key.Bytes bytes) {
            return bytes.hash(item);
        }
        Key.Longs numbers = Key.longs().seeded(key.seed());
        if (numbers.fits(key)) {
            return numbers.hash(Numbers.orError(item, CommandError.NOT_INTEGER));
        }
        throw new CommandError("ERR the items of this key are '" + key.name()
                + "': commands know items that are texts or numbers of 64 bits");
    }

    /** The hashes of the words from this one on; one that is not an item is refused before anything is changed. */
    static long[] hashes(Key<?> key, Call call, int from) {
        long[] hashes = new long[call.count() - from];
        for (int i = 0; i < hashes.length; i++) {
            hashes[i] = hash(key, call.word(from + i));
        }
        return hashes;
    }

    /** The size that a plan will have, or an error if there can be no such filter. */
    static Sizing sizing(FilterPlan<?> plan) {
        try {
            return plan.sizing();
        } catch (IllegalArgumentException e) {
            throw new CommandError("ERR could not create filter: " + e.getMessage());
        }
    }

    /**
     * Adds an item to a structure that grows and takes this number of bytes now. Memory is asked for only if it must grow; from
     * then on the call has all that is free.
     */
    static Added addGrowing(Call call, long nowBytes, LongFunction<Added> add) {
        Added added = call.hasAllMemory() ? Added.FULL : add.apply(nowBytes);
        return added == Added.FULL ? add.apply(call.mostBytes(nowBytes)) : added;
    }

    /** Whether a filter perhaps has an item now. */
    static boolean mightContain(HashFilter<?> filter, byte[] item, long nowMillis) {
        long hash = hash(filter.key(), item);
        return filter instanceof ExpiringBloom<?> expiring
                ? expiring.mightContainHash(hash, nowMillis)
                : filter.mightContainHash(hash);
    }

    /** Adds the content of all keys after the first one to it; if it is not there, it becomes a copy of the second. */
    static <S extends Sketch & Mergeable<S>> void merge(Call call, Class<? super S> type) {
        List<S> sources = new ArrayList<>();
        for (int i = 2; i < call.count(); i++) {
            sources.add(existing(call, i, type));
        }
        KeyEntry entry = call.find(1);
        S found = typed(entry, type);
        S start = found == null ? sources.get(0) : found;
        List<S> rest = found == null ? sources.subList(1, sources.size()) : sources;
        for (int i = 0; i < sources.size(); i++) {
            if (!start.fits(sources.get(i))) {
                throw new CommandError(DIFFERENT + call.text(2 + i));
            }
        }
        long bytes = start.sizeBytes();
        workOfMerge(call, rest.size(), bytes / Long.BYTES);
        call.reserve(bytes, bytes, BloomCommands.NO_MEMORY);
        // On a copy, so that nothing is changed if the last one does not fit.
        S union = typedCopy(start);
        try {
            rest.forEach(union::merge);
        } catch (IllegalArgumentException e) {
            throw new CommandError("ERR " + e.getMessage());
        }
        long expires = entry == null ? KeyEntry.NEVER : entry.expiresAtMillis();
        call.put(call.key(1), new SketchValue(union)).expiresAtMillis(expires);
        call.reply().ok();
    }

    /** Refuses to merge too many sources of this many steps each; a few are allowed, however large they are. */
    static void workOfMerge(Call call, int sources, long stepsEach) {
        if (sources <= FEW_SOURCES) {
            call.reads((long) Long.BYTES * sources * stepsEach);
        } else {
            call.work(sources, stepsEach);
        }
    }

    @SuppressWarnings("unchecked") // a copy is of the type of its original
    private static <S extends Sketch> S typedCopy(S sketch) {
        return (S) new SketchValue(sketch).copy().sketch();
    }

    /** Removes the item that is the second word once, from the filter of the first; replies whether it was there. */
    static void remove(Call call, HashFilter<?> filter) {
        if (!(filter instanceof HashFilter.Removes<?> removing)) {
            throw new CommandError("ERR this filter keeps each item once, and cannot remove");
        }
        long hash = hash(filter.key(), call.word(2));
        boolean[] removed = new boolean[1];
        call.change(call.key(1), () -> removed[0] = removing.removeHash(hash));
        call.reply().bool(removed[0]);
    }

    /** Adds the words from the second on to a filter from which items can be removed: all of them, or none. */
    static void addAll(Call call, HashFilter.Removes<?> filter, String full) {
        addAll(call, filter, hashes(filter.key(), call, 2), full);
    }

    /** The same with the hashes of these words. */
    static void addAll(Call call, HashFilter.Removes<?> filter, long[] hashes, String full) {
        boolean[] isNew = new boolean[hashes.length];
        call.change(call.key(1), () -> {
            for (int i = 0; i < hashes.length; i++) {
                Added added = filter.addHash(hashes[i]);
                if (added == Added.FULL) {
                    while (i-- > 0) {
                        filter.removeHash(hashes[i]);
                    }
                    throw new CommandError(full);
                }
                isNew[i] = added == Added.ADDED;
            }
            return true;
        });
        if (call.command().name().endsWith(".add")) {
            call.reply().bool(isNew[0]);
            return;
        }
        call.reply().array(isNew.length);
        for (boolean each : isNew) {
            call.reply().bool(each);
        }
    }

    /** Replies whether the filter perhaps has the words from the second on; without a filter it has none. */
    static void exists(Call call, @Nullable HashFilter<?> filter) {
        boolean isOne = call.command().name().endsWith(".exists");
        if (!isOne) {
            call.reply().array(call.count() - 2);
        }
        long start = System.nanoTime();
        for (int i = 2; i < call.count(); i++) {
            if (i % LOOKUPS == 0) {
                call.refuseIfSlow(start);
            }
            call.reply().bool(filter != null && mightContain(filter, call.word(i), call.now()));
        }
        call.spentSince(start, 1);
    }

    /** Describes a filter: what all of them have, and then some numbers of its own. */
    static void info(Call call, HashFilter<?> filter, String... more) {
        call.reads(filter.sizeBytes());
        info(call.reply(), filter, more);
    }

    static void info(ReplyWriter reply, HashFilter<?> filter, String... more) {
        Description description = filter.describe();
        reply.map(5 + more.length / 2);
        CuckooCommands.fact(reply, "Capacity", filter.sizing().items());
        CuckooCommands.fact(reply, "Size", SketchValue.OBJECT_BYTES + filter.sizeBytes());
        CuckooCommands.fact(reply, "Number of items", filter.itemsNow());
        reply.simple("Error rate");
        reply.number(filter.sizing().error());
        reply.simple("Error rate now");
        reply.number(filter.errorNow());
        for (int i = 0; i < more.length; i += 2) {
            CuckooCommands.fact(reply, more[i], (long) ValueStats.number(description, more[i + 1]));
        }
    }

    /** Refuses a key that is there. */
    static void refuseExisting(Call call) {
        if (call.find(1) != null) {
            throw new CommandError("ERR item exists");
        }
    }

    /** Makes the structure of a new key, if this much memory is there. */
    static <S extends Sketch> S create(Call call, long bytes, Supplier<S> plan) {
        call.reserve(bytes, bytes, BloomCommands.NO_MEMORY);
        S made = plan.get();
        call.put(call.key(1), new SketchValue(made));
        return made;
    }
}
