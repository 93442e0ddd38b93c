package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisCountMin;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.CountMinValue;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.server.wire.WireNumbers;

/** {@code CMS.*}: counts of items, never too low. */
final class CountMinCommands {
    private static final String GROUP = "cms";
    private static final String MISSING = "CMS: key does not exist";

    private CountMinCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "CMS.INITBYDIM key width depth [CELL_SIZE bytes] [WINDOW duration]",
                "Creates a sketch of this size.",
                Keys.ONE,
                CountMinCommands::byDimension,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "CMS.INITBYPROB key error probability [CELL_SIZE bytes] [WINDOW duration]",
                "Creates a sketch for this error.",
                Keys.ONE,
                CountMinCommands::byProbability,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "CMS.INCRBY key item increment [item increment ...]",
                "Adds to the counts of items.",
                Keys.ONE,
                CountMinCommands::increment,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "CMS.QUERY key item [item ...]",
                "Returns the counts of items.",
                Keys.ONE,
                CountMinCommands::query,
                Flag.READONLY,
                Flag.OPTIMISTIC);
        table.add(
                GROUP,
                "CMS.MERGE destination numkeys source [source ...] [WEIGHTS weight]",
                "Makes a sketch the weighted sum of others.",
                Keys.MERGED,
                CountMinCommands::merge,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "CMS.INFO key",
                "Describes a sketch.",
                Keys.ONE,
                CountMinCommands::info,
                Flag.READONLY,
                Flag.FAST);
    }

    /** What may follow the numbers of a new sketch; a window of 0 ms is none. */
    private record Options(int cellBytes, long windowMillis) {
        static Options of(Call call) {
            long bytes = 4;
            long window = 0;
            for (int i = 4; i < call.count(); i += 2) {
                boolean isCell = call.is(i, "CELL_SIZE");
                if (i + 1 == call.count() && isCell || !isCell && !call.is(i, "WINDOW") || call.count() > 8) {
                    throw call.arity();
                }
                if (isCell) {
                    bytes = Numbers.orElse(call.word(i + 1), 0);
                } else {
                    window = BloomCommands.window(call, i + 1);
                }
            }
            if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
                throw new CommandError("CMS: invalid cell size");
            }
            return new Options((int) bytes, window);
        }
    }

    private static void byDimension(Call call) {
        Options options = Options.of(call);
        refuseExisting(call);
        long width = Numbers.orElse(call.word(2), 0);
        if (width < 1) {
            throw new CommandError("CMS: invalid width");
        }
        long depth = Numbers.orElse(call.word(3), 0);
        if (depth < 1) {
            throw new CommandError("CMS: invalid depth");
        }
        create(call, width, depth, options);
    }

    private static void byProbability(Call call) {
        Options options = Options.of(call);
        refuseExisting(call);
        double error = WireNumbers.real(call.word(2)).orElse(0);
        if (!(error > 0 && error < 1)) {
            throw new CommandError("CMS: invalid overestimation value");
        }
        double probability = WireNumbers.real(call.word(3)).orElse(0);
        if (!(probability > 0 && probability < 1)) {
            throw new CommandError("CMS: invalid prob value");
        }
        // The logarithms of the reference are floats.
        float rows = (float) Math.log10((float) probability) / (float) Math.log10(0.5f);
        create(call, (long) Math.ceil(2 / error), (long) Math.ceil(rows), options);
    }

    private static void refuseExisting(Call call) {
        if (call.find(1) != null) {
            throw new CommandError("CMS: key already exists");
        }
    }

    private static void create(Call call, long width, long depth, Options options) {
        if (options.windowMillis > 0) {
            WindowCommands.createCounts(call, width, depth, options.cellBytes, options.windowMillis);
            return;
        }
        int cellBytes = options.cellBytes;
        long bytes = RedisCountMin.sizeBytes(width, depth, cellBytes);
        if (Math.multiplyHigh(width, depth) != 0 || bytes == Long.MAX_VALUE) {
            throw new CommandError("CMS: invalid init arguments");
        }
        if (bytes > RedisCountMin.MAX_BYTES) {
            throw new CommandError("CMS: Insufficient memory to create the key");
        }
        call.reserve(bytes, bytes, "CMS: Insufficient memory to create the key");
        call.put(call.key(1), new CountMinValue(RedisCountMin.of(width, depth, cellBytes)));
        call.reply().ok();
    }

    private static RedisCountMin existing(Call call, int i) {
        CountMinValue value = call.find(i, CountMinValue.class);
        if (value == null) {
            throw new CommandError(MISSING);
        }
        return value.sketch();
    }

    /** Each item (every word, or every second one) is hashed again for each row. */
    private static void work(Call call, RedisCountMin sketch, int step) {
        long steps = 0;
        for (int i = 2; i < call.count(); i += step) {
            steps += Call.stepsOfHash(call.word(i));
        }
        call.work(sketch.depth(), steps);
    }

    private static void increment(Call call) {
        if (call.count() % 2 != 0) {
            throw call.arity();
        }
        if (WindowCommands.counts(call, 1) != null) {
            WindowCommands.increment(call);
            return;
        }
        RedisCountMin sketch = existing(call, 1);
        int pairs = call.count() / 2 - 1;
        long[] increments = new long[pairs];
        for (int i = 0; i < pairs; i++) {
            increments[i] = Numbers.orError(call.word(3 + 2 * i), "CMS: Cannot parse number");
        }
        work(call, sketch, 2);
        long[] estimates = new long[pairs];
        long before = sketch.total();
        call.change(call.key(1), () -> {
            for (int i = 0; i < pairs; i++) {
                estimates[i] = sketch.add(call.word(2 + 2 * i), increments[i]);
                if (estimates[i] < 0) {
                    for (int done = i - 1; done >= 0; done--) {
                        sketch.undo(call.word(2 + 2 * done), increments[done], before);
                    }
                    throw new CommandError(
                            estimates[i] == RedisCountMin.OVERFLOW ? "CMS: INCRBY overflow" : "CMS: INCRBY underflow");
                }
            }
            return true;
        });
        call.reply().array(pairs);
        for (long estimate : estimates) {
            call.reply().integer(estimate);
        }
    }

    private static void query(Call call) {
        if (WindowCommands.counts(call, 1) != null) {
            WindowCommands.queryCounts(call);
            return;
        }
        RedisCountMin sketch = existing(call, 1);
        work(call, sketch, 1);
        call.reply().array(call.count() - 2);
        for (int i = 2; i < call.count(); i++) {
            call.reply().integer(sketch.estimate(call.word(i)));
        }
    }

    private static void merge(Call call) {
        long keys = Numbers.orError(call.word(2), "CMS: invalid numkeys");
        if (keys < 1) {
            throw new CommandError("CMS: Number of keys must be positive");
        }
        if (keys > call.count() - 3) {
            throw new CommandError("CMS: wrong number of keys");
        }
        int n = (int) keys;
        boolean isWeighted = call.count() > 3 + n;
        if (isWeighted && (!call.is(3 + n, "WEIGHTS") || call.count() != 4 + 2 * n)) {
            throw new CommandError("CMS: wrong number of keys/weights");
        }
        if (WindowCommands.counts(call, 1) != null) {
            WindowCommands.mergeCounts(call, n, isWeighted);
            return;
        }
        RedisCountMin into = existing(call, 1);
        RedisCountMin[] sources = new RedisCountMin[n];
        long[] weights = new long[n];
        for (int i = 0; i < n; i++) {
            weights[i] = isWeighted ? Numbers.orError(call.word(4 + n + i), "CMS: invalid weight value") : 1;
            sources[i] = existing(call, 3 + i);
            if (sources[i].width() != into.width() || sources[i].depth() != into.depth()) {
                throw new CommandError("CMS: width/depth is not equal");
            }
            if (sources[i].cellBytes() != into.cellBytes()) {
                throw new CommandError("CMS: cell size is not equal");
            }
        }
        OwnSketches.workOfMerge(call, n, into.width() * into.depth());
        call.reserve(into.sizeBytes(), 0, Database.OUT_OF_MEMORY);
        call.change(call.key(1), () -> {
            if (!into.merge(sources, weights)) {
                throw new CommandError("CMS: MERGE overflow");
            }
            return true;
        });
        call.reply().ok();
    }

    private static void info(Call call) {
        if (WindowCommands.counts(call, 1) != null) {
            WindowCommands.describeCounts(call);
            return;
        }
        RedisCountMin sketch = existing(call, 1);
        ReplyWriter reply = call.reply();
        reply.map(4);
        CuckooCommands.fact(reply, "width", sketch.width());
        CuckooCommands.fact(reply, "depth", sketch.depth());
        CuckooCommands.fact(reply, "count", sketch.total());
        CuckooCommands.fact(reply, "cell size", sketch.cellBytes());
    }
}
