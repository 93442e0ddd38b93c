package dev.perhaps.cli;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.io.Figures;
import dev.perhaps.io.Frame;
import dev.perhaps.membership.HashFilter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps filter check}: what of the input is perhaps in the set, or definitely not. */
@Command(
        name = "check",
        description = {
            "Prints what is perhaps in the set; with --absent, what definitely is not.",
            "Of sequences (kmers:K) it prints each with the share of its k-mers that is known.",
            "Exit code 0 if something was found, 1 if nothing.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  echo perhaps | perhaps filter check words.filter",
            "  perhaps filter check seen.filter today.log --absent > new.log",
            "  perhaps filter check words.filter essay.txt --count"
        },
        mixinStandardHelpOptions = true)
final class FilterCheck implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "FILTER", description = "The filter's file.")
    @SuppressWarnings("NullAway.Init") // required
    private Path file;

    @Parameters(
            index = "1..*",
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to ask for, also .gz and .zst; standard input if none.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = "--keys",
            paramLabel = "FORM",
            description = "How keys stand in the input; as the filter was built if not said.")
    private @Nullable String keys;

    @ArgGroup
    private Show show = new Show();

    @Option(
            names = "--known",
            paramLabel = "SHARE",
            description = "Sequences only: known from which share of known k-mers on; 0.5 if not said.")
    private double leastShare = 0.5;

    @Option(names = "--json", description = "Print one JSON object a record; with --count, one object.")
    private boolean json;

    private static final class Show {
        @Option(names = "--absent", description = "Print what definitely is not in the set.")
        private boolean absent;

        @Option(names = "--count", description = "Print numbers only.")
        private boolean count;
    }

    private long asked;
    private long found;
    private double falselyExpected;

    @Override
    public Integer call() throws IOException {
        Frame frame = Perhaps.look(file);
        KeyForm form = form(frame.keyName(), frame.seed(), file, keys);
        List<Input> inputs = Input.all(inputNames);
        HashFilter<?> filter = Perhaps.openFilter(file, form.key());
        if (form.manyKeysEach()) {
            return callForShares(form, inputs, filter);
        }
        double error = filter.errorNow();
        try (Progress progress = new Progress("asking", inputs)) {
            for (Input input : inputs) {
                boolean[] first = {true};
                try (Input.Open open = input.open(progress)) {
                    form.ask(input.name(), open.stream(), entry -> {
                        if (first[0] && !json && !show.count && !form.header().isEmpty()) {
                            Console.println(form.header());
                        }
                        first[0] = false;
                        // Each hash of a record is a chance to err.
                        falselyExpected += 1 - Math.pow(1 - error, entry.hashCount());
                        answer(entry, contains(filter, entry));
                    });
                }
            }
        }
        if (show.count) {
            printCounts(asked == 0 ? error : falselyExpected / asked);
        }
        boolean something = show.absent ? asked > found : found > 0;
        return something ? Main.DONE : Main.NOTHING_FOUND;
    }

    private int callForShares(KeyForm form, List<Input> inputs, HashFilter<?> filter) throws IOException {
        if (!(leastShare > 0 && leastShare <= 1)) {
            throw new BadInput("--known must be in (0, 1], got " + leastShare);
        }
        ShareCheck check = new ShareCheck(filter, leastShare);
        try (Progress progress = new Progress("asking", inputs)) {
            for (Input input : inputs) {
                try (Input.Open open = input.open(progress)) {
                    form.ask(input.name(), open.stream(), piece -> {
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
        }
        if (show.count) {
            check.printCounts(json);
        }
        return (show.absent ? check.fresh() : check.known()) > 0 ? Main.DONE : Main.NOTHING_FOUND;
    }

    /** The form that was asked for, if it fits the filter; else the one in which the filter was built. */
    static KeyForm form(String keyName, long seed, Path file, @Nullable String keys) {
        if (keys == null) {
            return KeyForm.ofKeyName(keyName, seed);
        }
        KeyForm form = KeyForm.of(keys, seed);
        if (!form.key().fits(keyName, seed)) {
            throw new BadInput(file + " was built with keys '" + keyName + "', which --keys " + keys
                    + " does not fit: leave --keys out");
        }
        return form;
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
        Console.println("asked    " + Figures.count(asked));
        Console.println("perhaps  " + Figures.count(found) + "  (of those not in the set, " + Figures.percent(error)
                + " are expected here)");
        Console.println("absent   " + Figures.count(asked - found) + "  (certain)");
    }
}
