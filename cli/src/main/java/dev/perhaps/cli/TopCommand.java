package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.LineBlocks;
import dev.perhaps.frequency.TopBytes;
import dev.perhaps.frequency.TopK;
import dev.perhaps.io.Figures;
import java.io.IOException;
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
            "In the memory of 65,536 counters, however many different keys there are.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps top access.log --keys word:7 -k 20",
            "  perhaps top sales.csv --keys csv:product --by amount",
            "  zcat big.log.gz | perhaps top --json"
        },
        mixinStandardHelpOptions = true)
final class TopCommand implements Callable<Integer> {
    private static final int USUAL_COUNTERS = 1 << 16;
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
            names = "--counters",
            paramLabel = "N",
            description = "How many keys to keep count of; 65,536, and at least 20 K, if not said.")
    private @Nullable String counters;

    @Option(names = "--json", description = "Print one JSON object a key.")
    private boolean json;

    @Mixin
    private Reading reading = new Reading();

    @Override
    public Integer call() throws IOException {
        TopK.Plan<?> plan = plan();
        KeyForm form = reading.form(weight, null);
        if (!form.keepsKeys()) {
            throw new BadInput("keys of the form '" + form.key().name()
                    + "' are not kept as text: use lines, csv:COLUMN, jsonl:FIELD or word:N");
        }
        List<Input> inputs = Input.all(inputNames);
        TopBytes top = form.isLines() ? countLines(inputs, plan) : countRecords(inputs, form, plan);
        TopTable.print(top.top(), json);
        tell(top);
        return Main.DONE;
    }

    private TopK.Plan<?> plan() {
        long most = Amounts.count("-k", k);
        TopK.Plan<?> plan = TopK.of((int) Math.min(Integer.MAX_VALUE, most));
        long room =
                counters != null ? Amounts.count("--counters", counters) : Math.max(USUAL_COUNTERS, plan.capacity());
        return plan.capacity((int) Math.min(Integer.MAX_VALUE, room));
    }

    private static TopBytes countLines(List<Input> inputs, TopK.Plan<?> plan) throws IOException {
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
        return first;
    }

    private TopBytes countRecords(List<Input> inputs, KeyForm form, TopK.Plan<?> plan) throws IOException {
        TopBytes top = TopBytes.of(plan);
        reading.each(inputs, form, "counting", entry -> add(top, entry));
        return top;
    }

    private static void add(TopBytes top, Entry entry) {
        try {
            top.add(entry.keyBytes(), entry.keyFrom(), entry.keyTo(), entry.weight());
        } catch (IllegalArgumentException e) {
            throw new BadInput(entry.where() + ": " + e.getMessage());
        }
    }

    private static void tell(TopBytes top) {
        Console.say("of " + Figures.count(top.total()) + " in total; "
                + (top.missed() == 0
                        ? "every key was kept count of"
                        : "what is not shown came at most " + Figures.count(top.missed())
                                + " times, or is below these"));
    }
}
