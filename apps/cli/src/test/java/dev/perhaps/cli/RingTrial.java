package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.ClusterSecret;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The long form of {@link RingFilesIT}, with a network that is cut in two: run by {@code bin/check-ring}, as root, for it
 * makes networks of its own.
 */
class RingTrial {
    private static final String SECRET = "correct horse battery staple";

    @TempDir
    private Path folder;

    private final long startNanos = System.nanoTime();

    private void say(String format, Object... values) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        System.out.println(
                String.format(Locale.ROOT, "%6.1f s  ", seconds) + String.format(Locale.ROOT, format, values));
    }

    @Test
    void noAcknowledgedFileIsLostWhenPeersCrashComeLeaveAndAreCutOff() throws Exception {
        int files = Integer.getInteger("files", 300);
        int mostBytes = Integer.getInteger("mostBytes", 64 << 20);
        new Shell(folder).writeSecret("secret", SECRET);
        ClusterSecret secret = ClusterSecret.read(folder.resolve("secret"));
        try (CutNetwork network = new CutNetwork();
                PeerShell peers = new PeerShell(folder)) {
            List<Shell.Running> running = new ArrayList<>();
            List<String> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                start(network, peers, i, i == 0 ? Optional.empty() : Optional.of(all.get(0)), running, all);
            }
            History history = new History(folder, new Cluster(Cluster.USUAL_NAME, Optional.of(secret)), 1);
            say("8 peers are whole after %.1f s more", history.awaitWhole(all, 8));
            Random random = new Random(2);
            history.put(all, 0, 1, 65_535, 65_536, 65_537, mostBytes, mostBytes / 2 + 1);
            for (int i = 7; i < files; i++) {
                history.put(all, (int) Math.pow(mostBytes / 8.0, random.nextDouble()));
            }
            history.check(all);
            say("%d files are put and got", files);
            history.deleteSome(all, 5);

            running.get(2).signal("-KILL");
            running.get(5).signal("-KILL");
            List<String> now = new ArrayList<>(all);
            now.removeAll(List.of(all.get(2), all.get(5)));
            history.check(now);
            say("2 are killed: every get is right");
            say("whole again after %.1f s more", history.awaitWhole(now, 6));
            for (int i = 8; i < 11; i++) {
                start(network, peers, i, Optional.of(now.get(i % 3)), running, all);
                now.add(all.get(i));
            }
            for (int i : new int[] {3, 6}) {
                running.get(i).signal("-TERM");
                assertThat(running.get(i).process().waitFor()).isEqualTo(143);
                now.remove(all.get(i));
            }
            history.check(now);
            say("3 are new and 2 have left: every get is right");
            say("whole again after %.1f s more", history.awaitWhole(now, 7));

            network.cut();
            List<List<String>> sides = List.of(new ArrayList<>(), new ArrayList<>());
            for (String address : now) {
                sides.get(network.sideOf(address)).add(address);
            }
            int reachable = 0;
            for (List<String> side : sides) {
                history.awaitSettled(side, side.size());
                Set<Id> onDisk = History.onDisk(side.stream()
                        .map(address -> folder.resolve("p" + all.indexOf(address)))
                        .toList());
                int here = history.checkCut(side, onDisk);
                say("cut: %d files are reachable for these %d peers", here, side.size());
                history.checkUnknown(side, false);
                reachable += here;
            }
            assertThat(reachable)
                    .as("each on one side at least, and not all on both")
                    .isBetween(history.files(), 2 * history.files() - 1);
            for (List<String> side : sides) {
                history.put(side, 100, 100_000, 1_000_000);
            }
            network.heal();
            say("healed: whole again after %.1f s", history.awaitWhole(now, 7));
            history.check(now);
            say("every get is right");
        }
    }

    private static void start(
            CutNetwork network,
            PeerShell peers,
            int number,
            Optional<String> contact,
            List<Shell.Running> running,
            List<String> addresses)
            throws Exception {
        List<String> words = new ArrayList<>(
                List.of("--listen", network.host(number) + ":7000", "--dir", "p" + number, "--secret-file", "secret"));
        contact.ifPresent(address -> words.addAll(List.of("--join", address)));
        Shell.Running peer = peers.startAs(network.inside(number), List.of(), words.toArray(new String[0]));
        running.add(peer);
        addresses.add(PeerShell.address(peer));
    }
}
