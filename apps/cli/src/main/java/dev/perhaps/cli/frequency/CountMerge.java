package dev.perhaps.cli.frequency;

import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.launch.Workload;
import dev.perhaps.cli.options.Output;
import dev.perhaps.cli.options.Overwrite;
import dev.perhaps.cli.options.SketchFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code perhaps count merge}: one sketch of what several have counted. */
@Workload(Workload.Kind.BULK)
@Command(
        name = "merge",
        description = {"Merges sketches that were built with the same settings into one.", ""},
        footer = {"", "Example:", "  perhaps count merge monday.count tuesday.count -o week.count"},
        mixinStandardHelpOptions = true)
final class CountMerge implements Callable<Integer> {
    @Parameters(paramLabel = "SKETCH", arity = "2..*", description = "The sketches' files.")
    private List<SketchFile> files = new ArrayList<>();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            required = true,
            description = "The file to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Output output;

    @Mixin
    private Overwrite overwrite = new Overwrite();

    @Override
    public Integer call() throws IOException {
        output.check();
        Tally first = Tally.open(files.get(0));
        overwrite.check(output, first.sketch().kind());
        for (SketchFile file : files.subList(1, files.size())) {
            try {
                first.merge(Tally.open(file));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(files.get(0) + " and " + file + ": " + e.getMessage(), e);
            }
        }
        output.save(first.sketch());
        first.tell(output);
        return ExitCodes.DONE;
    }
}
