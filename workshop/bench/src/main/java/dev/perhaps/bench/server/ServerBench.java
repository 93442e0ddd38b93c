package dev.perhaps.bench.server;

import dev.perhaps.bench.BenchProgress;
import dev.perhaps.bench.BenchTable;
import dev.perhaps.bench.Goal;
import dev.perhaps.bench.HostMachine;
import dev.perhaps.bench.Options;
import dev.perhaps.bench.Quartiles;
import dev.perhaps.bench.Report;
import dev.perhaps.bench.Results;
import dev.perhaps.io.Figures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** {@code perhaps serve} beside Debian's redis-server: redis-benchmark on one core, the server on the other. */
public final class ServerBench {
    /*
     * Every round runs every row against every server that it is for, in a new order; the first rounds are not counted.
     * Both servers run all the time; the one that is not asked is idle.
     *
     * redis-benchmark is one thread and may be what limits: a row in which it takes more than 95 % of its core is
     * marked, and its ratio is that of the CPU time of the servers per command.
     */
    private static final long SEED = 1;
    private static final double CLIENT_BOUND = 0.95;
    private static final int WARM_UPS = 3;
    private static final int ITEMS = 100;
    private static final double REFERENCE_ITEMS = 1.8e6;
    private static final int IDLE = 10_000;
    private static final int KEY_BYTES = 300;
    private static final int PAUSE_MILLIS = 50;
    private static final String ITEM = "__rand_int__";

    private enum Target {
        OURS,
        REDIS,
        OURS_DURABLE,
        REDIS_DURABLE
    }

    /** A command, how many of it a client sends at once, and how many in a turn. */
    private record Row(String name, int pipeline, int requests, List<String> command, List<Target> targets) {}

    private final Options options;
    private final BenchProgress progress;
    private final Path folder;
    private final String perhaps = System.getProperty("perhaps", "perhaps");
    private final Report report = new Report(new Results());
    private final List<Goal> goals = new ArrayList<>();
    private final Map<Target, ServerProcess> servers = new EnumMap<>(Target.class);
    private final Map<Row, Map<Target, RedisBenchmark.Run[]>> runs = new LinkedHashMap<>();
    private final boolean isQuick;

    private ServerBench(Options options, BenchProgress progress, Path folder) {
        this.options = options;
        this.progress = progress;
        this.folder = folder;
        this.isQuick = options.isQuick();
    }

