package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.LineBlocks;
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

/** {@code perhaps top}: what came most often. */
@Command(
        name = "top",
        description = {
            "Prints what comes most often, each with its count: exact, or from at least to at most.",
            "In the memory of 16,384 counters, however many different keys there are.",
            "From standard input it is shown on the terminal while it is counted.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps top access.log --keys word:7 -k 20",
            "  perhaps top sales.csv --keys csv:product --by amount",
            "  perhaps top access.log --keys word:7 --time 4 --last 1h",
            "  tail -f access.log | perhaps top --keys word:1 --last 10m"
        },
        mixinStandardHelpOptions = true)
final class TopCommand implements Callable<Integer> {
    /** Enough for exact counts at the top of a skewed log, and few enough for the processor's cache. */
    private static final int USUAL_COUNTERS = 1 << 14;

    private static final int USUAL_COUNTERS_OF_A_PANE = 1 << 13;
    private static final int MOST_USUAL_COUNTERS = 1 << 24;
    /** Not as many as there are cores: the answer must not depend on the machine. */
    private static final int WORKERS = 2;

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst; standard input if none.")
    private List<String> inputNames = new ArrayList<>();

    @Option(names = "-k", paramLabel = "K", description = "How many to print; 10 if not said.")
    private String k = "10";

    @Option(
            names = "--by",
            paramLabel = "FIELD",
            description = "The column, field or word that says how much a record counts; each counts 1 if not said.")
    private @Nullable String weight;

    @Option(
            names = "--last",
            paramLabel = "TIME",
            description = "Only the last so much, as in 10m (s, m, h, d): before the newest --time, or by arrival.")
    private @Nullable String last;

    @Option(names = "--time", paramLabel = "FIELD", description = "The field that says when a record was, for --last.")
    private @Nullable String time;

    @Option(
            names = "--counters",
            paramLabel = "N",
            description = "How many keys to keep count of; 16,384 (8,192 in each tenth of --last), and at least 100 K.")
    private @Nullable String counters;

    @Option(names = "--json", description = "Print one JSON object a key.")
    private boolean json;

    @Mixin
    private Reading reading = new Reading();

    @Override
    public Integer call() throws IOException {
        if (time != null && last == null) {
            throw new BadInput("--time goes with --last, as in --last 10m");
        }
        int most = (int) Math.min(Integer.MAX_VALUE, Amounts.count("-k", k));
        TopK.Plan<?> plan = plan(most);
        KeyForm form = reading.form(weight, time);
        if (!form.keepsKeys()) {
            throw new BadInput("keys of the form '" + form.key().name()
                    + "' are not kept as text: use lines, csv:COLUMN, jsonl:FIELD or word:N");
        }
        List<Input> inputs = Input.all(inputNames);
        boolean live = Console.isWatched() && !inputs.stream().allMatch(Input::rereadable);
        Ranking ranking = last != null
                ? window(most, plan.capacity(), Amounts.duration("--last", last))
                : form.isLines() && !live ? countLines(inputs, plan) : Ranking.of(TopBytes.of(plan));
        if (live) {
            countLive(inputs, form, ranking);
        } else if (last != null || !form.isLines()) {
            reading.each(inputs, form, "counting", ranking::add);
        }
        TopTable.print(ranking.top(), json);
        Console.say(ranking.summary());
        return Main.DONE;
    }

    private TopK.Plan<?> plan(int most) {
        TopK.Plan<?> plan = TopK.of(most);
        int usual = last == null ? USUAL_COUNTERS : USUAL_COUNTERS_OF_A_PANE;
        long room = counters != null
                ? Amounts.count("--counters", counters)
                : Math.max(plan.capacity(), Math.max(usual, Math.min(MOST_USUAL_COUNTERS, 100L * most)));
        return plan.capacity((int) Math.min(Integer.MAX_VALUE, room));
    }

    private Ranking window(int most, int capacity, Duration window) {
        return Ranking.of(
                SlidingTopK.last(window)
                        .k(most)
                        .capacity(capacity)
                        .of(Key.bytes())
                        .build(),
                time == null);
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
        return Ranking.of(first);
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
