package dev.perhaps.server.command;

import dev.perhaps.key.Key;
import dev.perhaps.placement.HashRing;
import dev.perhaps.placement.Placement;
import dev.perhaps.server.command.Command.Flag;
import dev.perhaps.server.command.Command.Keys;
import dev.perhaps.server.keyspace.RingValue;
import dev.perhaps.server.wire.ReplyWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** {@code RING.*}: which node has a key, and what moves if one joins or leaves. */
final class RingCommands {
    /*
     * Items and nodes are hashed with the library's default seed, not with that of the data directory: every program that has
     * the same nodes finds the same owners, also without asking this server.
     */
    private static final String GROUP = "ring";
    private static final int MAX_WEIGHT = 10_000;
    private static final int MAX_COPIES = 100;
    private static final long POINT_STEPS = 128;

    private RingCommands() {}

    static void addTo(CommandTable table) {
        table.add(
                GROUP,
                "RING.CREATE key [POINTS points]",
                "Creates a ring without nodes, with this number of points per unit of weight.",
                Keys.ONE,
                RingCommands::create,
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "RING.ADD key node [weight]",
                "Adds a node, or changes its weight; returns the share of all keys that move.",
                Keys.ONE,
                call -> change(call, after(call, existing(call), true, 2)),
                Flag.WRITE,
                Flag.DENYOOM);
        table.add(
                GROUP,
                "RING.REMOVE key node",
                "Removes a node; returns the share of all keys that move.",
                Keys.ONE,
                call -> change(call, after(call, existing(call), false, 2)),
                Flag.WRITE);
        table.add(
                GROUP,
                "RING.GET key item [COUNT count]",
                "Returns the node that has an item, or the nodes of its copies.",
                Keys.ONE,
                RingCommands::get,
                Flag.READONLY,
                Flag.FAST);
        table.add(
                GROUP,
                "RING.MOVES key change node [weight]",
                "Returns what share of all keys would move if a node were added (ADD) or removed (REMOVE).",
                Keys.ONE,
                RingCommands::moves,
                Flag.READONLY);
        table.add(
                GROUP,
                "RING.INFO key",
                "Returns the nodes with their weights and their shares of all keys.",
                Keys.ONE,
                RingCommands::info,
                Flag.READONLY);
    }

    private static RingValue existing(Call call) {
        RingValue value = call.find(1, RingValue.class);
        if (value == null) {
            throw new CommandError(BloomCommands.NOT_FOUND);
        }
        return value;
    }

    private static void create(Call call) {
        long points = HashRing.DEFAULT_POINTS;
        if (call.count() > 2) {
            if (call.count() != 4 || !call.is(2, "POINTS")) {
                throw new CommandError(CommandError.SYNTAX);
            }
            points = Numbers.orElse(call.word(3), 0);
            if (points < 1 || points > RingValue.MAX_POINTS) {
                throw new CommandError("ERR points must be in the range [1, " + RingValue.MAX_POINTS + "]");
            }
        }
        OwnSketches.refuseExisting(call);
        RingValue value = new RingValue((int) points);
        call.reserve(value.sizeBytes(), value.sizeBytes(), Database.OUT_OF_MEMORY);
        call.put(call.key(1), value);
        call.reply().ok();
    }

    private static String node(Call call, int i) {
        byte[] word = call.word(i);
        String name = call.text(i);
        if (word.length == 0
                || word.length > RingValue.MAX_NAME_BYTES
                || !Arrays.equals(name.getBytes(StandardCharsets.UTF_8), word)) {
            throw new CommandError("ERR the name of a node has 1 to " + RingValue.MAX_NAME_BYTES + " bytes of UTF-8");
        }
        return name;
    }

