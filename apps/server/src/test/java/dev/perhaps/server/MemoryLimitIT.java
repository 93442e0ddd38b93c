package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limit of all keys together holds for all clients at once, whatever they allocate. */
@Timeout(120)
class MemoryLimitIT {
    private static final int MAX_BYTES = 24 << 20;
    private static final int CLIENTS = 4;

    private static SketchServer open() throws IOException {
        return SketchServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .memoryBytes(MAX_BYTES)
                .threads(CLIENTS)
                .open();
    }

    private static long used(Wire wire) throws IOException {
        String info = wire.call("INFO", "memory");
        String line = info.substring(info.indexOf("used_memory:") + "used_memory:".length());
        return Long.parseLong(line.substring(0, line.indexOf('⏎')));
    }

    /** Each was allowed what was free: together they took more. */
    @Test
    void clientsThatAllocateAtTheSameMomentStayBelowTheLimit() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try (SketchServer server = open();
                Wire watching = Wire.open(server, 2)) {
            int rounds = 60;
            CyclicBarrier barrier = new CyclicBarrier(CLIENTS + 1);
            List<Future<Integer>> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                String key = "filter-" + client;
                clients.add(threads.submit(() -> {
                    int made = 0;
                    try (Wire wire = Wire.open(server, 2)) {
                        for (int round = 0; round < rounds; round++) {
                            barrier.await(60, TimeUnit.SECONDS);
                            // Some 14 MB: one fits, two do not.
                            String reply = wire.call("BF.RESERVE", key, "0.01", "12000000", "NONSCALING");
                            made += reply.equals("+OK⏎") ? 1 : 0;
                            assertThat(reply).matches("\\+OK⏎|-ERR Insufficient memory to create filter⏎");
                            barrier.await(60, TimeUnit.SECONDS);
                            barrier.await(60, TimeUnit.SECONDS);
                            wire.call("DEL", key);
                        }
                    }
                    return made;
                }));
            }
            for (int round = 0; round < rounds; round++) {
                barrier.await(60, TimeUnit.SECONDS);
                barrier.await(60, TimeUnit.SECONDS);
                assertThat(used(watching)).as("round " + round).isLessThanOrEqualTo(MAX_BYTES);
                barrier.await(60, TimeUnit.SECONDS);
            }
            int made = 0;
            for (Future<Integer> client : clients) {
                made += client.get(60, TimeUnit.SECONDS);
            }
            // One of those that ask at once is never refused for what another one only asked for.
            assertThat(made).isGreaterThanOrEqualTo(rounds);
            assertThat(used(watching)).isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    /** What a command has claimed is free again when it ends, also if it was refused. */
    @Test
    void nothingStaysClaimed() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            for (int i = 0; i < 50; i++) {
                assertThat(wire.call("BF.RESERVE", "f", "0.01", "12000000")).isEqualTo("+OK⏎");
                assertThat(wire.call("COPY", "f", "g")).startsWith("-OOM");
                assertThat(wire.call("RESTORE", "r", "0", "not a dump")).startsWith("-ERR DUMP payload");
                assertThat(wire.call("BF.LOADCHUNK", "l", "1", "not a header")).isEqualTo("-ERR received bad data⏎");
                assertThat(wire.call("RING.CREATE", "ring")).isEqualTo("+OK⏎");
                assertThat(wire.call("RING.MOVES", "ring", "ADD", "node")).startsWith("*4⏎");
                assertThat(wire.call("DEL", "f", "ring")).isEqualTo(":2⏎");
                assertThat(used(wire)).isZero();
            }
        }
    }

    /** Every new sub-filter was compared with what was free before the command, and not their sum. */
    @Test
    void aFilterThatGrowsSeveralTimesInOneCommandStaysBelowTheLimit() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            // Each sub-filter takes some 60 kB.
            wire.call("CONFIG", "SET", "maxmemory", "500000");
            wire.call("SET", "other", "v".repeat(300_000));
            assertThat(wire.call("BF.RESERVE", "f", "0.001", "20000", "EXPANSION", "1"))
                    .isEqualTo("+OK⏎");
            String[] add = Stream.concat(
                            Stream.of("BF.MADD", "f"),
                            IntStream.range(0, 300_000).mapToObj(i -> "i" + i))
                    .toArray(String[]::new);
            assertThat(wire.call(add)).endsWith("-ERR problem inserting into filter⏎");
            assertThat(used(wire)).isBetween(400_000L, 505_000L);
        }
    }

    /** The names of keys were counted after they were taken. */
    @Test
    void longNamesOfKeysAreRefusedBeforeTheyAreTaken() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            String name = "n".repeat(20 << 20);
            assertThat(wire.call("SET", name, "v")).isEqualTo("+OK⏎");
            assertThat(wire.call("SET", "m" + name, "v")).startsWith("-OOM");
            assertThat(wire.call("PFADD", "m" + name, "v")).startsWith("-OOM");
            assertThat(wire.call("SET", "short", "v")).isEqualTo("+OK⏎");
            assertThat(wire.call("RENAME", "short", "m" + name)).startsWith("-OOM");
            assertThat(wire.call("GET", "short")).isEqualTo("$1⏎v⏎");
            assertThat(wire.call("RENAME", name, "other")).isEqualTo("+OK⏎");
            assertThat(wire.call("RENAME", "short", "m" + name)).isEqualTo("+OK⏎");
            assertThat(wire.call("GET", "other")).isEqualTo("$1⏎v⏎");
            assertThat(used(wire)).isLessThanOrEqualTo(MAX_BYTES);
        }
    }

    /** Makes this the limit: what is used, and some bytes. */
    private static void leave(Wire wire, long bytes) throws IOException {
        assertThat(wire.call("CONFIG", "SET", "maxmemory", Long.toString(used(wire) + bytes)))
                .isEqualTo("+OK⏎");
    }

    /** Hashing, matches and groups were taken without asking; a removal is never refused. */
    @Test
    void documentsAreHashedAndComparedInMemoryThatIsFree() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            wire.call("SIM.RESERVE", "s");
            for (int i = 0; i < 3_000; i++) {
                wire.send(Wire.request(Wire.bytes("SIM.ADD", "s", "d" + i, "SET", "item" + i / 2)));
            }
            for (int i = 0; i < 3_000; i++) {
                assertThat(wire.read()).isEqualTo(":1⏎");
            }
            String text = "x".repeat(1 << 20);
            assertThat(wire.call("SIM.QUERY", "s", "TEXT", text)).startsWith("-OOM");
            assertThat(wire.call("SIM.ADD", "s", "text", "TEXT", text)).startsWith("-OOM");
            leave(wire, 1_000_000);
            assertThat(wire.call("SIM.QUERY", "s", "COUNT", "10000", "ID", "d0"))
                    .startsWith("-OOM");
            assertThat(wire.call("SIM.QUERY", "s", "ID", "d0")).isEqualTo("*1⏎*2⏎$2⏎d1⏎$1⏎1⏎");
            assertThat(wire.call("SIM.CLUSTERS", "s")).startsWith("-OOM");
            leave(wire, 3_000_000);
            assertThat(wire.call("SIM.CLUSTERS", "s", "COUNT", "1")).isEqualTo("*1⏎*2⏎:2⏎*2⏎$2⏎d0⏎$2⏎d1⏎");
            // Too little for a copy without the removed ones: they stay where they are.
            leave(wire, 100_000);
            long before = used(wire);
            for (int i = 1; i < 3_000; i++) {
                assertThat(wire.call("SIM.REM", "s", "d" + i)).isEqualTo(":1⏎");
            }
            assertThat(used(wire)).isEqualTo(before);
            leave(wire, 3_000_000);
            assertThat(wire.call("SIM.REM", "s", "d0")).isEqualTo(":1⏎");
            assertThat(used(wire)).isLessThan(10_000);
        }
    }

    /** Every 256th addition joins parts of the index, which must fit beside them. */
    @Test
    void anIndexThatGrowsStaysBelowTheLimit() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            wire.call("SIM.RESERVE", "s");
            wire.call("CONFIG", "SET", "maxmemory", "2000000");
            int added = 0;
            String reply = ":1⏎";
            while (reply.equals(":1⏎")) {
                reply = wire.call("SIM.ADD", "s", "d" + added, "SET", "item" + added);
                added++;
            }
            assertThat(reply).startsWith("-OOM");
            assertThat(used(wire)).isBetween(1_000_000L, 2_000_000L);
            assertThat(wire.call("SIM.INFO", "s")).contains("+Documents⏎:" + (added - 1) + "⏎");
            wire.call("CONFIG", "SET", "maxmemory", "20000000");
            assertThat(wire.call("SIM.ADD", "s", "d" + added, "SET", "item")).isEqualTo(":1⏎");
        }
    }

    @Test
    void listsOfAWindowAreMergedInMemoryThatIsFree() throws IOException {
        try (SketchServer server = open();
                Wire wire = Wire.open(server, 2)) {
            assertThat(wire.call("TOPK.RESERVE", "t", "1000", "WINDOW", "1h")).isEqualTo("+OK⏎");
            assertThat(wire.call("TOPK.ADD", "t", "a")).isEqualTo("*1⏎$-1⏎");
            leave(wire, 1_000_000);
            assertThat(wire.call("TOPK.LIST", "t")).startsWith("-OOM");
            assertThat(wire.call("TOPK.QUERY", "t", "a")).startsWith("-OOM");
            assertThat(wire.call("TOPK.COUNT", "t", "a")).isEqualTo("*1⏎:1⏎");
            leave(wire, 5_000_000);
            assertThat(wire.call("TOPK.LIST", "t")).isEqualTo("*1⏎$1⏎a⏎");
            leave(wire, 100);
            assertThat(wire.call("GUARD.RESERVE", "g")).startsWith("-OOM");
            assertThat(wire.call("PWNED.ADD", "p", "A".repeat(40))).startsWith("-OOM");
            assertThat(wire.call("CMS.INITBYDIM", "c", "10", "5", "WINDOW", "1h"))
                    .startsWith("-CMS: Insufficient");
        }
    }
}
