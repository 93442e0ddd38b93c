package dev.perhaps.cli.membership;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.perhaps.Perhaps;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.io.Figures;
import dev.perhaps.membership.FilterPlan;
import dev.perhaps.plan.Choice;
import dev.perhaps.plan.Need;
import dev.perhaps.plan.Paradox;
import dev.perhaps.sketch.Sizing;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code perhaps plan}: which filter, how big, and whether at all. */
@Command(
        name = "plan",
        description = {"Compares all kinds of filter for a need, and recommends one, or none.", ""},
        footer = {
            "",
            "--prior and --alpha answer whether a filter is worth it at all: the share of lookups for something that is"
                    + " there, and the cost of a false negative divided by the cost of a false positive (a cache of cost 1"
                    + " in front of a store of cost 10 has alpha 9).",
            "",
            "Examples:",
            "  perhaps plan --items 1e9 --fpp 0.02",
            "  perhaps plan --items 5e6 --memory 8M --deletes",
            "  perhaps plan --items 1e6 --fpp 0.01 --prior 0.0005 --alpha 5"
        },
        mixinStandardHelpOptions = true)
public final class PlanCommand implements Callable<Integer> {
    @Option(names = "--items", paramLabel = "N", required = true, description = "Number of different items.")
    private String items = "";

    @Option(
            names = "--fpp",
            paramLabel = "F",
            description = "The highest false positive rate (default: " + FilterPlan.DEFAULT_FALSE_POSITIVES
                    + ", unless there is --memory).")
    private @Nullable Double error;

    @Option(names = "--memory", paramLabel = "SIZE", description = "The most memory it may take, as in 512M.")
    private @Nullable String memory;

    @Option(names = "--deletes", description = "Items must be removable.")
    private boolean deletes;

    @Option(names = "--static", description = "The whole set is known when the filter is built, and never changes.")
    private boolean fixed;

    @ArgGroup(exclusive = false)
    private @Nullable Odds odds;

    @Option(names = "--json", description = "Print as JSON.")
    private boolean json;

    private static final class Odds {
        @Option(
                names = "--prior",
                paramLabel = "P",
                required = true,
                description = "The share of lookups for something that is there.")
        private double prior;

        @Option(
                names = "--alpha",
                paramLabel = "A",
                required = true,
                description = "The cost of a false negative divided by the cost of a false positive.")
        private double alpha;
    }

    @Override
    public Integer call() throws IOException {
        Need need = Need.items(Amounts.count("--items", items));
        if (error != null) {
            need = need.falsePositives(error);
        }
        if (memory != null) {
            need = need.memoryBytes(Amounts.bytes("--memory", memory));
        }
        need = deletes ? need.deletes() : need;
        need = fixed ? need.neverChanges() : need;
        need = odds == null ? need : need.askedFor(new Paradox(odds.prior, odds.alpha));
        Choice choice = Perhaps.plan(need);
        Console.print(json ? json(choice) + "\n" : text(choice));
        return ExitCodes.DONE;
    }

    private static String text(Choice choice) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT, "  %-10s %9s %11s %10s  %s%n", "kind", "bits/item", "memory", "error", "can"));
        for (Choice.Candidate candidate : choice.candidates()) {
            boolean taken = choice.recommended().filter(candidate::equals).isPresent();
            Sizing sizing = candidate.sizing();
            if (sizing == null) {
                text.append(String.format(Locale.ROOT, "  %-10s %s%n", candidate.kind(), "- " + candidate.obstacle()));
            } else {
                text.append(String.format(
                        Locale.ROOT,
                        "%s %-10s %9s %11s %10s  %s%n",
                        taken ? "*" : " ",
                        candidate.kind(),
                        Figures.significant(sizing.bitsPerItem()),
                        Figures.bytes(sizing.bytes()),
                        Figures.percent(sizing.error()),
                        abilities(candidate)));
            }
        }
        choice.recommended()
                .ifPresentOrElse(
                        best -> text.append("\nTake ").append(best.kind()).append(". "), () -> text.append('\n'));
        text.append(choice.reason()).append('\n');
        choice.recommended()
                .map(Choice.Candidate::sizing)
                .filter(sizing -> sizing.buildBytes() > 0)
                .ifPresent(sizing ->
                        text.append("Building it takes another " + Figures.bytes(sizing.buildBytes()) + ".\n"));
        if (choice.paradox() != null) {
            text.append(choice.paradox()).append('\n');
        }
        return text.toString();
    }

    private static String abilities(Choice.Candidate candidate) {
        StringBuilder can = new StringBuilder(candidate.adds() ? "add" : "ask only");
        can.append(candidate.removes() ? ", remove" : "");
        can.append(candidate.counts() ? ", count" : "");
        can.append(candidate.merges() ? ", merge" : "");
        can.append(candidate.grows() ? ", grow" : "");
        return can.toString();
    }

    private static String json(Choice choice) throws IOException {
        return Json.object(out -> {
            out.writeNumberField("items", choice.need().items());
            out.writeStringField(
                    "recommended",
                    choice.recommended().map(best -> best.kind().word()).orElse(""));
            out.writeStringField("reason", choice.reason());
            if (choice.paradox() != null && choice.need().paradox() != null) {
                Paradox paradox = choice.need().paradox();
                double stated = choice.recommended()
                        .or(() -> choice.candidates().stream().findFirst())
                        .map(Choice.Candidate::sizing)
                        .map(Sizing::error)
                        .orElse(1.0);
                out.writeBooleanField("worthIt", !paradox.holds(stated));
                out.writeNumberField("paradoxBound", Paradox.bound(paradox.alpha(), stated));
            }
            out.writeArrayFieldStart("kinds");
            for (Choice.Candidate candidate : choice.candidates()) {
                candidate(out, candidate);
            }
            out.writeEndArray();
        });
    }

    private static void candidate(JsonGenerator out, Choice.Candidate candidate) throws IOException {
        out.writeStartObject();
        out.writeStringField("kind", candidate.kind().word());
        Sizing sizing = candidate.sizing();
        if (sizing == null) {
            out.writeStringField("obstacle", candidate.obstacle());
        } else {
            out.writeNumberField("bitsPerItem", sizing.bitsPerItem());
            out.writeNumberField("bytes", sizing.bytes());
            out.writeNumberField("buildBytes", sizing.buildBytes());
            out.writeNumberField("error", sizing.error());
        }
        out.writeBooleanField("adds", candidate.adds());
        out.writeBooleanField("removes", candidate.removes());
        out.writeBooleanField("counts", candidate.counts());
        out.writeBooleanField("merges", candidate.merges());
        out.writeBooleanField("grows", candidate.grows());
        out.writeEndObject();
    }
}
