package dev.perhaps.cli.placement;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.console.Printable;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.NodeList;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.placement.BoundedLoads;
import dev.perhaps.placement.HashRing;
import dev.perhaps.placement.JumpHash;
import dev.perhaps.placement.Placement;
import dev.perhaps.placement.Rendezvous;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps place}: which node each key belongs to. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "place",
        description = {
            "Prints the node that each key belongs to.",
            "The same nodes give the same result everywhere. When a node joins or leaves, few other keys move: --then"
                    + " prints which.",
            ""
        },
        footer = {
            "",
            "NODES is a file with one line per node: NAME [WEIGHT [HOST]]. A node without",
            "them has weight 1 and a host of its own.",
            "",
            "Examples:",
            "  perhaps place --nodes caches.txt user:42 user:43",
            "  perhaps place --nodes stores.txt --replicas 3 < ids.txt",
            "  perhaps place --nodes now.txt --then tomorrow.txt --input ids.txt",
            "  perhaps place --nodes now.txt --load --input access.log --format word:1"
        },
        mixinStandardHelpOptions = true)
public final class PlaceCommand implements Callable<Integer> {
    /** How keys are placed. */
    enum Method {
        RING,
        RENDEZVOUS,
        JUMP
    }

    @Parameters(
            paramLabel = "KEY",
            arity = "0..*",
            description = "Keys to place (default: the records of --input, or of standard input).")
    private List<String> keys = new ArrayList<>();

    @Option(
            names = "--nodes",
            paramLabel = "NODES",
            required = true,
            description = "A file with the nodes, one per line.")
    @SuppressWarnings("NullAway.Init") // required
    private Path nodesFile;

    @Option(names = "--input", paramLabel = "INPUT", description = "Read keys here, also .gz and .zst; repeatable.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = "--by",
            paramLabel = "METHOD",
            description =
                    "ring, rendezvous (exact shares, time grows with the nodes) or jump (numbered nodes) (default: ring).")
    private Method method = Method.RING;

    @Option(
            names = "--points",
            paramLabel = "P",
            description = "Points on the ring per unit of weight (default: " + HashRing.DEFAULT_POINTS + ").")
    private @Nullable Integer points;

    @Option(
            names = "--replicas",
            paramLabel = "N",
            description = "Number of nodes per key, no two on one host (default: ${DEFAULT-VALUE}).")
    private int replicas = 1;

    @Option(
            names = "--bound",
            paramLabel = "C",
            description = "Give no node more than C times its share (C > 1); further keys go to the next node.")
    private @Nullable Double bound;

    @Option(names = "--load", description = "Print the number of keys per node instead of the keys.")
    private boolean load;

    @Option(
            names = "--then",
            paramLabel = "NODES",
            description = "Print the keys that move if these become the nodes: key, from, to.")
    private @Nullable Path thenFile;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    @Mixin
    private RecordOptions reading = new RecordOptions();

    private final Map<String, Long> counts = new LinkedHashMap<>();
    private long placed;
    private long moved;

    /** Takes a key as it was written, and its hash. */
    @FunctionalInterface
    private interface Sink {
        void take(byte[] bytes, int from, int to, long hash) throws IOException;
    }

    @Override
    public Integer call() throws IOException {
        check();
        NodeList nodes = NodeList.read(nodesFile);
        Placement<String> placement = placement(nodes);
        if (thenFile != null) {
            move(placement, placement(NodeList.read(thenFile)));
            return ExitCodes.DONE;
        }
        nodes.weights().keySet().forEach(node -> counts.put(node, 0L));
        BoundedLoads<String> bounded =
                bound != null && placement instanceof HashRing<String> ring ? BoundedLoads.of(bound, ring) : null;
        eachKey((bytes, from, to, hash) -> {
            List<String> owners = bounded != null
                    ? List.of(bounded.place(hash))
                    : placement.owners(hash, replicas, node -> nodes.hosts().getOrDefault(node, node));
            placed++;
            if (load) {
                owners.forEach(node -> counts.merge(node, 1L, Long::sum));
            } else {
                print(bytes, from, to, "nodes", owners);
            }
        });
        if (load) {
            printLoads(nodes.weights());
        }
        return ExitCodes.DONE;
    }

    private void check() {
        if (points != null && method != Method.RING) {
            throw new BadInput("--points is for rings only: leave --by " + word() + " out");
        }
        if (bound != null && (method != Method.RING || replicas != 1 || thenFile != null)) {
            throw new BadInput("--bound goes with a ring and one node per key: leave --by, --replicas and --then out");
        }
        if (thenFile != null && (load || replicas != 1)) {
            throw new BadInput("--then compares owners only: leave --load and --replicas out");
        }
        if (replicas < 1) {
            throw new BadInput("--replicas must be at least 1, got " + replicas);
        }
        boolean readsKeys = keys.isEmpty() && (inputNames.isEmpty() || inputNames.contains(Input.STANDARD));
        if (readsKeys && (isStandard(nodesFile) || isStandard(thenFile))) {
            throw new BadInput("standard input can be read only once: name a file for the nodes or for the keys");
        }
        if (!keys.isEmpty() && !inputNames.isEmpty()) {
            throw new BadInput("name keys or use --input, not both");
        }
    }

