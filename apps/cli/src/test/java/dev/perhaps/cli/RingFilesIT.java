package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files on a ring of real processes: some are killed, some come back, some leave, and some are cut off from others. */
@Timeout(900) // only ends a test that hangs
class RingFilesIT {
    private static final int FILES = 40;
    private static final int MAX_BYTES = 4 << 20;

    @TempDir
    private Path folder;

    private PeerShell peers = new PeerShell(Path.of("."));
    private CutProxies network = new CutProxies(Path.of("."));

    @BeforeEach
    void inTheFolder() {
        peers = new PeerShell(folder);
        network = new CutProxies(folder);
    }

    @AfterEach
    void stopAll() throws Exception {
        peers.close();
        network.close();
    }

    /** Starts a peer of the network, the first time or again. */
    private Shell.Running start(int number, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("--listen", network.direct(number)));
        words.addAll(List.of("--advertise", network.name(number), "--dir", "p" + number));
        words.addAll(List.of("--virtual", number == 0 ? "2" : "1"));
        words.addAll(List.of(more));
        return peers.startAs(List.of(), network.options(number), words.toArray(new String[0]));
    }

    @Test
    void noAcknowledgedFileIsLostWhenPeersCrashComeLeaveAndAreCutOff() throws Exception {
        List<Shell.Running> running = new ArrayList<>();
        running.add(start(network.add()));
        PeerShell.address(running.get(0));
        for (int i = 1; i < 5; i++) {
            running.add(start(network.add(), "--join", network.name(0)));
        }
        List<String> all = direct(List.of(0, 1, 2, 3, 4));
        History history = new History(folder, Cluster.open(), 1);
        history.awaitSettled(all, 5);
        Random random = new Random(2);
        history.put(all, 0, 1, 65_535, 65_536, 65_537);
        history.put(all, random.ints(FILES - 5, 0, 1 << 18).toArray());
        history.put(all, MAX_BYTES);
        history.check(all);
        history.checkUnknown(all, true);
        history.deleteSome(all, 3);

        running.get(1).signal("-KILL");
        running.get(3).signal("-KILL");
        List<String> left = direct(List.of(0, 2, 4));
        history.check(left);
        history.checkUnknown(left, false);
        history.awaitWhole(left, 3);

        Shell.Running fresh = start(network.add(), "--join", network.name(4));
        assertThat(PeerShell.address(fresh)).isEqualTo(network.name(5));
        history.awaitSettled(direct(List.of(0, 2, 4, 5)), 4);
        running.get(2).signal("-TERM");
        assertThat(running.get(2).process().waitFor()).isEqualTo(143);
        assertThat(Files.readString(running.get(2).err())).doesNotContain("handed over", "hand-over");
        history.awaitLeft(direct(List.of(0, 4, 5)), network.name(2));
        history.check(direct(List.of(0, 4, 5)));

        Shell.Running back = start(1);
        Shell.Running backToo = start(3);
        assertThat(PeerShell.address(back)).isEqualTo(network.name(1));
        assertThat(PeerShell.address(backToo)).isEqualTo(network.name(3));
        List<Integer> now = List.of(0, 1, 3, 4, 5);
        history.awaitSettled(direct(now), 5);
        history.check(direct(now));
        history.checkUnknown(direct(now), true);

        Id last = history.put(direct(now), 1_000);
        Predicate<Integer> has = number -> Files.exists(folder.resolve("p" + number + "/shelf/" + last));
        cutAndHeal(
                history,
                now.stream().filter(has).toList(),
                now.stream().filter(has.negate()).toList());
    }

    /** First the three are not heard by the two, who go on speaking to them; then connections break; then all is well. */
    private void cutAndHeal(History history, List<Integer> three, List<Integer> two) throws Exception {
        assertThat(three).hasSize(3);
        network.silence(three, two);
        history.awaitSettled(direct(three), 3);
        history.awaitSettled(direct(two), 2);
        checkBoth(history, three, two);

        network.breakOff(three, two);
        history.awaitSettled(direct(three), 3);
        history.awaitSettled(direct(two), 2);
        checkBoth(history, three, two);
        history.put(direct(three), 100, 100_000);
        history.checkRefused(direct(two), 200, "too few hosts: 3 copies are wanted, and the ring has 2");

        network.heal();
        List<Integer> all = Stream.concat(three.stream(), two.stream()).toList();
        history.awaitWhole(direct(all), 5);
        history.check(direct(three));
        history.check(direct(two));
        history.checkUnknown(direct(two), true);
    }

    private void checkBoth(History history, List<Integer> three, List<Integer> two) throws Exception {
        assertThat(history.checkCut(direct(three), onDisk(three)))
                .as("of each file there are three copies, and the two cannot have all")
                .isEqualTo(history.files());
        assertThat(history.checkCut(direct(two), onDisk(two)))
                .as("what only the three have is not with the two")
                .isLessThan(history.files());
        history.checkUnknown(direct(three), false);
        history.checkUnknown(direct(two), false);
    }

    private List<String> direct(List<Integer> numbers) {
        return numbers.stream().map(network::direct).toList();
    }

    private Set<Id> onDisk(List<Integer> numbers) throws IOException {
        return History.onDisk(
                numbers.stream().map(number -> folder.resolve("p" + number)).toList());
    }

    @Test
    void filesArePutGotNamedAndDeletedFromTheShell() throws Exception {
        Shell shell = new Shell(folder);
        Shell.Running one = peers.start("--listen", "127.0.0.1:0", "--dir", "a", "--quota", "1M");
        String a = PeerShell.address(one);
        shell.write("text", "hello");
        shell.write("other", "another");
        Files.write(folder.resolve("big"), new byte[2 << 20]);
        String id = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc71";
        List<Shell.Result> results = shell.all(List.of(
                List.of("put", "--via", a, "text"),
                List.of("put", "--via", a, "text", "--replicas", "1", "--name", "greeting"),
                List.of("put", "--via", a, "text", "--replicas", "1", "--json"),
                List.of("put", "--via", a, "other", "--replicas", "1", "--name", "greeting"),
                List.of("put", "--via", a, "big", "--replicas", "1"),
                List.of("get", "--via", a, "--name", "greeting", "-o", "got"),
                List.of("get", "--via", a, id, "-o", "got2", "--json"),
                List.of("delete", "--via", a, "--name", "greeting"),
                List.of("get", "--via", a, "--name", "greeting", "-o", "got3"),
                List.of("put", "--via", a, "other", "--replicas", "1", "--name", "greeting"),
                List.of("delete", "--via", a, id, "--json"),
                List.of("get", "--via", a, id, "-o", "got3"),
                List.of("put", "--via", a, "text", "--replicas", "1"),
                List.of("get", "--via", a, id, "-o", "got4"),
                List.of("get", "--via", a, "-o", "got5"),
                List.of("get", "--via", a, "12", "-o", "got5")));
        assertThat(results.stream().map(Shell.Result::code))
                .as(results.toString())
                .containsExactly(2, 0, 0, 2, 2, 0, 0, 0, 1, 0, 0, 1, 0, 0, 2, 2);
        assertThat(results.get(0).err())
                .isEqualTo("perhaps: too few hosts: 3 copies are wanted, and the ring has 1: start more peers, or ask"
                        + " for fewer copies\n");
        assertThat(results.get(1).out()).isEqualTo(id + "  6 bytes, 1 copy\n");
        assertThat(results.get(2).out()).isEqualTo("{\"id\":\"" + id + "\",\"sizeBytes\":6,\"replicas\":1}\n");
        assertThat(results.get(3).err()).contains("the name 'greeting' is taken by " + id + ": delete it first");
        assertThat(results.get(4).err()).contains("the peer is full: 2.00 MiB do not fit into its quota of 1.00 MiB");
        assertThat(folder.resolve("got")).hasContent("hello\n");
        assertThat(folder.resolve("got2")).hasContent("hello\n");
        assertThat(results.get(8).err()).isEqualTo("perhaps: the name 'greeting' does not exist\n");
        assertThat(results.get(10).out()).isEqualTo("{\"deleted\":true}\n");
        assertThat(folder.resolve("got3")).doesNotExist();
        assertThat(folder.resolve("got4")).as("put again after it was deleted").hasContent("hello\n");
        Shell.Result piped = shell.perhapsWith("hello\n", "put", "--via", a, "--replicas", "1");
        assertThat(piped.out()).startsWith(id + "  ");
        Shell.Result printed = shell.perhaps("get", "--via", a, id, "-o", "-");
        assertThat(printed.out()).isEqualTo("hello\n");
        assertThat(printed.err()).isEqualTo(id + "  6 bytes\n");
        Files.write(folder.resolve("bytes"), new byte[] {(byte) 0xff, 0, '\r', '\n', 27, (byte) 0xfe});
        assertThat(shell.perhaps("put", "--via", a, "--replicas", "1", "--name", "raw", "bytes")
                        .code())
                .isZero();
        assertThat(shell.bash("perhaps get --via " + a + " --name raw -o - | cmp - bytes && echo same")
                        .out())
                .isEqualTo("same\n");

        Path shelf = folder.resolve("a/shelf").resolve(id);
        byte[] bytes = Files.readAllBytes(shelf);
        bytes[bytes.length - 6] ^= 1;
        Files.write(shelf, bytes);
        Shell.Result damaged = shell.perhaps("get", "--via", a, id, "-o", "got6");
        assertThat(damaged.code()).isEqualTo(2);
        assertThat(damaged.err())
                .contains("not reachable: no copy of " + id + " could be read")
                .contains("damaged");
        assertThat(folder.resolve("got6")).doesNotExist();
    }
}
