package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.capture.FlowInput;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Amounts;
import dev.perhaps.cli.options.SkipBad;
import dev.perhaps.frequency.Flows;
import dev.perhaps.frequency.TopBytes;
import dev.perhaps.frequency.TopK;
import dev.perhaps.io.Figures;
import dev.perhaps.key.Key;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps flows}: which flows carry the most, or more than they should. */
@Workload(Workload.Kind.STREAM)
@Command(
        name = "flows",
        description = {
            "Prints the heaviest flows (source and destination), or those above a threshold.",
            "Reads packet captures, pcap and pcapng, and text with 'src dst bytes' on each line.",
            ""
        },
        footer = {
            "",
            "Every flow above the threshold is printed. A lighter one may be printed too,",
            "with the probability that is reported.",
            "",
            "Examples:",
            "  perhaps flows --threshold 10M monday.pcap",
            "  perhaps flows --top 20 --packets *.pcapng.gz"
        },
        mixinStandardHelpOptions = true)
public final class FlowsCommand implements Callable<Integer> {
    private static final int USUAL_COUNTERS = 1 << 16;
    private static final double NEGLIGIBLE = 1e-6;
    private static final Key.Bytes FLOW = Key.bytes();

    @Parameters(
            paramLabel = "CAPTURE",
            arity = "0..*",
            description = "Captures or text, also .gz and .zst (default: standard input).")
    private List<String> inputNames = new ArrayList<>();

    @ArgGroup
    private Show show = new Show();

    private static final class Show {
        @Option(
                names = "--threshold",
                paramLabel = "T",
                description = "Print flows that carry more than this, as in 10M (bytes; with --packets, packets).")
        private @Nullable String threshold;

        @Option(
                names = "--top",
                paramLabel = "K",
                description = "Print the K heaviest flows (default: ${DEFAULT-VALUE}).")
        private String top = "10";
    }

    @Option(names = "--packets", description = "Count packets instead of bytes.")
    private boolean byPackets;

    @Option(
            names = "--flows",
            paramLabel = "N",
            description = "The number of flows that --threshold is planned for (default: ${DEFAULT-VALUE}).")
    private String flows = Long.toString(Flows.Plan.DEFAULT_FLOWS);

    @Mixin
    private SkipBad skipBad = new SkipBad();

    @Option(names = "--json", description = "Print one JSON object per flow.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (show.threshold != null) {
            printAbove(show.threshold);
        } else {
            printTop();
        }
        return ExitCodes.DONE;
    }

    private String unit() {
        return byPackets ? "packets" : "bytes";
    }

    private void printTop() throws IOException {
        int most = (int) Math.min(Integer.MAX_VALUE, Amounts.count("--top", show.top));
        TopK.Plan<?> plan = TopK.of(most);
        TopBytes top = TopBytes.of(plan.capacity(Math.max(USUAL_COUNTERS, plan.capacity())));
        String read = read((bytes, from, to, wireBytes) -> top.add(bytes, from, to, byPackets ? 1 : wireBytes));
        List<TopK.Ranked<byte[]>> heaviest = top.top();
        if (json) {
            for (int i = 0; i < heaviest.size(); i++) {
                printJson(
                        i + 1,
                        heaviest.get(i).value(),
                        heaviest.get(i).atLeast(),
                        heaviest.get(i).atMost());
            }
        } else {
            TopTable.print(heaviest, 0, false);
        }
        Console.say("of " + Figures.count(top.total()) + " " + unit() + read
                + (top.missed() == 0
                        ? ""
                        : "; flows that are not listed carried at most " + Figures.count(top.missed())
                                + ", or less than those listed"));
    }

    private void printAbove(String text) throws IOException {
        long threshold = byPackets ? Amounts.count("--threshold", text) : Amounts.bytes("--threshold", text);
        Flows<byte[]> detector = Flows.above(threshold)
                .expecting(Amounts.count("--flows", flows))
                .of(FLOW)
                .build();
        Set<String> flagged = new HashSet<>();
        String read = read((bytes, from, to, wireBytes) -> {
            if (detector.addHash(FLOW.hash(bytes, from, to), byPackets ? 1 : wireBytes)) {
                flagged.add(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
            }
        });
        List<byte[]> all = new ArrayList<>();
        flagged.forEach(flow -> all.add(flow.getBytes(StandardCharsets.ISO_8859_1)));
        all.sort(Comparator.comparingLong((byte[] flow) -> -detector.estimate(flow))
                .thenComparing(flow -> new String(flow, StandardCharsets.ISO_8859_1)));
        print(detector, all);
        double innocents = detector.innocentNow();
        Console.say(Figures.count(all.size()) + (all.size() == 1 ? " flow above " : " flows above ")
                + Figures.count(threshold) + " " + unit() + ", of "
                + Figures.count(detector.total()) + read
                + "; a flow below the threshold is among them with a probability of "
                + (innocents < NEGLIGIBLE ? "less than " + Figures.percent(NEGLIGIBLE) : Figures.percent(innocents)));
        if (innocents > detector.sizing().innocents()) {
            Console.warn("there are more flows than planned: give their number with --flows");
        }
    }

    private void print(Flows<byte[]> detector, List<byte[]> flagged) throws IOException {
        int width = flagged.isEmpty()
                ? 0
                : Console.count(detector.estimate(flagged.get(0))).length();
        for (byte[] flow : flagged) {
            long atMost = detector.estimate(flow);
            if (json) {
                printJson(0, flow, -1, atMost);
            } else {
                String count = Console.count(atMost);
                Console.print(" ".repeat(width - count.length()) + count + "  ");
                Console.printKey(flow, 0, flow.length);
                Console.print("\n");
            }
        }
    }

    private void printJson(int rank, byte[] flow, long atLeast, long atMost) throws IOException {
        String text = new String(flow, StandardCharsets.UTF_8);
        int space = text.indexOf(' ');
        Console.println(Json.object(out -> {
            if (rank > 0) {
                out.writeNumberField("rank", rank);
            }
            out.writeStringField("source", text.substring(0, space));
            out.writeStringField("destination", text.substring(space + 1));
            if (atLeast >= 0) {
                out.writeNumberField("atLeast", atLeast);
            }
            out.writeNumberField("atMost", atMost);
        }));
    }

    /** Reads all inputs, and says what they held; nothing is printed before all have been read. */
    private String read(FlowInput.Sink sink) throws IOException {
        List<Input> inputs = Input.all(inputNames);
        FlowInput flowInput = new FlowInput(sink, skipBad.records(), Console::warn);
        try (Progress progress = new Progress("reading", inputs)) {
            for (Input input : inputs) {
                try (Input.Open open = input.openAny(progress)) {
                    flowInput.read(input.path(), input.name(), open.stream());
                } catch (IllegalArgumentException e) {
                    throw new BadInput(input.name() + ": " + e.getMessage());
                }
            }
        }
        skipBad.report();
        String others = flowInput.others() == 0
                ? ""
                : " (" + Figures.count(flowInput.others()) + " were not IP, or too short to tell)";
        return " in " + Figures.count(flowInput.packets(), "packet") + others;
    }
}
