package dev.perhaps.cli.launch;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code perhaps generate-completion}: the script that an installation has, for shells that start without one. */
@Command(
        name = "generate-completion",
        description = {"Prints a script for bash and zsh that completes commands, options and their values.", ""},
        footer = {"", "Examples:", "  perhaps generate-completion > ~/.perhaps-completion"},
        mixinStandardHelpOptions = true)
public final class CompletionCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Console.print(Completions.bash(Objects.requireNonNull(spec).root().commandLine()));
        return ExitCodes.DONE;
    }
}
