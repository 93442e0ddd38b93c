package dev.perhaps.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perhaps count}: how often did it come? */
@Command(
        name = "count",
        description = {"How often did it come? Builds sketches that count, and asks them.", ""},
        subcommands = {
            CountBuild.class,
            CountAdd.class,
            CountQuery.class,
            CountRange.class,
            CountQuantile.class,
            CountMerge.class,
            CountInfo.class
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class CountCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do with counts, as in 'perhaps count build'");
    }
}
