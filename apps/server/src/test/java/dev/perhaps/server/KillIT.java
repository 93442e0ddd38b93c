package dev.perhaps.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server under load is killed at random moments and started again, on one directory: with {@code always} everything that was
 * acknowledged is there, with {@code everysec} everything that was acknowledged two seconds before. Every fourth round with
 * {@code everysec} lasts until each client has such acknowledgements. {@code bin/check-crash} runs it for longer
 * ({@code -Dcrash.rounds=200}).
 */
@Timeout(7_200)
class KillIT {
    private static final int ROUNDS = Integer.getInteger("crash.rounds", 20);
    private static final long SEED = Long.getLong("crash.seed", 17);
    private static final int PIPELINED = 8;
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final String HASH = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
    private static final int DOCUMENTS = 1_000;

    /** What makes the tally of each client, a key of another family each: as much is in it as the client has counted. */
    private static final List<String> TALLIES = List.of(
            "GUARD.RESERVE tally-0",
            "CMS.INITBYDIM tally-1 100 4 WINDOW 7d",
            "TOPK.RESERVE tally-2 2 WINDOW 7d",
            "PWNED.ADD tally-3 FFFFF00000000000000000000000000000000000",
            "SIM.RESERVE tally-4");

    /** What a client adds to its tally with this number: commands, each followed by its reply. */
    private static List<String> additions(int client, long number) {
        return switch (client) {
            case 0 -> List.of("GUARD.REPORT tally-0 HIT 1", ":" + number + "⏎");
            case 1 -> List.of("CMS.INCRBY tally-1 a 1", "*1⏎:" + number + "⏎");
            case 2 -> List.of("TOPK.ADD tally-2 a", "*1⏎$-1⏎");
            case 3 -> List.of("PWNED.ADD tally-3 " + HASH, ":" + number + "⏎");
            default ->
                List.of(
                        "SIM.ADD tally-4 d" + number + " SET " + number,
                        ":1⏎",
                        "SIM.REM tally-4 d" + (number - DOCUMENTS),
                        number > DOCUMENTS ? ":1⏎" : ":0⏎");
        };
    }

    private static void checkTally(Wire wire, int client, long found) throws IOException {
        if (found == 0) {
            return;
        }
        switch (client) {
            case 0 -> assertThat(wire.call("GUARD.INFO", "tally-0")).contains("hits⏎:" + found + "⏎");
            case 1 -> assertThat(wire.call("CMS.QUERY", "tally-1", "a")).isEqualTo("*1⏎:" + found + "⏎");
            case 2 -> assertThat(wire.call("TOPK.COUNT", "tally-2", "a")).isEqualTo("*1⏎:" + found + "⏎");
            case 3 ->
                assertThat(wire.call("PWNED.RANGE", "tally-3", HASH.substring(0, 5)))
                        .isEqualTo("*1⏎*2⏎$35⏎" + HASH.substring(5) + "⏎:" + found + "⏎");
            default -> {
                assertThat(wire.call("SIM.INFO", "tally-4")).contains("Documents⏎:" + Math.min(found, DOCUMENTS) + "⏎");
                assertThat(wire.call("SIM.QUERY", "tally-4", "SET", Long.toString(found)))
                        .contains("d" + found + "⏎");
            }
        }
    }

    /** One client: counts a key of its own up, and adds the number to a filter and to a tally of its own. */
    private static final class Client implements Runnable {
        private final int id;
        private final Wire wire;
        private final List<Long> ackNanos = new ArrayList<>();
        private final long first;
        private volatile long firstAckNanos;
        private volatile boolean hasAck;
        private volatile String problem = "";

        Client(int id, Wire wire, long first) {
            this.id = id;
            this.wire = wire;
            this.first = first;
        }

        /** Ends when the connection does. */
        @Override
        public void run() {
            long next = first;
            try (wire) {
                while (true) {
                    for (int i = 0; i < PIPELINED; i++) {
                        wire.send(Wire.request(Wire.bytes("MULTI")));
                        wire.send(Wire.request(Wire.bytes("INCR", "count-" + id)));
                        wire.send(Wire.request(Wire.bytes("CF.ADD", "items-" + id, Long.toString(next + i + 1))));
                        List<String> additions = additions(id, next + i + 1);
                        for (int j = 0; j < additions.size(); j += 2) {
                            wire.send(Wire.request(Wire.bytes(additions.get(j).split(" ", -1))));
                        }
                        wire.send(Wire.request(Wire.bytes("EXEC")));
                    }
                    for (int i = 0; i < PIPELINED; i++) {
                        next++;
                        StringBuilder expected = new StringBuilder(":" + next + "⏎:1⏎");
                        List<String> additions = additions(id, next);
                        for (int j = 1; j < additions.size(); j += 2) {
                            expected.append(additions.get(j));
                        }
                        int commands = 2 + additions.size() / 2;
                        for (int j = 0; j <= commands; j++) {
                            wire.read();
                        }
                        String reply = wire.read();
                        if (!reply.equals("*" + commands + "⏎" + expected)) {
                            problem = "count-" + id + " should be " + next + ", got " + reply;
                            return;
                        }
                        ackNanos.add(System.nanoTime());
                        if (!hasAck) {
                            firstAckNanos = ackNanos.get(0);
                            hasAck = true;
                        }
                    }
                }
            } catch (IOException e) {
                assert e.getMessage() != null;
            }
        }

