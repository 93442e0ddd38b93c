package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.net.Cluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files on a ring of real processes, of which some are killed, some come back, and some leave. */
@Timeout(240)
class RingFilesIT {
    private static final int FILES = 40;
    private static final int MOST_BYTES = 4 << 20;

    @TempDir
    private Path folder;

    private PeerShell peers = new PeerShell(Path.of("."));

    @BeforeEach
    void inTheFolder() {
        peers = new PeerShell(folder);
    }

    @AfterEach
    void stopAll() throws InterruptedException {
        peers.close();
    }

    private Shell.Running join(String name, String contact) throws Exception {
        return peers.start("--listen", "127.0.0.1:0", "--dir", name, "--join", contact, "--virtual", "2");
    }

    @Test
    void noAcknowledgedFileIsLostWhenPeersCrashComeAndLeave() throws Exception {
        List<Shell.Running> running = new ArrayList<>();
        running.add(peers.start("--listen", "127.0.0.1:0", "--dir", "p0", "--virtual", "2"));
        String first = PeerShell.address(running.get(0));
        for (int i = 1; i < 5; i++) {
            running.add(join("p" + i, first));
        }
        List<String> all = new ArrayList<>();
        for (Shell.Running peer : running) {
            all.add(PeerShell.address(peer));
        }
        History history = new History(folder, Cluster.open(), 1);
        history.awaitWhole(first, 5);
        Random random = new Random(2);
        history.put(all, 0, 1, 65_535, 65_536, 65_537);
        history.put(all, random.ints(FILES - 5, 0, 1 << 18).toArray());
        history.put(all, MOST_BYTES);
        history.check(all);
        history.checkUnknown(all, true);
        history.deleteSome(all, 3);

        running.get(1).signal("-KILL");
        running.get(3).signal("-KILL");
        List<String> left = List.of(all.get(0), all.get(2), all.get(4));
        history.check(left);
        history.checkUnknown(left, false);
        history.awaitWhole(all.get(2), 3);

        Shell.Running fresh = join("p5", all.get(4));
        String freshAddress = PeerShell.address(fresh);
        history.awaitWhole(freshAddress, 4);
        running.get(2).signal("-TERM");
        assertThat(running.get(2).process().waitFor()).isEqualTo(143);
        List<String> now = List.of(all.get(0), all.get(4), freshAddress);
        history.check(now);
        history.awaitWhole(freshAddress, 3);
        history.check(now);

        Shell.Running back = peers.start("--listen", all.get(1), "--dir", "p1", "--virtual", "2");
        Shell.Running backToo = peers.start("--listen", all.get(3), "--dir", "p3", "--virtual", "2");
        assertThat(PeerShell.address(back)).isEqualTo(all.get(1));
        assertThat(PeerShell.address(backToo)).isEqualTo(all.get(3));
        List<String> again = List.of(all.get(0), all.get(1), all.get(3), all.get(4), freshAddress);
        history.awaitWhole(freshAddress, 5);
        history.check(again);
        history.checkUnknown(again, true);
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
        assertThat(results.get(4).err()).contains("the peer is full: 2.00 MiB do not fit into its 1.00 MiB");
        assertThat(folder.resolve("got")).hasContent("hello\n");
        assertThat(folder.resolve("got2")).hasContent("hello\n");
        assertThat(results.get(8).err()).isEqualTo("perhaps: the name 'greeting' does not exist\n");
        assertThat(results.get(10).out()).isEqualTo("{\"deleted\":true}\n");
        assertThat(folder.resolve("got3")).doesNotExist();
        assertThat(folder.resolve("got4")).as("put again after it was deleted").hasContent("hello\n");
        Shell.Result piped = shell.perhapsWith("hello\n", "put", "--via", a, "--replicas", "1");
        assertThat(piped.out()).startsWith(id + "  ");

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
