package dev.perhaps.cli;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code perhaps version}: the same as {@code perhaps --version}. */
@Command(
        name = "version",
        description = {"Prints the version of Perhaps and of Java.", ""},
        footer = {"", "Example:", "  perhaps version"},
        mixinStandardHelpOptions = true)
final class VersionCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.root().commandLine().printVersionHelp(Console.writer());
        return ExitCodes.DONE;
    }
}
