package dev.perhaps.cli.frequency;

import dev.perhaps.cli.options.InfoCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perhaps count}: how often does each key occur? */
@Command(
        name = "count",
        description = {"How often did it occur? Builds and queries sketches of counts.", ""},
        subcommands = {
            CountBuild.class,
            CountAdd.class,
            CountQuery.class,
            CountRange.class,
            CountQuantile.class,
            CountMerge.class,
            InfoCommand.class
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class CountCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing, as in 'perhaps count build'");
    }
}