    public static Report run(Options options, BenchProgress progress) {
        try {
            for (String program : List.of("redis-server", "redis-benchmark", "taskset")) {
                if (!isThere(program)) {
                    throw new IOException(program + " was not found: install redis-server, redis-tools and util-linux");
                }
            }
            Path folder = Files.createTempDirectory("perhaps-server");
            try {
                return new ServerBench(options, progress, folder).run();
            } finally {
                remove(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static boolean isThere(String program) {
        return Arrays.stream(
                        Optional.ofNullable(System.getenv("PATH")).orElse("").split(":", -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
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
        report.line(LocalDate.now(ZoneOffset.UTC) + "; " + HostMachine.describe() + "; " + options.rounds()
                + " rounds; " + version());
        String help = output(perhaps, "serve", "--help");
        boolean keeps = help.contains("--dir");
        Thread hook = new Thread(() -> servers.values().forEach(ServerProcess::close));
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            start(keeps);
            play(rows(keeps));
        } finally {
            servers.values().forEach(ServerProcess::close);
            servers.clear();
        }
        tables();
        if (options.wants("threads")) {
            threads();
        }
        if (options.wants("memory per key")) {
            memory();
        }
        if (options.wants("idle connections")) {
            idle();
        }
        if (keeps && options.wants("snapshot")) {
            report.heading("Replies to one client that adds while a snapshot is written");
            BenchTable table = new BenchTable("", "longest ms", "p99 ms", "longest before ms", "snapshot s");
            snapshot(table, false);
            snapshot(table, true);
            report.table(table);
        }
        report.goals(goals);
        progress.say("done");
        return report;
    }

    private static String output(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", words) + " could not be run");
        }
        return said;
    }

    private static String version() throws IOException, InterruptedException {
        for (String word : output("redis-server", "--version").split(" ", -1)) {
            if (word.startsWith("v=")) {
                return "redis-server " + word.substring(2);
            }
        }
        return "redis-server";
    }

    // The rows under redis-benchmark

    private void start(boolean keeps) throws IOException, InterruptedException {
        progress.say("starting the servers");
        List<String> inMemory = keeps ? List.of("--in-memory") : List.of();
        servers.put(Target.OURS, ServerProcess.ours(perhaps, folder, inMemory));
        servers.put(Target.REDIS, ServerProcess.redis(folder, List.of()));
        if (keeps) {
            Path own = Files.createDirectory(folder.resolve("redis"));
            servers.put(
                    Target.OURS_DURABLE,
                    ServerProcess.ours(
                            perhaps,
                            folder,
                            List.of("--dir", folder.resolve("ours").toString())));
            servers.put(
                    Target.REDIS_DURABLE,
                    ServerProcess.redis(
                            folder,
                            List.of("--appendonly", "yes", "--appendfsync", "everysec", "--dir", own.toString())));
        }
        for (Target target : List.of(Target.OURS, Target.OURS_DURABLE)) {
            ServerProcess server = servers.get(target);
            if (server != null) {
                try (RespConnection connection = server.connect()) {
                    connection.run("BF.RESERVE", "filter", "0.01", "1000000");
                }
            }
        }
    }

    private List<Row> rows(boolean keeps) {
        int deep = isQuick ? 300_000 : 1_000_000;
        int one = isQuick ? 20_000 : 50_000;
        List<Target> both = List.of(Target.OURS, Target.REDIS);
        List<Target> ours = List.of(Target.OURS);
        List<Target> durable = List.of(Target.OURS_DURABLE, Target.REDIS_DURABLE);
        List<String> set = List.of("SET", "key:" + ITEM, "abcdefghijklmnop");
        List<Row> rows = new ArrayList<>();
        for (int pipeline : new int[] {1, 32}) {
            int requests = pipeline == 1 ? one : deep;
            String end = ", pipeline " + pipeline;
            rows.add(new Row("PING" + end, pipeline, requests, List.of("PING"), both));
            rows.add(new Row("SET" + end, pipeline, requests, set, both));
            rows.add(new Row("GET" + end, pipeline, requests, List.of("GET", "key:" + ITEM), both));
            if (keeps) {
                rows.add(new Row("SET, kept on disk" + end, pipeline, requests, set, durable));
            }
            rows.add(new Row("BF.ADD" + end, pipeline, requests, List.of("BF.ADD", "filter", ITEM), ours));
            rows.add(new Row("BF.EXISTS" + end, pipeline, requests, List.of("BF.EXISTS", "filter", ITEM), ours));
        }
        for (String command : List.of("BF.MADD", "BF.MEXISTS")) {
            List<String> words = new ArrayList<>(List.of(command, "filter"));
            words.addAll(Collections.nCopies(ITEMS, ITEM));
            rows.add(new Row(command + " of " + ITEMS, 4, deep / 40, words, ours));
        }
        return rows.stream().filter(row -> options.wants(row.name())).toList();
    }

    private void play(List<Row> rows) throws IOException, InterruptedException {
        record Turn(Row row, Target target) {}
        List<Turn> turns = new ArrayList<>();
        for (Row row : rows) {
            Map<Target, RedisBenchmark.Run[]> own = new EnumMap<>(Target.class);
            for (Target target : row.targets()) {
                turns.add(new Turn(row, target));
                own.put(target, new RedisBenchmark.Run[options.rounds()]);
            }
            runs.put(row, own);
        }
        Random random = new Random(SEED);
        for (int round = -WARM_UPS; round < options.rounds(); round++) {
            progress.say(round < 0 ? "to warm up" : "round " + (round + 1) + " of " + options.rounds());
            Collections.shuffle(turns, random);
            for (Turn turn : turns) {
                ServerProcess server = Objects.requireNonNull(servers.get(turn.target));
                RedisBenchmark.Run run =
                        RedisBenchmark.run(server, turn.row.pipeline(), turn.row.requests(), turn.row.command());
                if (round >= 0) {
                    runs(turn.row, turn.target)[round] = run;
                }
            }
        }
    }

    private RedisBenchmark.Run[] runs(Row row, Target target) {
        return Objects.requireNonNull(Objects.requireNonNull(runs.get(row)).get(target));
    }

    private static Quartiles of(RedisBenchmark.Run[] some, ToDoubleFunction<RedisBenchmark.Run> figure) {
        return Quartiles.of(Arrays.stream(some).mapToDouble(figure).toArray());
    }

    /** A figure of one run over that of another, round by round. */
    private static Quartiles ratio(
            RedisBenchmark.Run[] over, RedisBenchmark.Run[] under, ToDoubleFunction<RedisBenchmark.Run> figure) {
        double[] ratios = new double[over.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = figure.applyAsDouble(over[i]) / figure.applyAsDouble(under[i]);
        }
        return Quartiles.of(ratios);
    }

    private static boolean isClientBound(RedisBenchmark.Run[] some) {
        return of(some, RedisBenchmark.Run::clientShare).median() > CLIENT_BOUND;
    }

    private void tables() {
        report.heading("redis-benchmark, 50 clients");
        BenchTable table =
                new BenchTable("", "commands/s", "p99 ms", "server µs CPU", "client CPU", "redis-server/s", "ratio");
        for (Row row : runs.keySet()) {
            Target our = row.targets().get(0);
            RedisBenchmark.Run[] ours = runs(row, our);
            boolean isAlone = row.targets().size() == 1;
            RedisBenchmark.Run[] theirs =
                    isAlone ? ours : runs(row, row.targets().get(1));
            boolean isBound = isClientBound(ours) || isClientBound(theirs);
            Quartiles speed = isBound
                    ? ratio(theirs, ours, RedisBenchmark.Run::serverMicros)
                    : ratio(ours, theirs, RedisBenchmark.Run::rate);
            table.row(
                    row.name(),
                    Figures.count((long) of(ours, RedisBenchmark.Run::rate).median()),
                    millis(of(ours, RedisBenchmark.Run::p99Millis).median()),
                    String.format(
                            Locale.ROOT,
                            "%.2f",
                            of(ours, RedisBenchmark.Run::serverMicros).median()),
                    Figures.percent(of(ours, RedisBenchmark.Run::clientShare).median()),
                    isAlone
                            ? Report.NOTHING
                            : Figures.count(
                                    (long) of(theirs, RedisBenchmark.Run::rate).median()),
                    isAlone ? Report.NOTHING : Report.ratio(speed) + (isBound ? " by CPU (client-bound)" : ""));
            if (!isAlone && our == Target.OURS) {
                double wanted = row.pipeline() == 1 ? 0.95 : 1;
                goal(row.name() + ", against redis-server" + (isBound ? ", by CPU" : ""), speed, wanted);
                Quartiles latency = ratio(ours, theirs, RedisBenchmark.Run::p99Millis);
                goals.add(new Goal.Reached(
                        row.name() + ", p99 over redis-server's",
                        "≤ 2.00 ×",
                        Report.ratio(latency),
                        latency.median() <= 2));
            }
        }
        report.table(table);
        report.line(
                "Ratios are those within a round: median and quartiles. By CPU: the client took more than 95 % of its core"
                        + " against one of the two, and the ratio is that of the servers’ CPU time per command.");
        filterGoals();
    }

    private static String millis(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    private void goal(String name, Quartiles measured, double wanted) {
        goals.add(new Goal.Reached(
                name, "≥ " + Figures.significant(wanted) + " ×", Report.ratio(measured), measured.median() >= wanted));
    }

    private Optional<Row> row(String name) {
        return runs.keySet().stream().filter(row -> row.name().equals(name)).findFirst();
    }

    private void filterGoals() {
        Optional<Row> ping = row("PING, pipeline 32");
        for (String command : List.of("ADD", "EXISTS")) {
            Optional<Row> single = row("BF." + command + ", pipeline 32");
            if (single.isPresent() && ping.isPresent()) {
                RedisBenchmark.Run[] own = runs(single.get(), Target.OURS);
                RedisBenchmark.Run[] pings = runs(ping.get(), Target.OURS);
                boolean isBound = isClientBound(own) || isClientBound(pings);
                goal(
                        single.get().name() + ", against our PING" + (isBound ? ", by CPU" : ""),
                        isBound
                                ? ratio(pings, own, RedisBenchmark.Run::serverMicros)
                                : ratio(own, pings, RedisBenchmark.Run::rate),
                        0.75);
            }
            Optional<Row> many = row("BF.M" + command + " of " + ITEMS);
            if (many.isPresent()) {
                RedisBenchmark.Run[] own = runs(many.get(), Target.OURS);
                double items = ITEMS * of(own, RedisBenchmark.Run::rate).median();
                goals.add(new Goal.Reached(
                        many.get().name() + ", items/s",
                        "> " + Figures.count((long) REFERENCE_ITEMS),
                        Figures.count((long) items),
                        items > REFERENCE_ITEMS));
                if (single.isPresent()) {
                    RedisBenchmark.Run[] singles = runs(single.get(), Target.OURS);
                    boolean isBound = isClientBound(own) || isClientBound(singles);
                    Quartiles times = isBound
                            ? ratio(singles, own, RedisBenchmark.Run::serverMicros)
                            : ratio(own, singles, RedisBenchmark.Run::rate);
                    goal(
                            many.get().name() + ", items against single commands" + (isBound ? ", by CPU" : ""),
                            new Quartiles(ITEMS * times.low(), ITEMS * times.median(), ITEMS * times.high()),
                            3);
                }
            }
        }
    }

    // In this process

    private void threads() throws InterruptedException {
        progress.say("two threads");
        report.heading("Two threads in one process, without sockets");
        BenchTable table = new BenchTable("", "times as fast as one");
        int count = isQuick ? 200_000 : 1_000_000;
        Map<String, List<String>> works = new LinkedHashMap<>();
        works.put("PING, nothing shared", List.of("PING", "PING"));
        works.put("BF.ADD, a filter each", List.of("BF.RESERVE f$ 0.01 1000000", "BF.ADD f$ item#"));
        works.put("SET, keys of each", List.of("PING", "SET key$:# value#"));
        works.put("BF.EXISTS, the same filter", List.of("BF.INSERT f CAPACITY 1000000 ITEMS x", "BF.EXISTS f item#"));
        works.put("GET, the same key", List.of("SET key value", "GET key"));
        for (Map.Entry<String, List<String>> work : works.entrySet()) {
            Quartiles speed = Quartiles.of(ServerThreads.speedup(
                    work.getValue().get(0), work.getValue().get(1), count, options.rounds()));
            table.row(work.getKey(), Report.ratio(speed));
            if (work.getKey().startsWith("PING")) {
                // What this machine's second core brings.
                continue;
            }
            goal(work.getKey() + ", two threads against one", speed, 1.7);
        }
        report.table(table);
    }

    private void memory() {
        progress.say("memory of keys");
        report.heading("Memory of a key beside its name and its value");
        BenchTable table = new BenchTable("", "bytes");
        // 1 % of 100 items in a filter that grows: 138 bytes of bits, in words of 8.
        Map<String, Integer> payloads = new LinkedHashMap<>();
        payloads.put("SET key:# abcdefghijklmnop", 12 + 16);
        payloads.put("BF.RESERVE key:# 0.01 100", 12 + 144);
        payloads.forEach((line, payload) -> {
            double bytes = ServerThreads.bytesPerKey(line, payload);
            table.row(line, String.format(Locale.ROOT, "%.0f", bytes));
            goals.add(new Goal.Reached(
                    line.substring(0, line.indexOf(' ')) + ", memory per key",
                    "≤ " + KEY_BYTES + " bytes",
                    String.format(Locale.ROOT, "%.0f", bytes),
                    bytes <= KEY_BYTES));
        });
        report.table(table);
    }

    // Connections and snapshots

    private void idle() throws IOException, InterruptedException {
        progress.say("idle connections");
        List<RespConnection> all = new ArrayList<>();
        List<String> more = new ArrayList<>(List.of("--clients", "" + (IDLE + 100)));
        if (output(perhaps, "serve", "--help").contains("--in-memory")) {
            more.add("--in-memory");
        }
        try (ServerProcess server = ServerProcess.ours(perhaps, folder, more)) {
            RedisBenchmark.Run before = RedisBenchmark.run(server, 1, 20_000, List.of("PING"));
            for (int i = 0; i < IDLE; i++) {
                RespConnection connection = server.connect();
                all.add(connection);
                connection.run("PING");
            }
            RedisBenchmark.Run beside = RedisBenchmark.run(server, 1, 20_000, List.of("PING"));
            int alive = 0;
            for (RespConnection connection : all) {
                alive += connection.ask("PING").equals("+PONG") ? 1 : 0;
            }
            report.heading("Idle connections");
            BenchTable table = new BenchTable("", "PING/s", "p99 ms");
            table.row("before", Figures.count((long) before.rate()), millis(before.p99Millis()));
            table.row(
                    "beside " + Figures.count(alive) + " that are idle",
                    Figures.count((long) beside.rate()),
                    millis(beside.p99Millis()));
            report.table(table);
            goals.add(new Goal.Reached(
                    "idle connections held", Figures.count(IDLE), Figures.count(alive), alive == IDLE));
        } finally {
            for (RespConnection connection : all) {
                connection.close();
            }
        }
    }

    private void snapshot(BenchTable table, boolean isOneFilter) throws IOException, InterruptedException {
        String name = (isQuick ? "256 MB" : "1 GB") + (isOneFilter ? " in one filter" : " in filters of 1 MB");
        progress.say("snapshot of " + name);
        int filters = isOneFilter ? 1 : isQuick ? 256 : 1_024;
        // 1 % in a filter that does not grow: 9.585 bits per item.
        long items = (long) ((isQuick ? 1L << 31 : 1L << 33) / 9.585 / filters);
        Path directory = folder.resolve(isOneFilter ? "one" : "many");
        try (ServerProcess server =
                ServerProcess.ours(perhaps, folder, List.of("--dir", directory.toString(), "--max-memory", "1200M"))) {
            try (RespConnection operator = server.connect();
                    RespConnection client = server.connect()) {
                for (int i = 0; i < filters; i++) {
                    operator.run("BF.RESERVE", "f" + i, "0.01", "" + items, "NONSCALING");
                }
                Random random = new Random(SEED);
                List<Double> before = new ArrayList<>();
                for (int i = 0; i < 20_000; i++) {
                    before.add(add(client, filters, random));
                }
                List<Double> during = new ArrayList<>();
                operator.run("BGSAVE");
                long start = System.nanoTime();
                boolean isSaving = true;
                while (isSaving) {
                    for (int i = 0; i < 200; i++) {
                        during.add(add(client, filters, random));
                    }
                    isSaving = operator.ask("INFO", "persistence").contains("rdb_bgsave_in_progress:1");
                }
                double seconds = (System.nanoTime() - start) / 1e9;
                double longest = Collections.max(during);
                Collections.sort(during);
                table.row(
                        name,
                        millis(longest),
                        millis(during.get((int) (during.size() * 0.99))),
                        millis(Collections.max(before.subList(before.size() / 2, before.size()))),
                        String.format(Locale.ROOT, "%.1f", seconds));
                goals.add(new Goal.Reached(
                        "longest reply while a snapshot of " + name + " is written",
                        "≤ " + PAUSE_MILLIS + " ms",
                        millis(longest) + " ms",
                        longest <= PAUSE_MILLIS));
            }
        }
    }

    private static double add(RespConnection client, int filters, Random random) throws IOException {
        long start = System.nanoTime();
        client.run("BF.ADD", "f" + random.nextInt(filters), "item" + random.nextLong());
        return (System.nanoTime() - start) / 1e6;
    }
}