    /** The nodes after a change; what cannot be is refused. */
    private static Map<String, Integer> after(Call call, RingValue value, boolean isAdded, int i) {
        if (call.count() > i + (isAdded ? 2 : 1)) {
            throw call.arity();
        }
        Map<String, Integer> weights = new TreeMap<>(value.weights());
        String node = node(call, i);
        if (isAdded) {
            long weight = call.count() > i + 1 ? Numbers.orElse(call.word(i + 1), 0) : 1;
            if (weight < 1 || weight > MAX_WEIGHT) {
                throw new CommandError("ERR the weight must be in the range [1, " + MAX_WEIGHT + "]");
            }
            weights.put(node, (int) weight);
        } else if (weights.remove(node) == null) {
            throw new CommandError("ERR no such node");
        }
        if (value.points(weights) > RingValue.MAX_POINTS) {
            throw new CommandError("ERR all nodes together may have " + RingValue.MAX_POINTS + " points");
        }
        return weights;
    }

    private static void change(Call call, Map<String, Integer> weights) {
        RingValue value = existing(call);
        work(call, value, weights);
        // Old and new ring are in memory at once.
        call.reserve(value.sizeBytes(weights), value.sizeBytes(weights), Database.OUT_OF_MEMORY);
        HashRing<String> next = value.ringOf(weights);
        double moved = moved(value.ring(), next);
        call.change(call.key(1), () -> {
            value.ring(next);
            return true;
        });
        call.reply().number(moved);
    }

    /** All points are placed and sorted again. */
    private static void work(Call call, RingValue value, Map<String, Integer> weights) {
        call.work(POINT_STEPS * value.points(weights));
    }

    private static double moved(@Nullable HashRing<String> before, @Nullable HashRing<String> after) {
        return before == null || after == null ? 1 : before.moved(after);
    }

    private static void get(Call call) {
        HashRing<String> ring = existing(call).ring();
        long hash = Key.bytes().hash(call.word(2));
        ReplyWriter reply = call.reply();
        if (call.count() == 3) {
            if (ring == null) {
                reply.nil();
            } else {
                reply.bulk(ring.owner(hash));
            }
            return;
        }
        if (call.count() != 5 || !call.is(3, "COUNT")) {
            throw new CommandError(CommandError.SYNTAX);
        }
        long count = Numbers.orElse(call.word(4), 0);
        if (count < 1 || count > MAX_COPIES) {
            throw new CommandError("ERR count must be in the range [1, " + MAX_COPIES + "]");
        }
        List<String> owners = ring == null
                ? List.of()
                : ring.owners(hash, (int) Math.min(count, ring.weights().size()));
        reply.array(owners.size());
        owners.forEach(reply::bulk);
    }

    private static void moves(Call call) {
        boolean isAdded = call.is(2, "ADD");
        if (!isAdded && !call.is(2, "REMOVE")) {
            throw new CommandError(CommandError.SYNTAX);
        }
        RingValue value = existing(call);
        Map<String, Integer> weights = after(call, value, isAdded, 3);
        work(call, value, weights);
        call.reserve(value.sizeBytes(weights), value.sizeBytes(weights), Database.OUT_OF_MEMORY);
        HashRing<String> next = value.ringOf(weights);
        call.reply().map(2);
        call.reply().bulk("moved");
        call.reply().number(moved(value.ring(), next));
        call.reply().bulk("least possible");
        boolean isWhole = value.ring() == null || next == null;
        call.reply().number(isWhole ? 1 : Placement.leastMoved(value.weights(), weights));
    }

    private static void info(Call call) {
        RingValue value = existing(call);
        HashRing<String> ring = value.ring();
        call.reads(value.sizeBytes());
        Map<String, Double> shares = ring == null ? Map.of() : ring.shares();
        ReplyWriter reply = call.reply();
        reply.map(3);
        CuckooCommands.fact(reply, "Size", value.sizeBytes());
        CuckooCommands.fact(reply, "Points per weight", value.pointsEach());
        reply.simple("Nodes");
        reply.array(shares.size());
        new TreeMap<>(value.weights()).forEach((node, weight) -> {
            reply.array(3);
            reply.bulk(node);
            reply.integer(weight);
            reply.number(shares.getOrDefault(node, 0.0));
        });
    }
}
