package dev.perhaps.cli.options;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.console.Printable;
import dev.perhaps.cli.input.Numbers;
import dev.perhaps.cli.input.Units;
import dev.perhaps.io.Figures;
import dev.perhaps.sketch.Description;
import dev.perhaps.sketch.Sketch;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps info}: what a file of any kind holds, how full it is and how far it errs. */
@Command(
        name = "info",
        description = {
            "Prints the kind of a sketch, its settings, what it holds, and its current error. Works for any " + "kind.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps info words.filter",
            "  perhaps info visits.count --json",
            "  cat words.filter | perhaps info -"
        },
        mixinStandardHelpOptions = true)
public final class InfoCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SKETCH", description = "A file, a pipe, or - for standard input.")
    @SuppressWarnings("NullAway.Init") // required
    private SketchFile file;

    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    @Mixin
    private AtOption at = new AtOption();

    @Override
    public Integer call() throws IOException {
        Sketch sketch = at.of(file.open(), file);
        Console.print(json ? json(sketch) + "\n" : Printable.lines(text(inUnits(sketch.describe()))));
        return ExitCodes.DONE;
    }

    /** One fact per line; what a program reads has plain numbers. */
    private static String text(Description description) {
        List<Description.Fact> facts = new ArrayList<>();
        for (Description.Fact fact : description.facts()) {
            boolean number = fact.value() instanceof Number;
            facts.add(new Description.Fact(
                    fact.name(), fact.value(), number ? Console.figure(fact.text()) : fact.text()));
        }
        return new Description(description.kind(), facts).toString();
    }

    /** Amounts that are counted in hundredths are printed as they were read. */
    private static Description inUnits(Description description) {
        String key = description.facts().stream()
                .filter(fact -> fact.name().equals("key"))
                .map(fact -> fact.value().toString())
                .findFirst()
                .orElse("");
        int places = Units.of(key).amounts();
        if (places == 0) {
            return description;
        }
        List<Description.Fact> facts = new ArrayList<>();
        for (Description.Fact fact : description.facts()) {
            if (fact.name().equals("total") && fact.value() instanceof Long total) {
                facts.add(new Description.Fact(
                        "total", BigDecimal.valueOf(total, places), Console.spoken(total, places)));
            } else if (fact.name().equals("errorNow") && fact.value() instanceof Double error) {
                double scaled = error / Numbers.powerOfTen(places);
                String text = Figures.significant(scaled) + fact.text().replaceFirst("^\\S+", "");
                facts.add(new Description.Fact("errorNow", scaled, text));
            } else {
                facts.add(fact);
            }
        }
        return new Description(description.kind(), facts);
    }

    /** All facts as one JSON object on one line. */
    public static String json(Sketch sketch) throws IOException {
        return Json.object(out -> {
            Json.field(out, "kind", sketch.kind().word());
            for (Description.Fact fact : inUnits(sketch.describe()).facts()) {
                Json.field(out, fact.name(), fact.value());
            }
        });
    }
}
