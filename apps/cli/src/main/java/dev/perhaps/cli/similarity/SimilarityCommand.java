package dev.perhaps.cli.similarity;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.Texts;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.similarity.Comparison;
import dev.perhaps.similarity.Comparison.Estimate;
import dev.perhaps.similarity.Comparison.Hamming;
import dev.perhaps.similarity.Shingles;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps similarity}: how similar two files are, exactly and estimated. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "similarity",
        description = {
            "Prints how similar two files are, exactly and as signatures estimate it.",
            "Jaccard and cosine similarity of their runs of 10 characters, and the share of equal bits if they have the"
                    + " same length, each with the standard error of the estimate.",
            ""
        },
        footer = {
            "",
            "2 of 3 estimates are closer to the exact value than the standard error. More",
            "components make it smaller.",
            "",
            "Examples:",
            "  perhaps similarity draft.txt final.txt",
            "  perhaps similarity old.html new.html --normalise --components 512 --json"
        },
        mixinStandardHelpOptions = true)
public final class SimilarityCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "A", description = "A file, also .gz and .zst; - is standard input.")
    private String nameA = "";

    @Parameters(index = "1", paramLabel = "B", description = "Another file.")
    private String nameB = "";

    @Option(
            names = "--shingle",
            paramLabel = "N",
            description = "Compare runs of N characters (default: " + Shingles.DEFAULT_SIZE + ").")
    private int shingle = Shingles.DEFAULT_SIZE;

    @Option(
            names = "--normalise",
            description = "Compare runs as if case, runs of white space and composed letters made no difference.")
    private boolean normalise;

    @Option(
            names = "--components",
            paramLabel = "K",
            description = "Number of components of a signature (default: ${DEFAULT-VALUE}).")
    private int components = 128;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Shingles shingles = Shingles.codePoints(shingle);
        shingles = normalise ? shingles.normalised() : shingles;
        // Signatures of nothing: impossible settings are refused before files are read.
        Comparison unused = Comparison.of(new byte[0], new byte[0], shingles, components);
        List<Input> inputs = Input.all(List.of(nameA, nameB));
        byte[] a;
        byte[] b;
        try (Progress progress = new Progress("reading", inputs)) {
            a = read(inputs.get(0), progress);
            b = read(inputs.get(1), progress);
        }
        Comparison comparison = Comparison.of(a, b, shingles, components);
        if (json) {
            Console.println(object(comparison));
        } else {
            print(comparison, a.length, b.length);
        }
        return ExitCodes.DONE;
    }

    private static byte[] read(Input input, Progress progress) throws IOException {
        try (Input.Open open = input.open(progress)) {
            byte[] text = open.stream().readAllBytes();
            return Arrays.copyOfRange(text, Texts.behindMark(text, 0, text.length), text.length);
        }
    }

    private static void print(Comparison comparison, int bytesA, int bytesB) throws IOException {
        Console.println("            exact   estimate  standard error, " + Console.count(comparison.components())
                + " components");
        print("Jaccard", comparison.jaccard());
        print("cosine", comparison.cosine());
        if (comparison.hamming().isPresent()) {
            Hamming hamming = comparison.hamming().get();
            print("equal bits", hamming.equal());
            Console.println(
                    Console.count(hamming.distance()) + " of " + Console.count(hamming.bits()) + " bits differ");
        } else {
            Console.println("equal bits  not defined for "
                    + (bytesA == bytesB
                            ? "empty files"
                            : "different lengths: " + Console.count(bytesA) + " and " + Console.count(bytesB)
                                    + " bytes"));
        }
        Console.println(Console.count(comparison.common()) + " shingles in common, of "
                + Console.count(comparison.sizeA()) + " and " + Console.count(comparison.sizeB()) + " different ones");
    }

    private static void print(String what, Estimate value) throws IOException {
        Console.println(String.format(
                Locale.ROOT,
                "%-10s  %6.4f  %8.4f  ± %6.4f",
                what,
                value.exact(),
                value.estimate(),
                value.standardError()));
    }

    private static String object(Comparison comparison) throws IOException {
        return Json.object(out -> {
            out.writeNumberField("components", comparison.components());
            out.writeNumberField("sizeA", comparison.sizeA());
            out.writeNumberField("sizeB", comparison.sizeB());
            out.writeNumberField("common", comparison.common());
            out.writeObjectFieldStart("jaccard");
            estimate(out, comparison.jaccard());
            out.writeEndObject();
            out.writeObjectFieldStart("cosine");
            estimate(out, comparison.cosine());
            out.writeEndObject();
            if (comparison.hamming().isPresent()) {
                Hamming hamming = comparison.hamming().get();
                out.writeObjectFieldStart("hamming");
                out.writeNumberField("bits", hamming.bits());
                out.writeNumberField("distance", hamming.distance());
                estimate(out, hamming.equal());
                out.writeEndObject();
            } else {
                out.writeNullField("hamming");
            }
        });
    }

    private static void estimate(JsonGenerator out, Estimate value) throws IOException {
        out.writeNumberField("exact", value.exact());
        out.writeNumberField("estimate", value.estimate());
        out.writeNumberField("standardError", value.standardError());
    }
}
