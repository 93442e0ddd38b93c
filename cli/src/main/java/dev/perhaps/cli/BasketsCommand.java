package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.BasketForm;
import dev.perhaps.cli.input.BasketItems;
import dev.perhaps.cli.input.Input;
import dev.perhaps.io.Figures;
import dev.perhaps.io.WholeFile;
import dev.perhaps.similarity.Baskets;
import dev.perhaps.similarity.CorrelatedItems;
import dev.perhaps.similarity.Correlations;
import dev.perhaps.similarity.Correlations.Pair;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps baskets}: items that are mostly in the same baskets. */
@Command(
        name = "baskets",
        description = {
            "Prints the pairs of items that are mostly in the same baskets, rare items as well as frequent ones.",
            "Of the baskets with one of the two, at least the share --threshold has both (their Jaccard similarity).",
            ""
        },
        footer = {
            "",
            "A line a pair: item, item, Jaccard similarity, baskets with the first, with the second, with both; the highest",
            "similarity first. All numbers are exact; of the pairs at the threshold, 1 in 100 may be missed (--recall), above",
            "it fewer. Inputs are read twice; standard input is copied to a temporary file for that.",
            "",
            "Examples:",
            "  perhaps baskets --threshold 0.5 receipts.txt",
            "  perhaps baskets --threshold 0.8 --format csv:order,product orders.csv.gz --top 100",
            "  zcat log.gz | perhaps baskets --threshold 0.7 --format jsonl:cart.items --json --report"
        },
        mixinStandardHelpOptions = true)
final class BasketsCommand implements Callable<Integer> {
    /** How bands are chosen. */
    enum Bands {
        RECALL,
        LECTURE
    }

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst; standard input if none.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = "--threshold",
            paramLabel = "T",
            required = true,
            description = "The least Jaccard similarity, in (0, 1].")
    private double threshold;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = {
                "What a basket is: a line of items (lines); a row of CSV (csv); all rows of CSV with the same BASKET, one"
                        + " item in each (csv:BASKET,ITEM); a list in a JSON object a line (jsonl:FIELD). lines if not said."
            })
    private String format = "lines";

    @Option(
            names = "--separator",
            paramLabel = "S",
            description = "Of lines, what stands between items, such as , or \\t; spaces and tabs if not said.")
    private @Nullable String separator;

    @Option(names = "--top", paramLabel = "N", description = "Print the N pairs with the highest similarity only.")
    private @Nullable String top;

    @Option(
            names = "--recall",
            paramLabel = "R",
            description = "The chance to find a pair at the threshold, in (0, 1); 0.99 if not said.")
    private @Nullable Double recall;

    @Option(
            names = "--bands",
            paramLabel = "RULE",
            description = "Bands by recall, or by the lectures' rule, (k/r)·t^r ≈ 1; recall if not said.")
    private Bands bands = Bands.RECALL;

    @Option(names = "--components", paramLabel = "K", description = "Components of a signature; 128 if not said.")
    private int components = 128;

    @Option(names = "--jobs", paramLabel = "N", description = "Threads; one a processor if not said.")
    private @Nullable Integer jobs;

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "PAIRS",
            description = "Write the pairs here, not to standard output.")
    private @Nullable Path output;

    @Option(
            names = "--report",
            description = "Say on standard error how many baskets, items and pairs there are, and perhaps missed.")
    private boolean report;

    @Option(names = "--json", description = "The pairs as JSON, an object a line, and the report too.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        CorrelatedItems search = search();
        long most = top == null ? Long.MAX_VALUE : Amounts.count("--top", top);
        BasketItems items = new BasketItems(BasketForm.of(format, separator), !json);
        if (output != null) {
            WholeFile.check(output);
        }
        List<Input> inputs = new ArrayList<>();
        try {
            List<Input> named = Input.all(inputNames);
            try (Progress progress = new Progress("reading", -1)) {
                for (Input input : named) {
                    inputs.add(input.twice(progress));
                }
            }
            Correlations found = search.run(new Twice(items, inputs));
            if (output != null) {
                WholeFile.write(output, out -> write(found, items, most, out));
            } else {
                write(found, items, most, Console.stream());
                Console.flush();
            }
            if (report) {
                report(found, search).forEach(Console::say);
            }
        } finally {
            for (Input input : inputs) {
                input.close();
            }
        }
        return Main.DONE;
    }

    private CorrelatedItems search() {
        CorrelatedItems search = CorrelatedItems.atLeast(threshold).components(components);
        if (bands == Bands.LECTURE) {
            if (recall != null) {
                throw new BadInput("--recall " + recall + " and --bands lecture are two rules: use one of them");
            }
            search = search.lecture();
        } else if (recall != null) {
            search = search.recall(recall);
        }
        return jobs == null ? search : search.threads(jobs);
    }

    /** The baskets, with a line of progress for each time that they are read. */
    private static final class Twice implements Baskets {
        private final BasketItems items;
        private final List<Input> inputs;
        private boolean again;

        Twice(BasketItems items, List<Input> inputs) {
            this.items = items;
            this.inputs = inputs;
        }

        @Override
        public void read(Sink sink) throws IOException {
            try (Progress progress = new Progress(again ? "counting" : "reading", inputs)) {
                items.read(inputs, progress, sink);
            }
            again = true;
        }

        @Override
        public long hash(int item) {
            return items.hash(item);
        }

        @Override
        public int compare(int a, int b) {
            return items.compare(a, b);
        }
    }

    private void write(Correlations found, BasketItems items, long most, OutputStream out) throws IOException {
        Iterator<Pair> pairs = found.pairs().iterator();
        for (long i = 0; i < most && pairs.hasNext(); i++) {
            Pair pair = pairs.next();
            if (json) {
                out.write((object(pair, items) + "\n").getBytes(StandardCharsets.UTF_8));
                continue;
            }
            out.write(items.nameBytes(pair.a()));
            out.write('\t');
            out.write(items.nameBytes(pair.b()));
            String numbers = "\t" + pair.jaccard() + "\t" + pair.supportA() + "\t" + pair.supportB() + "\t"
                    + pair.common() + "\n";
            out.write(numbers.getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static String object(Pair pair, BasketItems items) throws IOException {
        return Json.object(to -> {
            to.writeStringField("a", items.name(pair.a()));
            to.writeStringField("b", items.name(pair.b()));
            to.writeNumberField("jaccard", pair.jaccard());
            to.writeNumberField("supportA", pair.supportA());
            to.writeNumberField("supportB", pair.supportB());
            to.writeNumberField("common", pair.common());
        });
    }

    private List<String> report(Correlations found, CorrelatedItems search) throws IOException {
        if (json) {
            return List.of(Json.object(to -> {
                to.writeNumberField("baskets", found.baskets());
                to.writeNumberField("items", found.items());
                to.writeNumberField("pairs", found.count());
                to.writeNumberField("missedShare", found.missedShare());
                to.writeNumberField("bands", search.banding().bands());
                to.writeNumberField("rows", search.banding().rows());
            }));
        }
        return List.of(
                "baskets  " + Figures.count(found.baskets()),
                "items    " + Figures.count(found.items()),
                "pairs    " + Figures.count(found.count()) + "  (estimated to be missed: "
                        + Figures.percent(found.missedShare()) + " of all from " + threshold + " on)",
                "bands    " + search.banding());
    }
}
