package dev.perhaps.server.durable;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A crash at every moment, with every disk that it may leave: what is read from it is the state after one of the commands that
 * were begun, and not before the last one that was acknowledged.
 */
@Timeout(300)
class CrashTest {
    private static final int MAX_DISKS = 40;

    /** What the disk is told about a server that goes on: clients have seen its first state, or its second. */
    private static final int SEEN_BEFORE = -2;

    private static final int SEEN_AFTER = -1;

    /**
     * Changes of all kinds; each leads to a state of its own. "save" begins a snapshot, of that moment, "saved" lets it
     * be written and waits for it.
     */
    private static final List<String> COMMANDS = List.of(
            "INCR n",
            "BF.ADD seen a",
            "TDIGEST.CREATE digest COMPRESSION 20",
            "TDIGEST.ADD digest 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25",
            "PFADD distinct a b c",
            "CONFIG SET bf-initial-size 500 cf-initial-size 64",
            "BF.MADD other x y z",
            "CMS.INITBYDIM counts 20 3",
            "CMS.INCRBY counts a 3 b 5",
            "save",
            "INCR n",
            "PFADD distinct d e",
            "TDIGEST.ADD digest 0.5 7.5 30",
            "TOPK.RESERVE top 3 20 3 0.9",
            "TOPK.ADD top a b a c d a e",
            "BF.ADD seen b",
            "saved",
            "CF.ADD cuckoo a",
            "CF.ADD cuckoo b",
            "MULTI",
            "INCR n",
            "INCR m",
            "CF.DEL cuckoo a",
            "EXEC",
            "COPY seen copied",
            "SET lease held PX 90000",
            "save",
            "PEXPIRE lease 100000",
            "BF.ADD copied q",
            "RENAME copied renamed",
            "CMS.INITBYDIM sum 20 3",
            "CMS.MERGE sum 2 counts counts",
            "SET text something PX 500",
            "tick",
            "SET text again",
            "saved",
            "PEXPIRE text 100000",
            "ACL SETUSER ann on >secret ~a* +get",
            "TOPK.INCRBY top e 40 f 50 g 60",
            "DEL seen",
            "BF.ADD seen new",
            "save",
            "INCR n",
            "FLUSHALL",
            "INCR n",
            "saved",
            "BF.ADD last one");

    private final List<String> states = new ArrayList<>();
    private final Set<Integer> seen = new HashSet<>();
    private int disks;

    @ParameterizedTest
    @ValueSource(strings = {"always", "everysec", "no"})
    void whatIsReadIsWhatWasAcknowledged(String fsync) throws Exception {
        RecordingDisk disk = new RecordingDisk();
        run(disk, fsync);
        Random random = new Random(7);
        RecordingDisk.Moment moment = new RecordingDisk.Moment();
        for (RecordingDisk.Event event : disk.events()) {
            moment.add(event);
            moment.disks(MAX_DISKS, random, left -> check(left, moment.begun(), moment.kept()));
        }
        assertThat(disks).isGreaterThan(500);
    }

    /** The process is killed, starts again, goes on, and then the machine stops: what the first one wrote was not synced yet. */
    @ParameterizedTest
    @ValueSource(strings = {"always", "everysec", "no"})
    void aMachineThatStopsAfterTheProcessWasKilledLosesNothingAcknowledged(String fsync) throws Exception {
        RecordingDisk disk = new RecordingDisk();
        run(disk, fsync);
        List<RecordingDisk.Event> events = disk.events();
        int restarts = 0;
        for (int end = 1; end <= events.size(); end++) {
            boolean isChange = events.get(end - 1) instanceof RecordingDisk.Wrote
                    || events.get(end - 1) instanceof RecordingDisk.Renamed;
            if (isChange) {
                goOn(new RecordingDisk(events.subList(0, end)), end);
                restarts++;
            }
        }
        assertThat(restarts).isGreaterThan(15);
    }