        /** True when what was acknowledged first may not be lost any more, or nothing more is to be waited for. */
        boolean isSure() {
            return !problem.isEmpty() || hasAck && System.nanoTime() - firstAckNanos > LOST_NANOS;
        }
    }

    @TempDir
    private Path folder;

    @Test
    void whatWasAcknowledgedIsThereAfterAKill() throws Exception {
        Random random = new Random(SEED);
        long[] counts = new long[TALLIES.size()];
        long acknowledged = 0;
        long sureOfLong = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String fsync = round % 2 == 0 ? "always" : "everysec";
            boolean isLong = round % 8 == 1;
            List<Client> clients = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            long killedNanos;
            try (ServerProcess server = ServerProcess.start(folder, fsync)) {
                try (Wire wire = server.connect()) {
                    assertThat(wire.call("CONFIG", "SET", "auto-aof-rewrite-min-size", "200000"))
                            .isEqualTo("+OK⏎");
                    for (int i = 0; i < TALLIES.size(); i++) {
                        if (round == 0) {
                            // It doubles: by equal steps it would be full after some ten thousand items.
                            assertThat(wire.call("CF.RESERVE", "items-" + i, "4096", "EXPANSION", "2"))
                                    .isEqualTo("+OK⏎");
                            assertThat(wire.call(TALLIES.get(i).split(" ", -1))).doesNotStartWith("-");
                        }
                        String found = wire.call("GET", "count-" + i);
                        assertThat(found).as("round " + round).isEqualTo(bulk(counts[i]));
                        Client client = new Client(i, server.connect(), counts[i]);
                        clients.add(client);
                        threads.add(new Thread(client, "client-" + i));
                    }
                    threads.forEach(Thread::start);
                    while (isLong && !clients.stream().allMatch(Client::isSure)) {
                        Thread.sleep(10);
                    }
                    // When it is killed is the point of the test: any moment is as good as any other.
                    Thread.sleep(random.nextInt(500));
                    if (random.nextBoolean()) {
                        assertThat(wire.call("BGSAVE")).matches("[+-].*Background sav.*");
                        Thread.sleep(random.nextInt(30));
                    }
                }
                killedNanos = System.nanoTime();
            }
            for (Thread thread : threads) {
                thread.join(60_000);
                assertThat(thread.isAlive()).isFalse();
            }
            try (ServerProcess server = ServerProcess.start(folder, fsync);
                    Wire wire = server.connect()) {
                for (Client client : clients) {
                    assertThat(client.problem).isEmpty();
                    long acked = counts[client.id] + client.ackNanos.size();
                    long sure = counts[client.id]
                            + (fsync.equals("always")
                                    ? client.ackNanos.size()
                                    : client.ackNanos.stream()
                                            .filter(nanos -> killedNanos - nanos > LOST_NANOS)
                                            .count());
                    if (isLong) {
                        assertThat(sure - counts[client.id])
                                .as("round %d: acknowledged two seconds before", round)
                                .isPositive();
                        sureOfLong += sure - counts[client.id];
                    }
                    long found = count(wire.call("GET", "count-" + client.id));
                    assertThat(found)
                            .as("round %d, %s, count-%d", round, fsync, client.id)
                            .isBetween(sure, acked + PIPELINED);
                    checkItems(wire, client.id, found);
                    checkTally(wire, client.id, found);
                    acknowledged += client.ackNanos.size();
                    counts[client.id] = found;
                }
                assertThat(wire.call("INFO", "persistence")).contains("aof_last_write_status:ok");
            }
        }
        assertThat(acknowledged).isGreaterThan(50L * ROUNDS);
        System.out.println("KillIT: " + ROUNDS + " rounds, " + acknowledged + " acknowledged, of which " + sureOfLong
                + " with everysec and two seconds before the kill");
        try (var files = Files.list(folder)) {
            assertThat(files.count()).isLessThan(150);
        }
    }

    private static String bulk(long number) {
        String text = Long.toString(number);
        return number == 0 ? "$-1⏎" : "$" + text.length() + "⏎" + text + "⏎";
    }

    private static long count(String reply) {
        return reply.equals("$-1⏎") ? 0 : Long.parseLong(reply.split("⏎", -1)[1]);
    }

    /** Both commands of a transaction are there, or none: the filter has as many items as were counted, and the last ones. */
    private static void checkItems(Wire wire, int id, long found) throws IOException {
        for (long item = Math.max(1, found - 20); item <= found; item++) {
            assertThat(wire.call("CF.EXISTS", "items-" + id, Long.toString(item)))
                    .as("item " + item)
                    .isEqualTo(":1⏎");
        }
        if (found > 0) {
            assertThat(wire.call("CF.INFO", "items-" + id)).contains("Number of items inserted⏎:" + found + "⏎");
        }
    }
}
