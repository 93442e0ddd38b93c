package dev.perhaps.bench;

import dev.perhaps.bench.frequency.FrequencyBench;
import dev.perhaps.bench.membership.BulkBench;
import dev.perhaps.bench.membership.MembershipBench;
import dev.perhaps.bench.placement.PlacementBench;
import dev.perhaps.bench.ring.RingBench;
import dev.perhaps.bench.server.ServerBench;
import dev.perhaps.bench.similarity.SimilarityBench;
import dev.perhaps.bench.threads.ThreadsBench;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiFunction;

/** The command line of the benchmarks. */
public final class Bench {
    private static final String HELP = """
            Benchmarks against the peers, side by side in one run.

              bin/bench NAME [--quick | --keys N] [--only REGEX] [--rounds R] [--cpu-time] [--markdown FILE]
              bin/bench ring [--peers N] [--markdown FILE]

            membership   filters: lookups that hit, lookups that miss, adding, merging, bits per key, error, memory
            bulk         filters built from all keys at once, beside the same one by one; memory while building
            frequency    sketches of counts: adding, estimating, size, mean and maximum over-count
            similarity   signatures of texts: megabytes per second, error
            placement    from a key to its node: rings, rendezvous and jumps; how even
            threads      structures that threads share: their concurrent form beside a lock around the plain one or Guava's;
                         lookups of two processes in one mapped file
            ring         peers as processes: lookups, puts and gets, and how long it takes until a ring that lost a third
                         of them is whole again; fails if an answer is wrong or a file is lost
            server       'perhaps serve' beside redis-server under redis-benchmark: commands per second, latency, CPU; two
                         threads; idle connections; memory per key; pauses while a snapshot is written
            spark        functions and jobs on Spark beside Spark's own, with options of its own: bin/bench spark --help

              --quick           1 million keys, events or bytes of text (default: 10 million); server: short turns
              --keys N          this number of keys; beyond 20 million only the filters made for it take part
              --peers N         number of processes (default: 30)
              --only REGEX      only rows with a match in their name, for example --only 'bloom|guava'
              --rounds R        number of alternating rounds (default: 11); quartiles of less than 7 say little
              --cpu-time        times the measuring thread, not the clock on the wall: for a machine that others use too;
                                leaves out builds on several threads, and the collector's work for those that allocate
              --markdown FILE   also writes the tables to FILE

            Results go to standard output, progress to standard error. How it is measured: docs/benchmarks.md
            """;

    private static final Map<String, BiFunction<Options, BenchProgress, Report>> BENCHMARKS = new TreeMap<>(Map.of(
            "membership", MembershipBench::run,
            "bulk", BulkBench::run,
            "frequency", FrequencyBench::run,
            "similarity", SimilarityBench::run,
            "placement", PlacementBench::run,
            "threads", ThreadsBench::run,
            "ring", RingBench::run,
            "server", ServerBench::run));

    private Bench() {}

    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        int status = run(List.of(args), out, new PrintStream(System.err, true, StandardCharsets.UTF_8));
        out.flush();
        System.exit(status);
    }

    static int run(List<String> args, PrintStream out, PrintStream err) throws IOException {
        if (args.isEmpty() || args.contains("--help") || args.contains("-h")) {
            out.print(HELP);
            return 0;
        }
        Options options;
        try {
            if (!BENCHMARKS.containsKey(args.get(0))) {
                throw new IllegalArgumentException("there is no benchmark " + args.get(0) + ": there are "
                        + String.join(", ", BENCHMARKS.keySet()));
            }
            options = Options.parse(args.get(0), args.subList(1, args.size()));
        } catch (IllegalArgumentException e) {
            err.println("bench: " + e.getMessage());
            return 2;
        }
        Report report =
                Objects.requireNonNull(BENCHMARKS.get(options.benchmark())).apply(options, new BenchProgress(err));
        out.print(report.text());
        if (options.markdown().isPresent()) {
            Files.writeString(options.markdown().get(), report.markdown());
        }
        return 0;
    }
}
