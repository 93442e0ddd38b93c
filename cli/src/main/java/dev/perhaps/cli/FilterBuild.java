package dev.perhaps.cli;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.io.Figures;
import dev.perhaps.io.Kind;
import dev.perhaps.io.WholeFile;
import dev.perhaps.key.Key;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.Sizing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps filter build}: a filter of everything in the input. */
@Command(
        name = "build",
        description = {"Builds a filter of everything in the input, and writes it to a file.", ""},
        footer = {
            "",
            "Examples:",
            "  perhaps filter build words.txt -o words.filter",
            "  zcat big.gz | perhaps filter build --items 1000000000 --fpp 0.02 -o big.filter",
            "  perhaps filter build users.csv --keys csv:email --kind fuse -o users.filter"
        },
        mixinStandardHelpOptions = true)
final class FilterBuild implements Callable<Integer> {
    private static final long FIRST_STAGE_ITEMS = 100_000;

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst; standard input if none.")
    private List<String> inputNames = new ArrayList<>();

    @Option(names = "-o", paramLabel = "FILTER", required = true, description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Path output;

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description = "Which filter: ${COMPLETION-CANDIDATES}.",
            completionCandidates = Kinds.class)
    private @Nullable String kindWord;

    @Option(
            names = "--items",
            paramLabel = "N",
            description = "How many different items to expect; estimated in a first pass over files if not said.")
    private @Nullable String items;

    @Option(names = "--fpp", paramLabel = "F", description = "The highest share of false positives; 0.01 if not said.")
    private @Nullable Double error;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "The most memory it may take, as in 512M; alone, it gives the lowest error that fits.")
    private @Nullable String memory;

    @Option(
            names = "--keys",
            paramLabel = "FORM",
            description = "How keys stand in the input: " + KeyForm.ALL + "; lines if not said.")
    private String keys = "lines";

    @Option(names = "--json", description = "Print what was built as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        WholeFile.check(output);
        List<Input> inputs = Input.all(inputNames);
        KeyForm form = KeyForm.of(keys, Key.DEFAULT_SEED);
        Kind kind = kind(inputs);
        long planned = items == null ? guess(kind, inputs, form) : Amounts.count("--items", items);
        FilterPlan<?> plan = Perhaps.planFilter(kind, planned).of(form.key());
        if (error != null) {
            plan = plan.falsePositives(error);
        }
        if (memory != null) {
            plan = plan.memoryBytes(Amounts.bytes("--memory", memory));
        }
        Sizing sizing = plan.sizing();
        Console.say("planned: " + sizing);

        HashFilter<?> filter = plan.buildFrom(new InputHashes(inputs, form, "building", planned));
        filter.save(output);
        report(filter);
        return Main.DONE;
    }

    private Kind kind(List<Input> inputs) {
        boolean unknownSize = items == null && !inputs.stream().allMatch(Input::rereadable);
        if (kindWord == null) {
            return unknownSize ? Kind.SCALABLE : Kind.BLOOM;
        }
        Kind kind = Kinds.named(kindWord);
        if (unknownSize && kind != Kind.SCALABLE) {
            throw new BadInput(
                    "how many items will come is not known: say --items N, name files that can be read twice,"
                            + " or leave --kind out for a filter that grows");
        }
        return kind;
    }

    /** How many different items there are, a little more rather than less; or where to start if it cannot be known. */
    private long guess(Kind kind, List<Input> inputs, KeyForm form) {
        if (kind == Kind.SCALABLE) {
            return FIRST_STAGE_ITEMS;
        }
        Distinct distinct = Distinct.create();
        new InputHashes(inputs, form, "counting", 0).replay((hashes, from, to) -> {
            for (int i = from; i < to; i++) {
                distinct.addHash(hashes[i]);
            }
        });
        double most = distinct.estimate() * (1 + 3 * distinct.standardError());
        return Math.max(1, (long) Math.ceil(most));
    }

    private void report(HashFilter<?> filter) throws IOException {
        Overfilled.warn(filter);
        if (json) {
            Console.println(FilterInfo.json(filter));
        } else {
            Console.say("wrote " + output + ": " + Figures.count(filter.itemsNow()) + " items, "
                    + Figures.bytes(filter.fileBytes()) + ", false positives " + Figures.percent(filter.errorNow()));
        }
    }
}
