package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.console.UserWords;
import dev.perhaps.cli.options.Amounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The help of every command: it fits a terminal, is plain English, and has examples that can be copied. */
class HelpPagesTest {
    private static final CommandLine COMMANDS = Main.commands();
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    static Stream<String> commands() {
        List<String> names = new ArrayList<>();
        collect(Main.commands(), names);
        return names.stream();
    }

    private static void collect(CommandLine command, List<String> names) {
        names.add(command.getCommandSpec().qualifiedName());
        command.getSubcommands().values().forEach(next -> collect(next, names));
    }

    private static CommandLine named(String name) {
        CommandLine command = COMMANDS;
        for (String word : Arrays.asList(name.split(" ")).subList(1, name.split(" ").length)) {
            command = Objects.requireNonNull(command.getSubcommands().get(word));
        }
        return command;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void thePageOfAllCommandsListsEveryOption(String name) throws IOException {
        String synopsis = synopsis(name.endsWith(" info") ? "perhaps info" : name);
        assertThat(named(name).getCommandSpec().options().stream()
                        .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp())
                        .filter(option -> Arrays.stream(option.names())
                                .noneMatch(each -> Pattern.compile("(?<![\\w-])" + each + "(?![\\w-])")
                                        .matcher(synopsis)
                                        .find()))
                        .map(OptionSpec::longestName))
                .as("options of '%s' that docs/command-line.md does not list", name)
                .isEmpty();
    }

    /** The lines of a command in docs/command-line.md, with the options that its words in capitals stand for. */
    private static String synopsis(String command) throws IOException {
        String page = Files.readString(Path.of("..", "..", "docs", "command-line.md"));
        StringBuilder own = new StringBuilder();
        boolean inside = false;
        for (String line : page.substring(0, page.indexOf("\n## ")).lines().toList()) {
            if (line.matches(" {4}\\S.*")) {
                inside = matches(line.strip(), command);
            } else if (line.matches(" {7}[A-Z]+ = .*")) {
                inside = own.toString().contains("[" + line.strip().split(" ", 2)[0] + "]");
            }
            if (inside) {
                own.append(line).append('\n');
            }
        }
        return own.toString();
    }

    /** Returns true for a line such as {@code perhaps filter merge|intersect FILTER} and one of its commands. */
    private static boolean matches(String line, String command) {
        String[] words = line.split(" ", -1);
        String[] names = command.split(" ", -1);
        for (int i = 0; i < names.length; i++) {
            if (i >= words.length || !Arrays.asList(words[i].split("\\|", -1)).contains(names[i])) {
                return false;
            }
        }
        return true;
    }

