package dev.perhaps.cli.membership;

import dev.perhaps.Perhaps;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.engine.ActiveEngine;
import dev.perhaps.cli.engine.process.EngineOptions;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.cli.options.AtOption;
import dev.perhaps.cli.options.InfoCommand;
import dev.perhaps.cli.options.InputHashes;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.frequency.Distinct;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Hashes;
import dev.perhaps.membership.CuckooFilter;
import dev.perhaps.membership.ExpiringBloom;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.membership.HashFilter;
import dev.perhaps.membership.QuotientFilter;
import dev.perhaps.membership.ScalableBloom;
import dev.perhaps.plan.Choice;
import dev.perhaps.plan.Need;
import dev.perhaps.sketch.Kind;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps filter build}: a filter of everything in the input. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "build",
        description = {"Builds a filter of everything in the input, and writes it to a file.", ""},
        footer = {
            "",
            "Examples:",
            "  perhaps filter build words.txt -o words.filter",
            "  zcat big.gz | perhaps filter build --items 1e9 --fpp 0.02 -o big.filter",
            "  perhaps filter build users.csv --format csv:email -o users.filter",
            "  perhaps filter build level2.txt --salt 2 -o level2.filter",
            "  perhaps filter build seen.txt --window 1h --items 1e6 -o recent.filter"
        },
        mixinStandardHelpOptions = true)
final class FilterBuild implements Callable<Integer> {
    private static final long FIRST_STAGE_ITEMS = 100_000;
    /** Fewer repeats than this share of the items are within the error of the estimate. */
    private static final double REPEATS_SHOWN = 0.03;

    /** Kinds that are filled in parts: their bytes do not depend on the order, and they cannot be full. */
    private static final Set<Kind> MERGED = Set.of(Kind.BLOOM, Kind.BLOCKED, Kind.COUNTING);

    private static final int DISTINCT = 0;
    private static final int TOTAL = 1;

    @Parameters(
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files to read, also .gz and .zst (default: standard input).")
    private List<String> inputNames = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILTER",
            required = true,
            description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Output output;

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description =
                    "Which filter: ${COMPLETION-CANDIDATES} (default: bloom, or what 'perhaps plan' recommends with"
                            + " --deletes or --static; scalable if the number of items is not known).",
            completionCandidates = Kinds.class)
    private @Nullable String kindWord;

    @Option(
            names = "--items",
            paramLabel = "N",
            description = "Number of different items to expect (default: estimated in a first pass over files).")
    private @Nullable String items;

