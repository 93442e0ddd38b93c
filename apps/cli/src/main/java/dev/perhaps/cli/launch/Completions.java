package dev.perhaps.cli.launch;

import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Lab;
import java.util.ArrayList;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Completions for bash and zsh, made by picocli. Where nothing else is known a shell completes names of files, which is what most
 * arguments are; formats and experiments are told to it here.
 */
final class Completions {
    private static final List<String> FORMATS =
            List.of("lines", "csv:", "tsv:", "jsonl:", "word:", "kmers:", "urls", "files");

    private Completions() {}

    static String bash(CommandLine program) {
        extend(program.getCommandSpec());
        return AutoComplete.bash(program.getCommandName(), program);
    }

    /** For a folder of zsh's {@code fpath}: the script for bash, which zsh can use, and what makes it a completion of zsh. */
    static String zsh(String bash) {
        return "#compdef perhaps\n" + bash + "\n_bash_complete -o default -F _complete_perhaps\n";
    }

    private static void extend(CommandSpec command) {
        for (OptionSpec option : new ArrayList<>(command.options())) {
            List<String> words = List.of();
            if (option.paramLabel().equals("FORMAT")) {
                words = FORMATS;
            }
            if (!words.isEmpty() && option.completionCandidates() == null && option.group() == null) {
                command.remove(option);
                command.addOption(
                        OptionSpec.builder(option).completionCandidates(words).build());
            }
        }
        if (command.qualifiedName().equals("perhaps lab run")) {
            for (PositionalParamSpec argument : new ArrayList<>(command.positionalParameters())) {
                command.remove(argument);
                command.addPositional(PositionalParamSpec.builder(argument)
                        .completionCandidates(
                                Lab.experiments().stream().map(Experiment::name).toList())
                        .build());
            }
        }
        command.subcommands().values().forEach(subcommand -> extend(subcommand.getCommandSpec()));
    }
}
