package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sketches and results go through pipes, standard input and standard output as they go through files. */
class PipesIT {
    @TempDir
    Path folder;

    private Shell shell;

    @BeforeEach
    void open() throws Exception {
        shell = new Shell(folder);
        shell.write("cities.txt", "Lisbon", "Oslo", "Rome");
    }

    private String out(String line) throws Exception {
        Shell.Result result = shell.bash("set -o pipefail; " + line);
        assertThat(result.code()).as("%s: %s", line, result.err()).isZero();
        return result.out();
    }

    @Test
    void aFilterGoesThroughAPipeAndIsReadFromOne() throws Exception {
        assertThat(out("perhaps filter build cities.txt -o - | perhaps filter check - cities.txt"))
                .isEqualTo("Lisbon\nOslo\nRome\n");
        assertThat(out("perhaps filter build cities.txt -o /dev/stdout | perhaps filter info -"))
                .containsPattern("(?m)^kind +bloom$");
        assertThat(out("perhaps filter build cities.txt --output cities.filter;"
                        + " perhaps filter check <(cat cities.filter) --key Oslo --key Paris"))
                .isEqualTo("Oslo\n");
        assertThat(out("perhaps filter add - cities.txt -o - < cities.filter | cmp - cities.filter && echo same"))
                .isEqualTo("same\n");
    }

    @Test
    void aResultIsWrittenIntoAPipeThatHasAName() throws Exception {
        assertThat(out("mkfifo pipe; cat pipe > copy & perhaps filter build cities.txt -o pipe; wait;"
                        + " perhaps filter check copy --key Rome"))
                .isEqualTo("Rome\n");
        assertThat(out("perhaps filter build cities.txt -o >(cat > other); while ! cmp -s copy other; do sleep 0.1;"
                        + " done; test -p pipe && echo 'still a pipe'"))
                .isEqualTo("still a pipe\n");
        assertThat(out("perhaps dedup cities.txt -o kept.txt --clusters - | wc -l")
                        .strip())
                .isEqualTo("3");
    }

    @Test
    void countsAndIndexesAreReadFromPipesToo() throws Exception {
        assertThat(out("perhaps count build cities.txt -o - --json | perhaps count query - cities.txt"))
                .isEqualTo("1  Lisbon\n1  Oslo\n1  Rome\n");
        assertThat(out("perhaps distinct cities.txt -o - | perhaps distinct --with - --json"))
                .startsWith("{\"distinct\":3,");
        assertThat(out("perhaps similar build cities.txt -o - | perhaps similar query - cities.txt"))
                .contains("cities.txt:1\tcities.txt:1\t");
    }

    @Test
    void oneKeyIsAskedForOnTheCommandLine() throws Exception {
        out("perhaps filter build cities.txt -o f");
        Shell.Result absent = shell.perhaps("filter", "check", "f", "--key", "Paris");
        assertThat(absent.code()).isEqualTo(1);
        assertThat(absent.out()).isEmpty();
        assertThat(shell.perhaps("filter", "check", "f", "--key", "Paris", "--key", "Oslo", "--count", "--json")
                        .out())
                .startsWith("{\"asked\":2,\"perhaps\":1,\"absent\":1,");
        shell.write("ada", "Oslo"); // a key that begins with @ does not name a file of arguments
        assertThat(shell.perhaps("filter", "check", "f", "--key", "@ada").code())
                .isEqualTo(1);
        shell.write("rows.csv", "id,city", "1,Oslo");
        out("perhaps filter build rows.csv --format csv:city -o rows");
        assertThat(out("perhaps filter check rows --key Oslo")).isEqualTo("Oslo\n");
        new Refusals(shell)
                .of("filter check f cities.txt --key Oslo", "--key takes the place of INPUT")
                .of("filter check -", "standard input cannot be both the sketch and INPUT")
                .of("count query -", "standard input cannot be both the sketch and INPUT")
                .of("similar add - -o f", "standard input cannot be both the sketch and INPUT")
                .of("similar query -", "standard input cannot be both the sketch and INPUT")
                .of("dedup --against -", "standard input cannot be both the sketch and INPUT")
                .of("filter check - -", "standard input can be read only once")
                .of("filter merge - f - -o g", "standard input can be read only once")
                .of("distinct - cities.txt -", "standard input can be read only once")
                .of("similar remove - --names - -o g", "standard input can be read only once")
                .of("filter grow -", "cannot be written back")
                .hold();
    }
}
