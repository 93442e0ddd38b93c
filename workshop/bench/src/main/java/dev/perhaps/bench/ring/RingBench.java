package dev.perhaps.bench.ring;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.BenchTable;
import dev.perhaps.bench.HostMachine;
import dev.perhaps.bench.Options;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import dev.perhaps.chord.Id;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.host.OwnerLookup;
import dev.perhaps.chord.host.RingView;
import dev.perhaps.io.Figures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Who has it? A ring of real processes: the times of lookups, puts and gets, and the time until all copies are restored
 * after a crash.
 */
public final class RingBench {
    /*
     * One core is shared by many peers here, so the figures are what one machine can do as a whole ring, not what a
     * ring of machines does.
     *
     * A third of the peers is killed at once, any of them, so a file may lose all its copies: with k copies, each with
     * the chance C(n - k, d - k) / C(n, d), of n peers of which d die. Those are counted separately: they must be
     * reported as not reachable while their peers are dead, and be available again when the peers are back. Then it is
     * done again with enough copies that no file should be lost, and none may be.
     */
    private static final long SEED = 1;
    private static final int LOOKUPS = 5_000;
    private static final int WARM_UP_LOOKUPS = 3_000;
    private static final int ASK_MILLIS = 10_000;
    private static final int SMALL_BYTES = 1_000_000;
    private static final int LARGE_BYTES = 64_000_000;
    private static final int FILES = 200;
    private static final int FILE_BYTES = 100_000;
    private static final int COPIES = 3;
    private static final int MANY_COPIES = 8;
    private static final int CLIENTS = 4;
    private static final int PATIENCE_SECONDS = 180;

    private final Options options;
    private final BenchProgress progress;
    private final RingPeers peers;
    private final RingFiles files;
    private final Random random = new Random(SEED);
    private final Report report = new Report(new Results());

    private RingBench(Options options, BenchProgress progress, RingPeers peers, Path folder) {
        this.options = options;
        this.progress = progress;
        this.peers = peers;
        this.files = new RingFiles(peers, folder, SEED);
    }