    @Option(
            names = "--fpp",
            paramLabel = "F",
            description = "The highest false positive rate (default: " + FilterPlan.DEFAULT_FALSE_POSITIVES + ").")
    private @Nullable Double error;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "The most memory it may take, as in 512M; without --fpp, the lowest error that fits.")
    private @Nullable String memory;

    @Option(names = "--deletes", description = "Items must be removable.")
    private boolean deletes;

    @Option(names = "--static", description = "The set never changes after this.")
    private boolean fixed;

    @Mixin
    private RecordOptions reading = new RecordOptions();

    @Option(names = "--json", description = "Print what was built as JSON.")
    private boolean json;

    @Option(
            names = "--set",
            description = "cuckoo and quotient: store each item once, so that repeats take no space and nothing can be"
                    + " removed.")
    private boolean set;

    @Option(
            names = "--growing-to",
            paramLabel = "N",
            description = "quotient: the number of items it can grow to later, with 'perhaps filter grow', at the same"
                    + " error.")
    private @Nullable String growingTo;

    @Option(
            names = "--salt",
            paramLabel = "N",
            description = "Another number for each of several filters that are queried for the same keys, so that their"
                    + " false positives differ; filters with different salts cannot be merged (default:"
                    + " ${DEFAULT-VALUE}).")
    private int salt;

    @Option(
            names = "--window",
            paramLabel = "DURATION",
            description = "expiring: how long an item is kept, as in 10m, 1h or 7d (default: ${bundle:default.window});"
                    + " --items is per window.")
    private @Nullable String window;

    @Mixin
    private AtOption at = new AtOption();

    @Mixin
    private Overwrite overwrite = new Overwrite();

    @Mixin
    @SuppressWarnings("unused") // read before the command runs
    private EngineOptions engine = new EngineOptions();

    @Override
    public Integer call() throws IOException {
        output.check();
        if (error != null && error >= Choice.USELESS_ERROR && error < 1 && !overwrite.isForced()) {
            throw new BadInput("a filter with --fpp " + error
                    + " is of no use: it would say 'perhaps' for at least half of all absent items;"
                    + " use a lower rate, or build it nevertheless with --force");
        }
        KeyForm form = reading.form();
        InputHashes all = new InputHashes(Input.all(inputNames), form, reading, "building");
        FilterPlan<?> plan = plan(form, all).salt(salt);
        double rate = rate(form);
        if (rate > 0) {
            plan = plan.falsePositives(rate);
        }
        if (memory != null) {
            plan = plan.memoryBytes(Amounts.bytes("--memory", memory));
        }
        overwrite.check(output, plan.sizing().kind());
        refuseUseless(plan.sizing());
        Console.say("planned: " + plan.sizing());
        if (rate > 0 && form.hashesPerQuery() > 1) {
            Console.say(
                    "a URL is looked up by up to " + form.hashesPerQuery() + " expressions: each has a false positive"
                            + " rate of " + Figures.percent(rate) + ", so that a URL has at most "
                            + Figures.percent(error == null ? FilterPlan.DEFAULT_FALSE_POSITIVES : error));
        }
        HashFilter<?> filter = build(plan, all);
        output.save(filter);
        reading.tellSkipped();
        report(filter, all.count());
        return ExitCodes.DONE;
    }

    /**
     * The error rate of one hash, such that a record keeps to {@code --fpp}, however many of them it is asked by; 0 if the plan
     * finds it by memory or takes its default.
     */
    private double rate(KeyForm form) {
        if (error != null && !(error > 0 && error < 1)) {
            throw new BadInput("--fpp must be in (0, 1), got " + error);
        }
        int hashes = form.hashesPerQuery();
        if (error == null && (memory != null || hashes == 1)) {
            return 0;
        }
        double whole = error == null ? FilterPlan.DEFAULT_FALSE_POSITIVES : error;
        return hashes == 1 ? whole : -Math.expm1(Math.log1p(-whole) / hashes);
    }

    /** The kind that the options name. */
    private @Nullable Kind named() {
        Kind kind = kindWord != null ? Kinds.named(kindWord) : window != null ? Kind.EXPIRING : null;
        if (kind != Kind.EXPIRING && (window != null || at.isGiven())) {
            throw new BadInput((window != null ? "--window" : "--at") + " goes with --kind expiring, got "
                    + (kind == null ? "no kind" : kind));
        }
        return kind;
    }

    private FilterPlan<?> plan(KeyForm form, InputHashes all) throws IOException {
        Kind named = named();
        if (named != null) {
            overwrite.check(output, named); // before long work
        }
        boolean isKnown = all.rereadable() || items != null;
        if (named == null && !isKnown && (deletes || fixed)) {
            throw new BadInput(
                    "the number of items is not known: use --items N with --deletes or --static, or name files"
                            + " that can be read twice");
        }
        if (items != null) {
            long expected = Amounts.count("--items", items);
            all.expect(expected);
            return mode(kind(form, expected, expected), expected).of(form.key());
        }
        Kind wanted = named != null || isKnown ? named : Kind.SCALABLE;
        if (wanted == Kind.SCALABLE) {
            if (named == null) {
                Console.say(
                        "kind: scalable, since the number of items is not known; --items N allows a smaller filter");
            }
            return ScalableBloom.expecting(FIRST_STAGE_ITEMS).guessed().of(form.key());
        }
        if (!all.rereadable()) {
            throw new BadInput("the number of items is not known: use --items N, name files that can be read twice,"
                    + " or leave --kind out for a filter that grows");
        }
        long[] counts = count(all);
        Kind kind = wanted == null ? kind(form, counts[DISTINCT], counts[TOTAL]) : wanted;
        return mode(kind, keepsCopies(kind) ? counts[TOTAL] : counts[DISTINCT]).of(form.key());
    }

    /** Returns the kind of {@code --kind}, or the one that fits the other options. */
    private Kind kind(KeyForm form, long different, long total) {
        Kind named = named();
        if (named != null) {
            return named;
        }
        Need need = Need.items(deletes && !set ? total : different);
        double rate = rate(form);
        need = rate > 0 ? need.falsePositives(rate) : need;
        need = memory != null ? need.memoryBytes(Amounts.bytes("--memory", memory)) : need;
        need = deletes ? need.deletes() : need;
        Choice choice = Perhaps.plan(fixed ? need.neverChanges() : need);
        Choice.Candidate best = choice.recommended().orElse(null);
        if (best == null && !deletes && !fixed) {
            return Kind.BLOOM; // which says itself why it cannot be
        }
        if (best == null) {
            throw new BadInput(choice.reason() + " 'perhaps plan' with the same options shows what each kind needs");
        }
        if (deletes || fixed) {
            Console.say("kind: " + best.kind() + ". " + choice.reason());
            return best.kind();
        }
        if (best.kind() != Kind.BLOOM) {
            Console.say(
                    "kind: bloom, which can be merged and intersected. If you need neither, 'perhaps plan' recommends"
                            + " --kind " + best.kind() + ". " + choice.reason());
        }
        return Kind.BLOOM;
    }

    private FilterPlan<String> mode(Kind kind, long planned) {
        FilterPlan<String> plan = Perhaps.planFilter(kind, planned);
        if (plan instanceof QuotientFilter.Plan<String> quotient && growingTo != null) {
            QuotientFilter.Plan<String> growing = quotient.growingTo(Amounts.count("--growing-to", growingTo));
            return set ? growing.asSet() : growing;
        }
        if (plan instanceof ExpiringBloom.Plan<String> expiring && !set && growingTo == null) {
            ExpiringBloom.Plan<String> timed = expiring.clock(at.clock());
            return window == null ? timed : timed.within(Amounts.duration("--window", window));
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

    private boolean keepsCopies(Kind kind) {
        return !set && Perhaps.planFilter(kind, 1).buildFrom(Hashes.of()) instanceof HashFilter.Removes<?>;
    }

    /** The number of different items, a little more rather than less, and of all. */
    private static long[] count(InputHashes all) {
        Distinct<String> distinct = Distinct.within(0.0031).build();
        all.countInto(distinct, Distinct::addHashes);
        long total = all.count();
        double most = distinct.estimate() * (1 + 3 * distinct.standardError());
        long different = (long) Math.min(total, Math.ceil(most));
        return new long[] {Math.max(1, different), Math.max(1, total)};
    }

    /** A kind that can be full says what it was given until then; the user needs to know how much there is. */
    private HashFilter<?> build(FilterPlan<?> plan, InputHashes all) {
        try {
            if (ActiveEngine.get() == null || !MERGED.contains(plan.sizing().kind())) {
                return plan.buildFrom(all);
            }
            HashFilter<?> empty = plan.buildFrom(Hashes.of());
            all.addTo(empty, (filter, hashes, from, to) -> ((HashFilter.Adds<?>) filter).addHashes(hashes, from, to));
            return empty;
        } catch (IllegalStateException e) {
            if (items == null || !all.rereadable()) {
                throw items == null ? e : new BadInput(e.getMessage() + "; build again with more --items");
            }
            long[] counts = count(all);
            Sizing sizing = plan.sizing();
            long needed = keepsCopies(sizing.kind()) ? counts[TOTAL] : counts[DISTINCT];
            if (needed <= sizing.items()) {
                throw e;
            }
            throw new BadInput("the filter is full: " + Figures.count(counts[TOTAL], "item") + " were read, but it was"
                    + " planned for " + Figures.count(sizing.items()) + "; build again with --items " + needed);
        }
    }

    private void refuseUseless(Sizing sizing) {
        if (sizing.error() >= Choice.USELESS_ERROR && !overwrite.isForced()) {
            throw new BadInput("a " + sizing.kind() + " of " + Figures.bytes(sizing.bytes()) + " for "
                    + Figures.count(sizing.items(), "item") + " is of no use: it would say 'perhaps' for "
                    + Figures.percent(sizing.error())
                    + " of all absent items; allow more --memory, or build it nevertheless with --force");
        }
    }

    /** The number of items that were read is exact; the number of different ones is an estimate. */
    private static String items(HashFilter<?> filter, long itemsRead) {
        if (!filter.isItemsEstimated()) {
            return Figures.count(filter.itemsNow(), "item");
        }
        long different = filter.itemsNow();
        boolean repeats = !FilterWarnings.isUncountable(filter)
                && different + REPEATS_SHOWN * different + 3 * Math.sqrt(different) < itemsRead;
        return Figures.count(itemsRead, "item") + " read"
                + (repeats ? ", ≈ " + Figures.count(different) + " of them different" : "");
    }

    private void report(HashFilter<?> filter, long itemsRead) throws IOException {
        FilterWarnings.warn(filter, itemsRead, memory != null);
        if (json) {
            output.report(InfoCommand.json(filter));
        } else {
            Console.say("wrote " + output + ": " + items(filter, itemsRead) + ", " + Figures.bytes(filter.fileBytes())
                    + ", false positives " + Figures.percent(filter.errorNow()));
        }
    }
}
