package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisCuckoo;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.CuckooSet;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.CuckooValue;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code CF.*}: cuckoo filters, from which items can be removed. */
final class CuckooCommands {
    private static final String GROUP = "cf";
    private static final String NOT_FOUND = "ERR not found";
    private static final String BAD_POSITION = "Invalid position";
    private static final long DISPLACED_STEPS = 4;

    /** The steps of reading a bucket that is not in the processor's cache, and the slots that one more step compares. */
    private static final long BUCKET_STEPS = 2;

    private static final int SLOTS_PER_STEP = 4;

    private CuckooCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "CF.RESERVE key capacity [BUCKETSIZE bucketsize] [MAXITERATIONS maxiterations] [EXPANSION expansion] [ERROR error]",
                "Creates an empty cuckoo filter.",
                Keys.ONE,
                CuckooCommands::reserve,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "CF.ADD key item",
                "Adds an item, also one that is there; creates the filter.",
                Keys.ONE,
                call -> addOne(call, false),
                Flag.WRITE,
                Flag.DENYOOM,
                Flag.FAST);
        table.add(
                GROUP,
                "CF.ADDNX key item",
                "Adds an item unless it perhaps is there; creates the filter.",
                Keys.ONE,
                call -> addOne(call, true),
                Flag.WRITE,
                Flag.DENYOOM,
                Flag.FAST);
        table.add(
                GROUP,
                "CF.INSERT key [CAPACITY capacity] [NOCREATE] ITEMS item [item ...]",
                "Adds items, also those that are there.",
                Keys.ONE,
                call -> insert(call, false),
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "CF.INSERTNX key [CAPACITY capacity] [NOCREATE] ITEMS item [item ...]",
                "Adds items that are certainly not there.",
                Keys.ONE,
                call -> insert(call, true),
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "CF.EXISTS key item",
                "Returns whether an item perhaps was added.",
                Keys.ONE,
                CuckooCommands::exists,
                Flag.READONLY,
                Flag.OPTIMISTIC,
                Flag.FAST);
        table.add(
                GROUP,
                "CF.MEXISTS key item [item ...]",
                "Returns for each item whether it perhaps was added.",
                Keys.ONE,
                CuckooCommands::mexists,
                Flag.READONLY,
                Flag.OPTIMISTIC);
        table.add(
                GROUP,
                "CF.COUNT key item",
                "Returns how often an item perhaps was added.",
                Keys.ONE,
                CuckooCommands::count,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "CF.DEL key item",
                "Removes an item once.",
                Keys.ONE,
                CuckooCommands::del,
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "CF.COMPACT key",
                "Moves items to older sub-filters and drops empty ones.",
                Keys.ONE,
                CuckooCommands::compact,
                Flag.WRITE);
        table.add(
                GROUP,
                "CF.INFO key",
                "Describes a cuckoo filter.",
                Keys.ONE,
                CuckooCommands::info,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "CF.SCANDUMP key iterator",
                "Returns the filter as bytes, part by part.",
                Keys.ONE,
                CuckooCommands::scandump,
                Flag.READONLY);
        table.add(
                GROUP,
                "CF.LOADCHUNK key iterator data",
                "Takes a part that CF.SCANDUMP returned.",
                Keys.ONE,
                CuckooCommands::loadchunk,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "CF.DEBUG key",
                "Describes a cuckoo filter in one line.",
                Keys.ONE,
                CuckooCommands::debug,
                Flag.READONLY);
    }

    // Creation

    private static long option(Call call, int i, String name, long most, long least) {
        long value = Numbers.orError(call.word(i), "Couldn't parse " + name);
        if (value < least || value > most) {
            throw new CommandError(name + ": value must be in the range [" + least + ", " + most + "]");
        }
        return value;
    }

    private static void reserve(Call call) {
        if (call.count() % 2 == 0) {
            throw call.arity();
        }
        ServerSettings settings = call.database().settings();
        long capacity = Numbers.orError(call.word(2), "Bad capacity");
        long iterations = settings.cuckooIterations.whole();
        long bucketSize = settings.cuckooBucketSize.whole();
        long expansion = settings.cuckooExpansion.whole();
        double error = 0;
        boolean isShaped = false;
        for (int i = 3; i < call.count(); i += 2) {
            switch (call.upper(i)) {
                case "MAXITERATIONS" ->
                    iterations = option(call, i + 1, "MAXITERATIONS", RedisCuckoo.MAX_ITERATIONS, 1);
                case "BUCKETSIZE" -> bucketSize = option(call, i + 1, "BUCKETSIZE", RedisCuckoo.MAX_BUCKET_SIZE, 1);
                case "ERROR" -> error = BloomCommands.errorRate(call.word(i + 1), "Bad error rate");
                case "EXPANSION" -> expansion = option(call, i + 1, "EXPANSION", RedisCuckoo.MAX_EXPANSION, 0);
                default -> {}
            }
            isShaped |= call.is(i, "MAXITERATIONS") || call.is(i, "BUCKETSIZE");
        }
        if (error > 0) {
            if (isShaped) {
                throw new CommandError("ERR ERROR decides the buckets itself: without BUCKETSIZE and MAXITERATIONS");
            }
            reserveOwn(call, capacity, error, expansion > 0);
            return;
        }
        if (capacity < 2 * bucketSize || capacity > RedisCuckoo.MAX_CAPACITY) {
            throw new CommandError("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]");
        }
        KeyEntry entry = call.find(1);
        if (own(entry) != null || Call.typed(entry, CuckooValue.class) != null) {
            throw new CommandError("ERR item exists");
        }
        create(call, capacity, bucketSize, iterations, expansion);
        call.reply().ok();
    }

    /** A filter of the library, whose fingerprints are as long as the error needs. */
    private static void reserveOwn(Call call, long capacity, double error, boolean isGrowing) {
        if (capacity < 1) {
            throw new CommandError("Bad capacity");
        }
        KeyEntry entry = call.find(1);
        if (own(entry) != null || Call.typed(entry, CuckooValue.class) != null) {
            throw new CommandError("ERR item exists");
        }
        CuckooFilter.Plan<byte[]> plan =
                CuckooFilter.expecting(capacity).falsePositives(error).of(OwnSketches.key(call));
        CuckooFilter.Plan<byte[]> wanted = isGrowing ? plan.growing() : plan;
        OwnSketches.create(call, OwnSketches.sizing(wanted).bytes(), wanted::build);
        call.reply().ok();
    }

    /** The filter of the library that a key holds and these commands know, or null. */
    private static HashFilter.@Nullable Adds<?> own(@Nullable KeyEntry entry) {
        return entry != null
                        && entry.value() instanceof SketchValue value
                        && value.sketch().kind() == Kind.CUCKOO
                ? (HashFilter.Adds<?>) value.sketch()
                : null;
    }

    private static RedisCuckoo create(Call call, long capacity, long bucketSize, long iterations, long expansion) {
        RedisCuckoo.Plan plan = RedisCuckoo.expecting(capacity)
                .bucketSize((int) bucketSize)
                .maxIterations((int) iterations)
                .expansion((int) expansion);
        call.reserve(plan.sizeBytes(), plan.sizeBytes(), "ERR Insufficient memory to create filter");
        RedisCuckoo filter = plan.build();
        call.put(call.key(1), new CuckooValue(filter));
        return filter;
    }

    private static RedisCuckoo createDefault(Call call, long capacity) {
        ServerSettings settings = call.database().settings();
        return create(
                call,
                capacity,
                settings.cuckooBucketSize.whole(),
                settings.cuckooIterations.whole(),
                settings.cuckooExpansion.whole());
    }

    // Addition

    /** Adds one item, or says why not. */
    private static Added add(Call call, RedisCuckoo filter, byte[] item, boolean onlyNew) {
        int maxTables = (int) call.database().settings().cuckooMaxExpansions.whole();
        if (filter.tables() >= maxTables) {
            // As Redis does: a filter that has them all takes no item, also where one of its slots is empty.
            return Added.FULL;
        }
        if (onlyNew && filter.mightContain(item)) {
            return Added.PRESENT;
        }
        return OwnSketches.addGrowing(call, filter.slots(), most -> filter.add(item, maxTables, most));
    }

    /** The steps of adding this number of items: displaced ones are looked up in a map of their own. */
    private static void work(Call call, RedisCuckoo filter, long items, boolean isAdding) {
        long lookup = 2L * filter.tables() * (BUCKET_STEPS + filter.bucketSize() / SLOTS_PER_STEP);
        call.work(items, lookup + (isAdding ? DISPLACED_STEPS * filter.maxIterations() : 0));
    }

    private static String whyFull(Call call, RedisCuckoo filter) {
        if (filter.tables() >= call.database().settings().cuckooMaxExpansions.whole()) {
            return "Maximum expansions reached";
        }
        return filter.expansion() == 0 ? "Filter is full" : "ERR Insufficient memory";
    }

    /** Adds words to a filter of the library; what did not fit is FULL, and a set keeps each item once. */
    private static List<Added> addOwn(Call call, HashFilter.Adds<?> filter, int from, boolean onlyNew) {
        long[] hashes = OwnSketches.hashes(filter.key(), call, from);
        List<Added> results = new ArrayList<>(hashes.length);
        call.change(call.key(1), () -> {
            for (long hash : hashes) {
                if (onlyNew && filter.mightContainHash(hash)) {
                    results.add(Added.PRESENT);
                } else if (filter instanceof CuckooFilter<?> each) {
                    Added added = OwnSketches.addGrowing(call, each.sizeBytes(), most -> each.addHash(hash, most));
                    results.add(added == Added.FULL ? Added.FULL : Added.ADDED);
                } else if (filter instanceof CuckooSet<?> set) {
                    results.add(OwnSketches.addGrowing(call, set.sizeBytes(), most -> set.addHash(hash, most)));
                }
            }
            return results.contains(Added.ADDED);
        });
        return results;
    }

    private static void addOne(Call call, boolean onlyNew) {
        HashFilter.Adds<?> own = own(call.find(1));
        if (own != null) {
            Added added = addOwn(call, own, 2, onlyNew).get(0);
            if (added == Added.FULL) {
                throw new CommandError("Filter is full");
            }
            call.reply().bool(added == Added.ADDED);
            return;
        }
        ServerSettings settings = call.database().settings();
        CuckooValue value = call.find(1, CuckooValue.class);
        // Before the filter is created: a command that is refused changes nothing.
        if (value != null) {
            work(call, value.filter(), 1, true);
        } else {
            call.work(1, DISPLACED_STEPS * settings.cuckooIterations.whole());
        }
        RedisCuckoo filter = value != null ? value.filter() : createDefault(call, settings.cuckooCapacity.whole());
        Added[] result = new Added[1];
        call.change(call.key(1), () -> {
            result[0] = add(call, filter, call.word(2), onlyNew);
            return result[0] == Added.ADDED;
        });
        if (result[0] == Added.FULL) {
            throw new CommandError(whyFull(call, filter));
        }
        call.reply().bool(result[0] == Added.ADDED);
    }

    private static void insert(Call call, boolean onlyNew) {
        ServerSettings settings = call.database().settings();
        long capacity = settings.cuckooCapacity.whole();
        boolean creates = true;
        int items = -1;
        for (int i = 2; i < call.count() && items < 0; i++) {
            String word = call.text(i).toLowerCase(Locale.ROOT);
            switch (word.isEmpty() ? ' ' : word.charAt(0)) {
                case 'i' -> items = i + 1;
                case 'n' -> creates = false;
                case 'c' -> {
                    if (++i == call.count()) {
                        throw call.arity();
                    }
                    capacity = Numbers.orError(call.word(i), "Bad capacity");
                    if (capacity < 2 * settings.cuckooBucketSize.whole() || capacity > RedisCuckoo.MAX_CAPACITY) {
                        throw new CommandError("Capacity must be in the range [cf-bucket-size * 2, 1073741824]");
                    }
                }
                default -> throw new CommandError("Unknown argument received");
            }
        }
        if (items < 0 || items >= call.count()) {
            throw call.arity();
        }
        HashFilter.Adds<?> own = own(call.find(1));
        if (own != null) {
            reply(call, addOwn(call, own, items, onlyNew), onlyNew);
            return;
        }
        CuckooValue value = call.find(1, CuckooValue.class);
        if (value == null && !creates) {
            throw new CommandError(NOT_FOUND);
        }
        if (value != null) {
            work(call, value.filter(), call.count() - items, true);
        } else {
            call.work(call.count() - items, DISPLACED_STEPS * settings.cuckooIterations.whole());
        }
        RedisCuckoo filter = value != null ? value.filter() : createDefault(call, capacity);
        if (filter.tables() >= settings.cuckooMaxExpansions.whole()) {
            throw new CommandError("Maximum expansions reached");
        }
        int first = items;
        List<Added> results = new ArrayList<>();
        call.change(call.key(1), () -> {
            for (int i = first; i < call.count(); i++) {
                results.add(add(call, filter, call.word(i), onlyNew));
            }
            return results.contains(Added.ADDED);
        });
        reply(call, results, onlyNew);
    }

    private static void reply(Call call, List<Added> results, boolean onlyNew) {
        ReplyWriter reply = call.reply();
        reply.array(results.size());
        for (Added added : results) {
            if (reply.version() == 3 && !onlyNew) {
                reply.bool(added == Added.ADDED);
            } else {
                reply.integer(added == Added.ADDED ? 1 : added == Added.PRESENT ? 0 : -1);
            }
        }
    }

    // Questions and removal

    private static void exists(Call call) {
        KeyEntry entry = call.find(1);
        if (entry != null && entry.value() instanceof CuckooValue value) {
            work(call, value.filter(), 1, false);
        }
        call.reply().bool(mightContain(entry, own(entry), call, 2));
    }

    private static boolean mightContain(@Nullable KeyEntry entry, HashFilter.@Nullable Adds<?> own, Call call, int i) {
        if (own != null) {
            return OwnSketches.mightContain(own, call.word(i), call.now());
        }
        return entry != null
                && entry.value() instanceof CuckooValue value
                && value.filter().mightContain(call.word(i));
    }

    private static void mexists(Call call) {
        KeyEntry entry = call.find(1);
        HashFilter.Adds<?> own = own(entry);
        if (entry != null && entry.value() instanceof CuckooValue value) {
            work(call, value.filter(), call.count() - 2, false);
        }
        call.reply().array(call.count() - 2);
        for (int i = 2; i < call.count(); i++) {
            call.reply().bool(mightContain(entry, own, call, i));
        }
    }

    private static void count(Call call) {
        HashFilter.Adds<?> own = own(call.find(1));
        if (own != null) {
            long hash = OwnSketches.hash(own.key(), call.word(2));
            call.reply()
                    .integer(
                            own instanceof CuckooFilter<?> each
                                    ? each.countHash(hash)
                                    : own.mightContainHash(hash) ? 1 : 0);
            return;
        }
        CuckooValue value = call.findOnly(1, CuckooValue.class);
        if (value == null) {
            call.reply().integer(0);
            return;
        }
        work(call, value.filter(), 1, false);
        call.reply().integer(value.filter().count(call.word(2)));
    }

    private static void del(Call call) {
        HashFilter.Adds<?> own = own(call.find(1));
        if (own != null) {
            OwnSketches.remove(call, own);
            return;
        }
        CuckooValue value = call.findOnly(1, CuckooValue.class);
        if (value == null) {
            throw new CommandError("Not found");
        }
        work(call, value.filter(), 1, false);
        call.work(value.filter().removalSteps());
        boolean[] removed = new boolean[1];
        call.change(call.key(1), () -> removed[0] = value.filter().remove(call.word(2)));
        call.reply().bool(removed[0]);
    }

    private static void compact(Call call) {
        if (own(call.find(1)) != null) {
            throw new CommandError("ERR a filter with a chosen error cannot be compacted");
        }
        CuckooValue value = call.findOnly(1, CuckooValue.class);
        if (value == null) {
            throw new CommandError("Cuckoo filter was not found");
        }
        call.work(value.filter().compactionSteps());
        call.change(call.key(1), () -> {
            value.filter().compact();
            return true;
        });
        call.reply().ok();
    }

    private static CuckooValue existing(Call call) {
        CuckooValue value = call.find(1, CuckooValue.class);
        if (value == null) {
            throw new CommandError(NOT_FOUND);
        }
        return value;
    }

    private static void infoOwn(ReplyWriter reply, HashFilter.Adds<?> own) {
        Description description = own.describe();
        reply.map(7);
        fact(reply, "Size", SketchValue.OBJECT_BYTES + own.sizeBytes());
        fact(reply, "Number of buckets", (long) ValueStats.number(description, "buckets"));
        fact(reply, "Number of filters", (long) ValueStats.number(description, "tables"));
        fact(reply, "Number of items inserted", own.itemsNow());
        fact(reply, "Bucket size", (long) ValueStats.number(description, "slotsPerBucket"));
        fact(reply, "Fingerprint bits", (long) ValueStats.number(description, "fingerprintBits"));
        reply.simple("Error rate");
        reply.number(own.sizing().error());
    }

    private static void info(Call call) {
        HashFilter.Adds<?> own = own(call.find(1));
        if (own != null) {
            infoOwn(call.reply(), own);
            return;
        }
        CuckooValue value = existing(call);
        RedisCuckoo filter = value.filter();
        ReplyWriter reply = call.reply();
        reply.map(8);
        fact(reply, "Size", value.sizeBytes());
        fact(reply, "Number of buckets", filter.buckets());
        fact(reply, "Number of filters", filter.tables());
        fact(reply, "Number of items inserted", filter.count());
        fact(reply, "Number of items deleted", filter.removals());
        fact(reply, "Bucket size", filter.bucketSize());
        fact(reply, "Expansion rate", filter.expansion());
        fact(reply, "Max iterations", filter.maxIterations());
    }

    static void fact(ReplyWriter reply, String name, long value) {
        reply.simple(name);
        reply.integer(value);
    }

    private static void debug(Call call) {
        RedisCuckoo filter = existing(call).filter();
        call.reply()
                .bulk("bktsize:" + filter.bucketSize() + " buckets:" + filter.buckets() + " items:"
                        + filter.count() + " deletes:" + filter.removals() + " filters:" + filter.tables()
                        + " max_iterations:" + filter.maxIterations() + " expansion:" + filter.expansion());
    }

    // Dumps

    private static void scandump(Call call) {
        RedisCuckoo filter = existing(call).filter();
        long position = Numbers.orError(call.word(2), BAD_POSITION);
        ReplyWriter reply = call.reply();
        call.reads(Math.min(filter.slots(), BloomCommands.CHUNK_BYTES));
        reply.array(2);
        if (position == 0 && filter.count() > 0) {
            reply.integer(1);
            reply.bulk(filter.header());
            return;
        }
        int length =
                position < 1 || filter.count() == 0 ? 0 : filter.chunkBytes(position - 1, BloomCommands.CHUNK_BYTES);
        reply.integer(length == 0 ? 0 : position + length);
        if (length == 0) {
            reply.nil();
        } else {
            BloomDumps.chunk(reply, length, (at, most) -> filter.chunk(position - 1 + at, most));
        }
    }

    private static void loadchunk(Call call) {
        long position = Numbers.orError(call.word(2), BAD_POSITION);
        if (position == 0) {
            throw new CommandError(BAD_POSITION);
        }
        CuckooValue value = call.find(1, CuckooValue.class);
        byte[] data = call.word(3);
        if (position == 1) {
            if (value != null) {
                throw new CommandError("ERR item exists");
            }
            if (data.length != RedisCuckoo.HEADER_BYTES) {
                throw new CommandError("Invalid header");
            }
            try {
                call.put(call.key(1), new CuckooValue(RedisCuckoo.ofHeader(data, call.mostBytes())));
            } catch (FormatException e) {
                throw new CommandError("Couldn't create filter!");
            }
            call.reply().ok();
            return;
        }
        if (value == null) {
            throw new CommandError(NOT_FOUND);
        }
        RedisCuckoo.Load[] result = new RedisCuckoo.Load[1];
        call.change(call.key(1), () -> {
            result[0] =
                    data.length == 0 ? RedisCuckoo.Load.REFUSED : value.filter().load(position - 1 - data.length, data);
            return result[0] == RedisCuckoo.Load.LOADED;
        });
        if (result[0] != RedisCuckoo.Load.LOADED) {
            throw new CommandError("Couldn't load chunk!");
        }
        call.reply().ok();
    }
}
