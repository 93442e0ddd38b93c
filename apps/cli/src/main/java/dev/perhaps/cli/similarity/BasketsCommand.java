package dev.perhaps.cli.similarity;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.engine.ActiveEngine;
import dev.perhaps.cli.engine.BasketSource;
import dev.perhaps.cli.engine.Engine;
import dev.perhaps.cli.engine.process.EngineOptions;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.BasketForm;
import dev.perhaps.cli.input.BasketItems;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.TableOptions;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.SkipBad;
import dev.perhaps.io.Figures;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.baskets.Baskets;
import dev.perhaps.similarity.baskets.CorrelatedItems;
import dev.perhaps.similarity.baskets.Correlations;
import dev.perhaps.similarity.baskets.Correlations.Pair;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps baskets}: items that are mostly in the same baskets. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "baskets",
        description = {
            "Prints the pairs of items that are mostly in the same baskets.",
            "Their Jaccard similarity is at least --threshold: the share of baskets with both items among the "
                    + "baskets with at least one of them. Rare items are found as well as frequent ones.",
            ""
        },
        footer = {
            "",
            "Output has one line per pair, the highest similarity first: item, item, Jaccard similarity, number of baskets"
                    + " with the first item, with the second, with both. All numbers are exact; of the pairs at the"
                    + " threshold, 1 in 100 may be missed (see --recall), above it fewer. Inputs are read twice; standard"
                    + " input is copied to a temporary file for that.",
            "",
            "Examples:",
            "  perhaps baskets --threshold 0.5 receipts.txt",
            "  perhaps baskets --threshold 0.8 --format csv:order,product orders.csv.gz",
            "  perhaps baskets --threshold 0.7 --format jsonl:cart.items log.jsonl --json"
        },
        mixinStandardHelpOptions = true)