    private static boolean isStandard(@Nullable Path file) {
        return file != null && file.toString().equals(Input.STANDARD);
    }

    private String word() {
        return method.name().toLowerCase(java.util.Locale.ROOT);
    }

    private Placement<String> placement(NodeList nodes) {
        return switch (method) {
            case RING ->
                HashRing.points(points == null ? HashRing.DEFAULT_POINTS : points)
                        .of(nodes.weights());
            case RENDEZVOUS -> Rendezvous.of(nodes.weights());
            case JUMP -> {
                nodes.weights().forEach((node, weight) -> {
                    if (weight != 1) {
                        throw new BadInput("jump hashing does not support weights, got " + weight + " for '" + node
                                + "': use --by ring or rendezvous");
                    }
                });
                yield JumpHash.of(List.copyOf(nodes.weights().keySet()));
            }
        };
    }

    private void move(Placement<String> before, Placement<String> after) throws IOException {
        eachKey((bytes, from, to, hash) -> {
            String owner = before.owner(hash);
            String next = after.owner(hash);
            placed++;
            if (!owner.equals(next)) {
                moved++;
                print(bytes, from, to, "moves", List.of(owner, next));
            }
        });
        double least = Placement.leastMoved(before.weights(), after.weights());
        if (json) {
            Console.say(Json.object(out -> {
                out.writeNumberField("keys", placed);
                out.writeNumberField("moved", moved);
                out.writeNumberField("leastShare", least);
            }));
        } else {
            double share = placed == 0 ? 0 : (double) moved / placed;
            Console.say(Figures.count(moved) + " of " + Figures.count(placed, "key") + " move: "
                    + Figures.percent(share) + "; at least " + Figures.percent(least) + " must move");
        }
    }

    private void eachKey(Sink sink) throws IOException {
        KeyForm form = reading.form();
        if (form.manyKeysEach()) {
            throw new BadInput("a sequence has many keys: place single ones");
        }
        KeyForm.Sink each = entry -> {
            // Of a row, an object or a line of words the key is a part; of all others the line is the key.
            if (form.keepsKeys()) {
                sink.take(entry.keyBytes(), entry.keyFrom(), entry.keyTo(), entry.hashes()[0]);
            } else {
                sink.take(entry.bytes(), entry.from(), entry.to(), entry.hashes()[0]);
            }
        };
        if (keys.isEmpty()) {
            reading.each(Input.all(inputNames), form, "placing", each);
            return;
        }
        // A key that is named is the same as one that is read: a number or a URL is hashed as such.
        for (String key : keys) {
            byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
            if (form.keepsKeys()) {
                sink.take(bytes, 0, bytes.length, Key.bytes().hash(bytes));
            } else {
                form.read("KEY", new ByteArrayInputStream(bytes), each);
            }
        }
        reading.tellSkipped();
    }

    private void print(byte[] bytes, int from, int to, String field, List<String> nodes) throws IOException {
        if (json) {
            String key = new String(bytes, from, to - from, StandardCharsets.UTF_8);
            Console.println(Json.object(out -> {
                out.writeStringField("key", key);
                out.writeArrayFieldStart(field);
                for (String node : nodes) {
                    out.writeString(node);
                }
                out.writeEndArray();
            }));
            return;
        }
        Console.printKey(bytes, from, to);
        Console.println("\t" + String.join("\t", nodes));
    }

    private void printLoads(Map<String, Integer> weights) throws IOException {
        double total = weights.values().stream().mapToLong(Integer::longValue).sum();
        long copies = counts.values().stream().mapToLong(Long::longValue).sum();
        for (Map.Entry<String, Long> node : counts.entrySet()) {
            double due = weights.getOrDefault(node.getKey(), 0) / total;
            double share = copies == 0 ? 0 : (double) node.getValue() / copies;
            if (json) {
                Console.println(Json.object(out -> {
                    out.writeStringField("node", node.getKey());
                    out.writeNumberField("keys", node.getValue());
                    out.writeNumberField("share", share);
                    out.writeNumberField("dueShare", due);
                }));
            } else {
                Console.println(Printable.text(node.getKey()) + "  " + Console.count(node.getValue(), "key") + ", "
                        + Figures.percent(share) + " where " + Figures.percent(due) + " is due");
            }
        }
    }
}
