package dev.perhaps.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perhaps filter}: is it in the set? */
@Command(
        name = "filter",
        description = {"Is it in the set? Builds filters from data, and asks them.", ""},
        subcommands = {
            FilterBuild.class,
            FilterCheck.class,
            FilterInfo.class,
            FilterAdd.class,
            FilterRemove.class,
            FilterMerge.class,
            FilterIntersect.class,
            FilterGrow.class
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class FilterCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do with a filter, as in 'perhaps filter build'");
    }
}
