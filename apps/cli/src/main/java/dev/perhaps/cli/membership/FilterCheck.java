package dev.perhaps.cli.membership;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.cli.input.HashedLines;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.LineBlock;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.AtOption;
import dev.perhaps.cli.options.KeyOption;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps filter check}: what of the input is perhaps in the set, or definitely not. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "check",
        description = {
            "Prints what is perhaps in the set; with --absent, what definitely is not.",
            "Sequences (kmers:K) are printed with the share of their k-mers that is known. Exit code 0 if something was"
                    + " found, 1 if nothing.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  echo perhaps | perhaps filter check words.filter",
            "  perhaps filter check seen.filter today.log --absent > new.log",
            "  perhaps filter check words.filter essay.txt --count",
            "  perhaps filter check words.filter --key apple && echo perhaps"
        },
        mixinStandardHelpOptions = true)
final class FilterCheck implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "FILTER",
            description = "The filter: a file, a pipe, or - for standard input.")
    @SuppressWarnings("NullAway.Init") // required
    private SketchFile file;

    @Parameters(
            index = "1..*",
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to look up, also .gz and .zst (default: standard input).")
    private List<String> inputNames = new ArrayList<>();

    @Mixin
    private RecordOptions reading = new RecordOptions();

    @Mixin
    private KeyOption keys = new KeyOption();

    @Mixin
    private AtOption at = new AtOption();

    @ArgGroup
    private Show show = new Show();

    @Option(
            names = "--known",
            paramLabel = "SHARE",
            description = "Sequences only: a sequence counts as known if at least this share of its k-mers is known"
                    + " (default: ${DEFAULT-VALUE}).")
    private double leastShare = 0.5;

    @Option(names = "--json", description = "Print one JSON object per record; with --count, one object.")
    private boolean json;

    private static final class Show {
        @Option(names = "--absent", description = "Print what definitely is not in the set.")
        private boolean absent;

        @Option(names = "--count", description = "Print only the numbers of records looked up, found and absent.")
        private boolean count;
    }

    private long asked;
    private long found;
    private double falselyExpected;
    /** The header that was printed last; tables with the same header are printed as one. */
    private String header = "";

    @Override
    public Integer call() throws IOException {
        if (!(leastShare > 0 && leastShare <= 1)) {
            throw new BadInput("--known must be in (0, 1], got " + leastShare);
        }
        if (keys.isGiven(inputNames, reading)) {
            return callForKeys();
        }
        List<Input> inputs = Input.all(inputNames);
        file.refuseAsInput(inputs);
        HashFilter<?> filter = at.of(Filters.open(file), file);
        KeyForm form = reading.formFor(file, filter.key());
        if (form.manyKeysEach()) {
            return callForShares(form, inputs, filter);
        }
        double error = filter.errorNow();
        Key.Bytes lineKey = form.lineKey();
        try (Progress progress = new Progress("asking", inputs)) {
            for (Input input : inputs) {
                if (lineKey != null && !json) {
                    HashedLines.read(input, progress, lineKey, block -> ask(filter, block), block -> {
                        falselyExpected += block.count() * falselyFound(error, 1);
                        asked += block.count();
                        found += block.found();
                        Console.print(block.chosen(), 0, block.chosenLength());
                    });
                    continue;
                }
                form.ask(input, progress, entry -> {
                    if (!json && !show.count && !form.header().equals(header)) {
                        header = form.header();
                        Console.println(header);
                    }
                    falselyExpected += falselyFound(error, entry.hashCount());
                    answer(entry, contains(filter, entry));
                });
            }
        }
        reading.tellSkipped();
        return finish(error);
    }

    /** The chance that a record that is not there is found: each of its hashes is a chance to err. */
    private static double falselyFound(double error, int hashes) {
        return 1 - Math.pow(1 - error, hashes);
    }

    /** Looks up the lines of a block, and chooses those that are printed. Several threads may do so: nothing is changed. */
    private void ask(HashFilter<?> filter, LineBlock block) {
        long[] answerBits = new long[(block.count() + Long.SIZE - 1) / Long.SIZE];
        block.found(filter.mightContainHashes(block.hashes(), 0, block.count(), answerBits));
        if (show.count) {
            return;
        }
        for (int i = 0; i < block.count(); i++) {
            boolean perhaps = (answerBits[i / Long.SIZE] >>> i & 1) != 0;
            if (perhaps != show.absent) {
                block.choose(i);
            }
        }
    }

    private int finish(double error) throws IOException {
        if (show.count) {
            printCounts(asked == 0 ? error : falselyExpected / asked);
        }
        boolean something = show.absent ? asked > found : found > 0;
        return something ? ExitCodes.DONE : ExitCodes.NOTHING_FOUND;
    }

    private int callForKeys() throws IOException {
        HashFilter<?> filter = at.of(Filters.open(file), file);
        double error = filter.errorNow();
        keys.each(filter.key(), entry -> {
            falselyExpected += falselyFound(error, entry.hashCount());
            answer(entry, contains(filter, entry));
        });
        return finish(error);
    }

    private int callForShares(KeyForm form, List<Input> inputs, HashFilter<?> filter) throws IOException {
        ShareCheck check = new ShareCheck(filter, leastShare);
        try (Progress progress = new Progress("asking", inputs)) {
            for (Input input : inputs) {
                form.ask(input, progress, piece -> {
                    if (!check.take(piece)) {
                        return;
                    }
                    if (!show.count && !(show.absent && check.isKnown())) {
                        Console.println(json ? check.json(piece) : check.line(piece));
                    }
                    check.next();
                });
            }
        }
        reading.tellSkipped();
        if (show.count) {
            check.printCounts(json);
        }
        return (show.absent ? check.fresh() : check.known()) > 0 ? ExitCodes.DONE : ExitCodes.NOTHING_FOUND;
    }

    private static boolean contains(HashFilter<?> filter, Entry entry) {
        for (int i = 0; i < entry.hashCount(); i++) {
            if (filter.mightContainHash(entry.hashes()[i])) {
                return true;
            }
        }
        return false;
    }

    private void answer(Entry entry, boolean perhaps) throws IOException {
        asked++;
        found += perhaps ? 1 : 0;
        if (show.count) {
            return;
        }
        if (json) {
            String text = new String(entry.bytes(), entry.from(), entry.to() - entry.from(), StandardCharsets.UTF_8);
            Console.println(Json.object(out -> {
                out.writeStringField("record", text);
                out.writeBooleanField("perhaps", perhaps);
            }));
        } else if (perhaps != show.absent) {
            Console.print(entry.bytes(), entry.from(), entry.to());
            Console.print("\n");
        }
    }

    private void printCounts(double error) throws IOException {
        if (json) {
            Console.println(Json.object(out -> {
                out.writeNumberField("asked", asked);
                out.writeNumberField("perhaps", found);
                out.writeNumberField("absent", asked - found);
                out.writeNumberField("error", error);
            }));
            return;
        }
        Console.println("asked    " + Console.count(asked));
        Console.println("perhaps  " + Console.count(found) + "  (expect " + Figures.percent(error)
                + " of the absent ones among them)");
        Console.println("absent   " + Console.count(asked - found) + "  (certain)");
    }
}