    public static Report run(Options options, BenchProgress progress) {
        try {
            Path folder = Files.createTempDirectory("perhaps-ring");
            RingPeers peers = new RingPeers(System.getProperty("perhaps", "perhaps"), folder);
            Thread hook = new Thread(peers::close);
            Runtime.getRuntime().addShutdownHook(hook);
            try {
                return new RingBench(options, progress, peers, folder).run();
            } finally {
                peers.close();
                remove(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    private Report run() throws IOException, InterruptedException {
        report.command(options.command());
        report.line(LocalDate.now(ZoneOffset.UTC) + "; " + HostMachine.describe());
        progress.say("starting " + options.peers() + " peers");
        peers.prepare();
        long start = System.nanoTime();
        peers.start(IntStream.range(0, options.peers()).boxed().toList());
        RingView ring = peers.awaitSettled();
        report.line(options.peers() + " peers as processes on loopback, on one ring after "
                + seconds(RingPeers.secondsSince(start)));
        lookups(ring);
        report.heading("Puts and gets");
        BenchTable table = new BenchTable("", "put MB/s", "get MB/s");
        transfer(table, 32, SMALL_BYTES, 1);
        transfer(table, 64, SMALL_BYTES, CLIENTS);
        transfer(table, 2, LARGE_BYTES, 1);
        transfer(table, CLIENTS, LARGE_BYTES, CLIENTS);
        report.table(table);
        report.line("A put ends when " + COPIES + " copies are forced to disk; each through any of the peers.");
        report.heading("A third killed at once, " + FILES + " files of " + Figures.bytes(FILE_BYTES));
        BenchTable crashes = new BenchTable("", "all copies dead", "expected", "ring whole", "copies whole");
        crash(crashes, COPIES);
        crash(crashes, MANY_COPIES);
        report.table(crashes);
        report.line(
                "Whole: all that are left know their neighbours, and every file with a live copy has all of them again. Files whose"
                        + " copies are all dead were called not reachable, and were there again when their peers were.");
        progress.say("done");
        return report;
    }

    private void lookups(RingView ring) throws IOException {
        progress.say("looking up");
        List<OwnerLookup> lines = new ArrayList<>();
        try {
            for (int number : peers.numbers()) {
                lines.add(OwnerLookup.open(HostPort.of(RingPeers.address(number)), Cluster.open(), ASK_MILLIS));
            }
            double[] millis = new double[LOOKUPS];
            long hops = 0;
            for (int i = -WARM_UP_LOOKUPS; i < LOOKUPS; i++) {
                OwnerLookup line = lines.get(random.nextInt(lines.size()));
                Id key = Id.hashOf("key " + random.nextLong());
                long start = System.nanoTime();
                OwnerLookup.Found found = line.owner(key);
                double taken = (System.nanoTime() - start) / 1e6;
                if (!found.owner().id().equals(owner(ring, key))) {
                    throw new IllegalStateException(key + " belongs to " + owner(ring, key) + ", got " + found);
                }
                if (i >= 0) {
                    millis[i] = taken;
                    hops += found.hops();
                }
            }
            Arrays.sort(millis);
            report.heading("Lookups");
            BenchTable table = new BenchTable("", "p50 ms", "p99 ms", "mean hops");
            table.row(
                    Figures.count(LOOKUPS) + " of any key from any peer, one at a time",
                    Figures.significant(percentile(millis, 50)),
                    Figures.significant(percentile(millis, 99)),
                    String.format(Locale.ROOT, "%.2f", (double) hops / LOOKUPS));
            report.table(table);
        } finally {
            lines.forEach(OwnerLookup::close);
        }
    }

    /** The smallest value that this percentage does not exceed. */
    static double percentile(double[] sorted, int percent) {
        return sorted[(int) Math.ceil(sorted.length * percent / 100.0) - 1];
    }

    private static Id owner(RingView ring, Id key) {
        for (RingView.Place place : ring.places()) {
            if (place.member().id().compareTo(key) >= 0) {
                return place.member().id();
            }
        }
        return ring.places().get(0).member().id();
    }

    private void transfer(BenchTable table, int count, int sizeBytes, int clients) throws IOException {
        String row = count + " files of " + sizeBytes / 1_000_000 + " MB, " + clients
                + (clients == 1 ? " client" : " clients");
        progress.say(row);
        List<RingFiles.Fresh> fresh = files.make(count, sizeBytes);
        List<Id> ids = fresh.stream().map(RingFiles.Fresh::id).toList();
        double megabytes = (double) count * sizeBytes / 1e6;
        double putSeconds = files.put(fresh, COPIES, clients);
        double getSeconds = files.get(ids, clients);
        table.row(row, Figures.significant(megabytes / putSeconds), Figures.significant(megabytes / getSeconds));
        files.delete(ids, CLIENTS);
        for (RingFiles.Fresh file : fresh) {
            Files.delete(file.path());
        }
    }

    private void crash(BenchTable table, int copies) throws IOException, InterruptedException {
        progress.say("putting " + FILES + " files in " + copies + " copies");
        List<RingFiles.Fresh> fresh = files.make(FILES, FILE_BYTES);
        List<Id> ids = fresh.stream().map(RingFiles.Fresh::id).toList();
        files.put(fresh, copies, CLIENTS);
        List<Integer> victims = new ArrayList<>(peers.numbers());
        Collections.shuffle(victims, random);
        victims = List.copyOf(victims.subList(0, victims.size() / 3));
        List<Integer> left = new ArrayList<>(peers.numbers());
        left.removeAll(victims);

        progress.say("killing " + victims.size());
        peers.kill(victims);
        long start = System.nanoTime();
        Set<Id> alive = new LinkedHashSet<>();
        ids.stream().filter(id -> copiesOf(id, left) > 0).forEach(alive::add);
        Set<Id> dead = new HashSet<>(ids);
        dead.removeAll(alive);
        peers.awaitSettled();
        double ringSeconds = RingPeers.secondsSince(start);
        while (alive.stream().anyMatch(id -> copiesOf(id, left) < copies)) {
            if (RingPeers.secondsSince(start) > PATIENCE_SECONDS) {
                throw new IllegalStateException("not whole after " + PATIENCE_SECONDS + " s");
            }
            Thread.sleep(50);
        }
        double wholeSeconds = RingPeers.secondsSince(start);
        double expected = FILES * chanceOfLoss(options.peers(), victims.size(), copies);
        table.row(
                copies + " copies, " + victims.size() + " of " + options.peers() + " killed",
                Figures.count(dead.size()),
                String.format(Locale.ROOT, "%.3f", expected),
                seconds(ringSeconds),
                seconds(wholeSeconds));
        if (expected < 0.01 && !dead.isEmpty()) {
            throw new IllegalStateException(dead.size() + " files lost all " + copies + " copies");
        }
        progress.say("getting them");
        files.get(alive, CLIENTS);
        files.expectUnreachable(dead, CLIENTS);
        progress.say("starting those again that were killed");
        peers.start(victims);
        peers.awaitSettled();
        files.get(ids, CLIENTS);
        for (RingFiles.Fresh file : fresh) {
            Files.delete(file.path());
        }
    }

    /** All of k copies are among d peers of n. */
    static double chanceOfLoss(int peers, int killed, int copies) {
        double chance = 1;
        for (int i = 0; i < copies; i++) {
            chance *= (double) Math.max(0, killed - i) / (peers - i);
        }
        return chance;
    }

    private int copiesOf(Id id, List<Integer> among) {
        int copies = 0;
        for (int number : among) {
            copies += Files.exists(peers.shelf(number).resolve(id.toString())) ? 1 : 0;
        }
        return copies;
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.1f s", seconds);
    }
}
