package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.membership.BlockedBloom;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.ScalableBloom;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.BloomValue;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.sketch.Added;
import dev.perhaps.sketch.FormatException;
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
    private static final String BAD_DATA = "ERR received bad data";
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
                BloomCommands::merge,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "BF.INTERCARD numkeys key [key ...]",
                "Returns about how many items all of the filters have.",
                Keys.COUNTED,
                BloomCommands::intersection,
                Flag.READONLY);
        table.add(
                GROUP,
                "BF.INFO key [CAPACITY] [SIZE] [FILTERS] [ITEMS] [EXPANSION] [WINDOW]",
                "Describes a Bloom filter.",
                Keys.ONE,
                BloomCommands::info,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "BF.SCANDUMP key iterator",
                "Returns the filter as bytes, part by part.",
                Keys.ONE,
                BloomCommands::scandump,
                Flag.READONLY);
        table.add(
                GROUP,
                "BF.LOADCHUNK key iterator data",
                "Takes a part that BF.SCANDUMP returned.",
                Keys.ONE,
                BloomCommands::loadchunk,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "BF.DEBUG key",
                "Describes the links of a filter.",
                Keys.ONE,
                BloomCommands::debug,
                Flag.READONLY);
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
        RedisBloom filter;
        try {
            filter = plan.build();
        } catch (ArithmeticException e) {
            throw new CommandError("ERR could not create filter");
        }
        call.put(call.key(1), new BloomValue(filter));
        return filter;
    }

    /** The duration that this word is, in milliseconds. */
    static long window(Call call, int i) {
        OptionalLong millis = i < call.count() ? Numbers.millis(call.word(i)) : OptionalLong.empty();
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
        return create(call, settings.bloomError.real(), settings.bloomCapacity.whole(), (int)
                settings.bloomExpansion.whole());
    }

    // Addition

    /** Adds items to the filter, which is there, and replies; on a full one the array ends with the error. */
    private static void addAll(Call call, RedisBloom filter, int from) {
        boolean[] isNew = new boolean[call.count() - from];
        int[] done = new int[1];
        call.change(call.key(1), () -> {
            boolean hasChanged = false;
            for (int i = from; i < call.count(); i++) {
                Added added = addOne(call, filter, i);
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

    /** Adds one item; {@code FULL}, and nothing is changed, also if the memory for it is not there. */
    private static Added addOne(Call call, RedisBloom filter, int i) {
        long growth = filter.growthBytes();
        if (growth > 0
                && growth < Long.MAX_VALUE
                && !filter.mightContain(call.word(i))
                && !fits(call, filter, growth)) {
            return Added.FULL;
        }
        return filter.add(call.word(i));
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
        long most = call.mostBytes(filter.sizeBytes());
        List<Added> results = new ArrayList<>(hashes.length);
        @Nullable String[] error = new String[1];
        call.change(call.key(1), () -> {
            for (long hash : hashes) {
                Added added = filter instanceof ExpiringBloom<?> expiring
                        ? expiring.addHash(hash, call.now())
                        : filter instanceof ScalableBloom<?> scalable
                                ? scalable.addHash(hash, most)
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
    private static HashFilter.@Nullable Adds<?> own(@Nullable KeyEntry entry) {
        return entry != null
                        && entry.value() instanceof SketchValue value
                        && OWN_KINDS.contains(value.sketch().kind())
                ? (HashFilter.Adds<?>) value.sketch()
                : null;
    }

    private static boolean fits(Call call, RedisBloom filter, long growth) {
        try {
            call.reserve(growth, filter.dataBytes() + growth, FULL);
            return true;
        } catch (CommandError e) {
            return false;
        }
    }

    private static void add(Call call) {
        KeyEntry entry = call.find(1);
        HashFilter.Adds<?> own = own(entry);
        if (own != null) {
            addOwn(call, own, 2);
            return;
        }
        RedisBloom filter = entry == null
                ? createDefault(call)
                : existing(Call.typed(entry, BloomValue.class)).filter();
        if (call.command().name().equals("bf.madd")) {
            addAll(call, filter, 2);
            return;
        }
        call.change(call.key(1), () -> {
            Added added = addOne(call, filter, 2);
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
        addAll(
                call,
                value != null ? value.filter() : create(call, rate, capacity, isNonScaling ? 0 : expansion),
                items);
    }

    // Questions

    private static void exists(Call call) {
        KeyEntry entry = call.find(1);
        if (entry != null && entry.value() instanceof BloomValue value) {
            call.reply().bool(value.filter().mightContain(call.word(2)));
            return;
        }
        HashFilter.Adds<?> own = own(entry);
        call.reply().bool(own != null && OwnSketches.mightContain(own, call.word(2), call.now()));
    }

    private static void mexists(Call call) {
        KeyEntry entry = call.find(1);
        HashFilter.Adds<?> own = own(entry);
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
            call.reply().integer(items(own, call.now()));
            return;
        }
        BloomValue value = Call.typed(entry, BloomValue.class);
        call.reply().integer(value == null ? 0 : value.filter().count());
    }

    private static long items(HashFilter<?> filter, long nowMillis) {
        return filter instanceof ExpiringBloom<?> expiring ? expiring.itemsNow(nowMillis) : filter.itemsNow();
    }

    // Several filters

    private static void merge(Call call) {
        KeyEntry into = call.find(1);
        HashFilter.Adds<?> first = own(into == null ? call.find(2) : into);
        if (first != null) {
            mergeOwn(call, first);
            return;
        }
        List<RedisBloom> sources = new ArrayList<>();
        for (int i = 2; i < call.count(); i++) {
            sources.add(existing(call, i).filter());
        }
        // On a copy, so that nothing is changed if the last one does not fit.
        RedisBloom start = into == null ? sources.get(0) : existing(call, 1).filter();
        long bytes = start.dataBytes();
        call.reserve(bytes, bytes, NO_MEMORY);
        RedisBloom union = start.copy();
        for (RedisBloom source : sources) {
            if (!union.fits(source)) {
                throw new CommandError(
                        "ERR the filters do not fit: one was made by an old version of Redis, or they have"
                                + " too many sub-filters together");
            }
            if (source != start) {
                bytes += union.mergeBytes(source);
                call.reserve(bytes, bytes, NO_MEMORY);
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

    private static void intersection(Call call) {
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
        }
        call.reply()
                .integer(RedisBloom.estimateIntersection(filters)
                        .orElseThrow(
                                () -> new CommandError("ERR the filters must have been reserved with the same error"
                                        + " rate and capacity, and must not have grown")));
    }

    private static BloomValue existing(Call call) {
        return existing(call, 1);
    }

    private static BloomValue existing(Call call, int i) {
        BloomValue value = call.find(i, BloomValue.class);
        if (value == null) {
            throw new CommandError(NOT_FOUND);
        }
        return value;
    }

    private static void info(Call call) {
        if (call.count() > 3) {
            throw call.arity();
        }
        HashFilter.Adds<?> own = own(call.find(1));
        BloomValue value = own == null ? existing(call) : null;
        boolean hasWindow = own instanceof ExpiringBloom<?>;
        ReplyWriter reply = call.reply();
        if (call.count() == 2) {
            reply.map(hasWindow ? 6 : 5);
            for (String name : List.of("CAPACITY", "SIZE", "FILTERS", "ITEMS", "EXPANSION")) {
                reply.simple(label(name));
                fact(name, value, own, call);
            }
            if (hasWindow) {
                reply.simple(label("WINDOW"));
                fact("WINDOW", value, own, call);
            }
            return;
        }
        String name = call.upper(2);
        if (label(name).isEmpty() || name.equals("WINDOW") && !hasWindow) {
            throw new CommandError("Invalid information value");
        }
        if (reply.version() == 3) {
            reply.map(1);
            reply.simple(label(name));
        } else {
            reply.array(1);
        }
        fact(name, value, own, call);
    }

    private static String label(String name) {
        return switch (name) {
            case "CAPACITY" -> "Capacity";
            case "SIZE" -> "Size";
            case "FILTERS" -> "Number of filters";
            case "ITEMS" -> "Number of items inserted";
            case "EXPANSION" -> "Expansion rate";
            case "WINDOW" -> "Window";
            default -> "";
        };
    }

    private static void fact(String name, @Nullable BloomValue value, HashFilter.@Nullable Adds<?> own, Call call) {
        if (own != null) {
            fact(name, own, call);
        } else if (value != null) {
            fact(name, value, call.reply());
        }
    }

    private static void fact(String name, HashFilter.Adds<?> own, Call call) {
        ReplyWriter reply = call.reply();
        switch (name) {
            case "CAPACITY" -> reply.integer(own.sizing().items());
            case "SIZE" -> reply.integer(SketchValue.OBJECT_BYTES + own.sizeBytes());
            case "FILTERS" -> reply.integer(own instanceof ScalableBloom<?> scalable ? scalable.stages() : 1);
            case "ITEMS" -> reply.integer(items(own, call.now()));
            case "WINDOW" ->
                reply.integer(
                        own instanceof ExpiringBloom<?> expiring
                                ? expiring.window().toMillis()
                                : 0);
            default -> {
                if (own instanceof ScalableBloom<?>) {
                    reply.integer(2);
                } else {
                    reply.nil();
                }
            }
        }
    }

    private static void fact(String name, BloomValue value, ReplyWriter reply) {
        RedisBloom filter = value.filter();
        switch (name) {
            case "CAPACITY" -> reply.integer(filter.capacity());
            case "SIZE" -> reply.integer(value.sizeBytes());
            case "FILTERS" -> reply.integer(filter.links().size());
            case "ITEMS" -> reply.integer(filter.count());
            default -> {
                if (filter.isScaling()) {
                    reply.integer(filter.expansion());
                } else {
                    reply.nil();
                }
            }
        }
    }

    private static void debug(Call call) {
        RedisBloom filter = existing(call).filter();
        List<RedisBloom.Link> links = filter.links();
        call.reply().array(links.size() + 1);
        call.reply().bulk("size:" + filter.count());
        for (RedisBloom.Link link : links) {
            call.reply()
                    .bulk("bytes:" + link.bytes() + " bits:" + link.bits() + " hashes:" + link.hashes()
                            + " hashwidth:64 capacity:" + link.capacity() + " size:" + link.items() + " ratio:"
                            + general(link.error()));
        }
    }

    /** A number as %g of C prints it: six significant digits, without zeros at the end. */
    static String general(double value) {
        int exponent = value == 0
                ? 0
                : Integer.parseInt(String.format(Locale.ROOT, "%.5e", value).split("e", -1)[1]);
        if (exponent < -4 || exponent >= 6) {
            String[] parts = String.format(Locale.ROOT, "%.5e", value).split("e", -1);
            return trimmed(parts[0]) + "e" + parts[1];
        }
        return trimmed(String.format(Locale.ROOT, "%." + (5 - exponent) + "f", value));
    }

    private static String trimmed(String digits) {
        return digits.indexOf('.') < 0 ? digits : digits.replaceAll("0+$", "").replaceAll("\\.$", "");
    }

    // Dumps

    private static void scandump(Call call) {
        RedisBloom filter = existing(call).filter();
        long iterator = Numbers.orError(call.word(2), "Second argument must be numeric");
        ReplyWriter reply = call.reply();
        reply.array(2);
        if (iterator == 0) {
            reply.integer(1);
            reply.bulk(filter.header());
            return;
        }
        byte[] chunk = iterator < 1 ? new byte[0] : filter.chunk(iterator - 1, CHUNK_BYTES);
        reply.integer(chunk.length == 0 ? 0 : iterator + chunk.length);
        reply.bulk(chunk);
    }

    private static void loadchunk(Call call) {
        long iterator = Numbers.orError(call.word(2), "ERR Second argument must be numeric");
        BloomValue value = call.find(1, BloomValue.class);
        byte[] data = call.word(3);
        if (value == null) {
            if (iterator != 1) {
                throw new CommandError(NOT_FOUND);
            }
            RedisBloom loaded;
            try {
                loaded = RedisBloom.ofHeader(data, call.mostBytes());
            } catch (FormatException e) {
                throw new CommandError(BAD_DATA);
            }
            call.put(call.key(1), new BloomValue(loaded));
            call.reply().ok();
            return;
        }
        long position = iterator - 1 - data.length;
        if (data.length == 0 || position < 0) {
            throw new CommandError(BAD_DATA);
        }
        RedisBloom.Load[] result = new RedisBloom.Load[1];
        call.change(call.key(1), () -> {
            result[0] = value.filter().load(position, data);
            return result[0] == RedisBloom.Load.LOADED;
        });
        switch (result[0]) {
            case NO_LINK -> throw new CommandError("ERR invalid offset - no link found");
            case TOO_LONG -> throw new CommandError("ERR invalid chunk - Too big for current filter");
            default -> call.reply().ok();
        }
    }
}