    /** Runs the commands; the disk is told what has begun, and what must survive from then on. */
    private void run(RecordingDisk disk, String fsync) throws Exception {
        TestServer server = new TestServer(disk, fsync);
        states.add(server.state());
        server.start();
        disk.say(0, 0);
        CompletableFuture<Void> saving = CompletableFuture.completedFuture(null);
        int kept = 0;
        List<Long> numbers = new ArrayList<>(List.of(0L));
        for (String command : COMMANDS) {
            switch (command) {
                case "save" -> {
                    disk.closeGate();
                    saving = server.directory.save();
                    disk.awaitGate();
                }
                case "saved" -> {
                    disk.openGate();
                    saving.get(60, TimeUnit.SECONDS);
                }
                case "tick" -> {
                    server.nowMillis += 1_000;
                    // Removed by the timer, which nobody waits for: this state may be seen from now on, or not.
                    disk.say(states.size(), kept);
                    assertThat(server.database.expire()).isOne();
                    states.add(server.state());
                    numbers.add(0L);
                }
                default -> {
                    if (command.startsWith("ACL")) {
                        // The users have a file of their own, which does not wait for the log.
                        server.directory.sync().get(60, TimeUnit.SECONDS);
                        kept = states.size() - 1;
                    }
                    disk.say(states.size(), kept);
                    assertThat(server.begin(command)).as(command).doesNotStartWith("-");
                    long number = server.lastLogged();
                    states.add(server.state());
                    numbers.add(number);
                    if (fsync.equals("always") && number > 0) {
                        var written = server.database.beforeReply(number);
                        if (written != null) {
                            written.get(60, TimeUnit.SECONDS);
                        }
                    }
                    for (int i = kept; i < numbers.size(); i++) {
                        if (numbers.get(i) > 0 && server.directory.isDurable(numbers.get(i))) {
                            kept = i;
                        }
                    }
                    if (command.startsWith("ACL")) {
                        kept = states.size() - 1;
                    }
                    disk.say(states.size() - 1, kept);
                }
            }
        }
        saving.get(60, TimeUnit.SECONDS);
        server.close();
        disk.say(states.size() - 1, states.size() - 1);
    }

    private void check(Map<String, byte[]> left, int begun, int kept) {
        if (!seen.add(31 * begun + kept + 961 * hash(left))) {
            return;
        }
        disks++;
        try (TestServer server = new TestServer(new RecordingDisk(left))) {
            String state = server.state();
            List<String> allowed = states.subList(kept, Math.min(begun, states.size() - 1) + 1);
            assertThat(allowed).as(() -> "after " + describe(left)).contains(state);
            if (disks % 20 == 0) {
                RecordingDisk next = new RecordingDisk(left);
                goOn(next, next.events().size());
            }
        } catch (IOException e) {
            throw new AssertionError("a crash between " + kept + " and " + begun + " left " + describe(left), e);
        }
    }

    /** The server goes on from here, after this many events, and crashes once more. */
    private void goOn(RecordingDisk disk, int past) throws IOException {
        String before;
        String after;
        try (TestServer server = new TestServer(disk)) {
            before = server.state();
            server.start();
            // What clients see now may not go away any more.
            disk.say(0, SEEN_BEFORE);
            assertThat(server.run("INCR more")).isEqualTo(":1\r\n");
            after = server.state();
            disk.say(0, SEEN_AFTER);
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        Random random = new Random(11);
        RecordingDisk.Moment moment = new RecordingDisk.Moment();
        int at = 0;
        for (RecordingDisk.Event event : disk.events()) {
            moment.add(event);
            at++;
            if (at <= past || moment.kept() != SEEN_BEFORE && moment.kept() != SEEN_AFTER) {
                continue;
            }
            moment.disks(4, random, again -> {
                try (TestServer server = new TestServer(new RecordingDisk(again))) {
                    String state = server.state();
                    assertThat(moment.kept() == SEEN_AFTER ? List.of(after) : List.of(before, after))
                            .as(() -> "after " + describe(again))
                            .contains(state);
                } catch (IOException e) {
                    throw new AssertionError("the second crash left " + describe(again), e);
                }
            });
        }
    }

    private static int hash(Map<String, byte[]> files) {
        int hash = 0;
        for (Map.Entry<String, byte[]> each : files.entrySet()) {
            hash = 31 * hash + each.getKey().hashCode() * 31 + Arrays.hashCode(each.getValue());
        }
        return hash;
    }

    private static Map<String, Integer> describe(Map<String, byte[]> files) {
        Map<String, Integer> lengths = new TreeMap<>();
        files.forEach((name, bytes) -> lengths.put(name, bytes.length));
        return lengths;
    }
}
