package dev.perhaps.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perhaps lab}: the experiments of the papers, repeated. */
@Command(
        name = "lab",
        description = {"Repeats experiments of the papers, and says which of their claims hold here.", ""},
        subcommands = {LabList.class, LabRun.class},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class LabCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do in the lab, as in 'perhaps lab list'");
    }
}
