package dev.perhaps.cli.membership;

import dev.perhaps.cli.options.InfoCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perhaps filter}: is it in the set? */
@Command(
        name = "filter",
        description = {"Is it in the set? Builds and queries filters.", ""},
        subcommands = {
            FilterBuild.class,
            FilterCheck.class,
            InfoCommand.class,
            FilterAdd.class,
            FilterRemove.class,
            FilterMerge.class,
            FilterIntersect.class,
            FilterGrow.class
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class FilterCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing, as in 'perhaps filter build'");
    }
}
