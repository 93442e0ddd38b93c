package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.frequency.Bound;
import dev.perhaps.frequency.RangeCounts;
import dev.perhaps.io.Figures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps count quantile}: prints the number below which a share of all numbers lies. */
@Command(
        name = "quantile",
        description = {
            "Prints quantiles of the counted numbers: for each share Q, the number that this share of all "
                    + "numbers does not exceed.",
            ""
        },
        footer = {"", "Example:", "  perhaps count quantile latencies.ranges 0.5 0.9 0.99"},
        mixinStandardHelpOptions = true)
final class CountQuantile implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SKETCH", description = "The file of a sketch built with --ranges.")
    @SuppressWarnings("NullAway.Init") // required
    private SketchFile file;

    @Parameters(
            index = "1..*",
            paramLabel = "Q",
            arity = "1..*",
            description = "Shares from 0 to 1; 0.5 is the median.")
    private List<Double> shares = new ArrayList<>();

    @Option(names = "--json", description = "Print one JSON object per share.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        for (double share : shares) {
            if (!(share >= 0 && share <= 1)) {
                throw new BadInput("Q must be in [0, 1], got " + share);
            }
        }
        NumberTally numbers = Tally.ranges(file);
        RangeCounts ranges = numbers.sketch();
        int places = numbers.units().numbers();
        if (ranges.total() == 0) {
            throw new BadInput(file + " has counted nothing yet: there are no quantiles");
        }
        Bound bound = ranges.quantileBound();
        double error = bound.error() / ranges.total();
        for (double share : shares) {
            long value = ranges.quantile(share);
            if (json) {
                Console.println(Json.object(out -> {
                    out.writeNumberField("q", share);
                    Json.number(out, "value", value, places);
                    out.writeNumberField("error", error);
                    out.writeNumberField("confidence", bound.confidence());
                }));
            } else {
                Console.println(share + "  " + Console.count(value, places));
            }
        }
        if (!json) {
            Console.say("fewer than Q lie below these, and up to them at least Q less " + Figures.percent(error) + ", "
                    + Tally.confidence(bound));
        }
        return ExitCodes.DONE;
    }
}
