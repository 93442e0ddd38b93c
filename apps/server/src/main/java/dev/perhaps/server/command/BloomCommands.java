package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.ScalableBloom;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.BloomValue;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.server.operation.ServerSettings;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.server.wire.WireNumbers;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code BF.*}: Bloom filters that grow. */
final class BloomCommands {
    static final int CHUNK_BYTES = 16 << 20;

    private static final String GROUP = "bf";
    static final String NOT_FOUND = "ERR not found";
    private static final String FULL = "ERR non scaling filter is full";
    static final String NO_MEMORY = "ERR Insufficient memory to create filter";
    private static final long LINK_STEPS = 2;
    private static final int FEW_LINKS = 16;
    private static final String NO_GROWTH = "ERR a filter with a window does not grow";
    private static final long MAX_WINDOW_MILLIS = 3_650L * 86_400_000;
    private static final Set<Kind> OWN_KINDS = EnumSet.of(Kind.BLOOM, Kind.BLOCKED, Kind.SCALABLE, Kind.EXPIRING);

    private BloomCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "BF.RESERVE key error_rate capacity [EXPANSION expansion] [NONSCALING] [WINDOW duration]",
                "Creates an empty Bloom filter.",
                Keys.ONE,
                BloomCommands::reserve,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "BF.ADD key item",
                "Adds an item; creates the filter.",
                Keys.ONE,
                BloomCommands::add,
                Flag.WRITE,
                Flag.DENYOOM,
                Flag.FAST);
        table.add(
                GROUP,
                "BF.MADD key item [item ...]",
                "Adds items; creates the filter.",
                Keys.ONE,
                BloomCommands::add,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "BF.INSERT key [CAPACITY capacity] [ERROR error] [EXPANSION expansion] [NOCREATE] [NONSCALING] [WINDOW duration] ITEMS item [item ...]",
                "Adds items; creates the filter as told.",
                Keys.ONE,
                BloomCommands::insert,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "BF.EXISTS key item",
                "Returns whether an item perhaps was added.",
                Keys.ONE,
                BloomCommands::exists,
                Flag.READONLY,
                Flag.OPTIMISTIC,
                Flag.FAST);
        table.add(
                GROUP,
                "BF.MEXISTS key item [item ...]",
                "Returns for each item whether it perhaps was added.",
                Keys.ONE,
                BloomCommands::mexists,
                Flag.READONLY,
                Flag.OPTIMISTIC);
        table.add(
                GROUP,
                "BF.CARD key",
                "Returns the number of items that were added.",
                Keys.ONE,
                BloomCommands::card,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "BF.MERGE destkey sourcekey [sourcekey ...]",
                "Adds the items of all filters to the first.",
                Keys.ALL,
                BloomMerges::merge,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "BF.INTERCARD numkeys key [key ...]",
                "Returns about how many items all of the filters have.",
                Keys.COUNTED,
                BloomMerges::intersection,
                Flag.READONLY);
        table.add(
                GROUP,
                "BF.INFO key [CAPACITY] [SIZE] [FILTERS] [ITEMS] [EXPANSION] [WINDOW]",
                "Describes a Bloom filter.",
                Keys.ONE,
                BloomInfo::info,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "BF.SCANDUMP key iterator",
                "Returns the filter as bytes, part by part.",
                Keys.ONE,
                BloomDumps::scandump,
                Flag.READONLY);
        table.add(
                GROUP,
                "BF.LOADCHUNK key iterator data",
                "Takes a part that BF.SCANDUMP returned.",
                Keys.ONE,
                BloomDumps::loadchunk,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(GROUP, "BF.DEBUG key", "Describes the links of a filter.", Keys.ONE, BloomInfo::debug, Flag.READONLY);
    }

    // Creation

    static double errorRate(byte[] word, String bad) {
        double rate = Numbers.realOrError(word, bad);
        if (!(rate > 0 && rate < 1)) {
            throw new CommandError("ERR error rate must be in the range (0.000000, 1.000000)");
        }
        return rate;
    }

    static long capacity(byte[] word, String bad) {
        long capacity = Numbers.orError(word, bad);
        if (capacity < 1 || capacity > RedisBloom.MAX_CAPACITY) {
            throw new CommandError("ERR capacity must be in the range [1, 1073741824]");
        }
        return capacity;
    }

    private static int expansion(byte[] word, String bad) {
        long factor = Numbers.orError(word, bad);
        if (factor < 0 || factor > RedisBloom.MAX_EXPANSION) {
            throw new CommandError("ERR expansion must be in the range [0, 32768]");
        }
        return (int) factor;
    }

    private static void reserve(Call call) {
        OptionalLong window = OptionalLong.empty();
        for (int i = 4; i < call.count(); i++) {
            if (call.is(i, "WINDOW")) {
                window = OptionalLong.of(window(call, i + 1));
            }
        }
        if (call.count() > (window.isPresent() ? 9 : 7)) {
            throw call.arity();
        }
        double rate = errorRate(call.word(2), "ERR bad error rate");
        long capacity = capacity(call.word(3), "ERR bad capacity");
        int expansion = (int) call.database().settings().bloomExpansion.whole();
        boolean isNonScaling = false;
        OptionalLong asked = OptionalLong.empty();
        for (int i = 4; i < call.count(); i++) {
            if (call.is(i, "NONSCALING")) {
                isNonScaling = true;
            } else if (call.is(i, "EXPANSION")) {
                if (i + 1 == call.count()) {
                    throw new CommandError("ERR no expansion");
                }
                asked = OptionalLong.of(Numbers.orError(call.word(++i), "ERR bad expansion"));
            }
        }
        if (asked.isPresent()) {
            if (isNonScaling && asked.getAsLong() != 0) {
                throw new CommandError("Nonscaling filters cannot expand");
            }
            if (asked.getAsLong() < 0 || asked.getAsLong() > RedisBloom.MAX_EXPANSION) {
                throw new CommandError("ERR expansion must be in the range [0, 32768]");
            }
            expansion = (int) asked.getAsLong();
        }
        KeyEntry entry = call.find(1);
        if (own(entry) != null || Call.typed(entry, BloomValue.class) != null) {
            throw new CommandError("ERR item exists");
        }
        if (window.isPresent()) {
            if (asked.orElse(0) != 0) {
                throw new CommandError(NO_GROWTH);
            }
            createExpiring(call, rate, capacity, window.getAsLong());
            call.reply().ok();
            return;
        }
        create(call, rate, capacity, isNonScaling ? 0 : expansion);
        call.reply().ok();
    }

    private static RedisBloom create(Call call, double rate, long capacity, int expansion) {
        RedisBloom.Plan plan =
                RedisBloom.expecting(capacity).falsePositives(rate).expansion(expansion);
        call.reserve(plan.sizeBytes(), plan.sizeBytes(), NO_MEMORY);
        RedisBloom filter = plan.build();
        call.put(call.key(1), new BloomValue(filter));
        return filter;
    }

    /** The duration that this word is, in milliseconds. */
    static long window(Call call, int i) {
        OptionalLong millis = i < call.count() ? WireNumbers.millis(call.word(i)) : OptionalLong.empty();
        if (millis.isEmpty() || millis.getAsLong() < 1 || millis.getAsLong() > MAX_WINDOW_MILLIS) {
            throw new CommandError("ERR the window must be a duration such as 30s, 10m, 1h or 7d");
        }
        return millis.getAsLong();
    }

    private static ExpiringBloom<byte[]> createExpiring(Call call, double rate, long capacity, long windowMillis) {
        ExpiringBloom.Plan<byte[]> plan = ExpiringBloom.expecting(capacity)
                .falsePositives(rate)
                .within(Duration.ofMillis(windowMillis))
                .of(OwnSketches.key(call));
        return OwnSketches.create(call, OwnSketches.sizing(plan).bytes(), plan::build);
    }

    private static RedisBloom createDefault(Call call) {
        ServerSettings settings = call.database().settings();
        int growth = (int) settings.bloomExpansion.whole();
        workOfNew(call, settings.bloomError.real(), settings.bloomCapacity.whole(), growth, call.count() - 2);
        return create(call, settings.bloomError.real(), settings.bloomCapacity.whole(), (int)
                settings.bloomExpansion.whole());
    }

    // Addition

    /** Adds items to the filter, which is there, and replies; on a full one the array ends with the error. */
    private static void addAll(Call call, RedisBloom filter, int from) {
        boolean[] isNew = new boolean[call.count() - from];
        int[] done = new int[1];
        long before = filter.dataBytes();
        call.change(call.key(1), () -> {
            boolean hasChanged = false;
            for (int i = from; i < call.count(); i++) {
                Added added = addOne(call, filter, i, before);
                if (added == Added.FULL) {
                    break;
                }
                isNew[done[0]++] = added == Added.ADDED;
                hasChanged |= added == Added.ADDED;
            }
            return hasChanged;
        });
        ReplyWriter reply = call.reply();
        boolean isFull = done[0] < isNew.length;
        reply.array(done[0] + (isFull ? 1 : 0));
        for (int i = 0; i < done[0]; i++) {
            reply.bool(isNew[i]);
        }
        if (isFull) {
            reply.error(whyFull(filter));
        }
    }

    private static String whyFull(RedisBloom filter) {
        return filter.isScaling() ? "ERR problem inserting into filter" : FULL;
    }

    /**
     * Adds one item to a filter that had this number of bytes before the command; {@code FULL}, and nothing is changed, also if the
     * memory for it is not there.
     */
    private static Added addOne(Call call, RedisBloom filter, int i, long beforeBytes) {
        long growth = filter.growthBytes();
        if (growth > 0 && growth < Long.MAX_VALUE && !filter.mightContain(call.word(i))) {
            long size = filter.dataBytes() + growth;
            if (!call.fits(size - beforeBytes, size)) {
                return Added.FULL;
            }
        }
        return filter.add(call.word(i));
    }

    /** Refuses more lookups, in all links, than one command may take; {@code added} items may need links of their own. */
    private static void work(Call call, RedisBloom filter, long items, long added) {
        if (items <= 1 && filter.linkCount() <= FEW_LINKS) {
            call.work(filter.linkCount() * LINK_STEPS);
            return;
        }
        List<RedisBloom.Link> links = filter.links();
        RedisBloom.Link newest = links.get(links.size() - 1);
        long steps = 0;
        for (RedisBloom.Link link : links) {
            steps += LINK_STEPS + link.hashes() / 4;
        }
        double left = added - Math.max(0, newest.capacity() - newest.items());
        call.work(items, steps + stepsOfLinks(newest.capacity(), newest.hashes(), filter.expansion(), left));
    }

    /** The same for a filter that is not there yet, so that it is not made if its items are too many. */
    private static void workOfNew(Call call, double rate, long capacity, int expansion, long items) {
        int hashes = (int) Math.ceil(-Math.log(rate) / Math.log(2)) + 1;
        call.work(
                items, LINK_STEPS + hashes / 4 + stepsOfLinks(capacity, hashes, expansion, items - (double) capacity));
    }

    /** The steps of an item in the links that are appended when this number of items does not fit into those before. */
    private static long stepsOfLinks(long capacity, int hashes, int expansion, double items) {
        long steps = 0;
        double room = capacity;
        double left = items;
        // The error of each is half of that before: one more hash.
        for (long each = hashes + 1L; left > 0 && expansion > 0 && steps < Call.MAX_STEPS; each++) {
            steps += LINK_STEPS + each / 4;
            room *= expansion;
            left -= room;
        }
        return steps;
    }

    private static void reply(Call call, List<Added> results, @Nullable String error) {
        ReplyWriter reply = call.reply();
        if (call.command().name().equals("bf.add")) {
            if (error != null) {
                reply.error(error);
            } else {
                reply.bool(results.get(0) == Added.ADDED);
            }
            return;
        }
        reply.array(results.size() + (error == null ? 0 : 1));
        results.forEach(added -> reply.bool(added == Added.ADDED));
        if (error != null) {
            reply.error(error);
        }
    }

    /** {@link #addAll} to a filter of the library. */
    private static void addOwn(Call call, HashFilter.Adds<?> filter, int from) {
        long[] hashes = OwnSketches.hashes(filter.key(), call, from);
        List<Added> results = new ArrayList<>(hashes.length);
        @Nullable String[] error = new String[1];
        call.change(call.key(1), () -> {
            for (long hash : hashes) {
                Added added = filter instanceof ExpiringBloom<?> expiring
                        ? expiring.addHash(hash, call.now())
                        : filter instanceof ScalableBloom<?> scalable
                                ? OwnSketches.addGrowing(
                                        call, scalable.sizeBytes(), most -> scalable.addHash(hash, most))
                                : filter.addHash(hash);
                if (added == Added.FULL) {
                    error[0] = "ERR problem inserting into filter";
                    break;
                }
                results.add(added);
            }
            // An item that is there is kept for a whole window again.
            return results.contains(Added.ADDED) || filter instanceof ExpiringBloom<?>;
        });
        reply(call, results, error[0]);
    }

    /** The filter of the library that a key holds and these commands know, or null. */
    static HashFilter.@Nullable Adds<?> own(@Nullable KeyEntry entry) {
        return entry != null
                        && entry.value() instanceof SketchValue value
                        && OWN_KINDS.contains(value.sketch().kind())
                ? (HashFilter.Adds<?>) value.sketch()
                : null;
    }

    private static void add(Call call) {
        KeyEntry entry = call.find(1);
        HashFilter.Adds<?> own = own(entry);
        if (own != null) {
            addOwn(call, own, 2);
            return;
        }
        if (entry != null) {
            work(call, existing(Call.typed(entry, BloomValue.class)).filter(), call.count() - 2, call.count() - 2);
        }
        RedisBloom filter = entry == null
                ? createDefault(call)
                : existing(Call.typed(entry, BloomValue.class)).filter();
        if (call.command().name().equals("bf.madd")) {
            addAll(call, filter, 2);
            return;
        }
        call.change(call.key(1), () -> {
            Added added = addOne(call, filter, 2, filter.dataBytes());
            if (added == Added.FULL) {
                call.reply().error(whyFull(filter));
            } else {
                call.reply().bool(added == Added.ADDED);
            }
            return added == Added.ADDED;
        });
    }

    private static BloomValue existing(@Nullable BloomValue value) {
        if (value == null) {
            throw new CommandError(CommandError.WRONG_TYPE);
        }
        return value;
    }

    private static void insert(Call call) {
        if (call.count() < 4) {
            throw call.arity();
        }
        ServerSettings settings = call.database().settings();
        double rate = settings.bloomError.real();
        long capacity = settings.bloomCapacity.whole();
        int expansion = (int) settings.bloomExpansion.whole();
        boolean creates = true;
        boolean isNonScaling = false;
        OptionalLong window = OptionalLong.empty();
        int items = -1;
        for (int i = 2; i < call.count() && items < 0; i++) {
            String word = call.text(i).toLowerCase(Locale.ROOT);
            switch (word.isEmpty() ? ' ' : word.charAt(0)) {
                case 'i' -> items = i + 1;
                case 'e' -> {
                    if (++i == call.count()) {
                        throw call.arity();
                    }
                    if (word.length() > 1 && word.charAt(1) == 'r') {
                        rate = errorRate(call.word(i), "Bad error rate");
                    } else {
                        expansion = expansion(call.word(i), "Bad expansion");
                    }
                }
                case 'c' -> {
                    if (++i == call.count()) {
                        throw call.arity();
                    }
                    capacity = capacity(call.word(i), "Bad capacity");
                }
                case 'n' -> {
                    if (word.length() > 2 && word.charAt(2) == 'c') {
                        creates = false;
                    } else {
                        isNonScaling = true;
                    }
                }
                case 'w' -> window = OptionalLong.of(window(call, ++i));
                default -> throw new CommandError("Unknown argument received");
            }
        }
        if (items < 0 || items >= call.count()) {
            throw call.arity();
        }
        KeyEntry entry = call.find(1);
        HashFilter.Adds<?> own = own(entry);
        BloomValue value = own == null ? Call.typed(entry, BloomValue.class) : null;
        if (entry == null && !creates) {
            throw new CommandError(NOT_FOUND);
        }
        if (entry == null && window.isPresent()) {
            own = createExpiring(call, rate, capacity, window.getAsLong());
        }
        if (own != null) {
            addOwn(call, own, items);
            return;
        }
        int more = call.count() - items;
        int growth = isNonScaling ? 0 : expansion;
        if (value == null) {
            workOfNew(call, rate, capacity, growth, more);
        } else {
            work(call, value.filter(), more, more);
        }
        addAll(call, value != null ? value.filter() : create(call, rate, capacity, growth), items);
    }

    // Questions

    private static void exists(Call call) {
        KeyEntry entry = call.find(1);
        if (entry != null && entry.value() instanceof BloomValue value) {
            work(call, value.filter(), 1, 0);
            call.reply().bool(value.filter().mightContain(call.word(2)));
            return;
        }
        HashFilter.Adds<?> own = own(entry);
        call.reply().bool(own != null && OwnSketches.mightContain(own, call.word(2), call.now()));
    }

    private static void mexists(Call call) {
        KeyEntry entry = call.find(1);
        HashFilter.Adds<?> own = own(entry);
        if (entry != null && entry.value() instanceof BloomValue value) {
            work(call, value.filter(), call.count() - 2, 0);
        }
        call.reply().array(call.count() - 2);
        for (int i = 2; i < call.count(); i++) {
            call.reply()
                    .bool(
                            own != null
                                    ? OwnSketches.mightContain(own, call.word(i), call.now())
                                    : entry != null
                                            && entry.value() instanceof BloomValue value
                                            && value.filter().mightContain(call.word(i)));
        }
    }

    private static void card(Call call) {
        KeyEntry entry = call.find(1);
        HashFilter.Adds<?> own = own(entry);
        if (own != null) {
            call.reads(own.sizeBytes());
            call.reply().integer(items(own, call.now()));
            return;
        }
        BloomValue value = Call.typed(entry, BloomValue.class);
        call.reply().integer(value == null ? 0 : value.filter().count());
    }

    static long items(HashFilter<?> filter, long nowMillis) {
        return filter instanceof ExpiringBloom<?> expiring ? expiring.itemsNow(nowMillis) : filter.itemsNow();
    }

    static BloomValue existing(Call call) {
        return existing(call, 1);
    }

    static BloomValue existing(Call call, int i) {
        BloomValue value = call.find(i, BloomValue.class);
        if (value == null) {
            throw new CommandError(NOT_FOUND);
        }
        return value;
    }
}
