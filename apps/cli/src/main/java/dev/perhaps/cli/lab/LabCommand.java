package dev.perhaps.cli.lab;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perhaps lab}: the experiments of the papers, repeated. */
@Command(
        name = "lab",
        description = {"Repeats experiments of the papers, and checks which of their claims hold.", ""},
        subcommands = {LabList.class, LabRun.class},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class LabCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing, as in 'perhaps lab list'");
    }
}
