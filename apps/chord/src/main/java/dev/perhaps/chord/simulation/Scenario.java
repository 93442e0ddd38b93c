package dev.perhaps.chord.simulation;

import dev.perhaps.chord.Settings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * All that decides a simulation: the same scenario gives the same history, bit by bit.
 *
 * @param nodes how many peers there may be, at most 64
 * @param virtualNodes how many of them share a host
 * @param founders how many make the first ring: one, or enough for an ideal ring with r + 1 principals
 * @param inside whether faults keep within what the protocol assumes; outside, only the end is judged
 * @param forced whether crashes and departures happen as the script has them, even if this protocol cannot bear them:
 *     to give one protocol the faults that were within the assumptions of another
 * @param script what is done to the peers, in time
 */
public record Scenario(
        long seed,
        int nodes,
        int virtualNodes,
        int founders,
        Settings settings,
        boolean inside,
        boolean forced,
        NetworkConditions weather,
        List<Command> script) {
    static final int MAX_NODES = 64;

    private static final int SHORTEST_MILLIS = 8_000;

    public Scenario {
        if (nodes < 1 || nodes > MAX_NODES || founders < 1 || founders > nodes || virtualNodes < 1) {
            throw new IllegalArgumentException(
                    "nodes must be in 1.." + MAX_NODES + " and founders among them, got " + nodes + " and " + founders);
        }
        script = List.copyOf(script);
    }

    /** Within the assumptions of the protocol, with all kinds of faults that they allow. */
    public static Scenario inside(long seed) {
        return random(seed, true);
    }

    /** Beyond them: long pauses and cuts, rings torn apart, neighbours that crash together. */
    public static Scenario outside(long seed) {
        return random(seed, false);
    }

    private static Scenario random(long seed, boolean inside) {
        SplittableRandom random = new SplittableRandom(seed * 2 + (inside ? 1 : 0));
        int successors = 2 + random.nextInt(3);
        int nodes = random.nextInt(6) == 0 ? 2 + random.nextInt(4) : 8 + random.nextInt(17);
        int virtualNodes = random.nextInt(4) == 0 ? 2 + random.nextInt(2) : 1;
        int founders = nodes <= successors || random.nextInt(3) == 0
                ? 1
                : Math.min(nodes, successors + 1 + random.nextInt(nodes / 2));
        Settings settings = new Settings(
                successors,
                2 + random.nextInt(2),
                200,
                200 + random.nextInt(500),
                400 + random.nextInt(1_000),
                300 + random.nextInt(2_000),
                64);
        NetworkConditions weather = new NetworkConditions(
                1 + random.nextInt(20),
                1 + random.nextInt(60),
                random.nextInt(3) == 0 ? 0 : random.nextInt(80),
                random.nextInt(3) == 0 ? 0 : random.nextInt(80));
        int millis = SHORTEST_MILLIS + random.nextInt(12_000);
        List<Command> script = new ArrayList<>();
        int commands = 20 + random.nextInt(60);
        for (int i = 0; i < commands; i++) {
            script.add(command(random, random.nextInt(millis), nodes, inside));
        }
        script.sort(Comparator.comparingLong(Command::atMillis));
        return new Scenario(seed, nodes, virtualNodes, founders, settings, inside, false, weather, script);
    }

    private static Command command(SplittableRandom random, long at, int nodes, boolean inside) {
        int node = random.nextInt(nodes);
        int other = random.nextInt(nodes);
        int dice = random.nextInt(100);
        if (dice < 30) {
            return new Command(at, Command.Kind.JOIN, node, 0, 0);
        }
        if (dice < 38) {
            return new Command(at, Command.Kind.LEAVE, node, 0, 0);
        }
        if (dice < 65) {
            return new Command(at, Command.Kind.CRASH, node, 0, 0);
        }
        if (dice < 75) {
            return new Command(at, Command.Kind.PAUSE, node, 0, 50 + random.nextInt(inside ? 1_000 : 4_000));
        }
        if (dice < 83 || inside && dice < 87) {
            return new Command(at, Command.Kind.CUT, node, other, 100 + random.nextInt(inside ? 2_000 : 8_000));
        }
        if (dice < 87) {
            return new Command(at, Command.Kind.PART, 0, random.nextInt(256), 500 + random.nextInt(8_000));
        }
        return new Command(at, Command.Kind.LOOKUP, node, 0, 0);
    }

    /** When the last of the faults is over. */
    long calmAtMillis() {
        return script.stream()
                .mapToLong(command -> command.atMillis() + command.millis())
                .max()
                .orElse(0);
    }

    Scenario withScript(List<Command> commands) {
        return new Scenario(seed, nodes, virtualNodes, founders, settings, inside, forced, weather, commands);
    }

    /** The same with crashes and departures that happen in any case, or only within the assumptions. */
    public Scenario forced(boolean inAnyCase) {
        return new Scenario(seed, nodes, virtualNodes, founders, settings, inside, inAnyCase, weather, script);
    }

    Scenario withWeather(NetworkConditions other) {
        return new Scenario(seed, nodes, virtualNodes, founders, settings, inside, forced, other, script);
    }

    /** As a history is headed. */
    @Override
    public String toString() {
        return "seed " + seed + ", " + (inside ? "inside" : "outside") + " the assumptions: " + founders + " of "
                + nodes
                + " nodes, " + virtualNodes + " a host, " + settings.successors() + " successors, "
                + settings.attempts() + " attempts, " + weather;
    }
}
