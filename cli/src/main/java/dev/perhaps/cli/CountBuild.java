package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.frequency.Cells;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.io.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps count build}: counts everything in the input. */
@Command(
        name = "build",
        description = {"Counts everything in the input, and writes the counts to a file.", ""},
        footer = {
            "",
            "A count is never too low, and too high by at most E times the total, with confidence 1 - D.",
            "",
            "Examples:",
            "  perhaps count build access.log --keys word:7 -o visits.count",
            "  perhaps count build sales.csv --keys csv:product --by amount --epsilon 0.0001 -o sales.count",
            "  perhaps count build requests.csv --keys csv:millis --ranges --universe 24 -o latencies.ranges",
            "  zcat big.gz | perhaps count build --memory 64M --conservative -o big.count"
        },
        mixinStandardHelpOptions = true)
final class CountBuild implements Callable<Integer> {
    private static final double USUAL_EPSILON = 0.001;
    private static final double USUAL_RANGE_EPSILON = 0.01;

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst; standard input if none.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "SKETCH",
            required = true,
            description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Path output;

    @Option(
            names = "--epsilon",
            paramLabel = "E",
            description = "How far a count may be too high, as a share of the total; 0.001 (0.01 with --ranges).")
    private @Nullable Double epsilon;

    @Option(
            names = "--delta",
            paramLabel = "D",
            description = "The chance that a count is higher than that; 0.01 if not said.")
    private double delta = 0.01;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "The memory to use, as in 64M, instead of --epsilon.")
    private @Nullable String memory;

    @Option(
            names = "--cells",
            paramLabel = "BITS",
            description = "Bits of a counter: 8, 16, 32 or 64; 32 (64 with --ranges). One that is full stays full.")
    private @Nullable Integer cellBits;

    @Option(
            names = "--ranges",
            description = "Keys are whole numbers or IPv4 addresses, asked for by range or quantile.")
    private boolean ranges;

    @Option(
            names = "--universe",
            paramLabel = "BITS",
            description = "With --ranges: numbers are below 2^BITS, and take less memory; any 64-bit ones if not said.")
    private @Nullable Integer universe;

    @Option(
            names = "--conservative",
            description = "About half the error, for up to twice the time; cannot be merged as exactly.")
    private boolean conservative;

    @Option(names = "--turnstile", description = "Counts below zero (--by) take back what was counted before.")
    private boolean turnstile;

    @Option(names = "--by", paramLabel = "FIELD", description = "The field that says how much a record counts; else 1.")
    private @Nullable String weight;

    @Option(names = "--json", description = "Print what was built as JSON.")
    private boolean json;

    @Mixin
    private Reading reading = new Reading();

    @Override
    public Integer call() throws IOException {
        WholeFile.check(output);
        KeyForm form = reading.form(weight, null);
        Tally tally = tally(form);
        reading.each(Input.all(inputNames), form, "counting", entry -> tally.add(entry, reading));
        tally.sketch().save(output);
        if (json) {
            Console.println(FilterInfo.json(tally.sketch()));
        } else {
            tally.tell(output);
        }
        return Main.DONE;
    }

    private Tally tally(KeyForm form) {
        checkShare("--delta", delta);
        if (epsilon != null) {
            checkShare("--epsilon", epsilon);
        }
        if (ranges) {
            NumberTally.numbersIn(form);
            return new NumberTally(ranges());
        }
        if (universe != null) {
            throw new BadInput("--universe goes with --ranges");
        }
        return new KeyTally(counts(form));
    }

    private RangeCounts ranges() {
        if (memory != null || conservative || turnstile) {
            throw new BadInput("--memory, --conservative and --turnstile do not go with --ranges:"
                    + " its size follows from --epsilon, --delta and --universe");
        }
        RangeCounts.Plan plan = RangeCounts.within(epsilon == null ? USUAL_RANGE_EPSILON : epsilon)
                .confidence(1 - delta)
                .cells(cells(Cells.BITS_64));
        return universe == null ? plan.build() : plan.universe(universe).build();
    }

    private CountMin<?> counts(KeyForm form) {
        if (memory != null && epsilon != null) {
            throw new BadInput("say --epsilon or --memory, not both");
        }
        CountMin.Plan<?> plan = memory == null
                ? CountMin.within(epsilon == null ? USUAL_EPSILON : epsilon)
                : CountMin.inMemory(Amounts.bytes("--memory", memory));
        plan = plan.confidence(1 - delta).cells(cells(Cells.BITS_32)).of(form.key());
        if (turnstile && conservative) {
            throw new BadInput("--conservative cannot take back: leave it or --turnstile out");
        }
        if (turnstile) {
            return plan.turnstile().build();
        }
        return conservative ? plan.conservative().build() : plan.build();
    }

    private static void checkShare(String option, double share) {
        if (!(share > 0 && share < 1)) {
            throw new BadInput(option + " must be in (0, 1), got " + share);
        }
    }

    private Cells cells(Cells usual) {
        if (cellBits == null) {
            return usual;
        }
        for (Cells cells : Cells.values()) {
            if (cells.bits() == cellBits) {
                return cells;
            }
        }
        throw new BadInput("--cells must be 8, 16, 32 or 64, got " + cellBits);
    }
}
