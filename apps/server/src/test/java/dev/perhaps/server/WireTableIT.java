package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every command and every error, byte for byte in both versions of the protocol: the tables in {@code *.wire}. A line is a
 * command; the lines after it that begin with two spaces are its reply, "2" and "3" where the versions differ. "--" begins
 * again without keys. The clock of the table "times" stands still.
 */
class WireTableIT {
    private static final long SEED = 1;
    private static final long NOW_MILLIS = 1_700_000_000_000L;

    private record Row(int line, String command, String reply2, String reply3) {}

    static Stream<Arguments> tables() {
        return Stream.of(
                        "general",
                        "bloom",
                        "cuckoo",
                        "cms",
                        "topk",
                        "tdigest",
                        "distinct",
                        "durable",
                        "times",
                        "perhaps",
                        "own",
                        "filters",
                        "range",
                        "ring",
                        "window",
                        "similarity",
                        "guard",
                        "pwned")
                .flatMap(table -> Stream.of(Arguments.of(table, 2), Arguments.of(table, 3)));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void everyReplyIsTheOneOfTheTable(String table, int version, @TempDir Path folder) throws IOException {
        List<String> wrong = new ArrayList<>();
        int rows = 0;
        SketchServer.Plan plan = SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        plan = table.equals("durable") ? plan.directory(folder) : plan;
        LongSupplier clock = table.equals("times") ? () -> NOW_MILLIS : System::currentTimeMillis;
        try (SketchServer server = plan.open(clock, SEED);
                Wire wire = Wire.open(server, version)) {
            for (Row row : rows(table)) {
                if (row.command.equals("--")) {
                    wire.call("FLUSHALL");
                    continue;
                }
                rows++;
                String expected = version == 2 ? row.reply2 : row.reply3;
                String reply = wire.call(Wire.words(row.command));
                if (expected.endsWith("…")
                        ? !reply.startsWith(expected.substring(0, expected.length() - 1))
                        : !reply.equals(expected)) {
                    wrong.add(table + ".wire:" + row.line + "  " + row.command + "\n    expected " + expected
                            + "\n    got      " + reply);
                }
            }
        }
        assertThat(rows).isGreaterThan(20);
        assertThat(wrong).as(String.join("\n", wrong)).isEmpty();
    }

    private static List<Row> rows(String table) throws IOException {
        List<Row> rows = new ArrayList<>();
        try (InputStream in = Objects.requireNonNull(WireTableIT.class.getResourceAsStream(table + ".wire"), table)) {
            String command = "";
            int at = 0;
            String reply2 = "";
            String reply3 = "";
            int number = 0;
            for (String line : (new String(in.readAllBytes(), StandardCharsets.UTF_8) + "\n.").split("\n", -1)) {
                number++;
                if (line.startsWith("  2 ")) {
                    reply2 = line.substring(4);
                } else if (line.startsWith("  3 ")) {
                    reply3 = line.substring(4);
                } else if (line.startsWith("  ")) {
                    reply2 = line.substring(2);
                    reply3 = reply2;
                } else if (!line.isEmpty() && !line.startsWith("#")) {
                    if (!command.isEmpty()) {
                        rows.add(new Row(at, command, reply2, reply3));
                    }
                    command = line;
                    at = number;
                }
            }
        }
        return rows;
    }
}
