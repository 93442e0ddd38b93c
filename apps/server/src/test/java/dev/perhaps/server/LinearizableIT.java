package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several connections use few keys at once. For each key, or pair of keys, there must be an order of its commands that agrees with all replies
 * and with time: a command that was answered before another was sent stands before it.
 */
@Timeout(120)
class LinearizableIT {
    private static final int CLIENTS = 6;
    private static final int KEYS = 3;
    private static final int COMMANDS = 300;

    /** The kinds of keys, and what is sent to each; EXEC is a transaction on the two keys of a pair. */
    private static final Map<String, List<String>> KINDS = Map.of(
            "key", List.of("INCR", "INCR", "GET", "GET", "SET", "DEL"),
            "filter", List.of("BF.ADD", "BF.EXISTS"),
            "cuckoo", List.of("CF.ADD", "CF.ADDNX", "CF.EXISTS", "CF.COUNT", "CF.DEL"),
            "counts", List.of("CMS.INCRBY", "CMS.INCRBY", "CMS.QUERY"),
            "top", List.of("TOPK.INCRBY", "TOPK.INCRBY", "TOPK.COUNT", "TOPK.LIST"),
            "pair", List.of("EXEC", "EXEC", "MGET"));

    private static final Set<String> WITH_ITEMS = Set.of("filter", "cuckoo");

    /** A command on one key, its reply, and when it was sent and answered. */
    private record Operation(String name, String argument, String reply, long sentNanos, long answeredNanos) {}

    /** The reply that a command must get in this state, and the state after it, of "value/item item". */
    private record Step(String reply, String state) {}

    private static Step step(String state, Operation operation) {
        String value = state.substring(0, state.indexOf('/'));
        String items = state.substring(state.indexOf('/'));
        switch (operation.name) {
            case "INCR" -> {
                String next = Long.toString(number(value) + 1);
                return new Step(":" + next + "⏎", next + items);
            }
            case "SET" -> {
                return new Step("+OK⏎", operation.argument + items);
            }
            case "GET" -> {
                return new Step(value.isEmpty() ? "$-1⏎" : "$" + value.length() + "⏎" + value + "⏎", state);
            }
            case "DEL" -> {
                return new Step(value.isEmpty() ? ":0⏎" : ":1⏎", items);
            }
            case "BF.ADD" -> {
                boolean isThere = items.contains(" " + operation.argument + " ");
                return new Step(isThere ? ":0⏎" : ":1⏎", isThere ? state : state + " " + operation.argument + " ");
            }
            case "BF.EXISTS" -> {
                return new Step(items.contains(" " + operation.argument + " ") ? ":1⏎" : ":0⏎", state);
            }
            case "CF.ADD" -> {
                return new Step(":1⏎", state + " " + operation.argument + " ");
            }
            case "CF.ADDNX" -> {
                boolean isThere = items.contains(" " + operation.argument + " ");
                return new Step(isThere ? ":0⏎" : ":1⏎", isThere ? state : state + " " + operation.argument + " ");
            }
            case "CF.EXISTS" -> {
                return new Step(items.contains(" " + operation.argument + " ") ? ":1⏎" : ":0⏎", state);
            }
            case "CF.COUNT" -> {
                int copies = items.split(" " + operation.argument + " ", -1).length - 1;
                return new Step(":" + copies + "⏎", state);
            }
            case "CF.DEL" -> {
                String less = items.replaceFirst(" " + operation.argument + " ", "");
                return new Step(less.equals(items) ? ":0⏎" : ":1⏎", less);
            }
            case "CMS.INCRBY" -> {
                long next = number(value) + Long.parseLong(operation.argument);
                return new Step("*1⏎:" + next + "⏎", next + items);
            }
            case "TOPK.INCRBY" -> {
                return new Step("*1⏎$-1⏎", number(value) + Long.parseLong(operation.argument) + items);
            }
            case "CMS.QUERY", "TOPK.COUNT" -> {
                return new Step("*1⏎:" + number(value) + "⏎", state);
            }
            case "TOPK.LIST" -> {
                return new Step(value.isEmpty() ? "*0⏎" : "*2⏎$1⏎x⏎:" + value + "⏎", state);
            }
            case "EXEC" -> {
                long next = number(value) + 1;
                return new Step("*2⏎:" + next + "⏎:" + next + "⏎", next + items);
            }
            case "MGET" -> {
                String one = value.isEmpty() ? "$-1⏎" : "$" + value.length() + "⏎" + value + "⏎";
                return new Step("*2⏎" + one + one, state);
            }
            default -> throw new IllegalArgumentException(operation.name);
        }
    }