public final class BasketsCommand implements Callable<Integer>, EngineOptions.OnSpark {
    /** How bands are chosen. */
    enum Bands {
        RECALL,
        LECTURE
    }

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst (default: standard input).")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = "--threshold",
            paramLabel = "T",
            required = true,
            description = "The smallest Jaccard similarity, in (0, 1].")
    private double threshold;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            completionCandidates = Formats.class,
            description = "What a basket is: a line of items (lines); a row of a table without a header (csv, tsv); all"
                    + " rows with the same value in column BASKET, with one item each (csv:BASKET,ITEM, tsv:BASKET,ITEM);"
                    + " a list in the JSON object on a line (jsonl:FIELD) (default: lines).")
    private String format = "lines";

    @Option(names = "--no-header", description = "csv:BASKET,ITEM and tsv: the first row is data, not a header.")
    private boolean noHeader;

    @Option(
            names = "--delimiter",
            paramLabel = "C",
            description = "csv: what separates columns, such as ';' or '\\t' (default: ,).")
    private @Nullable String delimiter;

    @Mixin
    private SkipBad skipBad = new SkipBad();

    @Option(
            names = "--separator",
            paramLabel = "S",
            description = "With lines: what separates items, such as , or \\t (default: spaces and tabs).")
    private @Nullable String separator;

    @Option(names = "--top", paramLabel = "N", description = "Print the N pairs with the highest similarity only.")
    private @Nullable String top;

    @Option(
            names = "--recall",
            paramLabel = "R",
            description = "The probability of finding a pair at the threshold, in (0, 1) (default: "
                    + CorrelatedItems.DEFAULT_RECALL + ").")
    private @Nullable Double recall;

    @Option(
            names = "--bands",
            paramLabel = "RULE",
            description = "How bands are chosen: recall, or lecture, the rule (k/r)·t^r ≈ 1 (default: recall).")
    private Bands bands = Bands.RECALL;

    @Option(
            names = "--components",
            paramLabel = "K",
            description = "Number of components of a signature (default: " + CorrelatedItems.DEFAULT_COMPONENTS + ").")
    private int components = CorrelatedItems.DEFAULT_COMPONENTS;

    @Option(names = "--jobs", paramLabel = "N", description = "Number of threads (default: number of processors).")
    private @Nullable Integer jobs;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "PAIRS",
            description = "Write the pairs here, not to standard output.")
    private @Nullable Output output;

    @Option(
            names = "--report",
            description = "Print to standard error the number of baskets, items, pairs, and pairs perhaps missed.")
    private boolean report;

    @Option(names = "--json", description = "Print one JSON object per pair, and the report as JSON.")
    private boolean json;

    @Mixin
    @SuppressWarnings("unused") // read before the command runs
    private EngineOptions engine = new EngineOptions();

    @Override
    public Integer call() throws IOException {
        CorrelatedItems search = search();
        long most = most();
        BasketForm form = form();
        if (output != null) {
            output.check();
        }
        Engine other = ActiveEngine.get();
        if (other == null) {
            findHere(form, search, most);
            return ExitCodes.DONE;
        }
        Engine.ItemSearch same = new Engine.ItemSearch(
                threshold,
                recall == null ? CorrelatedItems.DEFAULT_RECALL : recall,
                components,
                bands == Bands.LECTURE);
        try (Engine.ItemPairs found = other.correlations("searching", source(), same)) {
            found.findings().warnings().forEach(Console::warn);
            skipBad.records().add(found.findings().skipped(), found.findings().problems());
            tell(found, search, most);
        }
        return ExitCodes.DONE;
    }

    private void findHere(BasketForm form, CorrelatedItems search, long most) throws IOException {
        BasketItems items = new BasketItems(form, !json);
        List<Input> inputs = new ArrayList<>();
        try {
            List<Input> named = Input.all(inputNames);
            try (Progress progress = new Progress("reading", -1)) {
                for (Input input : named) {
                    inputs.add(input.twice(progress));
                }
            }
            Correlations found = search.run(new Twice(items, inputs, skipBad));
            tell(new FoundHere(found, items), search, most);
        } finally {
            for (Input input : inputs) {
                input.close();
            }
        }
    }

    private void tell(Engine.ItemPairs found, CorrelatedItems search, long most) throws IOException {
        skipBad.report();
        if (output != null) {
            output.write(out -> write(found, most, out));
        } else {
            write(found, most, Console.stream());
            Console.flush();
        }
        if (report) {
            report(found, search).forEach(Console::say);
        }
    }

    /** What cannot be searched for is refused too, before Spark is started for it. */
    @Override
    public void refuseForSpark() {
        if (jobs != null) {
            throw new BadInput("--jobs is not for Spark: use --master 'local[" + jobs + "]'");
        }
        Banding bandsToUse = search().banding();
        BasketForm formToRead = form();
        long mostToPrint = most();
        assert bandsToUse != null && formToRead != null && mostToPrint > 0;
    }

    private long most() {
        return top == null ? Long.MAX_VALUE : Amounts.count("--top", top);
    }

    private BasketSource source() {
        return new BasketSource(inputNames, format, separator, !noHeader, delimiter, skipBad.isSkipping(), !json);
    }

    private BasketForm form() {
        return BasketForm.of(
                format, separator, new TableOptions(!noHeader, delimiter, Console::warn), skipBad.records());
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
        private final SkipBad skipBad;
        private boolean again;

        Twice(BasketItems items, List<Input> inputs, SkipBad skipBad) {
            this.skipBad = skipBad;
            this.items = items;
            this.inputs = inputs;
        }

        @Override
        public void read(Baskets.Sink sink) throws IOException {
            skipBad.restart();
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

    /** The pairs that this process found. */
    private record FoundHere(Correlations found, BasketItems names) implements Engine.ItemPairs {
        @Override
        public long baskets() {
            return found.baskets();
        }

        @Override
        public long items() {
            return found.items();
        }

        @Override
        public long count() {
            return found.count();
        }

        @Override
        public double missedShare() {
            return found.missedShare();
        }

        @Override
        public Engine.Findings findings() {
            return new Engine.Findings(0, 0, List.of(), List.of());
        }

        @Override
        public void each(long most, Engine.ItemPairs.Sink sink) throws IOException {
            Iterator<Pair> pairs = found.pairs().iterator();
            for (long i = 0; i < most && pairs.hasNext(); i++) {
                Pair pair = pairs.next();
                sink.pair(
                        names.nameBytes(pair.a()),
                        names.nameBytes(pair.b()),
                        pair.jaccard(),
                        pair.supportA(),
                        pair.supportB(),
                        pair.common());
            }
        }

        @Override
        public void close() {
            // The memory is that of this process.
        }
    }

    private void write(Engine.ItemPairs found, long most, OutputStream out) throws IOException {
        found.each(most, (a, b, jaccard, supportA, supportB, common) -> {
            if (json) {
                String pair = Json.object(to -> {
                    to.writeStringField("a", new String(a, StandardCharsets.UTF_8));
                    to.writeStringField("b", new String(b, StandardCharsets.UTF_8));
                    to.writeNumberField("jaccard", jaccard);
                    to.writeNumberField("supportA", supportA);
                    to.writeNumberField("supportB", supportB);
                    to.writeNumberField("common", common);
                });
                out.write((pair + "\n").getBytes(StandardCharsets.UTF_8));
                return;
            }
            out.write(a);
            out.write('\t');
            out.write(b);
            String numbers = "\t" + jaccard + "\t" + supportA + "\t" + supportB + "\t" + common + "\n";
            out.write(numbers.getBytes(StandardCharsets.US_ASCII));
        });
    }

    private List<String> report(Engine.ItemPairs found, CorrelatedItems search) throws IOException {
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

    /** The beginnings of all formats, for shells to complete. */
    static final class Formats implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("lines", "csv", "csv:", "tsv", "tsv:", "jsonl:").iterator();
        }
    }
}
