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
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.Hashes;
import dev.perhaps.membership.QuotientFilter;
import dev.perhaps.membership.ScalableBloom;
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
            "  perhaps filter build users.csv --keys csv:email --kind fuse -o users.filter",
            "  perhaps filter build level2.txt --salt 2 -o level2.filter"
        },
        mixinStandardHelpOptions = true)
final class FilterBuild implements Callable<Integer> {
    private static final long FIRST_STAGE_ITEMS = 100_000;

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst; standard input if none.")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = "-o",
            converter = OutputPath.class,
            paramLabel = "FILTER",
            required = true,
            description = "The file to write.")
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

    @Option(
            names = "--set",
            description = "cuckoo and quotient: keep each item once, so that repeats take no room and nothing can be"
                    + " removed.")
    private boolean set;

    @Option(
            names = "--growing-to",
            paramLabel = "N",
            description =
                    "quotient: room to grow to so many items later, with 'perhaps filter grow', at the same error.")
    private @Nullable String growingTo;

    @Option(
            names = "--salt",
            paramLabel = "N",
            description =
                    "A number of its own for each of several filters that are asked for the same keys, so that they do"
                            + " not err on the same ones; filters with different salts cannot be merged (default:"
                            + " ${DEFAULT-VALUE}).")
    private int salt;

    @Override
    public Integer call() throws IOException {
        WholeFile.check(output);
        KeyForm form = KeyForm.of(keys, Key.DEFAULT_SEED);
        InputHashes all = new InputHashes(Input.all(inputNames), form, "building");
        FilterPlan<?> plan = plan(form, all).salt(salt);
        if (error != null) {
            plan = plan.falsePositives(error);
        }
        if (memory != null) {
            plan = plan.memoryBytes(Amounts.bytes("--memory", memory));
        }
        Console.say("planned: " + plan.sizing());
        HashFilter<?> filter = plan.buildFrom(all);
        filter.save(output);
        report(filter);
        return Main.DONE;
    }

    private FilterPlan<?> plan(KeyForm form, InputHashes all) {
        Kind kind = kindWord != null
                ? Kinds.named(kindWord)
                : all.rereadable() || items != null ? Kind.BLOOM : Kind.SCALABLE;
        if (items != null) {
            long expected = Amounts.count("--items", items);
            all.expect(expected);
            return mode(kind, expected).of(form.key());
        }
        if (kind == Kind.SCALABLE) {
            return ScalableBloom.expecting(FIRST_STAGE_ITEMS).guessed().of(form.key());
        }
        if (!all.rereadable()) {
            throw new BadInput(
                    "how many items will come is not known: say --items N, name files that can be read twice,"
                            + " or leave --kind out for a filter that grows");
        }
        return mode(kind, count(kind, all)).of(form.key());
    }

    private FilterPlan<String> mode(Kind kind, long planned) {
        FilterPlan<String> plan = Perhaps.planFilter(kind, planned);
        if (plan instanceof QuotientFilter.Plan<String> quotient && growingTo != null) {
            QuotientFilter.Plan<String> growing = quotient.growingTo(Amounts.count("--growing-to", growingTo));
            return set ? growing.asSet() : growing;
        }
        if (growingTo != null) {
            throw new BadInput("--growing-to goes with --kind quotient, got " + kind);
        }
        if (!set) {
            return plan;
        }
        if (plan instanceof CuckooFilter.Plan<String> cuckoo) {
            return cuckoo.asSet();
        }
        if (plan instanceof QuotientFilter.Plan<String> quotient) {
            return quotient.asSet();
        }
        throw new BadInput("--set goes with --kind cuckoo or quotient, got " + kind);
    }

    /** How many items there are: every one where copies are kept, else different ones, a little more rather than less. */
    private long count(Kind kind, InputHashes all) {
        Distinct<String> distinct = Distinct.within(0.0031).build();
        long[] total = {0};
        all.count((hashes, from, to) -> {
            total[0] += to - from;
            distinct.addHashes(hashes, from, to);
        });
        boolean copies = !set && Perhaps.planFilter(kind, 1).buildFrom(Hashes.of()) instanceof HashFilter.Removes<?>;
        double most = distinct.estimate() * (1 + 3 * distinct.standardError());
        return Math.max(1, copies ? total[0] : (long) Math.min(total[0], Math.ceil(most)));
    }

    private void report(HashFilter<?> filter) throws IOException {
        Overfilled.warn(filter);
        if (json) {
            Console.println(FilterInfo.json(filter));
        } else {
            Console.say("wrote " + output + ": " + Figures.count(filter.itemsNow(), "item") + ", "
                    + Figures.bytes(filter.fileBytes()) + ", false positives " + Figures.percent(filter.errorNow()));
        }
    }
}