    private static String help(String name) {
        return named(name).getUsageMessage(Ansi.OFF);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void fitsATerminal(String name) {
        assertThat(help(name).lines())
                .allSatisfy(line -> assertThat(line.codePointCount(0, line.length()))
                        .as(line)
                        .isLessThanOrEqualTo(80));
    }

    /** A line that is too long is broken, and the next one then begins after half a line. */
    @ParameterizedTest
    @MethodSource("commands")
    void breaksNoLineOfAParagraphTwice(String name) {
        CommandLine.Model.UsageMessageSpec page = named(name).getCommandSpec().usageMessage();
        for (String[] paragraphs : List.of(page.description(), page.footer())) {
            for (int i = 0; i + 1 < paragraphs.length; i++) {
                boolean goesOn = !paragraphs[i + 1].isEmpty() && !paragraphs[i].matches("(?s).*[.:]");
                assertThat(goesOn && paragraphs[i].length() > Main.HELP_COLUMNS)
                        .as(paragraphs[i])
                        .isFalse();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void isPlainEnglish(String name) {
        String text = help(name).replaceAll("\\s+", " ");
        assertThat(PlainWords.banned(text)).isEmpty();
    }

    /** The description of --window was replaced by its default, "1h". */
    @ParameterizedTest
    @MethodSource("commands")
    void saysWhatEveryOptionDoes(String name) {
        assertThat(named(name).getCommandSpec().args())
                .filteredOn(argument -> !argument.hidden())
                .allSatisfy(argument -> assertThat(String.join(" ", argument.description()))
                        .as(argument.paramLabel())
                        .contains(" "));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void hasExamplesThatParse(String name) {
        if (!named(name).getSubcommands().isEmpty()) {
            return; // a group of commands, each of which has its own
        }
        List<List<String>> examples = examples(help(name));
        assertThat(examples).isNotEmpty();
        List<String> shown = new ArrayList<>();
        for (List<String> words : examples) {
            ParseResult parsed = Main.commands().parseArgs(words.toArray(String[]::new));
            while (parsed.hasSubcommand()) {
                parsed = parsed.subcommand();
            }
            shown.add(parsed.commandSpec().qualifiedName());
        }
        // "filter info" and its like are other words for "perhaps info", whose examples they show.
        assertThat(shown).contains(name.endsWith(" info") ? "perhaps info" : name);
    }

    /** The commands of perhaps that the lines below "Examples:" have, without what a shell does. */
    private static List<List<String>> examples(String help) {
        List<List<String>> examples = new ArrayList<>();
        Matcher section = Pattern.compile("(?s)\nExamples?:\n(.*)").matcher(help);
        if (!section.find()) {
            return examples;
        }
        for (String line : section.group(1).replace("\\\n", " ").lines().toList()) {
            assertThat(line).as("an example is indented").startsWith("  ");
            for (String part : line.strip().split(" \\| ", -1)) {
                if (!part.startsWith("perhaps ")) {
                    continue;
                }
                List<String> words = new ArrayList<>();
                Matcher word = WORD.matcher(part.replaceFirst(" [<>] .*", "").substring("perhaps ".length()));
                while (word.find()) {
                    words.add(word.group().replaceAll("^['\"]|['\"]$", ""));
                }
                examples.add(words);
            }
        }
        return examples;
    }

    /** An option that is not needed either has no value, or its help says what it is without it. */
    @ParameterizedTest
    @MethodSource("commands")
    void namesTheDefaultsOfNumbers(String name) {
        for (OptionSpec option : named(name).getCommandSpec().options()) {
            boolean isNumber =
                    option.type() == int.class || option.type() == double.class || option.type() == long.class;
            if (isNumber && !option.required() && !option.hidden()) {
                assertThat(String.join(" ", option.description()))
                        .as("%s %s", name, option.longestName())
                        .contains("(default: ");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void leavesNoDefaultOut(String name) {
        assertThat(help(name))
                .doesNotContain("${")
                .doesNotContain("default: null")
                .doesNotContain("default: )");
    }

    /** A number that is typed in a help text is wrong when the constant changes: it must be printed from it. */
    @Test
    void namesEveryCommandAsItNamesItself() {
        COMMANDS.getSubcommands()
                .forEach((name, command) -> assertThat(command.getCommandName())
                        .as(
                                "the name under which %s is found",
                                command.getCommandSpec().userObject())
                        .isEqualTo(name));
    }

    @Test
    void noDefaultIsTypedByHand() throws IOException {
        Pattern typed = Pattern.compile("\"[^\"\n]*\\(default: [^)\"\n]*[0-9][^)\"\n]*");
        List<String> found = new ArrayList<>();
        try (Stream<Path> below = Files.walk(Path.of("src", "main", "java"))) {
            for (Path file :
                    below.filter(path -> path.toString().endsWith(".java")).toList()) {
                // A text that is cut into several literals is one text.
                String source = Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "");
                typed.matcher(source).results().forEach(result -> found.add(file + ": " + result.group()));
            }
        }
        assertThat(found).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"67108864, 64M", "1000, 1000", "1024, 1K", "0, 0", "1099511627776, 1T", "1125899906842624, 1024T"})
    void writesSizesAsTheyCanBeTyped(long bytes, String text) {
        assertThat(Amounts.text(bytes)).isEqualTo(text);
        assertThat(Amounts.bytes("SIZE", text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"1500, 1500ms", "30000, 30s", "600000, 10m", "3600000, 1h", "86400000, 1d"})
    void writesDurationsAsTheyCanBeTyped(long millis, String text) {
        assertThat(Amounts.text(Duration.ofMillis(millis))).isEqualTo(text);
        assertThat(Amounts.duration("TIME", text)).hasMillis(millis);
    }

    @ParameterizedTest
    @CsvSource({
        "filtr, perhaps, : did you mean 'filter'?",
        "dedupe, perhaps, : did you mean 'dedup'?",
        "tpo, perhaps, : did you mean 'top'?",
        "chek, perhaps filter, : did you mean 'check'?",
        "frobnicate, perhaps, ''",
        "x, perhaps, ''",
    })
    void guessesWhichCommandWasMeant(String word, String group, String expected) {
        assertThat(UserWords.guess(word, named(group).getSubcommands().keySet()))
                .isEqualTo(expected);
    }

    @Test
    void countsStepsBetweenWords() {
        assertThat(UserWords.distance("top", "tpo")).isEqualTo(1);
        assertThat(UserWords.distance("", "abc")).isEqualTo(3);
        assertThat(UserWords.distance("--format", "--fromat")).isEqualTo(1);
        assertThat(UserWords.distance("kitten", "sitting")).isEqualTo(3);
    }
}
