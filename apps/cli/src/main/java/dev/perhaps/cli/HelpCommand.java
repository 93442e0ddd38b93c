package dev.perhaps.cli;

import dev.perhaps.cli.console.Console;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.console.UserWords;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perhaps help filter build}: the same as {@code perhaps filter build --help}. */
@Command(
        name = "help",
        description = {"Prints the help of a command.", ""},
        footer = {"", "Examples:", "  perhaps help top", "  perhaps help filter build"},
        mixinStandardHelpOptions = true)
final class HelpCommand implements Callable<Integer> {
    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "The command (default: perhaps itself).")
    private List<String> names = new ArrayList<>();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        CommandLine command = spec.root().commandLine();
        for (String name : names) {
            CommandLine next = command.getSubcommands().get(name);
            if (next == null) {
                throw new ParameterException(
                        spec.commandLine(),
                        "there is no command '" + command.getCommandSpec().qualifiedName() + " " + name + "'"
                                + UserWords.guess(name, command.getSubcommands().keySet()));
            }
            command = next;
        }
        command.usage(Console.writer());
        return ExitCodes.DONE;
    }
}
