package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.Json;
import dev.perhaps.cli.console.Progress;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.input.Entry;
import dev.perhaps.cli.input.Input;
import dev.perhaps.cli.input.KeyForm;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.KeyOption;
import dev.perhaps.cli.options.RecordOptions;
import dev.perhaps.cli.options.SketchFile;
import dev.perhaps.frequency.Bound;
import dev.perhaps.frequency.CountMin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps count query}: prints how often each key of the input was counted. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "query",
        description = {
            "Prints how often each key of the input was counted, as a lower and an upper bound.",
            "If both are equal, it prints one number. The upper bound is certain, the lower bound holds with the "
                    + "confidence of the sketch. Exit code 1 if no key was counted.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps count query visits.count --key /index.html",
            "  perhaps count query visits.count pages.txt --json"
        },
        mixinStandardHelpOptions = true)
final class CountQuery implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SKETCH", description = "The sketch's file.")
    @SuppressWarnings("NullAway.Init") // required
    private SketchFile file;

    @Parameters(
            index = "1..*",
            paramLabel = "INPUT",
            arity = "0..*",
            description = "Files with keys to look up, also .gz and .zst (default: standard input).")
    private List<String> inputNames = new ArrayList<>();

    @Option(names = "--json", description = "Print one JSON object per key.")
    private boolean json;

    @Mixin
    private RecordOptions reading = new RecordOptions();

    @Mixin
    private KeyOption keys = new KeyOption();

    private boolean found;

    @Override
    public Integer call() throws IOException {
        boolean isForKeys = keys.isGiven(inputNames, reading);
        List<Input> inputs = isForKeys ? List.of() : Input.all(inputNames);
        file.refuseAsInput(inputs);
        if (!(Tally.open(file) instanceof KeyTally tally)) {
            throw new BadInput(file + " counts numbers, not keys: ask for a range of them with 'perhaps count range'");
        }
        CountMin<?> counts = tally.sketch();
        Bound bound = counts.bound();
        if (isForKeys) {
            keys.each(counts.key(), entry -> answer(tally, bound, entry));
            return found ? ExitCodes.DONE : ExitCodes.NOTHING_FOUND;
        }
        KeyForm form = reading.formFor(file, counts.key());
        if (form.manyKeysEach()) {
            throw new BadInput("a sequence has many keys: look up single ones with the library");
        }
        try (Progress progress = new Progress("asking", inputs)) {
            for (Input input : inputs) {
                KeyForm.Sink answer = entry -> answer(tally, bound, entry);
                if (form.keepsKeys()) {
                    form.ask(input, progress, answer);
                } else {
                    form.read(input, progress, answer);
                }
            }
        }
        reading.tellSkipped();
        return found ? ExitCodes.DONE : ExitCodes.NOTHING_FOUND;
    }

    private void answer(KeyTally tally, Bound bound, Entry entry) throws IOException {
        CountMin<?> counts = tally.sketch();
        int places = tally.units().amounts();
        long estimate = counts.estimateHash(entry.hashes()[0]);
        boolean full = estimate == counts.limit();
        found |= estimate > 0;
        long least = Tally.least(estimate, bound);
        if (json) {
            String text = new String(entry.bytes(), entry.from(), entry.to() - entry.from(), StandardCharsets.UTF_8);
            Console.println(Json.object(out -> {
                out.writeStringField("record", text);
                Json.number(out, "estimate", estimate, places);
                Json.number(out, "atLeast", least, places);
                out.writeNumberField("confidence", bound.confidence());
                out.writeBooleanField("atLimit", full);
            }));
            return;
        }
        Console.print(tally.text(least, estimate) + (full ? " or more  " : "  "));
        Console.printKey(entry.bytes(), entry.from(), entry.to());
        Console.print("\n");
    }
}
