package dev.perhaps.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Main;
import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Who mistypes is told so in the words of the command line, with the word that was probably meant. */
class UserWordsIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write("in.txt", "1 2", "3 4");
        shell.write("nodes.txt", "a", "b");
    }

    private static final String PROXY = "proxy --listen 127.0.0.1:0 --origin http://127.0.0.1:9";
    private static final String PEER = "peer --listen 127.0.0.1:0 --dir p";
    private static final String SERVE = "serve --listen 127.0.0.1:0 --dir k";

    /** A command that works, the option that follows, and values that it cannot take. */
    private static final List<String> BAD_VALUES = List.of(
            "filter build in.txt -o f | --fpp | 0 1 -1 2 nan x",
            "filter build in.txt -o f | --items | 0 -1 1.5 x",
            "filter build in.txt -o f | --memory | 0 -1 x",
            "filter build in.txt -o f --kind quotient --items 100 | --growing-to | 0 1 x",
            "filter build in.txt -o f | --salt | x 99999999999",
            "plan --items 100 | --fpp | 0 1 x",
            "plan --items 100 | --memory | 0 x",
            "plan | --items | 0 x",
            "plan --items 100 --alpha 2 | --prior | -1 2 x",
            "plan --items 100 --prior 0.5 | --alpha | -1 0 x",
            "count build in.txt -o c | --epsilon | 0 1 x",
            "count build in.txt -o c | --delta | 0 1 x",
            "count build in.txt -o c | --memory | 0 x",
            "count build in.txt -o c | --cells | 0 7 x",
            "count build in.txt --format word:1 --ranges -o c | --universe | 0 65 x",
            "distinct in.txt | --error | 0 1 0.0000001 x",
            "top in.txt | -k | 0 -1 99999999999 x",
            "top in.txt | --counters | 0 5 x",
            "top in.txt | --last | 0 5 x",
            "flows in.txt | --top | 0 x",
            "flows in.txt | --threshold | x",
            "flows in.txt --threshold 5 | --flows | 0 x",
            "dedup in.txt | --threshold | 0 1.5 x",
            "dedup in.txt | --recall | 0 1 x",
            "dedup in.txt | --shingle | 0 -1 x",
            "dedup in.txt | --components | 0 -1 x",
            "dedup in.txt | --jobs | 0 x",
            "dedup in.txt | --minimum-hits | 0 101 x",
            "dedup in.txt | --memory | 0 x",
            "similarity in.txt in.txt | --shingle | 0 x",
            "similarity in.txt in.txt | --components | 0 x",
            "baskets in.txt | --threshold | 0 1.5 x",
            "baskets in.txt --threshold 0.5 | --recall | 0 1 x",
            "baskets in.txt --threshold 0.5 | --components | 0 x",
            "baskets in.txt --threshold 0.5 | --jobs | 0 x",
            "baskets in.txt --threshold 0.5 | --top | 0 x",
            "place --nodes nodes.txt k | --points | 0 x",
            "place --nodes nodes.txt k | --replicas | 0 x",
            "place --nodes nodes.txt k | --bound | 0 1 x",
            "filter build in.txt -o f --kind expiring | --window | 0 -1s 5 x",
            "filter build in.txt -o f --kind expiring --window 1h | --at | x",
            "filter check f.filter in.txt | --known | -0.1 0 1.5 nan x",
            "filter check f.filter in.txt | --at | x",
            "filter add f.filter in.txt | --at | x",
            "filter info f.filter | --at | x",
            "info f.filter | --at | x",
            "count info c.count | --at | x",
            "similar info d.index | --at | x",
            "count build in.txt --format word:1 --ranges -o c | --decimals | -1 10 x",
            "count add c.count in.txt | --decimals | -1 10 x",
            "top in.txt --by x | --decimals | -1 10 x",
            "similar build in.txt -o i | --threshold | 0 1.5 x",
            "similar build in.txt -o i | --recall | 0 1 x",
            "similar build in.txt -o i | --shingle | 0 -1 x",
            "similar build in.txt -o i | --components | 0 -1 x",
            "similar build in.txt -o i | --jobs | 0 x",
            "similar build in.txt -o i | --memory | 0 x",
            "similar add d.index in.txt | --threshold | 0 1.5 x",
            "similar add d.index in.txt | --recall | 0 1 x",
            "similar add d.index in.txt | --shingle | 0 -1 x",
            "similar add d.index in.txt | --components | 0 -1 x",
            "similar add d.index in.txt | --jobs | 0 x",
            "similar add d.index in.txt | --memory | 0 x",
            "similar query d.index in.txt | --threshold | 0 1.5 x",
            "similar query d.index in.txt | --memory | 0 x",
            "similar query d.index in.txt | -n | 0 -1 x",
            "lab run disk-dictionary --quick -o found | --seeds | 0 -1 x",
            PEER + " | --virtual | 0 65 x",
            PEER + " | --quota | -1 x",
            PEER + " | --repair-rate | 0 -1 x",
            PEER + " | --scrub-rate | 0 -1 x",
            PEER + " | --scrub-every | 0 5 x",
            "put --via 127.0.0.1:1 in.txt | --replicas | 0 -1 x",
            PROXY + " | --cache | 0 -1 x",
            PROXY + " | --largest | -1 x",
            PROXY + " | --timeout | 0 5 x",
            PROXY + " | --stale-if-error | -1s 5 x",
            PROXY + " | --request-limit | -1 x",
            PROXY + " | --clients | 0 -1 x",
            PROXY + " | --clients-per-address | 0 -1 x",
            PROXY + " | --client-memory | 0 -1 x",
            PROXY + " --sibling a=127.0.0.1:8 | --digest-bits | 0 65 x",
            PROXY + " --sibling a=127.0.0.1:8 | --digest-interval | 0 5 x",
            PROXY + " --sibling a=127.0.0.1:8 | --sibling-timeout | 0 5 x",
            SERVE + " | --clients | 0 -1 x",
            SERVE + " | --idle-timeout | 0 5 x",
            SERVE + " | --max-memory | 0 -1 x",
            SERVE + " | --max-key-memory | 0 -1 x",
            SERVE + " | --max-input-memory | 0 -1 x",
            SERVE + " | --max-output-memory | 0 -1 x");

    /** How the text of an option is called in its help if it is a number, a size or a time. */
    private static final Set<String> LABELS_OF_NUMBERS = Set.of("N", "K", "T", "SIZE", "TIME", "DURATION");

    @Test
    void tooFewFilesAndUnknownLettersAreToldPlainly() throws Exception {
        assertThat(shell.perhaps("filter", "merge", "in.txt", "-o", "out").err())
                .isEqualTo("perhaps: at least 2 files are needed for FILTER (see 'perhaps filter merge --help')\n");
        assertThat(shell.perhaps("count", "merge", "-o", "out", "in.txt").err())
                .isEqualTo("perhaps: at least 2 files are needed for SKETCH (see 'perhaps count merge --help')\n");
        assertThat(shell.perhaps("top", "in.txt", "-x").err())
                .isEqualTo("perhaps: Unknown option: '-x' (see 'perhaps top --help')\n");
    }

    @Test
    void everyOptionThatTakesANumberHasBadValuesHere() {
        List<String> missing = new ArrayList<>();
        int numbers = missing(Main.commands(), missing);
        assertThat(numbers).isGreaterThan(80);
        assertThat(missing).as("options without a row in BAD_VALUES").isEmpty();
    }

    private static int missing(CommandLine command, List<String> missing) {
        String name = command.getCommandSpec().qualifiedName().replaceFirst("^perhaps ?", "");
        int numbers = 0;
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!takesNumber(option)) {
                continue;
            }
            numbers++;
            boolean hasRow = BAD_VALUES.stream()
                    .anyMatch(row -> row.startsWith(name + " ")
                            && List.of(option.names()).contains(row.split(" \\| ", -1)[1]));
            if (!hasRow) {
                missing.add(name + " " + option.longestName());
            }
        }
        for (CommandLine next : command.getSubcommands().values()) {
            numbers += missing(next, missing);
        }
        return numbers;
    }

    private static boolean takesNumber(OptionSpec option) {
        Class<?> type = option.type();
        return option.arity().max() > 0
                && (type == int.class
                        || type == long.class
                        || type == double.class
                        || Number.class.isAssignableFrom(type)
                        || type == String.class && LABELS_OF_NUMBERS.contains(option.paramLabel()));
    }

    @Test
    void aBadValueIsToldWithItsOption() throws Exception {
        assertThat(shell.all(List.of(
                        List.of("filter", "build", "in.txt", "-o", "f.filter"),
                        List.of("count", "build", "in.txt", "--format", "word:1", "--ranges", "-o", "c.count"),
                        List.of("similar", "build", "in.txt", "-o", "d.index"))))
                .allMatch(result -> result.code() == 0);
        List<List<String>> commands = new ArrayList<>();
        List<String> options = new ArrayList<>();
        for (String row : BAD_VALUES) {
            String[] parts = row.split(" \\| ", -1);
            for (String value : parts[2].split(" ", -1)) {
                List<String> words = new ArrayList<>(Arrays.asList(parts[0].split(" ")));
                words.add(parts[1]);
                words.add(value);
                commands.add(words);
                options.add(parts[1]);
            }
        }
        List<Shell.Result> results = shell.all(commands);
        SoftAssertions all = new SoftAssertions();
        for (int i = 0; i < results.size(); i++) {
            Shell.Result result = results.get(i);
            String last = result.err().lines().reduce((a, b) -> b).orElse("");
            all.assertThat(result.code()).as("%s", commands.get(i)).isEqualTo(2);
            all.assertThat(last)
                    .as("%s", commands.get(i))
                    .startsWith("perhaps: ")
                    .contains(options.get(i))
                    .doesNotContainPattern("\\b[a-z]+[A-Z][a-z]+") // a parameter of the library
                    .doesNotContain("is not a double", "is not an int", "Exception");
        }
        all.assertAll();
        assertThat(shell.files()).containsExactly("c.count", "d.index", "f.filter", "in.txt", "nodes.txt");
    }

    @Test
    void guessesWhatWasMeant() throws Exception {
        new Refusals(shell)
                .of(
                        "filtr build in.txt",
                        "there is no command 'perhaps filtr': did you mean 'filter'? (see 'perhaps --help')")
                .of("filter biuld in.txt", "there is no command 'perhaps filter biuld': did you mean 'build'?")
                .of(
                        "top in.txt --fromat lines",
                        "Unknown option: '--fromat': did you mean '--format'? (see 'perhaps top --help')")
                .of("filter build in.txt -o f --fp=0.1", "Unknown option: '--fp': did you mean '--fpp'?")
                .of("filter build in.txt --itmes 3", "Unknown option: '--itmes': did you mean '--items'?")
                .of(
                        "filter build in.txt -o f --kind blom",
                        "there is no kind of filter 'blom': did you mean 'bloom'? Use one of bloom, ")
                .of("filter build in.txt -o f --kind xyzzy", "there is no kind of filter 'xyzzy': use one of bloom, ")
                .of("frobnicate", "there is no command 'perhaps frobnicate' (see 'perhaps --help')")
                .of("help filter chek", "there is no command 'perhaps filter chek': did you mean 'check'?")
                .of("filter", "a command is missing, as in 'perhaps filter build'")
                .of("filter info a b", "'b' is one argument too many")
                .hold();
    }

    @Test
    void helpAndVersionAreCommandsToo() throws Exception {
        List<Shell.Result> results = shell.all(List.of(
                List.of("help", "filter", "build"),
                List.of("filter", "build", "--help"),
                List.of("help"),
                List.of("--help"),
                List.of("version"),
                List.of("--version")));
        for (int i = 0; i < results.size(); i += 2) {
            assertThat(results.get(i).code()).isZero();
            assertThat(results.get(i).out()).isEqualTo(results.get(i + 1).out()).isNotBlank();
        }
        assertThat(results.get(0).out()).startsWith("Usage: perhaps filter build ");
    }
}
