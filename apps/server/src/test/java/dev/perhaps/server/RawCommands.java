package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a client sends by its own methods, and what it sends as raw commands: which of both it was is taken from the statistics of
 * the server, and must be what the table in docs/server.md says.
 */
final class RawCommands {
    private static final Path PAGE = Path.of("../../docs/server.md");
    private static final List<String> FAMILIES = List.of("bf", "cf", "cms", "topk", "tdigest");
    private static final Set<String> OWN =
            Set.of("qf", "cbf", "fuse", "range", "sim", "guard", "pwned", "ring", "perhaps");

    /*
     * A command, and its reply with a list in brackets, a map as a list, true as 1, and "…" for the rest. The filters of Redis and
     * what they do not have methods for, then each command of the families that Redis does not have.
     */
    private static final String ROWS = """
            BF.RESERVE one 0.01 100 | OK
            BF.MADD one a b | [1, 1]
            BF.MADD two b c | [1, 1]
            BF.MERGE all one two | OK
            BF.MEXISTS all a b c d | [1, 1, 1, 0]
            BF.INTERCARD 2 one two | 1
            BF.DEBUG one | [size:2, bytes:144 bits:1152 hashes:8 hashwidth:64 capacity:100 size:2 ratio:0.005]
            BF.RESERVE lately 0.01 100 WINDOW 1h | OK
            BF.ADD lately x | 1
            CF.RESERVE carts 64 | OK
            CF.INSERTNX carts ITEMS x x | [1, 0]
            CF.MEXISTS carts x y | [1, 0]
            CF.COMPACT carts | OK
            CF.DEBUG carts | bktsize:2 buckets:32 items:1 deletes:0 filters:1 max_iterations:20 expansion:1
            CF.SCANDUMP missing 0 | ERR not found
            CF.LOADCHUNK carts 1 x | ERR item exists
            CMS.INITBYDIM c 10 2 | OK
            CMS.INITBYPROB p 0.01 0.1 CELL_SIZE 2 | OK
            CMS.INCRBY c x 5 y 2 | [5, 2]
            CMS.INCRBY c x -1 | [4]
            CMS.QUERY c x absent | [4, 0]
            CMS.MERGE c 1 c WEIGHTS 2 | OK
            CMS.INFO c | [width, 10, depth, 2, count, 12, cell size, 4]
            TOPK.RESERVE t 2 | OK
            TOPK.ADD t x x y | [nil, nil, nil]
            TOPK.COUNT t x y z | [2, 1, 0]
            QF.RESERVE q 0.001 1000 | OK
            QF.ADD q x | 1
            QF.MADD q x y | [0, 1]
            QF.EXISTS q x | 1
            QF.MEXISTS q x z | [1, 0]
            QF.COUNT q x | 2
            QF.DEL q x | 1
            QF.RESERVE q2 0.001 1000 | OK
            QF.MERGE q2 q | OK
            QF.RESERVE grows 0.001 1000 GROWTO 2000 | OK
            QF.GROW grows | OK
            QF.INFO q2 | [Capacity, …
            CBF.RESERVE online 0.01 100 | OK
            CBF.ADD online ada | 1
            CBF.MADD online ada grace | [0, 1]
            CBF.EXISTS online ada | 1
            CBF.MEXISTS online ada alan | [1, 0]
            CBF.COUNT online ada | 2
            CBF.DEL online ada | 1
            CBF.RESERVE online2 0.01 100 | OK
            CBF.MERGE online2 online | OK
            CBF.INFO online2 | [Capacity, 100, …
            FUSE.ADD bad a b | 2
            FUSE.BUILD bad | 2
            FUSE.EXISTS bad a | 1
            FUSE.MEXISTS bad a c | [1, 0]
            FUSE.INFO bad | [Capacity, 2, …
            RANGE.CREATE millis 0.01 BITS 16 | OK
            RANGE.ADD millis 12 250 | 2
            RANGE.COUNT millis 0 100 | 1
            RANGE.QUANTILE millis 0.5 | [12]
            RANGE.CREATE more 0.01 BITS 16 | OK
            RANGE.MERGE more millis | OK
            RANGE.INFO more | […
            SIM.RESERVE texts THRESHOLD 0.5 | OK
            SIM.ADD texts a SET x y z | 1
            SIM.ADD texts b SET x y z | 1
            SIM.QUERY texts ID a | [[b, 1]]
            SIM.CLUSTERS texts | [[2, [a, b]]]
            SIM.REM texts b | 1
            SIM.INFO texts | [Documents, 1, …
            GUARD.RESERVE cdn LOOKUP 1 ORIGIN 10 | OK
            GUARD.REPORT cdn HIT 3 MISS 997 | 1000
            GUARD.ASK cdn | [action, never, …
            GUARD.INFO cdn | [hits, …
            PWNED.ADD leaked 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8 7 | 7
            PWNED.RANGE leaked 5BAA6 | [[1E4C9B93F3F0682250B6CF8331B7EE68FD8, 7]]
            PWNED.INFO leaked | [Size, …
            RING.CREATE nodes | OK
            RING.ADD nodes alpha | …
            RING.ADD nodes beta | …
            RING.GET nodes user:42 COUNT 2 | […
            RING.MOVES nodes REMOVE beta | [moved, …
            RING.REMOVE nodes beta | …
            RING.GET nodes user:42 | alpha
            RING.INFO nodes | […
            PERHAPS.PLAN 1000000 ERROR 0.001 DELETE | [recommended, cuckoo, …
            PERHAPS.STATS q | [kind, quotient, items, 2, …
            PERHAPS.SAVE q q.filter REPLACE | 2316
            PERHAPS.LOAD q3 q.filter | OK
            QF.EXISTS q3 y | 1
            """;

