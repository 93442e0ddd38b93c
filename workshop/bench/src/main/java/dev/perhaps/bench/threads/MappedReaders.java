package dev.perhaps.bench.threads;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.BenchTable;
import dev.perhaps.bench.Measure;
import dev.perhaps.bench.Options;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import dev.perhaps.bench.Rounds;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.membership.HashFilter;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lookups in a Bloom filter that processes have mapped from the same file: one of them alone, and two at once. */
final class MappedReaders implements Closeable {
    static final String ROW = "mapped BloomFilter";

    private static final int PROCESSES = 2;
    private static final long SEED = 1;
    private static final int LOOKUPS = 2_000_000;

    private final Path folder;
    private final Path file;
    private final long items;
    private final List<Reader> readers = new ArrayList<>();

    private MappedReaders(Path folder, Path file, long items) {
        this.folder = folder;
        this.file = file;
        this.items = items;
    }

    /** Saves a filter of these keys, and starts the processes. */
    static MappedReaders start(long[] keys) throws IOException {
        Path folder = Files.createTempDirectory("perhaps-bench");
        Path file = folder.resolve("mapped.filter");
        BloomFilter<Long> filter =
                BloomFilter.expecting(keys.length).of(Key.longs()).build();
        for (long i = 0; i < keys.length; i++) {
            filter.addHash(Key.longs().hash(i));
        }
        filter.save(file);
        MappedReaders all = new MappedReaders(folder, file, keys.length);
        for (int i = 0; i < PROCESSES; i++) {
            all.readers.add(new Reader(file, keys.length));
        }
        return all;
    }

    void play(Options options, BenchProgress progress, Results results, Report report) throws IOException {
        List<Rounds.Turn> turns = new ArrayList<>();
        for (int count = 1; count <= PROCESSES; count++) {
            int busy = count;
            // Per lookup of each process: as long as alone if they do not disturb each other.
            turns.add(new Rounds.Turn(row(count), Measure.HIT, LOOKUPS, () -> {}, () -> lookUp(busy)));
        }
        new Rounds(options.rounds(), SEED, options.clock(), progress).play("reading mapped files", turns, results);
        report.heading("A mapped filter, read by processes");
        BenchTable table = new BenchTable("", "ns per lookup of each", "as fast as one alone");
        for (int count = 1; count <= PROCESSES; count++) {
            table.row(
                    row(count),
                    report.nanos(row(count), Measure.HIT),
                    count == 1 ? Report.NOTHING : report.ratio(row(count), Measure.HIT, row(1)));
        }
        report.table(table);
        report.line("Half of the lookups hit. The file has " + Figures.bytes(Files.size(file)) + ", for "
                + Figures.count(items, "key") + "; " + shared());
    }

    private static String row(int count) {
        return ROW + ", " + (count == 1 ? "one process" : count + " processes");
    }

    private void lookUp(int count) {
        try {
            for (Reader reader : readers.subList(0, count)) {
                reader.begin();
            }
            for (Reader reader : readers.subList(0, count)) {
                reader.end();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How much memory the mapping takes in all processes together; Linux counts each shared page by its share. */
    private String shared() throws IOException {
        double shares = 0;
        for (Reader reader : readers) {
            Path maps = Path.of("/proc/" + reader.process.pid() + "/smaps");
            if (!Files.isReadable(maps)) {
                return "this system does not say what the processes share.";
            }
            boolean ours = false;
            for (String line : Files.readAllLines(maps)) {
                if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                    ours = line.endsWith(file.toString());
                } else if (ours && line.startsWith("Pss:")) {
                    shares += 1024.0 * Long.parseLong(line.replaceAll("[^0-9]", ""));
                }
            }
        }
        return String.format(
                Locale.ROOT, "its pages take %s in both processes together.", Figures.bytes(Math.round(shares)));
    }

    @Override
    public void close() throws IOException {
        for (Reader reader : readers) {
            reader.close();
        }
        Files.deleteIfExists(file);
        Files.deleteIfExists(folder);
    }

    /** A process that looks up whenever it is told to. */
    private static final class Reader implements Closeable {
        final Process process;
        private final BufferedReader from;
        private final Writer to;

        Reader(Path file, long items) throws IOException {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            MappedReaders.class.getName(),
                            file.toString(),
                            Long.toString(items))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            from = process.inputReader(StandardCharsets.UTF_8);
            to = process.outputWriter(StandardCharsets.UTF_8);
        }

        void begin() throws IOException {
            to.write("\n");
            to.flush();
        }

        void end() throws IOException {
            if (from.readLine() == null) {
                throw new IOException("a process that reads a mapped filter has ended");
            }
        }

        @Override
        public void close() throws IOException {
            to.close(); // the process ends where its input does
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                throw new IllegalStateException("a benchmark is not to be interrupted", e);
            }
        }
    }

    /** The process: for each line it reads it looks up a part of the keys, and says how many were found. */
    public static void main(String[] args) throws IOException {
        HashFilter<Long> filter = BloomFilter.map(Path.of(args[0]), Key.longs());
        long items = Long.parseLong(args[1]);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            long next = ProcessHandle.current().pid();
            while (in.readLine() != null) {
                int found = 0;
                for (int i = 0; i < LOOKUPS; i++) {
                    // In an order that caches do not know; every second key was never added.
                    next = next * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
                    found += filter.mightContainHash(Key.longs().hash((next >>> 1) % (2 * items))) ? 1 : 0;
                }
                System.out.println(found);
            }
        }
    }
}
