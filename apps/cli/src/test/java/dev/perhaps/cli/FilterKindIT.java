package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perhaps.Perhaps;
import dev.perhaps.key.Key;
import dev.perhaps.key.Urls;
import dev.perhaps.membership.HashFilter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which filter is built where the user names none, and with which error rate. */
class FilterKindIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write(
                "keys.txt", IntStream.range(0, 5_000).mapToObj(i -> "key" + i).toArray(String[]::new));
    }

    private List<Shell.Result> all(String... commands) throws Exception {
        return shell.all(Arrays.stream(commands)
                .map(command -> Arrays.asList(command.split(" ")))
                .toList());
    }

    private String planned(String options) throws Exception {
        List<Shell.Result> results = all("plan --items 5000 --json " + options);
        return results.get(0).out().replaceFirst("(?s).*\"recommended\":\"([a-z0-9]*)\".*", "$1");
    }

    @Test
    void buildsWhatThePlanRecommendsOrSaysWhyNot() throws Exception {
        String removable = planned("--deletes --fpp 0.001");
        String unchanging = planned("--static --fpp 0.001");
        String usual = planned("--fpp 0.001");
        List<Shell.Result> results = all(
                "filter build keys.txt --items 5000 --deletes --fpp 0.001 -o a",
                "filter build keys.txt --items 5000 --static --fpp 0.001 -o b",
                "filter build keys.txt --items 5000 --fpp 0.001 -o c",
                "filter build keys.txt --deletes -o d",
                "filter remove d keys.txt",
                "filter build keys.txt --items 5000 --deletes --memory 8 -o e");
        assertThat(Perhaps.look(folder.resolve("a")).kind().word()).isEqualTo(removable);
        assertThat(results.get(0).err()).contains("kind: " + removable + ". ");
        assertThat(Perhaps.look(folder.resolve("b")).kind().word()).isEqualTo(unchanging);
        assertThat(Perhaps.look(folder.resolve("c")).kind().word()).isEqualTo("bloom");
        assertThat(usual).isNotEqualTo("bloom");
        assertThat(results.get(2).err()).contains("'perhaps plan' recommends --kind " + usual + ". ");
        assertThat(results.get(4).err()).contains("removed 5,000, 0 were not there");
        assertThat(results.get(5).code()).isEqualTo(2);
        assertThat(results.get(5).err()).contains("perhaps: No kind of filter can do that");
        assertThat(Files.exists(folder.resolve("e"))).isFalse();
        Shell.Result unknown = shell.perhapsWith("a\n", "filter", "build", "-o", "s");
        assertThat(unknown.err()).contains("kind: scalable, since the number of items is not known");
        assertThat(shell.perhapsWith("a\n", "filter", "build", "--deletes", "-o", "t")
                        .err())
                .contains("the number of items is not known: use --items N with --deletes or --static");
    }

    /**
     * n = 20,000 URLs that are not in the list, each with 30 expressions: at a rate of 1 % for the whole URL, 200 are expected, with a
     * standard deviation of 14; more than 260 have a probability below 1e-4. At 1 % per expression it would be 5,200.
     */
    @Test
    void theErrorRateIsThatOfAWholeUrl() throws Exception {
        shell.write(
                "list.txt",
                IntStream.range(0, 5_000)
                        .mapToObj(i -> "listed" + i + ".example/")
                        .toArray(String[]::new));
        shell.write(
                "asked.txt",
                IntStream.range(0, 20_000)
                        .mapToObj(i -> "http://a.b.c.d.x" + i + ".org/1/2/3/4/p.html?q=" + i)
                        .toArray(String[]::new));
        List<Shell.Result> results = all(
                "filter build list.txt --format urls --fpp 0.01 --items 5000 -o list",
                "filter check list asked.txt --count --json",
                "filter check list list.txt --count --json");
        assertThat(results.get(0).err())
                .contains("a URL is looked up by up to 30 expressions: each has a false positive rate of 0.0335 %")
                .contains("a URL has at most 1.00 %");
        HashFilter<?> filter = Perhaps.openFilter(folder.resolve("list"), Key.urls());
        assertThat(filter.errorNow()).isLessThan(0.01 / Urls.MAX_EXPRESSIONS * 1.1);
        assertThat(Key.urls().hashes("http://a.b.c.d.x1.org/1/2/3/4/p.html?q=1", new long[Urls.MAX_EXPRESSIONS]))
                .isEqualTo(Urls.MAX_EXPRESSIONS);
        long found = Long.parseLong(results.get(1).out().replaceFirst("(?s).*\"perhaps\":([0-9]+).*", "$1"));
        assertThat(found).isBetween(100L, 260L);
        assertThat(results.get(2).out()).contains("\"perhaps\":5000,");
    }
}