    /** Sends the words of a command, and returns what the client makes of the reply. */
    interface Sender {
        Object send(String name, byte[]... arguments);
    }

    private final SketchServer server;
    private final Set<String> byMethod = new LinkedHashSet<>();

    private RawCommands(SketchServer server) {
        this.server = server;
    }

    /** From here on commands are sent by methods. */
    static RawCommands after(SketchServer server) throws IOException {
        RawCommands commands = new RawCommands(server);
        commands.sent();
        return commands;
    }

    /** The commands that were run since the last call. */
    @CanIgnoreReturnValue
    private Set<String> sent() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            Set<String> names = new LinkedHashSet<>();
            Matcher lines = Pattern.compile("cmdstat_([^:]+):").matcher(wire.call("INFO", "commandstats"));
            while (lines.find()) {
                names.add(lines.group(1));
            }
            wire.call("CONFIG", "RESETSTAT");
            return names;
        }
    }

    private List<String> all() throws IOException {
        try (Wire wire = new Wire(server.address())) {
            return Arrays.stream(wire.call("COMMAND", "LIST").split("⏎", -1))
                    .filter(name -> name.contains("."))
                    .toList();
        }
    }

    /** Sends all commands of the table raw, and compares the replies. */
    void sendRaw(Sender sender) throws IOException {
        byMethod.addAll(sent());
        try (Wire wire = new Wire(server.address())) {
            wire.call("FLUSHALL");
        }
        List<String> wrong = new ArrayList<>();
        for (String row : ROWS.lines().toList()) {
            String[] parts = row.split(" \\| ", -1);
            String[] words = Wire.words(parts[0]);
            String reply = send(sender, words);
            boolean fits = parts[1].endsWith("…")
                    ? reply.startsWith(parts[1].substring(0, parts[1].length() - 1))
                    : reply.equals(parts[1]);
            if (!fits) {
                wrong.add(parts[0] + " | " + reply);
            }
        }
        assertThat(wrong).as(String.join("\n", wrong)).isEmpty();
        copy(sender);
    }

    private static String send(Sender sender, String... words) {
        byte[][] arguments = Arrays.stream(words)
                .skip(1)
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        try {
            return text(sender.send(words[0], arguments));
        } catch (RuntimeException e) {
            return message(e);
        }
    }

    /** The error of the server: clients put it into an exception, some with words of their own around it. */
    private static String message(RuntimeException thrown) {
        return String.valueOf(thrown.getMessage()).replaceFirst("\\. channel: .*", "");
    }

    /** A cuckoo filter in its parts: bytes that are no text. */
    private static void copy(Sender sender) {
        byte[] from = "carts".getBytes(StandardCharsets.UTF_8);
        byte[] to = "copy".getBytes(StandardCharsets.UTF_8);
        byte[] iterator = {'0'};
        while (true) {
            List<?> part = (List<?>) sender.send("CF.SCANDUMP", from, iterator);
            iterator = text(part.get(0)).getBytes(StandardCharsets.UTF_8);
            if (iterator[0] == '0') {
                break;
            }
            assertThat(text(sender.send("CF.LOADCHUNK", to, iterator, (byte[]) part.get(1))))
                    .isEqualTo("OK");
        }
        assertThat(send(sender, "CF.MEXISTS", "copy", "x", "y")).isEqualTo("[1, 0]");
    }

    private static String text(Object reply) {
        if (reply == null) {
            return "nil";
        }
        if (reply instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        if (reply instanceof Boolean is) {
            return is ? "1" : "0";
        }
        if (reply instanceof Double number) {
            return number % 1 == 0 ? Long.toString(number.longValue()) : number.toString();
        }
        if (reply instanceof Map<?, ?> map) {
            return text(map.entrySet());
        }
        if (reply instanceof Collection<?> list) {
            List<Object> flat = new ArrayList<>();
            for (Object each : list) {
                if (each instanceof Map.Entry<?, ?> entry) {
                    flat.add(entry.getKey());
                    flat.add(entry.getValue());
                } else {
                    flat.add(each);
                }
            }
            return flat.stream().map(RawCommands::text).collect(Collectors.joining(", ", "[", "]"));
        }
        return reply.toString();
    }

    /** Every command was sent in one way or the other, and the row of the page says in which; the words are those for methods. */
    void areThoseOfThePage(String client, String... words) throws IOException {
        Set<String> raw = sent();
        List<String> commands = all();
        assertThat(commands.stream().filter(name -> !byMethod.contains(name) && !raw.contains(name)))
                .as("neither called nor sent raw")
                .isEmpty();
        StringBuilder row = new StringBuilder("| " + client + " |");
        for (int i = 0; i < FAMILIES.size(); i++) {
            String prefix = FAMILIES.get(i) + ".";
            List<String> family =
                    commands.stream().filter(name -> name.startsWith(prefix)).toList();
            List<String> without =
                    family.stream().filter(name -> !byMethod.contains(name)).toList();
            row.append(' ');
            if (without.size() == family.size()) {
                row.append("raw");
            } else {
                row.append(words[i]);
                row.append(without.isEmpty() ? "" : "; raw:");
                without.forEach(name -> row.append(" `")
                        .append(name.substring(prefix.length()).toUpperCase(Locale.ROOT))
                        .append('`'));
            }
            row.append(" |");
        }
        assertThat(byMethod.stream().filter(name -> OWN.contains(name.replaceFirst("\\..*", ""))))
                .isEmpty();
        row.append(" raw |");
        assertThat(Files.readAllLines(PAGE)).as("the table of clients").contains(row.toString());
    }
}
