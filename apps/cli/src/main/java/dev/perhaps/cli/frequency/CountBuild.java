package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.engine.process.EngineOptions;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Decimals;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.input.Numbers;
import dev.perhaps.cli.input.Units;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.cli.options.InfoCommand;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.frequency.CountMin;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps count build}: counts everything in the input. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "build",
        description = {"Counts everything in the input, and writes the counts to a file.", ""},
        footer = {
            "",
            "A count is never too low, and too high by at most E times the total, with",
            "confidence 1 - D.",
            "",
            "Examples:",
            "  perhaps count build access.log --format word:7 -o visits.count",
            "  perhaps count build sales.csv --format csv:product --by amount -o sales.count",
            "  perhaps count build requests.csv --format csv:millis --ranges -o millis.ranges",
            "  perhaps count build prices.csv --format csv:price --ranges --decimals 2 \\",
            "      -o prices.ranges",
            "  zcat big.gz | perhaps count build --memory 64M --conservative -o big.count"
        },
        mixinStandardHelpOptions = true)
final class CountBuild implements Callable<Integer>, EngineOptions.OnSpark {
    /** Room for numbers that are added later: 8 times as large as the largest. */
    private static final int SPARE_BITS = 3;

    private static final double USUAL_DELTA = 0.01;
    private static final double USUAL_EPSILON = 0.001;
    private static final double USUAL_RANGE_EPSILON = 0.01;

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst (default: standard input).")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "SKETCH",
            required = true,
            description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Output output;

    @Option(
            names = "--epsilon",
            paramLabel = "E",
            description = "How far a count may be too high, as a share of the total (default: " + USUAL_EPSILON
                    + "; with --ranges: " + USUAL_RANGE_EPSILON + ").")
    private @Nullable Double epsilon;