    private static long number(String value) {
        return value.isEmpty() ? 0 : Long.parseLong(value);
    }

    /*
     * The search goes from the empty order on. The next command may be any that was sent before the first answer among those
     * that are left; as many as there are clients. A set of ordered commands with a state that has been tried is not tried again.
     */
    private static boolean isLinearizable(List<Operation> history) {
        List<Operation> sorted = new ArrayList<>(history);
        sorted.sort((a, b) -> Long.compare(a.sentNanos, b.sentNanos));
        return search(sorted, new BitSet(), "/", new HashSet<>());
    }

    private static boolean search(List<Operation> all, BitSet ordered, String state, Set<String> tried) {
        int first = ordered.nextClearBit(0);
        if (first >= all.size()) {
            return true;
        }
        if (!tried.add(ordered + state)) {
            return false;
        }
        long firstAnswer = Long.MAX_VALUE;
        for (int i = first; i < all.size() && all.get(i).sentNanos <= firstAnswer; i = ordered.nextClearBit(i + 1)) {
            firstAnswer = Math.min(firstAnswer, all.get(i).answeredNanos);
        }
        for (int i = first; i < all.size() && all.get(i).sentNanos <= firstAnswer; i = ordered.nextClearBit(i + 1)) {
            Step step = step(state, all.get(i));
            if (step.reply.equals(all.get(i).reply)) {
                ordered.set(i);
                if (search(all, ordered, step.state, tried)) {
                    return true;
                }
                ordered.clear(i);
            }
        }
        return false;
    }

