package dev.perhaps.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.cli.Refusals;
import dev.perhaps.cli.Shell;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
            "place --nodes nodes.txt k | --bound | 0 1 x");

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
    void aBadValueIsToldWithItsOption() throws Exception {
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
        assertThat(shell.files()).containsExactly("in.txt", "nodes.txt");
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
