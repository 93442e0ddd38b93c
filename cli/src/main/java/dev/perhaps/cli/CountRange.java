package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.frequency.Bound;
import dev.perhaps.frequency.RangeCounts;
import java.io.IOException;
import java.nio.file.Path;
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
            "Prints how many numbers from FROM to TO, both included, were counted: at least and at most, or one",
            "number where these are equal. The second is certain, the first holds with the sketch's confidence.",
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
    private Path file;

    @Parameters(index = "1", paramLabel = "FROM", description = "The least number, or an IPv4 address.")
    private String from = "";

    @Parameters(index = "2", paramLabel = "TO", description = "The greatest number, or an IPv4 address.")
    private String to = "";

    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    /** A number below zero looks like an option, and is none. */
    @Spec
    void setSpec(CommandSpec spec) {
        spec.parser().unmatchedOptionsArePositionalParams(true);
    }

    @Override
    public Integer call() throws IOException {
        long least = NumberTally.parse("FROM", from);
        long greatest = NumberTally.parse("TO", to);
        if (least > greatest) {
            throw new BadInput("a range starts with its least number, got " + from + " to " + to);
        }
        RangeCounts ranges = Tally.ranges(file);
        // What lies outside of the universe was never counted.
        long first = Math.max(least, ranges.least());
        long last = Math.min(greatest, ranges.greatest());
        long estimate = first > last ? 0 : ranges.estimate(first, last);
        Bound bound = ranges.bound();
        if (!json) {
            Console.println(Tally.text(Tally.least(estimate, bound), estimate));
            return Main.DONE;
        }
        Console.println(Json.object(out -> {
            out.writeNumberField("from", least);
            out.writeNumberField("to", greatest);
            out.writeNumberField("estimate", estimate);
            out.writeNumberField("atLeast", Tally.least(estimate, bound));
            out.writeNumberField("confidence", bound.confidence());
        }));
        return Main.DONE;
    }
}