    @Test
    void theSearchTellsOrdersFromNone() {
        Operation add = new Operation("INCR", "", ":1⏎", 0, 10);
        assertThat(isLinearizable(List.of(add, new Operation("GET", "", "$-1⏎", 5, 20))))
                .isTrue();
        assertThat(isLinearizable(List.of(add, new Operation("GET", "", "$1⏎1⏎", 5, 8))))
                .isTrue();
        assertThat(isLinearizable(List.of(add, new Operation("GET", "", "$-1⏎", 11, 20))))
                .isFalse();
        assertThat(isLinearizable(List.of(add, new Operation("INCR", "", ":1⏎", 5, 20))))
                .isFalse();
        // One reader has seen the change, and a later one has not.
        assertThat(isLinearizable(List.of(
                        new Operation("SET", "7", "+OK⏎", 0, 100),
                        new Operation("GET", "", "$1⏎7⏎", 10, 20),
                        new Operation("GET", "", "$-1⏎", 30, 40))))
                .isFalse();
        // A transaction of which a reader has seen one half.
        Operation both = new Operation("EXEC", "", "*2⏎:1⏎:1⏎", 0, 100);
        assertThat(isLinearizable(List.of(both, new Operation("MGET", "", "*2⏎$1⏎1⏎$1⏎1⏎", 10, 20))))
                .isTrue();
        assertThat(isLinearizable(List.of(both, new Operation("MGET", "", "*2⏎$1⏎1⏎$-1⏎", 10, 20))))
                .isFalse();
        // One copy of two is removed, and none is left.
        assertThat(isLinearizable(List.of(
                        new Operation("CF.ADD", "a", ":1⏎", 0, 1),
                        new Operation("CF.ADD", "a", ":1⏎", 2, 3),
                        new Operation("CF.DEL", "a", ":1⏎", 4, 5),
                        new Operation("CF.EXISTS", "a", ":0⏎", 6, 7))))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "always", "everysec"})
    void everyKeyHasAnOrderOfItsCommands(String kept, @TempDir Path folder) throws Exception {
        Map<String, List<Operation>> histories = new TreeMap<>();
        for (int key = 0; key < KEYS; key++) {
            for (String kind : KINDS.keySet()) {
                histories.put(kind + "-" + key, new CopyOnWriteArrayList<>());
            }
        }
        List<String> problems = new CopyOnWriteArrayList<>();
        SketchServer.Plan plan = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .threads(4);
        plan = kept.equals("memory") ? plan : plan.directory(folder).fsync(kept);
        try (SketchServer server = plan.open()) {
            try (Wire wire = Wire.open(server, 2)) {
                for (int key = 0; key < KEYS; key++) {
                    wire.call("CF.RESERVE", "cuckoo-" + key, "10000");
                    wire.call("CMS.INITBYDIM", "counts-" + key, "100", "3");
                    wire.call("TOPK.RESERVE", "top-" + key, "3");
                }
            }
            List<Thread> threads = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                Random random = new Random(31L * client + 7);
                Thread thread = new Thread(() -> {
                    try (Wire wire = Wire.open(server, 2)) {
                        for (int i = 0; i < COMMANDS; i++) {
                            run(wire, random, histories);
                            if (i % 50 == 25 && !kept.equals("memory")) {
                                wire.call("BGSAVE", "SCHEDULE");
                            }
                        }
                    } catch (IOException | RuntimeException e) {
                        problems.add(e.toString());
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join(60_000);
                assertThat(thread.isAlive()).isFalse();
            }
        }
        assertThat(problems).isEmpty();
        assertThat(histories.values().stream().mapToInt(List::size).sum()).isEqualTo(CLIENTS * COMMANDS);
        histories.forEach(
                (key, history) -> assertThat(isLinearizable(history)).as(key).isTrue());
    }

    private static void run(Wire wire, Random random, Map<String, List<Operation>> histories) throws IOException {
        List<String> places = List.copyOf(histories.keySet());
        String place = places.get(random.nextInt(places.size()));
        String kind = place.substring(0, place.indexOf('-'));
        List<String> names = Objects.requireNonNull(KINDS.get(kind));
        String name = names.get(random.nextInt(names.size()));
        String argument = WITH_ITEMS.contains(kind)
                ? "item" + random.nextInt(12)
                : name.equals("SET")
                        ? Integer.toString(1_000 * random.nextInt(1_000))
                        : name.endsWith("INCRBY") ? Integer.toString(1 + random.nextInt(100)) : "";
        long sent = System.nanoTime();
        String reply = switch (name) {
            case "CMS.INCRBY", "TOPK.INCRBY" -> wire.call(name, place, "x", argument);
            case "CMS.QUERY", "TOPK.COUNT" -> wire.call(name, place, "x");
            case "TOPK.LIST" -> wire.call(name, place, "WITHCOUNT");
            case "MGET" -> wire.call(name, place + "-left", place + "-right");
            case "EXEC" -> transaction(wire, place + "-left", place + "-right");
            default -> argument.isEmpty() ? wire.call(name, place) : wire.call(name, place, argument);
        };
        Objects.requireNonNull(histories.get(place)).add(new Operation(name, argument, reply, sent, System.nanoTime()));
    }

    /** Adds one to each; sent at once, as pipelines are. */
    private static String transaction(Wire wire, String left, String right) throws IOException {
        for (String line : List.of("MULTI", "INCR " + left, "INCR " + right, "EXEC")) {
            wire.send(Wire.request(Wire.bytes(Wire.words(line))));
        }
        for (int i = 0; i < 3; i++) {
            wire.read();
        }
        return wire.read();
    }
}
