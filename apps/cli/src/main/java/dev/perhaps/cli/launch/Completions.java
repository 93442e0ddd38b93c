package dev.perhaps.cli.launch;

import dev.perhaps.lab.Experiment;
import dev.perhaps.lab.Lab;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Completions for bash and zsh, made by picocli. Where nothing else is known a shell completes names of files, which is what most
 * arguments are; experiments and commands are listed here, kinds and formats by their options.
 */
final class Completions {
    /*
     * What is changed in picocli's script:
     * - It turns the completion of file names off as soon as a subcommand is complete, so that only arguments that are
     *   declared as files have it. That line is taken out: what has no words of its own is completed as a file.
     * - The words of an option are kept in a variable that is named by its label, so that of two options with the same
     *   label the first has the words of the second. Here each gets a label of its own.
     * - bash cuts words at '=': "--kind=cu" is three of them, and picocli knows two. The function around it joins them.
     * - A word that ends with ':' is a beginning, as in csv:COLUMN: no space is put behind it.
     */
    private static final String NO_FILES = "  type compopt &>/dev/null && compopt +o default\n";

    private static final String FUNCTION = """

            # Completes what follows --option= too, and puts no space behind a word that ends with a colon.
            function _perhaps_words() {
              local -a parts=()
              local i at=0
              for (( i = 0; i <= COMP_CWORD; i++ )); do
                if [[ "${COMP_WORDS[i]}" != "=" ]]; then
                  parts+=("${COMP_WORDS[i]}")
                elif (( i == COMP_CWORD )); then
                  parts+=("")
                fi
              done
              at=$(( ${#parts[@]} - 1 ))
              local -a COMP_WORDS=("${parts[@]}")
              local COMP_CWORD=$at
              _complete_perhaps
              if (( ${#COMPREPLY[@]} == 1 )) && [[ "${COMPREPLY[0]}" == *: ]]; then
                type compopt &>/dev/null && compopt -o nospace
              fi
            }
            """;

    private Completions() {}

    /** The script for bash; the program is changed, and is of no other use afterwards. */
    static String bash(CommandLine program) {
        extend(program.getCommandSpec());
        String made = AutoComplete.bash(program.getCommandName(), program);
        int last = made.lastIndexOf("complete -F _complete_perhaps ");
        if (!made.contains(NO_FILES) || last < 0) {
            throw new IllegalStateException("picocli makes another script than the one that is changed here");
        }
        String functions = made.substring(0, last).replace(NO_FILES, "");
        String registration = made.substring(last).replace("-F _complete_perhaps", "-F _perhaps_words");
        return functions + FUNCTION + "\n" + registration;
    }

    /** For a folder of zsh's {@code fpath}: the script for bash, which zsh can use, and what makes it a completion of zsh. */
    static String zsh(String bash) {
        return "#compdef perhaps\n" + bash + "\n_bash_complete -o default -F _complete_perhaps\n";
    }

    private static void extend(CommandSpec command) {
        for (OptionSpec option : new ArrayList<>(command.options())) {
            if (option.completionCandidates() != null && option.group() == null) {
                List<String> words = new ArrayList<>();
                option.completionCandidates().forEach(words::add);
                if (option.type().isEnum()) {
                    words.replaceAll(word -> word.toLowerCase(Locale.ROOT));
                }
                command.remove(option);
                command.addOption(OptionSpec.builder(option)
                        .completionCandidates(words)
                        .paramLabel(option.longestName().replaceAll("\\W", ""))
                        .build());
            }
        }
        Map<String, List<String>> arguments = Map.of(
                "perhaps lab run",
                Lab.experiments().stream().map(Experiment::name).toList(),
                "perhaps help",
                List.copyOf(command.root().subcommands().keySet()));
        List<String> words = arguments.get(command.qualifiedName());
        if (words != null) {
            for (PositionalParamSpec argument : new ArrayList<>(command.positionalParameters())) {
                command.remove(argument);
                command.addPositional(PositionalParamSpec.builder(argument)
                        .completionCandidates(words)
                        .build());
            }
        }
        command.subcommands().values().forEach(subcommand -> extend(subcommand.getCommandSpec()));
    }
}
