package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.frequency.Bound;
import dev.perhaps.frequency.RangeCounts;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perhaps count range}: how many numbers are in a range. */
@Command(
        name = "range",
        description = {
            "Prints how many of the counted numbers are in a range, as a lower and an upper bound.",
            "FROM and TO are included. If both bounds are equal, it prints one number. The upper bound is "
                    + "certain, the lower bound holds with the confidence of the sketch.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps count range latencies.ranges 1000 5000",
            "  perhaps count range clients.ranges 10.0.0.0 10.255.255.255"
        },
        mixinStandardHelpOptions = true)
final class CountRange implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SKETCH", description = "The file of a sketch built with --ranges.")
    @SuppressWarnings("NullAway.Init") // required
    private SketchFile file;

    @Parameters(
            index = "1",
            paramLabel = "FROM",
            description = "The smallest number, also with decimals, or an " + "IPv4 address.")
    private String from = "";

    @Parameters(
            index = "2",
            paramLabel = "TO",
            description = "The largest number, also with decimals, or an " + "IPv4 address.")
    private String to = "";

    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    /** Needed to accept negative numbers, which look like options. */
    @Spec
    void setSpec(CommandSpec spec) {
        spec.parser().unmatchedOptionsArePositionalParams(true);
    }

    /** The number in the units of the sketch. */
    private static long whole(String name, BigDecimal number, int places, RoundingMode mode) {
        BigInteger value = number.movePointRight(places).setScale(0, mode).toBigIntegerExact();
        if (value.bitLength() >= Long.SIZE) {
            throw new BadInput(name + " must be a number of 64 bits, got " + number);
        }
        return value.longValue();
    }

    @Override
    public Integer call() throws IOException {
        BigDecimal start = NumberTally.parse("FROM", from);
        BigDecimal end = NumberTally.parse("TO", to);
        if (start.compareTo(end) > 0) {
            throw new BadInput("a range starts with its smallest number, got " + from + " to " + to);
        }
        NumberTally numbers = Tally.ranges(file);
        RangeCounts ranges = numbers.sketch();
        // Where whole numbers were counted, those from 1.5 to 3.5 are 2 and 3.
        int places = numbers.units().numbers();
        int amounts = numbers.units().amounts();
        long least = whole("FROM", start, places, RoundingMode.CEILING);
        long greatest = whole("TO", end, places, RoundingMode.FLOOR);
        // What lies outside of the universe was never counted.
        long first = Math.max(least, ranges.least());
        long last = Math.min(greatest, ranges.greatest());
        long estimate = first > last ? 0 : ranges.estimate(first, last);
        Bound bound = ranges.bound();
        if (!json) {
            Console.println(numbers.text(Tally.least(estimate, bound), estimate));
            return ExitCodes.DONE;
        }
        Console.println(Json.object(out -> {
            Json.number(out, "from", least, places);
            Json.number(out, "to", greatest, places);
            Json.number(out, "estimate", estimate, amounts);
            Json.number(out, "atLeast", Tally.least(estimate, bound), amounts);
            out.writeNumberField("confidence", bound.confidence());
        }));
        return ExitCodes.DONE;
    }
}