    @Option(
            names = "--delta",
            paramLabel = "D",
            description = "The probability that a count is higher than that (default: " + USUAL_DELTA + ").")
    private double delta = USUAL_DELTA;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "The memory to use, as in 64M, instead of --epsilon.")
    private @Nullable String memory;

    @Option(
            names = "--cells",
            paramLabel = "BITS",
            description =
                    "Bits per counter: 8, 16, 32 or 64 (default: ${bundle:default.cells}; with --ranges: ${bundle:default.rangeCells}). A counter that is full stays full.")
    private @Nullable Integer cellBits;

    @Option(names = "--ranges", description = "Keys are numbers or IPv4 addresses, queried by range or quantile.")
    private boolean ranges;

    @Option(
            names = "--universe",
            paramLabel = "BITS",
            description = "With --ranges: numbers are below 2^BITS; fewer take less memory (default: "
                    + (1 << SPARE_BITS) + " times the largest in the input; any number for standard input).")
    private @Nullable Integer universe;

    @Option(
            names = "--conservative",
            description = "About half the error, for up to twice the time; merging it loses accuracy.")
    private boolean conservative;

    @Option(names = "--turnstile", description = "Negative amounts (--by) remove what was counted before.")
    private boolean turnstile;

    @Option(
            names = "--by",
            paramLabel = "FIELD",
            description =
                    "The field with the amount that a record counts, such as 3 or 12.50 (default: every record counts once).")
    private @Nullable String weight;

    @Mixin
    private DecimalsOption decimals = new DecimalsOption();

    @Option(names = "--json", description = "Print what was built as JSON.")
    private boolean json;

    @Mixin
    private RecordOptions reading = new RecordOptions();

    @Mixin
    private Overwrite overwrite = new Overwrite();

    @Mixin
    @SuppressWarnings("unused") // read before the command runs
    private EngineOptions engine = new EngineOptions();

    @Override
    public void refuseForSpark() {
        if (conservative || turnstile) {
            throw new BadInput((conservative ? "--conservative" : "--turnstile")
                    + " depends on the order of the records, which Spark does not keep: leave it out, or use"
                    + " --engine local");
        }
    }

    @Override
    public Integer call() throws IOException {
        List<Input> inputs = Input.all(inputNames);
        decimals.refuseWithout(weight != null || ranges, "--by or --ranges");
        return decimals.counting(inputs, reading, found -> count(inputs, found));
    }

    private int count(List<Input> inputs, Decimals found) throws IOException {
        KeyForm form = reading.form(weight, null, found);
        Tally tally = tally(form, inputs, found);
        tally.reads(found, weight);
        overwrite.check(output, tally.sketch().kind());
        reading.restart();
        tally.addAll(inputs, form, reading);
        output.save(tally.sketch());
        if (json) {
            output.report(InfoCommand.json(tally.sketch()));
        } else {
            tally.tell(output);
        }
        return ExitCodes.DONE;
    }

    private Tally tally(KeyForm form, List<Input> inputs, Decimals found) throws IOException {
        checkShare("--delta", delta);
        if (1 - delta == 1) {
            throw new BadInput("--delta must be at least 1e-16, got " + delta);
        }
        if (epsilon != null) {
            checkShare("--epsilon", epsilon);
        }
        if (ranges) {
            NumberTally.numbersIn(form);
            return new NumberTally(ranges(form, inputs, found));
        }
        if (universe != null) {
            throw new BadInput("--universe goes with --ranges");
        }
        return new KeyTally(counts(form, found));
    }

    private RangeCounts ranges(KeyForm form, List<Input> inputs, Decimals found) throws IOException {
        if (memory != null || conservative || turnstile) {
            throw new BadInput("--memory, --conservative and --turnstile do not go with --ranges:"
                    + " its size follows from --epsilon, --delta and --universe");
        }
        RangeCounts.Plan plan = RangeCounts.within(epsilon == null ? USUAL_RANGE_EPSILON : epsilon)
                .confidence(1 - delta)
                .cells(cells(CountMin.Cells.BITS_64))
                .of(units(found).on(Key.longs()));
        return plan.universe(universe == null ? universe(form, inputs, found) : universe)
                .build();
    }

    /** The bits of the largest number in the input, and some more for what is added later; all 64 if that cannot be known. */
    private int universe(KeyForm form, List<Input> inputs, Decimals found) throws IOException {
        if (!inputs.stream().allMatch(Input::rereadable)) {
            Console.say("planned for numbers of 64 bits: --universe BITS takes less memory if all are below 2^BITS");
            return Long.SIZE;
        }
        long[] bits = {0};
        try (Progress progress = new Progress("reading", inputs)) {
            for (Input input : inputs) {
                form.read(input, progress, entry -> {
                    long value = found.parseOrAddress(entry.keyBytes(), entry.keyFrom(), entry.keyTo());
                    // What is not a number is reported, or skipped, when it is counted.
                    bits[0] |= value == Numbers.NONE ? 0 : value;
                });
            }
        }
        int used = Long.SIZE - Long.numberOfLeadingZeros(bits[0]);
        int planned = used == Long.SIZE ? used : Math.min(Long.SIZE - 1, Math.max(1, used) + SPARE_BITS);
        Console.say("planned for numbers of " + planned + " bits"
                + (planned == Long.SIZE
                        ? ", since one is below zero"
                        : ": --universe " + Math.min(Long.SIZE, planned + 8)
                                + " allows larger ones to be added later"));
        return planned;
    }

    /** Numbers and amounts are counted to the same decimals; where there are no amounts, records count 1. */
    private Units units(Decimals found) {
        return new Units(ranges ? found.places() : 0, weight == null ? 0 : found.places());
    }

    private CountMin<?> counts(KeyForm form, Decimals found) {
        if (memory != null && epsilon != null) {
            throw new BadInput("--epsilon and --memory exclude each other: use one of them");
        }
        CountMin.Plan<?> plan = memory == null
                ? CountMin.within(epsilon == null ? USUAL_EPSILON : epsilon)
                : CountMin.memoryBytes(Amounts.bytes("--memory", memory));
        plan = plan.confidence(1 - delta)
                .cells(cells(CountMin.Cells.BITS_32))
                .of(units(found).on(form.key()));
        if (turnstile && conservative) {
            throw new BadInput("--conservative and --turnstile exclude each other:"
                    + " counts cannot be removed from a conservative sketch");
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

    private CountMin.Cells cells(CountMin.Cells usual) {
        if (cellBits == null) {
            return usual;
        }
        for (CountMin.Cells cells : CountMin.Cells.values()) {
            if (cells.bits() == cellBits) {
                return cells;
            }
        }
        throw new BadInput("--cells must be 8, 16, 32 or 64, got " + cellBits);
    }
}
