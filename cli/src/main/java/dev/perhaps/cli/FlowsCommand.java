package dev.perhaps.cli;

import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.FlowInput;
import dev.perhaps.cli.input.Input;
import dev.perhaps.frequency.Flows;
import dev.perhaps.frequency.Ranked;
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
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps flows}: which flows carry the most, or more than they should. */
@Command(
        name = "flows",
        description = {
            "Prints the flows (from whom to whom) that carry more than a threshold, or the heaviest ones.",
            "Reads packet captures, pcap and pcapng, and text with 'src dst bytes' on each line.",
            ""
        },
        footer = {
            "",
            "Every flow above the threshold is printed; an innocent one may be, and the chance of that is told.",
            "",
            "Examples:",
            "  perhaps flows --threshold 10M monday.pcap",
            "  perhaps flows --top 20 --packets *.pcapng.gz"
        },
        mixinStandardHelpOptions = true)
final class FlowsCommand implements Callable<Integer> {
    private static final int USUAL_COUNTERS = 1 << 16;
    private static final double NEGLIGIBLE = 1e-6;
    private static final Key.Bytes FLOW = Key.bytes();

    @Parameters(
            paramLabel = "CAPTURE",
            arity = "0..*",
            description = "Captures or text, also .gz and .zst; standard input if none.")
    private List<String> inputNames = new ArrayList<>();

    @ArgGroup
    private Show show = new Show();

    private static final class Show {
        @Option(
                names = "--threshold",
                paramLabel = "T",
                description = "Print flows that carry more than this, as in 10M (bytes; with --packets, packets).")
        private @Nullable String threshold;

        @Option(names = "--top", paramLabel = "K", description = "Print the K heaviest flows; 10 if nothing is said.")
        private String top = "10";
    }

    @Option(names = "--packets", description = "Count packets instead of bytes.")
    private boolean byPackets;

    @Option(
            names = "--flows",
            paramLabel = "N",
            description = "How many flows --threshold is planned for; 100,000 if not said.")
    private String flows = "100000";

    @Option(names = "--json", description = "Print one JSON object a flow.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (show.threshold != null) {
            printAbove(show.threshold);
        } else {
            printTop();
        }
        return Main.DONE;
    }

    private String unit() {
        return byPackets ? "packets" : "bytes";
    }

    private void printTop() throws IOException {
        int most = (int) Math.min(Integer.MAX_VALUE, Amounts.count("--top", show.top));
        TopK.Plan<?> plan = TopK.of(most);
        TopBytes top = TopBytes.of(plan.capacity(Math.max(USUAL_COUNTERS, plan.capacity())));
        String read = read((bytes, from, to, wireBytes) -> top.add(bytes, from, to, byPackets ? 1 : wireBytes));
        List<Ranked<byte[]>> heaviest = top.top();
        if (json) {
            for (int i = 0; i < heaviest.size(); i++) {
                printJson(
                        i + 1,
                        heaviest.get(i).value(),
                        heaviest.get(i).atLeast(),
                        heaviest.get(i).atMost());
            }
        } else {
            TopTable.print(heaviest, false);
        }
        Console.say("of " + Figures.count(top.total()) + " " + unit() + read
                + (top.missed() == 0
                        ? ""
                        : "; what is not shown carried at most " + Figures.count(top.missed())
                                + ", or is below these"));
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
                + Figures.count(detector.total()) + read + "; an innocent flow is among them with a chance of "
                + (innocents < NEGLIGIBLE ? "less than " + Figures.percent(NEGLIGIBLE) : Figures.percent(innocents)));
        if (innocents > detector.sizing().innocents()) {
            Console.warn("there are more flows than planned: say how many with --flows");
        }
    }

    private void print(Flows<byte[]> detector, List<byte[]> flagged) throws IOException {
        int width = flagged.isEmpty()
                ? 0
                : Figures.count(detector.estimate(flagged.get(0))).length();
        for (byte[] flow : flagged) {
            long atMost = detector.estimate(flow);
            if (json) {
                printJson(0, flow, -1, atMost);
            } else {
                String count = Figures.count(atMost);
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
        FlowInput flowInput = new FlowInput(sink);
        try (Progress progress = new Progress("reading", inputs)) {
            for (Input input : inputs) {
                try (Input.Open open = input.open(progress)) {
                    flowInput.read(input.name(), open.stream());
                } catch (IllegalArgumentException e) {
                    throw new BadInput(input.name() + ": " + e.getMessage());
                }
            }
        }
        String others = flowInput.others() == 0
                ? ""
                : " (" + Figures.count(flowInput.others()) + " were no IP, or too short to tell)";
        return " in " + Figures.count(flowInput.packets(), "packet") + others;
    }
}
