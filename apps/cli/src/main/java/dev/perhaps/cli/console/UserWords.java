package dev.perhaps.cli.console;

import dev.perhaps.cli.input.BadInput;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Rewrites messages for users of the command line: options in place of parameters, and suggestions for unknown words.
 */
public final class UserWords {
    /**
     * Names of parameters in the library, and the options that set them; a command has at most one of these options.
     */
    private static final Map<String, List<String>> OPTIONS = Map.ofEntries(
            Map.entry("falsePositives", List.of("--fpp")),
            Map.entry("memoryBytes", List.of("--memory")),
            Map.entry("items", List.of("--items")),
            Map.entry("growingTo", List.of("--growing-to")),
            Map.entry("within", List.of("--epsilon")),
            Map.entry("standardError", List.of("--error")),
            Map.entry("universe", List.of("--universe")),
            Map.entry("k", List.of("-k", "--top")),
            Map.entry("capacity", List.of("--counters")),
            Map.entry("counters", List.of("--counters")),
            Map.entry("threshold", List.of("--threshold")),
            Map.entry("flows", List.of("--flows")),
            Map.entry("recall", List.of("--recall")),
            Map.entry("components", List.of("--components")),
            Map.entry("the size of a shingle", List.of("--shingle")),
            Map.entry("minimumHits", List.of("--minimum-hits")),
            Map.entry("threads", List.of("--jobs")),
            Map.entry("points", List.of("--points")),
            Map.entry("multiple", List.of("--bound")),
            Map.entry("prior", List.of("--prior")),
            Map.entry("alpha", List.of("--alpha")),
            Map.entry("bits per document", List.of("--digest-bits")),
            Map.entry("virtualNodes", List.of("--virtual")),
            Map.entry("q", List.of("Q")));

    private static final Pattern PARAMETER = Pattern.compile("^(the size of a shingle|bits per document|\\w+) must ");
    private static final Pattern TOO_FEW =
            Pattern.compile("^Expected parameter \\d+ \\(of (?<n>\\d+) mandatory.*\\((?<label>\\w+)\\) but|^positional"
                    + " parameter.*\\((?<name>\\w+)\\) requires at least (?<least>\\d+) values");
    private static final int FARTHEST = 3;

    private UserWords() {}

    /** What the library says of a parameter, said of the option that the user gave. */
    public static String of(CommandSpec command, String message) {
        Matcher parameter = PARAMETER.matcher(message);
        if (!parameter.find()) {
            return message;
        }
        for (String option : OPTIONS.getOrDefault(parameter.group(1), List.of())) {
            if (!option.startsWith("-") || command.findOption(option) != null) {
                return option + message.substring(parameter.end(1));
            }
        }
        return message;
    }

    /** What is wrong with the words on the command line. */
    public static String of(ParameterException e) {
        if (e.getCause() instanceof BadInput cause) {
            return String.valueOf(cause.getMessage());
        }
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            return unmatched(
                    e.getCommandLine().getCommandSpec(),
                    unmatched.getUnmatched().get(0));
        }
        if (e instanceof MissingParameterException) {
            // A misspelt option is more helpful to name than what is missing because of it.
            for (String word : e.getCommandLine().getUnmatchedArguments()) {
                if (word.startsWith("-") && word.length() > 1) {
                    return unmatched(e.getCommandLine().getCommandSpec(), word);
                }
            }
        }
        Matcher tooFew = TOO_FEW.matcher(String.valueOf(e.getMessage()));
        if (tooFew.find()) {
            boolean isEnd = tooFew.group("n") == null;
            return "at least " + tooFew.group(isEnd ? "least" : "n") + " files are needed for "
                    + tooFew.group(isEnd ? "name" : "label");
        }
        return String.valueOf(e.getMessage())
                .replace("is not a double", "is not a number")
                .replaceAll("is not an? (int|long)\\b", "is not a whole number");
    }

    private static String unmatched(CommandSpec command, String word) {
        if (word.startsWith("-") && word.length() > 1) {
            String name = word.replaceFirst("=.*", "");
            return "Unknown option: '" + name + "'" + guess(name, visible(command));
        }
        if (!command.subcommands().isEmpty()) {
            return "there is no command '" + command.qualifiedName() + " " + word + "'"
                    + guess(word, command.subcommands().keySet());
        }
        return "'" + word + "' is one argument too many";
    }

    private static List<String> visible(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden())
                .map(OptionSpec::longestName)
                .toList();
    }

    /** The word that was probably meant, as a question, or nothing. */
    public static String guess(String word, Collection<String> known) {
        int letters = word.replaceFirst("^-+", "").length();
        if (letters < 2) {
            return ""; // every other letter is as near
        }
        int farthest = Math.min(FARTHEST, 1 + letters / 4);
        Optional<String> nearest = known.stream()
                .filter(other -> distance(word, other) <= farthest)
                .min(Comparator.comparingInt((String other) -> distance(word, other))
                        .thenComparing(other -> other));
        return nearest.map(other -> ": did you mean '" + other + "'?").orElse("");
    }

    /** How many letters must be changed, left out, put in, or swapped with their neighbour (optimal string alignment). */
    public static int distance(String a, String b) {
        int[][] steps = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    steps[i][j] = i + j;
                    continue;
                }
                int same = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                int least = Math.min(steps[i - 1][j - 1] + same, 1 + Math.min(steps[i - 1][j], steps[i][j - 1]));
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                steps[i][j] = swapped ? Math.min(least, steps[i - 2][j - 2] + 1) : least;
            }
        }
        return steps[a.length()][b.length()];
    }
}
