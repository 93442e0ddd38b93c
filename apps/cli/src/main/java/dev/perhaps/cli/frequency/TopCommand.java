package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.engine.ActiveEngine;
import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.engine.process.EngineOptions;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.BadRecords;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.LineBlocks;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.frequency.SlidingTopK;
import dev.perhaps.frequency.TopBytes;
import dev.perhaps.frequency.TopK;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps top}: prints the most frequent keys. */
@Workload(Workload.Kind.STREAM)
@Command(
        name = "top",
        description = {
            "Prints the most frequent keys, with exact counts or bounds.",
            "It keeps " + TopCommand.USUAL_COUNTERS
                    + " counters, however many different keys there are. Counts of standard input are shown on "
                    + "the terminal while it is read.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps top access.log --format word:7 -k 20",
            "  perhaps top sales.csv --format csv:product --by amount",
            "  zcat sales.gz | perhaps top --format csv:product --by amount --decimals 2",
            "  perhaps top access.log --format word:7 --time 4 --last 1h",
            "  tail -f access.log | perhaps top --format word:1 --last 10m"
        },
        mixinStandardHelpOptions = true)
public final class TopCommand implements Callable<Integer>, EngineOptions.OnSpark {
    /** Enough for exact counts at the top of a skewed log, and few enough for the processor's cache. */
    static final int USUAL_COUNTERS = 1 << 14;

    private static final int USUAL_COUNTERS_OF_A_PANE = 1 << 13;
    private static final int MAX_USUAL_COUNTERS = 1 << 24;
    /** Not as many as there are cores: the answer must not depend on the machine. */
    private static final int WORKERS = 2;

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst (default: standard input).")
    private List<String> inputNames = new ArrayList<>();

    @Option(names = "-k", paramLabel = "K", description = "The number of keys to print (default: ${DEFAULT-VALUE}).")
    private String k = "10";

    @Option(
            names = "--by",
            paramLabel = "FIELD",
            description =
                    "The column, field or word with the amount that a record counts, such as 3 or 12.50 (default: every"
                            + " record counts once).")
    private @Nullable String weight;

    @Mixin
    private DecimalsOption decimals = new DecimalsOption();

    @Option(
            names = "--last",
            paramLabel = "TIME",
            description = "Count only the last TIME, as in 10m (s, m, h, d): before the newest --time, or by arrival.")
    private @Nullable String last;

    @Option(
            names = "--time",
            paramLabel = "FIELD",
            description = "The field with the time of a record, for " + "--last.")
    private @Nullable String time;

    @Option(
            names = "--counters",
            paramLabel = "N",
            description = "The number of keys to keep counts of (default: " + USUAL_COUNTERS + "; with --last: "
                    + USUAL_COUNTERS_OF_A_PANE + " for each tenth of TIME; never fewer than 100 × K).")
    private @Nullable String counters;

    @Option(names = "--json", description = "Print one JSON object per key.")
    private boolean json;

    @Mixin
    private RecordOptions reading = new RecordOptions();

    @Mixin
    @SuppressWarnings("unused") // read before the command runs
    private EngineOptions engine = new EngineOptions();

    @Override
    public void refuseForSpark() {
        if (last != null) {
            throw new BadInput("--last depends on the order of the records, which Spark does not keep: leave it out,"
                    + " or use --engine local");
        }
    }

    @Override
    public Integer call() throws IOException {
        if (time != null && last == null) {
            throw new BadInput("--time goes with --last, as in --last 10m");
        }
        List<Input> inputs = Input.all(inputNames);
        decimals.refuseWithout(weight != null, "--by");
        return decimals.counting(inputs, reading, found -> count(inputs, found));
    }

    private int count(List<Input> inputs, Decimals found) throws IOException {
        int most = (int) Math.min(Integer.MAX_VALUE, Amounts.count("-k", k));
        TopK.Plan<?> plan = plan(most);
        KeyForm form = reading.form(weight, time, found);
        if (!form.keepsKeys()) {
            throw new BadInput("keys of the form '" + form.key().name()
                    + "' are not kept as text: use lines, csv:COLUMN, jsonl:FIELD or word:N");
        }
        Engine other = ActiveEngine.get();
        if (other != null) {
            TopBytes top = TopBytes.of(plan);
            reading.found(
                    other.fill("counting", reading.source(inputs, weight, found), top, new TopFilling(found.places())));
            reading.tellSkipped();
            print(Ranking.of(top, found.places(), reading.badRecords()));
            return ExitCodes.DONE;
        }
        boolean live = Console.isWatched() && !inputs.stream().allMatch(Input::rereadable);
        Ranking ranking = last != null
                ? window(most, plan.capacity(), Amounts.duration("--last", last), found.places())
                : form.lineKey() != null && !live
                        ? countLines(inputs, plan)
                        : Ranking.of(TopBytes.of(plan), found.places(), reading.badRecords());
        if (live) {
            countLive(inputs, form, ranking);
        } else if (last != null || form.lineKey() == null) {
            reading.each(inputs, form, "counting", ranking::add);
        }
        print(ranking);
        return ExitCodes.DONE;
    }

    private void print(Ranking ranking) throws IOException {
        TopTable.print(ranking.top(), ranking.decimals(), json);
        Console.say(ranking.summary());
    }

    /** Keys are kept as bytes: text that is not UTF-8 is counted too. */
    private static final class TopFilling implements Engine.Filling<TopBytes> {
        private static final long serialVersionUID = 1;

        private final int decimals;

        TopFilling(int decimals) {
            this.decimals = decimals;
        }

        @Override
        public TopBytes open(byte[] frame) throws IOException {
            return (TopBytes) TopK.fromBytes(frame, Key.bytes());
        }

        @Override
        public void fill(TopBytes top, Engine.Records records) throws IOException {
            records.read(Ranking.of(top, decimals, records.bad())::add);
        }
    }

    private TopK.Plan<?> plan(int most) {
        TopK.Plan<?> plan = TopK.of(most);
        int usual = last == null ? USUAL_COUNTERS : USUAL_COUNTERS_OF_A_PANE;
        long room = counters != null
                ? Amounts.count("--counters", counters)
                : Math.max(plan.capacity(), Math.max(usual, Math.min(MAX_USUAL_COUNTERS, 100L * most)));
        return plan.capacity((int) Math.min(Integer.MAX_VALUE, room));
    }

    private Ranking window(int most, int capacity, Duration window, int places) {
        return Ranking.of(
                SlidingTopK.last(window)
                        .k(most)
                        .capacity(capacity)
                        .of(Key.bytes())
                        .build(),
                time == null,
                places,
                reading.badRecords());
    }

    private static Ranking countLines(List<Input> inputs, TopK.Plan<?> plan) throws IOException {
        List<TopBytes> parts = new ArrayList<>();
        List<LineBlocks.Sink> sinks = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            TopBytes part = TopBytes.of(plan);
            parts.add(part);
            sinks.add((bytes, from, to) -> part.add(bytes, from, to, 1));
        }
        try (Progress progress = new Progress("counting", inputs)) {
            LineBlocks.read(inputs, progress, sinks);
        }
        TopBytes first = parts.get(0);
        parts.subList(1, WORKERS).forEach(first::merge);
        return Ranking.of(first, 0, BadRecords.refusedUnlessSkipped());
    }

    private void countLive(List<Input> inputs, KeyForm form, Ranking ranking) throws IOException {
        try (LiveTable table = new LiveTable(ranking);
                Progress progress = Progress.silent()) {
            reading.each(inputs, form, progress, entry -> {
                synchronized (ranking) {
                    ranking.add(entry);
                }
            });
        }
    }
}
