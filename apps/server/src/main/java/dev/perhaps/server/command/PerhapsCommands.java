package dev.perhaps.server.command;

import dev.perhaps.Perhaps;
import dev.perhaps.foreign.RedisBloom;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.QuotientFilter;
import dev.perhaps.plan.Choice;
import dev.perhaps.plan.Need;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.KeyEntry;
import dev.perhaps.server.keyspace.SketchValue;
import dev.perhaps.server.wire.ReplyWriter;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import dev.perhaps.sketch.Sketch;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code PERHAPS.*}: which structure to take, how wrong one is, and files of other programs. */
final class PerhapsCommands {
    private static final String GROUP = "perhaps";
    private static final int GROWTH = 8;

    /** The steps of a plan: all kinds are sized, some of them by trying. */
    private static final long PLAN_STEPS = 1L << 18;

    private static final MathContext THREE_DIGITS_UP = new MathContext(3, RoundingMode.CEILING);
    private static final byte[] RESTORE = Call.bytes("RESTORE");
    private static final byte[] NO_TTL = Call.bytes("0");
    private static final byte[] REPLACE = Call.bytes("REPLACE");

    private PerhapsCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "PERHAPS.STATS key",
                "Returns how full a value is, and its error now beside the planned one.",
                Keys.ONE,
                PerhapsCommands::stats,
                Flag.READONLY);
        table.add(
                GROUP,
                "PERHAPS.PLAN items [ERROR error] [MEMORY bytes] [DELETE] [COUNT] [MERGE] [GROW] [FIXED]",
                "Recommends a filter for a number of items, with the command that makes it.",
                Keys.NONE,
                PerhapsCommands::plan,
                Flag.READONLY,
                Flag.FAST,
                Flag.UNLOCKED);
        table.add(
                GROUP,
                "PERHAPS.LOAD key file [REPLACE]",
                "Sets a key to what a file in the folder of files holds.",
                Keys.ONE,
                PerhapsCommands::load,
                Flag.WRITE,
                Flag.DENYOOM,
                Flag.NO_MULTI,
                Flag.ADMIN);
        table.add(
                GROUP,
                "PERHAPS.SAVE key file [REPLACE]",
                "Writes a key to a file in the folder of files.",
                Keys.ONE,
                PerhapsCommands::save,
                Flag.READONLY,
                Flag.ADMIN);
    }

    // What a value is

    private static KeyEntry existing(Call call) {
        KeyEntry entry = call.find(1);
        if (entry == null) {
            throw new CommandError(KeyCommands.NO_KEY);
        }
        return entry;
    }

    private static void stats(Call call) {
        KeyEntry entry = existing(call);
        call.reads(entry.sizeBytes());
        ValueStats stats = ValueStats.of(entry.value(), call.now());
        ReplyWriter reply = call.reply();
        reply.map(8);
        reply.bulk("kind");
        reply.bulk(stats.kind());
        reply.bulk("items");
        reply.integer(stats.items());
        reply.bulk("capacity");
        if (stats.capacity() == ValueStats.NONE) {
            reply.nil();
        } else {
            reply.integer(stats.capacity());
        }
        number(reply, "fill", stats.fill());
        number(reply, "error planned", stats.errorPlanned());
        number(reply, "error now", stats.errorNow());
        reply.bulk("memory");
        reply.integer(entry.sizeBytes());
        reply.bulk("bound");
        reply.bulk(stats.bound());
    }

    private static void number(ReplyWriter reply, String name, double value) {
        reply.bulk(name);
        if (Double.isNaN(value)) {
            reply.nil();
        } else {
            reply.number(value);
        }
    }

    // Plans

    private static void plan(Call call) {
        call.work(PLAN_STEPS);
        long items = Numbers.orElse(call.word(1), 0);
        if (items < 1) {
            throw new CommandError("ERR the number of items must be an integer of at least 1");
        }
        Need need = Need.items(items);
        boolean counts = false;
        boolean merges = false;
        boolean grows = false;
        for (int i = 2; i < call.count(); i++) {
            boolean hasValue = i + 1 < call.count();
            switch (call.upper(i)) {
                case "DELETE" -> need = need.deletes();
                case "FIXED" -> need = need.neverChanges();
                case "COUNT" -> counts = true;
                case "MERGE" -> merges = true;
                case "GROW" -> grows = true;
                case "ERROR" ->
                    need = need.falsePositives(
                            BloomCommands.errorRate(hasValue ? call.word(++i) : new byte[0], "ERR bad error rate"));
                case "MEMORY" -> {
                    long bytes = hasValue ? Numbers.orElse(call.word(++i), 0) : 0;
                    if (bytes < 1) {
                        throw new CommandError("ERR the memory must be a number of bytes of at least 1");
                    }
                    need = need.memoryBytes(bytes);
                }
                default -> throw new CommandError(CommandError.SYNTAX);
            }
        }
        if (need.error() == 0 && need.memoryBytes() == 0) {
            need = need.falsePositives(FilterPlan.DEFAULT_FALSE_POSITIVES);
        }
        List<Choice.Candidate> candidates = new ArrayList<>();
        for (Choice.Candidate each : Perhaps.plan(need).candidates()) {
            if (command(each, need, grows).isEmpty()) {
                continue;
            }
            Choice.Candidate candidate = made(each, need, grows);
            candidates.add(
                    counts && !candidate.counts()
                            ? without(candidate, "cannot count")
                            : merges && !candidate.merges()
                                    ? without(candidate, "cannot be merged")
                                    : grows && !candidate.grows() ? without(candidate, "cannot grow") : candidate);
        }
        reply(call.reply(), Choice.among(candidates, need), need, grows);
    }

    /** The filter that a command makes in place of the one of the library's planner. */
    private static Choice.Candidate made(Choice.Candidate planned, Need need, boolean grows) {
        return switch (planned.kind()) {
            case BLOOM -> redis(need, planned, 0);
            case SCALABLE -> redis(need, planned, 2);
            case CUCKOO -> {
                Choice.Candidate growing = !grows
                        ? planned
                        : Choice.Candidate.of(
                                Kind.CUCKOO,
                                items -> CuckooFilter.expecting(items).growing(),
                                need);
                yield with(growing, growing.sizing(), growing.obstacle());
            }
            case QUOTIENT ->
                grows
                        ? Choice.Candidate.of(
                                Kind.QUOTIENT,
                                items -> QuotientFilter.expecting(items).growingTo(GROWTH * items),
                                need)
                        : planned;
            default -> planned;
        };
    }

    private static Choice.Candidate without(Choice.Candidate candidate, String obstacle) {
        return with(candidate, null, candidate.sizing() == null ? candidate.obstacle() : obstacle);
    }

    private static Choice.Candidate with(Choice.Candidate candidate, @Nullable Sizing sizing, String obstacle) {
        return new Choice.Candidate(
                candidate.kind(),
                sizing,
                obstacle,
                candidate.adds(),
                candidate.removes(),
                candidate.counts(),
                // BF.MERGE takes filters of any size.
                candidate.merges() || candidate.kind() == Kind.SCALABLE,
                candidate.grows() || candidate.kind() == Kind.CUCKOO);
    }

    /** The filter that BF.RESERVE makes in place of the library's: the same formulas, other sizes. */
    private static Choice.Candidate redis(Need need, Choice.Candidate candidate, int expansion) {
        if (candidate.sizing() == null) {
            return candidate;
        }
        if (need.items() > RedisBloom.MAX_CAPACITY) {
            return with(candidate, null, "has at most " + RedisBloom.MAX_CAPACITY + " items");
        }
        RedisBloom.Plan plan = RedisBloom.expecting(need.items()).expansion(expansion);
        if (need.error() > 0) {
            plan = plan.falsePositives(need.error());
        } else if (need.memoryBytes() >= 16) {
            plan = plan.memoryBytes(need.memoryBytes());
        }
        if (need.memoryBytes() > 0 && plan.sizeBytes() > need.memoryBytes()) {
            return with(candidate, null, "needs " + plan.sizeBytes() + " bytes");
        }
        return with(candidate, new Sizing(candidate.kind(), need.items(), plan.error(), plan.sizeBytes(), 0), "");
    }

    /** The command that makes a filter of this kind, or an empty text if there is none. */
    private static String command(Choice.Candidate candidate, Need need, boolean grows) {
        Sizing sizing = candidate.sizing();
        double error = need.error() > 0 ? need.error() : sizing == null ? 1 : sizing.error();
        // Rounded up: with a lower error it would not fit.
        BigDecimal rounded =
                need.error() > 0 ? BigDecimal.valueOf(error) : new BigDecimal(error).round(THREE_DIGITS_UP);
        String rate = rounded.stripTrailingZeros().toString();
        return switch (candidate.kind()) {
            case BLOOM -> "BF.RESERVE key " + rate + " " + need.items() + " NONSCALING";
            case SCALABLE -> "BF.RESERVE key " + rate + " " + need.items();
            case COUNTING -> "CBF.RESERVE key " + rate + " " + need.items();
            case COUNTING2 -> "CBF.RESERVE key " + rate + " " + need.items() + " COMPACT";
            case QUOTIENT ->
                "QF.RESERVE key " + rate + " " + need.items() + (grows ? " GROWTO " + GROWTH * need.items() : "");
            case CUCKOO -> "CF.RESERVE key " + need.items() + " ERROR " + rate + (grows ? "" : " EXPANSION 0");
            case FUSE -> "FUSE.BUILD key ERROR " + rate + " ITEMS item [item ...]";
            default -> "";
        };
    }

    private static void reply(ReplyWriter reply, Choice choice, Need need, boolean grows) {
        Optional<Choice.Candidate> best = choice.recommended();
        reply.map(4);
        reply.bulk("recommended");
        text(reply, best.map(each -> each.kind().word()).orElse(null));
        reply.bulk("command");
        text(reply, best.map(each -> command(each, need, grows)).orElse(null));
        reply.bulk("reason");
        reply.bulk(choice.reason());
        reply.bulk("candidates");
        reply.array(choice.candidates().size());
        for (Choice.Candidate each : choice.candidates()) {
            Sizing sizing = each.sizing();
            reply.map(6);
            reply.bulk("kind");
            reply.bulk(each.kind().word());
            reply.bulk("memory");
            if (sizing == null) {
                reply.nil();
            } else {
                reply.integer(sizing.bytes());
            }
            number(reply, "bits per item", sizing == null ? Double.NaN : sizing.bitsPerItem());
            number(reply, "error", sizing == null ? Double.NaN : sizing.error());
            reply.bulk("command");
            boolean isUseless = sizing == null || sizing.error() >= Choice.USELESS_ERROR;
            text(reply, isUseless ? null : command(each, need, grows));
            reply.bulk("obstacle");
            text(reply, sizing == null ? each.obstacle() : null);
        }
    }

    private static void text(ReplyWriter reply, @Nullable String text) {
        if (text == null) {
            reply.nil();
        } else {
            reply.bulk(text);
        }
    }

    // Files

    private static boolean replaces(Call call) {
        if (call.count() > 4 || call.count() == 4 && !call.is(3, "REPLACE")) {
            throw new CommandError(CommandError.SYNTAX);
        }
        return call.count() == 4;
    }

    private static void load(Call call) {
        boolean replaces = replaces(call);
        SketchFiles files = SketchFiles.of(call.database());
        if (!replaces && call.find(1) != null) {
            throw new CommandError(KeyCommands.BUSY_KEY);
        }
        SketchValue value = files.load(call.text(2), bytes -> {
            // Not all that is free: others would wait for the disk.
            call.reserve(bytes, bytes, Database.OUT_OF_MEMORY);
            return bytes;
        });
        // Beside the value there is its record for the log, until the command ends.
        call.reserve(value.sizeBytes() + KeyCommands.payloadBytes(value), value.sizeBytes(), Database.OUT_OF_MEMORY);
        // What was read is in the log, not the name of the file: another one may have it when the log is replayed.
        call.logAs(RESTORE, call.word(1), NO_TTL, KeyCommands.payload(value), REPLACE);
        call.put(call.key(1), value);
        call.reply().ok();
    }

    private static void save(Call call) {
        boolean replaces = replaces(call);
        SketchFiles files = SketchFiles.of(call.database());
        if (!(existing(call).value() instanceof SketchValue value)) {
            throw new CommandError("ERR a '" + existing(call).value().word()
                    + "' has no file: its hashes are those of Redis, or it is not a sketch; use DUMP or SCANDUMP");
        }
        Sketch sketch = value.sketch();
        call.reply().integer(files.save(sketch, call.text(2), replaces));
    }
}
