package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts are printed exactly, estimates are marked as such, and advice works when it is typed. */
class HonestNumbersIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write("189.txt", lines(189));
        shell.write("many.txt", lines(20_000));
    }

    private static String[] lines(int count) {
        return IntStream.range(0, count).mapToObj(i -> "line " + i).toArray(String[]::new);
    }

    @Test
    void aBuildTellsHowManyItemsItRead() throws Exception {
        assertThat(shell.perhaps("filter", "build", "189.txt", "-o", "f").err()).contains("wrote f: 189 items read, ");
        assertThat(shell.perhaps("filter", "build", "189.txt", "189.txt", "189.txt", "-o", "f")
                        .err())
                .containsPattern("wrote f: 567 items read, ≈ 1[89][0-9] of them different");
        assertThat(shell.perhaps("filter", "build", "189.txt", "--kind", "cuckoo", "-o", "c")
                        .err())
                .contains("wrote c: 189 items, ");
        assertThat(shell.perhaps("filter", "add", "f", "189.txt").err()).contains("wrote f: ≈ 1");
        assertThat(shell.perhaps("filter", "info", "f").out()).containsPattern("(?m)^items now +1[89][0-9]$");
    }

    @Test
    void anOverfilledBuildNamesTheItemsThatWereReadAndAdviceThatWorks() throws Exception {
        String warning = shell.perhaps("filter", "build", "many.txt", "--items", "100", "-o", "f")
                .err();
        assertThat(warning)
                .contains(
                        "warning: 20,000 items were read, but the filter was planned for 100; its false positive rate"
                                + " is now ",
                        "build again with --items 20000");
        Shell.Result again = shell.perhaps("filter", "build", "many.txt", "--items", "20000", "-o", "f");
        assertThat(again.code()).isZero();
        assertThat(again.err()).doesNotContain("warning");
    }

    @Test
    void aFullFilterNamesTheItemsThatWereReadAndAdviceThatWorks() throws Exception {
        for (String kind : List.of("cuckoo", "quotient", "fuse")) {
            Shell.Result full =
                    shell.perhaps("filter", "build", "many.txt", "--kind", kind, "--items", "100", "-o", "full");
            assertThat(full.code()).isEqualTo(2);
            assertThat(full.err())
                    .contains("the filter is full: 20,000 items were read, but it was planned for 100; build again");
            String advised = full.err().replaceFirst("(?s).*build again with --items ([0-9]+)\n", "$1");
            Shell.Result again =
                    shell.perhaps("filter", "build", "many.txt", "--kind", kind, "--items", advised, "-o", kind);
            assertThat(again.code()).as(again.err()).isZero();
        }
    }

    @Test
    void aFilterWhoseBitsAreAllSetDoesNotSayHowManyItemsDiffer() throws Exception {
        assertThat(shell.perhaps("filter", "build", "many.txt", "--items", "100", "-o", "f")
                        .err())
                .contains("wrote f: 20,000 items read, ")
                .doesNotContain("different");
    }

    @Test
    void thereAreNoMoreDifferentItemsThanItems() throws Exception {
        // The estimate of these is above the truth.
        shell.write(
                "3000.txt",
                IntStream.rangeClosed(1, 3000).mapToObj(i -> "word" + i).toArray(String[]::new));
        assertThat(shell.perhaps("distinct", "3000.txt", "--json").out()).startsWith("{\"distinct\":3000,");
    }

    @Test
    void aFilterThatWouldBeOfNoUseIsNotBuiltUnlessForced() throws Exception {
        new Refusals(shell)
                .of("filter build many.txt --memory 1K -o f", "is of no use")
                .of("filter build many.txt --fpp 0.7 -o f", "is of no use")
                .of("filter build many.txt --fpp 0.5 -o f", "a filter with --fpp 0.5 is of no use")
                .hold();
        assertThat(shell.perhaps("filter", "build", "many.txt", "--memory", "1K", "--force", "-o", "f")
                        .code())
                .isZero();
    }

    @Test
    void aPlanRecommendsNothingThatIsOfNoUseOrNotWorthIt() throws Exception {
        String useless =
                shell.perhaps("plan", "--items", "1e5", "--memory", "1K").out();
        assertThat(useless)
                .contains("No kind of filter is of use in that memory")
                .doesNotContain("Take ");
        for (String needs : List.of("--fpp 0.5", "--fpp 0.6", "--fpp 0.6 --memory 1G", "--fpp 0.6 --deletes")) {
            assertThat(shell.perhaps(("plan --items 1e5 " + needs).split(" ")).out())
                    .as(needs)
                    .contains("is of no use")
                    .doesNotContain("Take ")
                    .doesNotContain("* ");
        }
        String loss = shell.perhaps("plan", "--items", "1e9", "--fpp", "0.02", "--prior", "0.0001", "--alpha", "9")
                .out();
        assertThat(loss)
                .contains("Do not use this filter")
                .doesNotContain("Take ")
                .doesNotContain("* ");
        assertThat(shell.perhaps("plan", "--items", "1e9", "--fpp", "0.02").out())
                .contains("Take ");
    }
}
