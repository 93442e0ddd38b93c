package dev.perhaps.bench.spark;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.HostMachine;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;

/** The command line of {@code bin/bench spark}. */
public final class SparkBench {
    private static final String HELP = """
            The functions and jobs on Spark beside what Spark has itself: one session on two cores, alternating rounds.

              bin/bench spark [filter] [contain] [count] [join] [duplicates] [scale] [OPTIONS]

            filter       filters as aggregates, beside stat.bloomFilter
            contain      lookups, beside might_contain, which Spark uses in its own joins
            count        Count-Min, distinct and top, beside count_min_sketch, hll_sketch_agg and, since 4.1, approx_top_k
            join         by rule and by call, beside a sort-merge join, Spark's defaults and its runtime filter with and
                         without statistics; also with keys that are strings, and two small tables in one query
            duplicates   near duplicates, beside MLlib's MinHashLSH, and beside the library on one machine
            scale        how processor time and shuffled bytes grow with rows and documents (docs/scale.md); only if named

              --quick             smaller, in a few minutes; says little about the goals
              --goal              the sizes that the goals are set for, in hours: 20 million rows, a join of 100 million with 2 million,
                                  a million documents, 7 rounds; needs about 20 GB of disk
              --rows N            rows of filter, contain and count (default: 10000000)
              --join-rows N       rows of the large side; the other has a fiftieth (default: 20000000)
              --matches P,P,...   percent of its rows that have a partner (default: 1,10,50,100)
              --documents N       documents, after a tenth of them (default: 100000)
              --lsh-documents N   documents for MLlib, whose time grows with their square (default: 1000)
              --rounds N          rounds of filter, contain and count (default: 5)
              --join-rounds N     rounds of join and duplicates (default: 3)
              --folder DIR        where tables are written, and deleted at the end (default: the folder for temporary files)
              --markdown FILE     also writes the tables to FILE

            Tables go to standard output, progress to standard error; [brackets] are quartiles of the rounds. CPU is the processor time of Spark's tasks. How it is
            measured: docs/benchmarks.md
            """;

    private SparkBench() {}

    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        int status = run(List.of(args), out, new PrintStream(System.err, true, StandardCharsets.UTF_8));
        out.flush();
        System.exit(status);
    }

    static int run(List<String> args, PrintStream out, PrintStream err) throws IOException {
        if (args.contains("--help") || args.contains("-h")) {
            out.print(HELP);
            return 0;
        }
        SparkBenchOptions options;
        try {
            options = SparkBenchOptions.parse(args);
        } catch (IllegalArgumentException e) {
            err.println("bench: " + e.getMessage());
            return 2;
        }
        BenchProgress progress = new BenchProgress(err);
        StringBuilder all = new StringBuilder();
        try (BenchSession session = new BenchSession(options.folder(), progress)) {
            StringBuilder text = new StringBuilder();
            text.append("    bin/bench spark ").append(String.join(" ", args)).append("\n\n");
            text.append("Spark ").append(session.spark().version()).append(", local[2]; ");
            text.append(HostMachine.describe()).append("\n\n");
            for (String part : options.parts()) {
                switch (part) {
                    case "filter" -> new SketchContests(session, options, text).filters();
                    case "contain" -> new SketchContests(session, options, text).lookups();
                    case "count" -> new SketchContests(session, options, text).counts();
                    case "join" -> new JoinContest(session, options, text).play();
                    case "duplicates" -> new DuplicateContest(session, options, text).play();
                    default -> new ScaleTables(session, options, text).play();
                }
                out.print(text); // after each part: a long run shows what it has
                out.flush();
                all.append(text);
                text.setLength(0);
            }
        }
        if (options.markdown().isPresent()) {
            Files.writeString(options.markdown().get(), all);
        }
        return 0;
    }
}
