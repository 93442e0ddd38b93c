package dev.perhaps.server.command;

import dev.perhaps.foreign.RedisTDigest;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Handler;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.TDigestValue;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.server.wire.WireNumbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;

/** {@code TDIGEST.*}: quantiles and ranks of numbers. */
final class TDigestCommands {
    private static final String GROUP = "tdigest";
    private static final String PREFIX = "ERR T-Digest: ";

    /** What it takes to sort a node into others. */
    private static final long NODE_STEPS = 8;

    private TDigestCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "TDIGEST.CREATE key [COMPRESSION compression]",
                "Creates an empty t-digest.",
                Keys.ONE,
                TDigestCommands::create,
                Flag.WRITE,
                Flag.DENYOOM,
                Flag.FAST);
        table.add(
                GROUP,
                "TDIGEST.RESET key",
                "Forgets all numbers of a t-digest.",
                Keys.ONE,
                TDigestCommands::reset,
                Flag.WRITE,
                Flag.FAST);
        table.add(
                GROUP,
                "TDIGEST.ADD key number [number ...]",
                "Adds numbers.",
                Keys.ONE,
                TDigestCommands::add,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "TDIGEST.MERGE destination-key numkeys source-key [source-key ...] [COMPRESSION compression] [OVERRIDE]",
                "Adds the numbers of t-digests to another one, or replaces it.",
                Keys.MERGED,
                TDigestCommands::merge,
                Flag.WRITE,
                Flag.DENYOOM);
        read(table, "TDIGEST.MIN key", "Returns the least number.", call -> one(call, RedisTDigest::min));
        read(table, "TDIGEST.MAX key", "Returns the largest number.", call -> one(call, RedisTDigest::max));
        read(
                table,
                "TDIGEST.QUANTILE key quantile [quantile ...]",
                "For each quantile q, returns the number below which a share q of all numbers lies.",
                TDigestCommands::quantile);
        read(
                table,
                "TDIGEST.CDF key number [number ...]",
                "Returns for each number the share of all numbers below it, with half of those that equal it.",
                TDigestCommands::shares);
        read(
                table,
                "TDIGEST.TRIMMED_MEAN key low_cut_quantile high_cut_quantile",
                "Returns the mean of the numbers between two quantiles.",
                TDigestCommands::trimmedMean);
        read(
                table,
                "TDIGEST.RANK key number [number ...]",
                "Returns for each number how many are smaller.",
                call -> ranks(call, false));
        read(
                table,
                "TDIGEST.REVRANK key number [number ...]",
                "Returns for each number how many are larger.",
                call -> ranks(call, true));
        read(
                table,
                "TDIGEST.BYRANK key rank [rank ...]",
                "Returns the numbers with these ranks, 0 for the least.",
                call -> byRank(call, false));
        read(
                table,
                "TDIGEST.BYREVRANK key reverse_rank [reverse_rank ...]",
                "Returns the numbers with these ranks from the end, 0 for the largest.",
                call -> byRank(call, true));
        read(table, "TDIGEST.INFO key", "Describes a t-digest.", TDigestCommands::info);
    }

    private static void read(CommandTable table, String syntax, String summary, Handler handler) {
        table.add(GROUP, syntax, summary, Keys.ONE, handler, Flag.READONLY);
    }

    // Creation and addition

    private static long compression(byte[] word) {
        long compression = Numbers.orError(word, PREFIX + "error parsing compression parameter");
        if (compression < 1) {
            throw new CommandError(PREFIX + "compression parameter needs to be a positive integer");
        }
        return compression;
    }

    /** An empty digest, if there is memory for it. */
    private static RedisTDigest empty(Call call, long compression) {
        long bytes = RedisTDigest.sizeBytes(compression);
        call.reserve(bytes, bytes, PREFIX + "allocation failed");
        return RedisTDigest.of(compression);
    }

    private static void create(Call call) {
        if (call.count() != 2 && call.count() != 4) {
            throw call.arity();
        }
        if (call.find(1, TDigestValue.class) != null) {
            throw new CommandError(PREFIX + "key already exists");
        }
        if (call.count() == 4 && !call.is(2, "COMPRESSION")) {
            throw new CommandError(PREFIX + "wrong keyword");
        }
        long compression = call.count() == 2 ? RedisTDigest.DEFAULT_COMPRESSION : compression(call.word(3));
        call.put(call.key(1), new TDigestValue(empty(call, compression)));
        call.reply().ok();
    }

    /** Refuses queries that look at all nodes once each, and are too many for that. */
    private static void work(Call call, RedisTDigest digest, int queries) {
        call.work(queries, digest.mergedNodes() + NODE_STEPS * digest.unmergedNodes() + 1);
    }

    private static RedisTDigest existing(Call call, int i) {
        TDigestValue value = call.find(i, TDigestValue.class);
        if (value == null) {
            throw new CommandError(PREFIX + "key does not exist");
        }
        return value.digest();
    }

    private static void reset(Call call) {
        RedisTDigest digest = existing(call, 1);
        call.change(call.key(1), () -> {
            digest.reset();
            return true;
        });
        call.reply().ok();
    }

    /** The words from the third on, as numbers, also infinite ones. */
    private static double[] numbers(Call call, String name) {
        double[] numbers = new double[call.count() - 2];
        for (int i = 0; i < numbers.length; i++) {
            OptionalDouble number = WireNumbers.real(call.word(i + 2));
            if (number.isEmpty()) {
                throw new CommandError(PREFIX + "error parsing " + name);
            }
            numbers[i] = number.getAsDouble();
        }
        return numbers;
    }

    private static void add(Call call) {
        RedisTDigest digest = existing(call, 1);
        double[] numbers = numbers(call, "val parameter");
        if (!Arrays.stream(numbers).allMatch(Double::isFinite)) {
            throw new CommandError(PREFIX + "val parameter needs to be a finite number");
        }
        refuseOverflow(digest.count(), numbers.length);
        call.change(call.key(1), () -> {
            for (double number : numbers) {
                digest.add(number, 1);
            }
            return true;
        });
        call.reply().ok();
    }

    private static void refuseOverflow(long count, long more) {
        if (count > Long.MAX_VALUE - more) {
            throw new CommandError(PREFIX + "overflow detected");
        }
    }

    private static void merge(Call call) {
        long sources = Numbers.orError(call.word(2), PREFIX + "error parsing numkeys");
        if (sources < 1) {
            throw new CommandError(PREFIX + "numkeys needs to be a positive integer");
        }
        if (sources > call.count() - 3) {
            throw call.arity();
        }
        OptionalLong asked = OptionalLong.empty();
        boolean replaces = false;
        for (int i = 3 + (int) sources; i < call.count(); i++) {
            if (call.is(i, "OVERRIDE")) {
                replaces = true;
            } else if (!call.is(i, "COMPRESSION")) {
                throw new CommandError(PREFIX + "wrong keyword");
            } else if (++i == call.count()) {
                throw call.arity();
            } else {
                asked = OptionalLong.of(compression(call.word(i)));
            }
        }
        KeyEntry before = call.find(1);
        TDigestValue old = Call.typed(before, TDigestValue.class);
        List<RedisTDigest> all = new ArrayList<>();
        long compression = 0;
        if (old != null && !replaces) {
            all.add(old.digest());
            compression = old.digest().compression();
        }
        boolean takesLargest = all.isEmpty();
        for (int i = 3; i < 3 + sources; i++) {
            all.add(existing(call, i));
            if (takesLargest) {
                compression = Math.max(compression, existing(call, i).compression());
            }
        }
        long count = 0;
        for (RedisTDigest each : all) {
            refuseOverflow(count, each.count());
            count += each.count();
        }
        long nodes = 0;
        for (RedisTDigest each : all) {
            nodes += (long) each.mergedNodes() + each.unmergedNodes();
        }
        call.work(nodes, NODE_STEPS);
        RedisTDigest into = empty(call, asked.orElse(compression));
        all.forEach(into::merge);
        long expires = before == null || replaces ? KeyEntry.NEVER : before.expiresAtMillis();
        call.put(call.key(1), new TDigestValue(into)).expiresAtMillis(expires);
        call.reply().ok();
    }

    // Queries

    private static void one(Call call, ToDoubleFunction<RedisTDigest> query) {
        call.reply().number(query.applyAsDouble(existing(call, 1)));
    }

    private static void quantile(Call call) {
        RedisTDigest digest = existing(call, 1);
        double[] quantiles = numbers(call, "quantile");
        for (double quantile : quantiles) {
            if (!(quantile >= 0 && quantile <= 1)) {
                throw new CommandError(PREFIX + "quantile should be in [0,1]");
            }
        }
        work(call, digest, quantiles.length);
        call.reply().array(quantiles.length);
        for (double quantile : quantiles) {
            call.reply().number(digest.quantile(quantile));
        }
    }

    private static void shares(Call call) {
        RedisTDigest digest = existing(call, 1);
        double[] numbers = numbers(call, "cdf");
        work(call, digest, numbers.length);
        call.reply().array(numbers.length);
        for (double number : numbers) {
            call.reply().number(digest.share(number));
        }
    }

    private static void trimmedMean(Call call) {
        RedisTDigest digest = existing(call, 1);
        double low = Numbers.realOrError(call.word(2), PREFIX + "error parsing low_cut_percentile");
        double high = Numbers.realOrError(call.word(3), PREFIX + "error parsing high_cut_percentile");
        if (!(low >= 0 && low <= 1 && high >= 0 && high <= 1)) {
            throw new CommandError(PREFIX + "low_cut_percentile and high_cut_percentile should be in [0,1]");
        }
        if (low >= high) {
            throw new CommandError(PREFIX + "low_cut_percentile should be lower than high_cut_percentile");
        }
        work(call, digest, 1);
        call.reply().number(digest.trimmedMean(low, high));
    }

    private static void ranks(Call call, boolean fromEnd) {
        RedisTDigest digest = existing(call, 1);
        double[] numbers = numbers(call, "value");
        work(call, digest, numbers.length);
        call.reply().array(numbers.length);
        for (double number : numbers) {
            call.reply().integer(rank(digest, number, fromEnd));
        }
    }

    /** −2 if there are no numbers, −1 before the first of them. */
    private static long rank(RedisTDigest digest, double number, boolean fromEnd) {
        long count = digest.count();
        if (count == 0) {
            return -2;
        }
        if (number < digest.min()) {
            return fromEnd ? count : -1;
        }
        if (number > digest.max()) {
            return fromEnd ? -1 : count;
        }
        double rank = digest.rank(number);
        return (long) Math.floor(fromEnd ? count - rank : rank);
    }

    private static void byRank(Call call, boolean fromEnd) {
        RedisTDigest digest = existing(call, 1);
        long[] ranks = new long[call.count() - 2];
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = Numbers.orError(call.word(i + 2), PREFIX + "error parsing rank");
            if (ranks[i] < 0) {
                throw new CommandError(PREFIX + "rank needs to be non negative");
            }
        }
        work(call, digest, ranks.length);
        call.reply().array(ranks.length);
        for (long rank : ranks) {
            call.reply().number(fromEnd ? digest.byReverseRank(rank) : digest.byRank(rank));
        }
    }

    private static void info(Call call) {
        RedisTDigest digest = existing(call, 1);
        ReplyWriter reply = call.reply();
        reply.map(9);
        CuckooCommands.fact(reply, "Compression", digest.compression());
        CuckooCommands.fact(reply, "Capacity", digest.capacity());
        CuckooCommands.fact(reply, "Merged nodes", digest.mergedNodes());
        CuckooCommands.fact(reply, "Unmerged nodes", digest.unmergedNodes());
        CuckooCommands.fact(reply, "Merged weight", digest.mergedWeight());
        CuckooCommands.fact(reply, "Unmerged weight", digest.unmergedWeight());
        CuckooCommands.fact(reply, "Observations", digest.count());
        CuckooCommands.fact(reply, "Total compressions", digest.compressions());
        CuckooCommands.fact(reply, "Memory usage", digest.sizeBytes());
    }
}
